package spec

import (
	"iter"
	"slices"
)

// maxEarly is how many exchanges may be spoken of before their request: by the
// pieces of its body, or by what was done to it on purpose.
const maxEarly = 64

// maxWaiting is how many complete exchanges may wait behind one that is not,
// before they are yielded out of order. It bounds the memory on a file in
// which one request was never answered.
const maxWaiting = 1024

// Exchanges puts the exchanges of events together and yields them in the order
// of their requests. An exchange is yielded when its outcome has come, or its
// response in a recording that holds no outcomes (a capture), or at the end of
// the events. When more than 1024 wait behind one that stays open, they are
// yielded without it; N tells the order. The memory is that of the exchanges
// open. Events that belong to no request are passed over.
func Exchanges(events iter.Seq[Event]) iter.Seq[*Exchange] {
	return func(yield func(*Exchange) bool) {
		a := assembly{
			open:     map[exchangeKey]*openExchange{},
			early:    map[exchangeKey]*openExchange{},
			steps:    map[string]*int{},
			outcomes: true,
		}
		for e := range events {
			a.take(e)
			if !a.flush(yield, false) {
				return
			}
		}
		a.flush(yield, true)
	}
}

type exchangeKey struct{ session, d string }

type openExchange struct {
	*Exchange
	key exchangeKey
	// complete says that nothing more is due.
	complete bool
}

type assembly struct {
	open map[exchangeKey]*openExchange
	// early holds what came ahead of its request.
	early map[exchangeKey]*openExchange
	// queue holds what has not been yielded, in the order of the requests.
	queue []*openExchange
	// outcomes says that the recording holds outcomes.
	outcomes bool
	n        int
	// steps are the steps that are acting, by session.
	steps map[string]*int
}

func (a *assembly) take(e Event) {
	key := exchangeKey{session: e.Session}
	switch d := e.Data.(type) {
	case *HeaderEvent:
		a.outcomes = slices.Contains(d.Evidence, EvidenceEngine)
	case *StepEvent:
		if !d.PassedOver {
			step := d.Step
			a.steps[e.Session] = &step
		}
	case *RequestEvent:
		key.d = d.D
		a.request(key, e, d)
	case *PieceEvent:
		key.d = d.D
		if x := a.open[key]; d.Of == "response" && x != nil {
			x.piece(&x.ResponseBody, d)
		} else if d.Of == "request" {
			if x = a.ahead(key); x != nil {
				x.piece(&x.RequestBody, d)
			}
		}
	case *DisturbEvent:
		key.d = d.D
		x := a.open[key]
		if x == nil {
			x = a.ahead(key)
		}
		if x != nil {
			x.Disturbed = append(x.Disturbed, d)
		}
	case *ResponseEvent:
		key.d = d.D
		if x := a.open[key]; x != nil {
			x.Response = d
			x.body(&x.ResponseBody, d.Body, "response")
			// An engine makes nothing of what it does not know of.
			x.complete = !a.outcomes || d.End == EndStale || x.Request.Ahead || x.Request.IsRaw()
		}
	case *InputEvent:
		a.submission(e.Session, d)
	case *OutcomeEvent:
		key.d = d.D
		if x := a.open[key]; x != nil {
			x.Outcome = d
			x.Outcomes = append(x.Outcomes, d)
			x.complete = x.Response != nil && !x.ranOut() || x.notSent()
		}
	}
}

// submission gives an answer that was submitted to the delivery that it answers.
func (a *assembly) submission(session string, d *InputEvent) {
	if d.From != "worker" || d.Decision == "" || d.Status/100 != 2 || d.Dropped != "" {
		return
	}
	for _, x := range slices.Backward(a.queue) {
		if x.Session == session && x.Request.Decision == d.Decision {
			x.Submission = d
			return
		}
	}
}

// ranOut reports whether the engine gave the delivery up although an answer
// came: then there is another outcome, that of the late answer (D6).
func (x *openExchange) ranOut() bool {
	return x.Outcome.As == OutcomeFailed && x.Outcome.Code == CodeDeadlineExceeded && x.Response.End != EndTimeout
}

// notSent reports whether the request was lost on purpose, so that no response
// can come.
func (x *openExchange) notSent() bool {
	return slices.ContainsFunc(x.Disturbed, func(d *DisturbEvent) bool { return d.Do == "lose-request" })
}

// request begins an exchange, with what was said of it ahead of its request.
func (a *assembly) request(key exchangeKey, e Event, d *RequestEvent) {
	x := a.early[key]
	if x == nil {
		x = &openExchange{Exchange: &Exchange{Session: key.session, D: key.d}, key: key}
	}
	delete(a.early, key)
	if old := a.open[key]; old != nil {
		// The name is used again, so nothing more can come for the old one.
		old.complete = true
	}
	a.open[key] = x
	a.n++
	x.N, x.Line, x.Step, x.T, x.W, x.Request = a.n, e.N, a.steps[key.session], e.T, e.W, d
	x.body(&x.RequestBody, d.Body, "request")
	a.queue = append(a.queue, x)
}

// ahead returns the exchange whose request is still to come; nil when there are
// too many of them.
func (a *assembly) ahead(key exchangeKey) *openExchange {
	x := a.early[key]
	if x == nil && len(a.early) < maxEarly {
		x = &openExchange{Exchange: &Exchange{Session: key.session, D: key.d}, key: key}
		a.early[key] = x
	}
	return x
}

// flush yields what is ready; everything at the end.
func (a *assembly) flush(yield func(*Exchange) bool, end bool) bool {
	for len(a.queue) > 0 {
		i := 0
		if !a.queue[0].complete && !end {
			if len(a.queue) <= maxWaiting {
				return true
			}
			if i = slices.IndexFunc(a.queue, func(x *openExchange) bool { return x.complete }); i < 0 {
				return true
			}
		}
		x := a.queue[i]
		a.queue = slices.Delete(a.queue, i, i+1)
		if a.open[x.key] == x {
			delete(a.open, x.key)
		}
		if !yield(x.Exchange) {
			return false
		}
	}
	return true
}

// body takes a whole body that came with its event.
func (x *openExchange) body(to *[]byte, b Body, of string) {
	got, err := b.Bytes()
	if err != nil {
		x.Damage = of + " body: " + err.Error()
		return
	}
	if got != nil {
		*to = got
	}
}

// piece adds a part of a body.
func (x *openExchange) piece(to *[]byte, p *PieceEvent) {
	got, err := p.Body.Bytes()
	switch {
	case err != nil:
		x.Damage = p.Of + " piece: " + err.Error()
	case p.Offset != int64(len(*to)):
		x.Damage = p.Of + " piece is missing or doubled"
	default:
		*to = append(*to, got...)
	}
}
