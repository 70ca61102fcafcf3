package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Rewritten says what [Policy.Rewrite] did.
type Rewritten struct {
	// Replaced counts the places that hold a stand-in now, Withheld the lines
	// that could not be kept but for their frame.
	Replaced, Withheld int
}

// Rewrite copies a recording with every secret replaced, as a proxy with the
// same policy would have written it (R9): stand-ins are equal where secrets
// were, lengths and the index beside bodies fit what stands there, and the copy
// verifies. open gives the recording from its beginning; it is read twice, since
// a value may betray itself as a secret after it stood in a text. The error is
// that of reading, with what is wrong with the recording, or of writing. Memory
// is that of the bodies that are under way, each of at most 64 MiB; a larger one
// is left out.
func (p *Policy) Rewrite(open func() (io.ReadCloser, error), w io.Writer) (Rewritten, error) {
	scope := p.Scope()
	if err := rewriteTo(&rewriter{p: p, s: scope}, open, func(spec.Event) error { return nil }); err != nil {
		return Rewritten{}, err
	}
	second := &rewriter{p: p, s: scope}
	var at time.Duration
	var done Rewritten
	out := NewWriter(w, func() time.Duration { return at })
	out.Check(func(line []byte) error {
		if scope.Leaks(line) {
			return ErrWithheld
		}
		return nil
	})
	err := rewriteTo(second, open, func(e spec.Event) error {
		at = time.Duration(e.W) * time.Microsecond
		if c, ok := e.Data.(*spec.CloseEvent); ok {
			return out.Close(c.Why, e.T)
		}
		err := out.Write(e)
		if !errors.Is(err, ErrWithheld) {
			return err
		}
		done.Withheld++
		if _, ok := e.Data.(*spec.HeaderEvent); ok {
			return fmt.Errorf("the header cannot be kept: %w", err)
		}
		if e.Data = Withheld(e.Data); e.Data != nil {
			if err = out.Write(e); !errors.Is(err, ErrWithheld) {
				return err
			}
		}
		return out.Write(spec.Event{T: e.T, Data: &spec.GapEvent{Lost: 1, Reason: ErrWithheld.Error()}})
	})
	done.Replaced = second.n
	return done, err
}

// rewriteTo passes the events of a recording through x.
func rewriteTo(x *rewriter, open func() (io.ReadCloser, error), take func(spec.Event) error) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	for e, err := range NewReader(in).All() {
		if err != nil {
			return err
		}
		parts := x.event(e)
		if x.err != nil {
			return fmt.Errorf("redact line %d: %w", e.N, x.err)
		}
		for _, part := range parts {
			if err := take(part); err != nil {
				return fmt.Errorf("redact line %d: %w", e.N, err)
			}
		}
	}
	return nil
}

// rewriter replaces the secrets of one recording, event by event.
type rewriter struct {
	p *Policy
	s *Scope
	n int
	// open are the bodies that come in pieces, held the bytes kept of all of them.
	open map[bodyKey]*rewrittenBody
	held int
	// err says that the recording cannot be redacted within bounds.
	err error
}

// rewrittenBody is a body that comes in pieces: one that is text of a stream
// goes on piece by piece, any other is held until it is there.
type rewrittenBody struct {
	stream *StreamScope
	pieces int
	size   int64
	held   []byte
	// over says that it is larger than what may be held.
	over bool
}

// maxHeld bounds a body that is held, and one that is unpacked; maxAllHeld bounds
// all that are held at once.
const (
	maxHeld    = 64 << 20
	maxAllHeld = 4 * maxHeld
)

// overHeld is why a body is left out.
var overHeld = fmt.Sprintf("over the limit of %d bytes within which a body can be redacted", maxHeld)

// event returns what stands for e. It changes nothing that e shares.
func (x *rewriter) event(e spec.Event) []spec.Event {
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		e.Data = x.header(*d)
	case *spec.SessionEvent:
		e.Data = x.session(*d)
	case *spec.PieceEvent:
		return x.piece(e, *d)
	case *spec.RequestEvent:
		e.Data = x.request(e, *d)
	case *spec.ResponseEvent:
		return x.response(e, *d)
	default:
		e.Data = x.other(e.Data)
	}
	return []spec.Event{e}
}

func (x *rewriter) header(d spec.HeaderEvent) *spec.HeaderEvent {
	h := x.p.Header()
	if old := d.Redaction; old != nil {
		// Stand-ins that are there already stay.
		h.Policy += " after " + old.Policy
		h.Variables = old.Variables
	}
	d.Redaction = h
	d.Worker.URL = x.text(d.Worker.URL)
	d.Worker.Start = x.text(d.Worker.Start)
	d.Worker.Args = x.texts(d.Worker.Args)
	d.Engine = x.json(d.Engine)
	if d.Case != nil {
		c := *d.Case
		c.Text = x.text(c.Text)
		c.Vars = x.values(c.Vars)
		c.Samples = x.samples(c.Samples)
		c.Declared = rebuilt(x, c.Declared)
		d.Case = &c
	}
	return &d
}

func (x *rewriter) session(d spec.SessionEvent) *spec.SessionEvent {
	d.AgentID = x.text(d.AgentID)
	d.Identity = rebuilt(x, d.Identity)
	return &d
}

