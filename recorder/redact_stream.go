package recorder

import (
	"slices"
	"unicode/utf8"

	"github.com/hallmarkdev/hallmark/spec"
)

// Redaction redacts the events of one recording in their order. Unlike
// [Redactor.Redact] it also finds a secret that is cut apart between two pieces
// of a body: it holds back the end of each piece, at most as many bytes as the
// longest secret has and never the traffic itself (R9). Make one with
// [Redactor.Begin]. It is used by one goroutine at a time.
type Redaction struct {
	r *Redactor
	// open are the bodies that come in pieces, in the order of their beginning.
	open []*heldBody
}

// heldBody is a body that comes in pieces, as far as it has not been given out.
type heldBody struct {
	session, d, of string
	held           []byte
	scan           scan
	// offset counts the bytes given out, pieces the pieces.
	offset int64
	pieces int
}

// Begin returns the redaction of one recording. A nil Redactor replaces
// nothing.
func (r *Redactor) Begin() *Redaction { return &Redaction{r: r} }

// Redact returns the events that stand for e, in order: none where all of a
// piece is held back, and what is held back before the event that ends the
// body. e is not changed.
func (x *Redaction) Redact(e spec.Event) []spec.Event {
	if x.r == nil || len(x.r.secrets) == 0 {
		return []spec.Event{e}
	}
	switch d := e.Data.(type) {
	case *spec.PieceEvent:
		return x.piece(e, d)
	case *spec.RequestEvent:
		if h := x.take(e.Session, d.D, ofRequest); h != nil {
			out := h.rest(x.r, e)
			c := *d
			c.Pieces, c.Bytes, c.Redacted = h.pieces, h.offset, c.Redacted+h.scan.found
			e.Data = &c
			return append(out, x.r.Redact(e))
		}
	case *spec.ResponseEvent:
		if h := x.take(e.Session, d.D, ofResponse); h != nil {
			out := h.rest(x.r, e)
			c := *d
			c.Pieces, c.Bytes = h.pieces, h.offset
			e.Data = &c
			return append(out, x.r.Redact(e))
		}
	case *spec.CloseEvent:
		var out []spec.Event
		for _, h := range x.open {
			part := e
			part.Session = h.session
			out = append(out, h.rest(x.r, part)...)
		}
		x.open = nil
		return append(out, x.r.Redact(e))
	}
	return []spec.Event{x.r.Redact(e)}
}

func (x *Redaction) piece(e spec.Event, d *spec.PieceEvent) []spec.Event {
	body, err := d.Body.Bytes()
	if err != nil {
		return []spec.Event{e}
	}
	i := slices.IndexFunc(x.open, func(h *heldBody) bool { return h.session == e.Session && h.d == d.D && h.of == d.Of })
	if i < 0 {
		i = len(x.open)
		x.open = append(x.open, &heldBody{session: e.Session, d: d.D, of: d.Of})
	}
	h := x.open[i]
	h.held = append(h.held, body...)
	limit := len(h.held) - max(0, x.r.longest-1)
	// Text is cut between characters, so that it stays text in the file.
	for back := 1; limit > 0 && limit < len(h.held) && back < utf8.UTFMax && !utf8.RuneStart(h.held[limit]); back++ {
		limit--
	}
	return h.give(x.r, e, limit)
}

// take ends a body.
func (x *Redaction) take(session, d, of string) *heldBody {
	for i, h := range x.open {
		if h.session == session && h.d == d && h.of == of {
			x.open = slices.Delete(x.open, i, i+1)
			return h
		}
	}
	return nil
}

func (h *heldBody) rest(r *Redactor, e spec.Event) []spec.Event { return h.give(r, e, len(h.held)) }

// give gives out the first limit bytes that are held, as a piece like e.
func (h *heldBody) give(r *Redactor, e spec.Event, limit int) []spec.Event {
	if limit <= 0 {
		return nil
	}
	out := h.held[:limit:limit]
	if h.scan.covered > 0 || r.holds(h.held) {
		out = h.scan.next(r, h.held, limit)
	}
	h.held = append([]byte(nil), h.held[limit:]...)
	if len(out) == 0 {
		return nil
	}
	e.Data = &spec.PieceEvent{D: h.d, Of: h.of, Offset: h.offset, Body: spec.BodyOf(out)}
	h.offset += int64(len(out))
	h.pieces++
	return []spec.Event{e}
}
