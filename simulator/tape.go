package simulator

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// tape is the recording of a case that is driven again: it says what came from
// outside and when, and what the engine did, which must come out the same. Each
// session has a track of its own, since no order is promised across sessions
// (R20).
type tape struct {
	header *spec.HeaderEvent
	close  *spec.CloseEvent
	tracks map[string]*track
	// order are the aliases of the sessions in the order in which they began.
	order []string
	// signature is the header that carries signatures, "" for none: they are not
	// compared, since no recording holds the secret.
	signature string
	// diverged is the first difference, nil while there is none.
	diverged *Divergence
}

// track is what the recording holds of one session.
type track struct {
	events []spec.Event
	// next is the event that comes next, requests and lastRequest are how many
	// requests came out the same so far and which was the last.
	next        int
	requests    int
	lastRequest *spec.Event
	// nows are the wire times of the requests, by exchange.
	nows map[string]time.Time
}

// fileTrack is the track of what happened to the worker as a whole.
const fileTrack = ""

// newTape puts the events of a recording in order. The error says why they
// cannot be driven again.
func newTape(events []spec.Event) (*tape, error) {
	t := &tape{tracks: map[string]*track{fileTrack: {}}}
	bodies := map[deliveryAlias][]byte{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *spec.HeaderEvent:
			t.header = d
			continue
		case *spec.CloseEvent:
			t.close = d
			continue
		case *spec.GapEvent:
			return nil, fmt.Errorf("line %d is a gap: %s", e.N, d.Reason)
		case *spec.UnknownEvent:
			return nil, fmt.Errorf("line %d is of a kind that this hallmark does not know: %s", e.N, d.Kind)
		case *spec.WorkerEvent:
			if d.Event != "restarted" {
				// How a process comes and goes by itself changes nothing of a case.
				continue
			}
		case *spec.PieceEvent:
			if d.Of == "request" {
				b, err := d.Body.Bytes()
				if err != nil {
					return nil, fmt.Errorf("line %d: body of a piece: %w", e.N, err)
				}
				at := deliveryAlias{e.Session, d.D}
				bodies[at] = append(bodies[at], b...)
				continue
			}
		case *spec.RequestEvent:
			if d.Pieces > 0 {
				whole := *d
				at := deliveryAlias{e.Session, d.D}
				whole.Body, whole.Pieces, whole.Bytes = spec.BodyOf(bodies[at]), 0, 0
				delete(bodies, at)
				e.Data = &whole
			}
		}
		t.add(e)
	}
	if t.header == nil {
		return nil, fmt.Errorf("the recording has no header")
	}
	return t, nil
}

// deliveryAlias names an exchange of a recording.
type deliveryAlias struct{ session, d string }

func (t *tape) add(e spec.Event) {
	tr := t.tracks[e.Session]
	if tr == nil {
		tr = &track{nows: map[string]time.Time{}}
		t.tracks[e.Session] = tr
		t.order = append(t.order, e.Session)
	}
	tr.events = append(tr.events, e)
	if r, ok := e.Data.(*spec.RequestEvent); ok {
		if now, err := time.Parse(time.RFC3339Nano, r.Now); err == nil {
			tr.nows[r.D] = now
		}
		if signed := r.Signature == spec.SignatureValid || r.Signature == spec.SignatureWrong; signed && t.signature == "" && len(r.Headers) > 1 {
			// It is the last that is written, before the length.
			t.signature = r.Headers[len(r.Headers)-2][0]
		}
	}
}

// peek is the n-th event from the next one on of a session, nil behind the last.
func (t *tape) peek(session string, n int) *spec.Event {
	tr := t.tracks[session]
	if tr == nil || tr.next+n >= len(tr.events) {
		return nil
	}
	return &tr.events[tr.next+n]
}

// rest are the events of a session that are still to come.
func (t *tape) rest(session string) []spec.Event {
	if tr := t.tracks[session]; tr != nil {
		return tr.events[tr.next:]
	}
	return nil
}

// recorded finds the exchange d among what is still to come, and among what was.
func (t *tape) recorded(session, d string) (request *spec.RequestEvent, response *spec.ResponseEvent) {
	tr := t.tracks[session]
	if tr == nil {
		return nil, nil
	}
	for i := range tr.events {
		switch e := tr.events[i].Data.(type) {
		case *spec.RequestEvent:
			if e.D == d {
				request = e
			}
		case *spec.ResponseEvent:
			if e.D == d {
				response = e
			}
		}
	}
	return request, response
}

// got is what came back for the exchange d.
func (t *tape) got(session, d string) (Got, bool) {
	request, response := t.recorded(session, d)
	if response == nil {
		return Got{}, false
	}
	body, err := t.answer(session, d, response)
	if err != nil {
		return Got{}, false
	}
	got := Got{Proto: response.Proto, Stream: response.Pieces > 0, Answer: spec.Answer{
		Status: response.Status, Headers: response.Headers, Body: body, End: response.End, Reason: response.Reason,
	}}
	if request != nil {
		got.Conn = request.Conn
	}
	return got, true
}

