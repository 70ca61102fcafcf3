package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/spec"
)

// Acceptance gathers answers that a worker gives now and that are to stand in the
// recordings from now on. Only what an engine passes on can be accepted: where it
// would have gone another way, what follows in the recording is no longer what
// would happen. Make one with [NewAcceptance], and have [ResendPlan.Send] fill it.
type Acceptance struct {
	rules *recorder.Rules
	files map[string]map[answerKey]*amendment
	bytes int
	// Answers counts what was accepted; Left what was not, since an engine goes
	// another way after it or stand-ins may be its cause.
	Answers, Left int
}

type answerKey struct{ session, d string }

// amendment is what is to change in one recorded answer.
type amendment struct {
	// places are pointers of the decision with what stands there now; nil is
	// nothing.
	places []recorder.Place
	// now is the decision as the worker sends it now.
	now jsontext.Value
}

// maxAccepted bounds what is held of answers that are accepted.
const maxAccepted = 256 << 20

// NewAcceptance accepts the places that rules cover, and every place with nil.
func NewAcceptance(rules *recorder.Rules) *Acceptance {
	return &Acceptance{rules: rules, files: map[string]map[answerKey]*amendment{}}
}

// take accepts what may be of an answer. left are the places that still differ.
func (a *Acceptance) take(file string, x *spec.Exchange, got compared) (left []recorder.Place, accepted bool) {
	all := got.answered.Places
	if got.answered.Code != CodeAnswer {
		return all, false
	}
	places := all
	if a.rules != nil {
		places = nil
		open := map[string]bool{}
		for _, p := range a.rules.Answers(got.a, got.b) {
			open[p.Pointer] = true
		}
		for _, p := range all {
			if open[p.Pointer] {
				left = append(left, p)
			} else {
				places = append(places, p)
			}
		}
	}
	if len(places) == 0 {
		return all, false
	}
	a.bytes += len(got.b)
	if got.answered.OtherWay || got.answered.Unsure || a.bytes > maxAccepted {
		a.Left++
		return all, false
	}
	of := a.files[file]
	if of == nil {
		of = map[answerKey]*amendment{}
		a.files[file] = of
	}
	of[answerKey{x.Session, x.D}] = &amendment{places: places, now: got.b}
	a.Answers++
	return left, len(left) == 0
}

// Files are the recordings in which something is to change, sorted.
func (a *Acceptance) Files() []string { return slices.Sorted(maps.Keys(a.files)) }

// Amend copies a recording with the answers that were accepted in it. What they
// say anew is redacted by policy before it is written, and replaces what they said
// before in the rest of the session, where it is a whole string: so the requests
// that follow tell of the answer that now stands before them. The error is that of
// reading or writing.
func (a *Acceptance) Amend(file string, policy *recorder.Policy, r io.Reader, w io.Writer) error {
	m := amender{of: a.files[file], scope: policy.Scope(), held: map[answerKey][]byte{}, words: map[string][]*renew.IDs{}}
	var at time.Duration
	out := recorder.NewWriter(w, func() time.Duration { return at })
	out.Check(func(line []byte) error {
		if m.scope.Leaks(line) {
			return recorder.ErrWithheld
		}
		return nil
	})
	for e, err := range recorder.NewReader(r).All() {
		if err != nil {
			return err
		}
		at = time.Duration(e.W) * time.Microsecond
		if c, ok := e.Data.(*spec.CloseEvent); ok {
			return out.Close(c.Why, e.T)
		}
		if e.Data = m.event(e); e.Data == nil {
			continue
		}
		if err := out.Write(e); err != nil {
			return fmt.Errorf("line %d: %w", e.N, err)
		}
	}
	return errors.New("the recording has no closing line")
}

// amender changes the events of one recording.
type amender struct {
	of    map[answerKey]*amendment
	scope *recorder.Scope
	// held are bodies that come in pieces, and that change.
	held map[answerKey][]byte
	// words are, by session, the texts that stand for others from here on.
	words map[string][]*renew.IDs
}

// event is what stands in place of an event, nil for nothing.
func (m *amender) event(e spec.Event) spec.EventData {
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		c := *d
		c.Accepted += len(m.of)
		return &c
	case *spec.PieceEvent:
		key := answerKey{e.Session, d.D}
		if len(m.words[e.Session]) == 0 && (d.Of == "request" || m.of[key] == nil) {
			return d
		}
		if b, err := d.Body.Bytes(); err == nil {
			m.held[key] = append(m.held[key], b...)
		}
		return nil
	case *spec.RequestEvent:
		return m.request(e.Session, d)
	case *spec.ResponseEvent:
		return m.response(e.Session, d)
	case *spec.AskEvent:
		c := *d
		c.Body = m.reworded(e.Session, d.Body)
		return &c
	case *spec.InputEvent:
		c := *d
		c.Body = m.reworded(e.Session, d.Body)
		return &c
	case *spec.TurnEvent:
		c := *d
		if c.Data != nil {
			c.Data = m.reword(e.Session, c.Data)
		}
		return &c
	}
	return e.Data
}

