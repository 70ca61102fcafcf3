package spec

import (
	"iter"
	"slices"
)

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
		a := assembly{open: map[exchangeKey]*openExchange{}, outcomes: true}
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
	// queue holds what has not been yielded, in the order of the requests.
	queue []*openExchange
	// outcomes says that the recording holds outcomes.
	outcomes bool
	n        int
	step     *int
}

func (a *assembly) take(e Event) {
	switch d := e.Data.(type) {
	case *HeaderEvent:
		a.outcomes = slices.Contains(d.Evidence, EvidenceEngine)
	case *StepEvent:
		if !d.PassedOver {
			step := d.Step
			a.step = &step
		}
	case *RequestEvent:
		x := a.at(e.Session, d.D)
		if x.Request != nil {
			x.complete = true
			delete(a.open, x.key)
			x = a.at(e.Session, d.D)
		}
		a.n++
		x.N, x.Step, x.T, x.W, x.Request = a.n, a.step, e.T, e.W, d
		x.body(&x.RequestBody, d.Body, "request")
		a.queue = append(a.queue, x)
	case *PieceEvent:
		x := a.at(e.Session, d.D)
		if d.Of == "request" {
			x.piece(&x.RequestBody, d)
		} else {
			x.piece(&x.ResponseBody, d)
		}
	case *ResponseEvent:
		x := a.at(e.Session, d.D)
		x.Response = d
		x.body(&x.ResponseBody, d.Body, "response")
		x.complete = !a.outcomes || d.End == EndStale
	case *OutcomeEvent:
		x := a.at(e.Session, d.D)
		x.Outcome = d
		x.Outcomes = append(x.Outcomes, d)
		x.complete = x.Response != nil
	case *DisturbEvent:
		x := a.at(e.Session, d.D)
		x.Disturbed = append(x.Disturbed, d)
	}
}

// at returns the open exchange of that name, a new one if there is none: a
// disturbance may be told before its request.
func (a *assembly) at(session, d string) *openExchange {
	key := exchangeKey{session, d}
	x := a.open[key]
	if x == nil {
		x = &openExchange{Exchange: &Exchange{Session: session, D: d}, key: key}
		a.open[key] = x
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