// answer is the body of a response, its pieces put together.
func (t *tape) answer(session, d string, r *spec.ResponseEvent) ([]byte, error) {
	if r.Pieces == 0 {
		return r.Body.Bytes()
	}
	body := []byte{}
	for _, e := range t.tracks[session].events {
		if p, ok := e.Data.(*spec.PieceEvent); ok && p.D == d {
			b, err := p.Body.Bytes()
			if err != nil {
				return nil, err
			}
			body = append(body, b...)
		}
	}
	return body, nil
}

// take compares an event that the driver hands out with the one that the tape
// has in its place.
func (t *tape) take(e spec.Event) {
	if _, ok := e.Data.(*spec.HeaderEvent); ok || t.diverged != nil {
		return
	}
	want := t.peek(e.Session, 0)
	if want == nil {
		t.diverge(e.Session, &e, "")
		return
	}
	if !t.same(*want, e) {
		t.diverge(e.Session, &e, "")
		return
	}
	tr := t.tracks[e.Session]
	tr.next++
	if _, ok := e.Data.(*spec.RequestEvent); ok {
		tr.requests++
		tr.lastRequest = want
	}
}

// diverge keeps the first difference: got is what the driver did, nil for
// nothing, and ended why it does nothing more.
func (t *tape) diverge(session string, got *spec.Event, ended string) {
	if t.diverged != nil {
		return
	}
	t.diverged = &Divergence{Session: session, Want: t.peek(session, 0), Got: got, GotEnd: ended}
	if tr := t.tracks[session]; tr != nil {
		t.diverged.Last = tr.lastRequest
	}
}

// same reports whether two events say the same, but for what is measured and
// for what the recording cannot hold.
func (t *tape) same(want, got spec.Event) bool {
	want.N, want.W, got.N, got.W = 0, 0, 0, 0
	want.Data, got.Data = t.comparable(want.Data, got.Data)
	a, err := spec.MarshalEvent(want)
	if err != nil {
		return false
	}
	b, err := spec.MarshalEvent(got)
	return err == nil && bytes.Equal(a, b)
}

func (t *tape) comparable(want, got spec.EventData) (spec.EventData, spec.EventData) {
	if r, ok := want.(*spec.ResponseEvent); ok && r.Redacted > 0 {
		// How much was replaced is the recorder's matter and not the worker's.
		c := *r
		c.Redacted = 0
		return &c, got
	}
	w, ok := want.(*spec.RequestEvent)
	g, both := got.(*spec.RequestEvent)
	if !ok || !both {
		return want, got
	}
	a, b := *w, *g
	a.Headers, b.Headers = t.headers(a), t.headers(b)
	if a.Redacted > 0 {
		// A stand-in has another length than what stood there.
		a.Headers, b.Headers = withoutHeader(a.Headers, "content-length"), withoutHeader(b.Headers, "content-length")
		a.Redacted = 0
	}
	return &a, &b
}

func (t *tape) headers(r spec.RequestEvent) [][2]string {
	if t.signature == "" {
		return r.Headers
	}
	return withoutHeader(r.Headers, t.signature)
}

func withoutHeader(list [][2]string, name string) [][2]string {
	return slices.DeleteFunc(slices.Clone(list), func(h [2]string) bool { return strings.EqualFold(h[0], name) })
}

// requests counts the requests that the tape holds, and those that came out the
// same.
func (t *tape) requests() (same, all int) {
	for _, alias := range t.order {
		tr := t.tracks[alias]
		same += tr.requests
		for _, e := range tr.events {
			if _, ok := e.Data.(*spec.RequestEvent); ok {
				all++
			}
		}
	}
	return same, all
}

// closedBy begins the reason of a request that the end of its case closed.
const closedBy = "closed by hallmark: "

// ending says whether a session has ended where its track stands: nothing is
// left but what the end itself brings about.
func (t *tape) ending(session string) bool {
	for _, e := range t.rest(session) {
		switch d := e.Data.(type) {
		case *spec.RequestEvent, *spec.PieceEvent, *spec.ResponseEvent:
		case *spec.InputEvent:
			if d.From != fromWorker || d.Reply != sessionNotFound {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// endReason is what ended a session from outside, "" when nothing did. When
// nothing of the session is left, the file's own reason serves.
func (t *tape) endReason(session string) string {
	if !t.ending(session) {
		return ""
	}
	for _, e := range t.rest(session) {
		if r, ok := e.Data.(*spec.ResponseEvent); ok {
			if why, found := strings.CutPrefix(r.Reason, closedBy); found && fromOutside(why) {
				return why
			}
		}
	}
	if t.close != nil && fromOutside(t.close.Why) {
		return t.close.Why
	}
	return ""
}

// fromOutside reports whether a case that ended so was ended by a clock or by
// whoever ran it.
func fromOutside(why string) bool {
	reason, _ := spec.SplitCloseReason(why)
	return reason == spec.CloseReal || reason == spec.CloseNotRun || reason == spec.CloseBytes
}
