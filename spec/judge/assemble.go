package judge

import (
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// maxPieces bounds the body that is put together from pieces, in bytes. A
// larger one is over every limit of a delivery and is not judged by content.
const maxPieces = 64 << 20

// wired is an exchange as it was on the wire.
type wired struct {
	*spec.Exchange
	// gaveUp is the engine time after which the engine gave the delivery up
	// for its deadline, 0 when it did not (D2).
	gaveUp time.Duration
	// until counts the requests of the recording that were sent before its
	// response came: those are the deliveries that it may overlap.
	until int
	// over says that nothing is to be learned from it but that the worker was
	// gone by then.
	over bool
}

// assembler puts exchanges together as their events come. Unlike
// [spec.Exchanges] it hands an answered one out at the next event of its own
// session, so that what happens in between is seen in order, and one request
// that hangs holds nothing up. It keeps only exchanges that are not taken yet.
type assembler struct {
	n    int
	open map[string][]*wired
	// early holds what was said of deliveries whose request is still to come.
	early map[[2]string]*ahead
	// held counts the bytes of their bodies.
	held     int
	readings *spec.Readings
}

// ahead is what stands before a request: what was done to it on purpose, and
// the pieces of a body too large for its line.
type ahead struct {
	disturbed []*spec.DisturbEvent
	body      []byte
	damage    string
}

// maxOpenExchanges bounds the requests of one session that wait for their
// response. An engine has one or two; beyond the bound the oldest is forgotten.
const maxOpenExchanges = 64

// maxEarly bounds the deliveries that are spoken of ahead of their request.
const maxEarly = 64

func newAssembler(r *spec.Readings) *assembler {
	return &assembler{open: map[string][]*wired{}, early: map[[2]string]*ahead{}, readings: r}
}

func (a *assembler) find(session, d string) *wired {
	for _, x := range a.open[session] {
		if x.D == d {
			return x
		}
	}
	return nil
}

func (a *assembler) request(e spec.Event, d *spec.RequestEvent, step *int) {
	session := e.Session
	a.n++
	x := &wired{Exchange: &spec.Exchange{
		Session: session, D: d.D, N: a.n, Line: e.N, Step: step, T: e.T, Request: d, Readings: a.readings,
	}}
	x.RequestBody = bodyOf(x, d.Body)
	key := [2]string{session, d.D}
	if e := a.early[key]; e != nil {
		x.Disturbed, x.Damage = e.disturbed, e.damage
		if e.body != nil {
			x.RequestBody = e.body
		}
		a.held -= len(e.body)
		delete(a.early, key)
	}
	waiting := a.open[session]
	if len(waiting) == maxOpenExchanges {
		waiting = slices.Delete(waiting, 0, 1)
	}
	a.open[session] = append(waiting, x)
}

// bodyOf returns the bytes of a body, nil when pieces hold it.
func bodyOf(x *wired, b spec.Body) []byte {
	got, err := b.Bytes()
	if err != nil {
		x.Damage = err.Error()
	}
	return got
}

// ahead returns what is kept of a delivery whose request is still to come, nil
// when there is no room for it.
func (a *assembler) ahead(session, d string) *ahead {
	key := [2]string{session, d}
	e := a.early[key]
	if e == nil && len(a.early) < maxEarly {
		e = &ahead{}
		a.early[key] = e
	}
	return e
}

func (a *assembler) piece(session string, d *spec.PieceEvent) {
	if d.Of == "request" {
		a.requestPiece(session, d)
		return
	}
	x := a.find(session, d.D)
	if x == nil {
		return
	}
	to := &x.ResponseBody
	got := bodyOf(x, d.Body)
	if d.Offset != int64(len(*to)) || len(*to)+len(got) > maxPieces {
		x.Damage = "a piece is missing, doubled or too much"
		return
	}
	*to = append(*to, got...)
}

// requestPiece takes a part of a request's body. The pieces stand before the
// request.
func (a *assembler) requestPiece(session string, d *spec.PieceEvent) {
	e := a.ahead(session, d.D)
	if e == nil {
		return
	}
	got, err := d.Body.Bytes()
	switch {
	case err != nil:
		e.damage = err.Error()
	case d.Offset != int64(len(e.body)) || a.held+len(got) > maxPieces:
		e.damage = "a piece is missing, doubled or too much"
	default:
		e.body = append(e.body, got...)
		a.held += len(got)
	}
}

// response takes what came back and returns the exchange, nil when its request is
// not known.
func (a *assembler) response(session string, d *spec.ResponseEvent) *wired {
	x := a.find(session, d.D)
	if x == nil {
		return nil
	}
	x.Response, x.until = d, a.n
	if b := bodyOf(x, d.Body); b != nil {
		x.ResponseBody = b
	}
	return x
}

func (a *assembler) outcome(e spec.Event, d *spec.OutcomeEvent) {
	x := a.find(e.Session, d.D)
	if x == nil {
		return
	}
	x.Outcome = d
	if d.As == spec.OutcomeFailed && d.Code == spec.CodeDeadlineExceeded {
		x.gaveUp = time.Duration(e.T-x.T) * time.Millisecond
	}
}

func (a *assembler) disturb(session string, d *spec.DisturbEvent) {
	if x := a.find(session, d.D); x != nil {
		x.Disturbed = append(x.Disturbed, d)
		return
	}
	if e := a.ahead(session, d.D); e != nil {
		e.disturbed = append(e.disturbed, d)
	}
}

// take returns the answered exchanges of a session in the order of their
// requests, and forgets them.
func (a *assembler) take(session string) []*wired {
	var done []*wired
	rest := slices.DeleteFunc(a.open[session], func(x *wired) bool {
		if x.Response == nil {
			return false
		}
		done = append(done, x)
		return true
	})
	a.open[session] = rest
	return done
}