// request replaces in a request, whose pieces stand before it.
func (x *rewriter) request(e spec.Event, d spec.RequestEvent) *spec.RequestEvent {
	before := x.n
	body, err := d.Body.Bytes()
	if err != nil {
		d.Body = spec.BodyOf(nil)
		d.End, d.Reason = spec.EndOmitted, "the body does not read: "+err.Error()
	}
	over := false
	if b := x.take(e.Session, d.D, ofRequest); b != nil {
		body, over = b.held, b.over
		d.Pieces = 0
	}
	d.Headers = x.headers(d.Headers)
	var n int
	d.Target, n = x.s.Target(d.Target)
	x.n += n
	whole := d.End == "" || d.End == spec.EndWhole
	got := x.body(body, headerOf(d.Headers, "content-encoding"), headerOf(d.Headers, "content-type"), whole, over)
	switch {
	case got.Fault != "":
		d.Body, d.End, d.Reason = spec.BodyOf(nil), spec.EndOmitted, got.Fault
	case body != nil:
		d.Body = spec.BodyOf(got.Body)
		if d.Bytes > 0 && whole {
			d.Bytes = int64(len(got.Body))
		}
		d.Was = cmp.Or(got.Was, d.Was)
		// The index tells what the body says (rule 5).
		index := readIndex(got.Body)
		if d.Decision != "" && index.decision != nil {
			d.Decision = *index.decision
		}
		if d.Call != "" && index.call != nil {
			d.Call = *index.call
		}
	}
	d.Reason = x.text(d.Reason)
	d.Redacted += x.n - before
	return &d
}

// piece holds a part of a body, or passes a part of a stream on.
func (x *rewriter) piece(e spec.Event, d spec.PieceEvent) []spec.Event {
	body, err := d.Body.Bytes()
	if err != nil {
		return []spec.Event{e}
	}
	key := bodyKey{e.Session, d.D, d.Of}
	b := x.open[key]
	if b == nil {
		if len(x.open) >= maxOpen {
			x.err = fmt.Errorf("more than %d bodies come in pieces at once", maxOpen)
			return nil
		}
		b = &rewrittenBody{}
		if d.Of == ofResponse && !looksJSON(body) && !IsPacked(body) {
			b.stream = x.s.Stream()
		}
		if x.open == nil {
			x.open = map[bodyKey]*rewrittenBody{}
		}
		x.open[key] = b
	}
	switch {
	case b.stream != nil:
		return b.give(e, d, b.stream.Add(body))
	case b.over || len(b.held)+len(body) > maxHeld || x.held+len(body) > maxAllHeld:
		x.held -= len(b.held)
		b.over, b.held = true, nil
	default:
		b.held = append(b.held, body...)
		x.held += len(body)
	}
	return nil
}

// give makes pieces like d of text.
func (b *rewrittenBody) give(e spec.Event, d spec.PieceEvent, text []byte) []spec.Event {
	out := pieces(e, d.D, d.Of, text)
	for i := range out {
		p := out[i].Data.(*spec.PieceEvent)
		p.Offset += b.size
	}
	b.pieces += len(out)
	b.size += int64(len(text))
	return out
}

// take ends a body that came in pieces, nil when there is none.
func (x *rewriter) take(session, d, of string) *rewrittenBody {
	key := bodyKey{session, d, of}
	b := x.open[key]
	delete(x.open, key)
	if b != nil {
		x.held -= len(b.held)
	}
	return b
}

// response replaces in a response, and gives the rest of its stream before it.
func (x *rewriter) response(e spec.Event, d spec.ResponseEvent) []spec.Event {
	before := x.n
	d.Headers = x.headers(d.Headers)
	d.Reason = x.text(d.Reason)
	whole := d.End == spec.EndWhole
	b := x.take(e.Session, d.D, ofResponse)
	var out []spec.Event
	if b != nil && b.stream != nil {
		out = b.give(e, spec.PieceEvent{D: d.D, Of: ofResponse}, b.stream.Close(whole))
		x.n += b.stream.Replaced()
		d.Pieces, d.Bytes = b.pieces, b.size
		d.Redacted += x.n - before
		e.Data = &d
		return append(out, e)
	}
	body, err := d.Body.Bytes()
	over := false
	if b != nil {
		body, over, d.Pieces = b.held, b.over, 0
	}
	got := x.body(body, headerOf(d.Headers, "content-encoding"), headerOf(d.Headers, "content-type"), whole, over)
	switch {
	case err != nil:
		d.Body, d.End, d.Reason = spec.BodyOf(nil), spec.EndOmitted, "the body does not read: "+err.Error()
	case got.Fault != "":
		d.Body, d.End, d.Reason = spec.BodyOf(nil), spec.EndOmitted, got.Fault
	case body != nil:
		d.Body = spec.BodyOf(got.Body)
		if whole {
			d.Bytes = int64(len(got.Body))
		}
		d.Was = cmp.Or(got.Was, d.Was)
	}
	d.Redacted += x.n - before
	e.Data = &d
	return append(out, e)
}

// body replaces in a body that is there as far as it came.
func (x *rewriter) body(body []byte, coding, contentType string, whole, over bool) Unpacked {
	if over {
		return Unpacked{Fault: overHeld}
	}
	if len(body) == 0 || !IsPacked(body) && (coding == "gzip" || coding == "x-gzip") {
		// A capture has undone the coding already.
		coding = ""
	}
	got := Unpack(body, coding, maxHeld)
	if got.Fault == "" {
		var n int
		got.Body, n = x.s.Body(got.Body, contentType, whole)
		x.n += n
	}
	return got
}

// headerOf is the first header of a name, in lower case.
func headerOf(list [][2]string, name string) string {
	for _, h := range list {
		if strings.EqualFold(h[0], name) {
			return strings.ToLower(strings.TrimSpace(h[1]))
		}
	}
	return ""
}