func (m *amender) reword(session string, b []byte) []byte {
	for _, ids := range m.words[session] {
		b = ids.Renew(b, 0).Body
	}
	return b
}

func (m *amender) reworded(session string, body spec.Body) spec.Body {
	b, err := body.Bytes()
	if err != nil || b == nil || len(m.words[session]) == 0 {
		return body
	}
	return spec.BodyOf(m.reword(session, b))
}

func (m *amender) request(session string, d *spec.RequestEvent) spec.EventData {
	key := answerKey{session, d.D}
	if len(m.words[session]) == 0 {
		return d
	}
	c := *d
	body, held := m.held[key]
	delete(m.held, key)
	if !held {
		var err error
		if body, err = d.Body.Bytes(); err != nil || body == nil {
			return d
		}
	}
	body = m.reword(session, body)
	c.Pieces, c.Body, c.Headers = 0, spec.BodyOf(body), withLength(d.Headers, len(body))
	if d.Bytes > 0 {
		c.Bytes = int64(len(body))
	}
	return &c
}

func (m *amender) response(session string, d *spec.ResponseEvent) spec.EventData {
	key := answerKey{session, d.D}
	change := m.of[key]
	if change == nil && len(m.words[session]) == 0 {
		return d
	}
	body, held := m.held[key]
	delete(m.held, key)
	if !held {
		var err error
		if body, err = d.Body.Bytes(); err != nil || body == nil {
			return d
		}
	}
	c := *d
	kind := headerValue(d.Headers, "content-type")
	for _, ids := range m.words[session] {
		// A later answer may give back what the request before it says.
		body = ids.RenewAnswer(body, isStream(kind), 0).Body
	}
	if change != nil {
		var replaced int
		body, replaced = m.amended(session, body, kind, change)
		c.Redacted += replaced
	}
	c.Pieces, c.Body, c.Bytes, c.Headers = 0, spec.BodyOf(body), int64(len(body)), withLength(d.Headers, len(body))
	return &c
}

func isStream(contentType string) bool {
	return strings.HasPrefix(strings.ToLower(contentType), "text/event-stream")
}

// amended is the body of an answer with other values at the places of a change.
func (m *amender) amended(session string, body []byte, contentType string, change *amendment) ([]byte, int) {
	if isStream(contentType) {
		return m.amendedStream(session, body, contentType, change)
	}
	return m.amendedJSON(session, body, contentType, change)
}

func (m *amender) amendedJSON(session string, body []byte, contentType string, change *amendment) ([]byte, int) {
	out := jsontext.Value(body)
	for _, p := range change.places {
		out = put(out, change.now, p)
	}
	redacted, n := m.scope.Body(out, contentType, true)
	m.learn(session, body, redacted, change)
	return redacted, n
}

// amendedStream changes the decision in the last frame of a stream.
func (m *amender) amendedStream(session string, body []byte, contentType string, change *amendment) ([]byte, int) {
	var final *spec.StreamFrame
	spec.ReadStream(body, func(f spec.StreamFrame) bool {
		if f.Event == spec.FrameDecisionResult {
			final = &f
			return false
		}
		return true
	})
	if final == nil {
		return body, 0
	}
	data, n := m.amendedJSON(session, final.Data, "application/json", change)
	var out bytes.Buffer
	out.Write(body[:final.Offset])
	fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", spec.FrameDecisionResult, jsonv.Compact(data))
	out.Write(body[final.End:])
	return out.Bytes(), n
}

// put puts what stands at a place now into a recorded decision. Where one of both
// has nothing there, that is done to the value around it.
func put(was, now jsontext.Value, p recorder.Place) jsontext.Value {
	pointer := p.Pointer
	for {
		by, there := jsonv.Get(now, pointer)
		if _, before := jsonv.Get(was, pointer); before && there {
			return jsonv.Put(was, pointer, by)
		}
		i := strings.LastIndexByte(pointer, '/')
		if i < 0 {
			return now
		}
		pointer = pointer[:i]
	}
}

// leastReworded is the shortest text that is replaced in what follows: a shorter
// one stands in too many places by chance.
const leastReworded = 8

// learn notes what an answer said, and says now, for the rest of its session.
func (m *amender) learn(session string, was, now []byte, change *amendment) {
	words := renew.New(nil)
	some := false
	for _, p := range change.places {
		a, _ := jsonv.Get(was, p.Pointer)
		b, _ := jsonv.Get(now, p.Pointer)
		old, okA := jsonv.Text(a)
		by, okB := jsonv.Text(b)
		if okA && okB && len(old) >= leastReworded && old != by {
			some = words.Bind(old, by) || some
		}
	}
	if some {
		m.words[session] = append(m.words[session], words)
	}
}

func headerValue(list [][2]string, name string) string {
	for _, h := range list {
		if strings.EqualFold(h[0], name) {
			return strings.TrimSpace(h[1])
		}
	}
	return ""
}

// withLength are headers that announce a body of n bytes, where they announce one.
func withLength(list [][2]string, n int) [][2]string {
	out := slices.Clone(list)
	for i, h := range out {
		if strings.EqualFold(h[0], "content-length") {
			out[i][1] = strconv.Itoa(n)
		}
	}
	return out
}
