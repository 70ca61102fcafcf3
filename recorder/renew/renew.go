package renew

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// IDs maps the ids of a recording to others, one to one, and back. It is not
// safe for concurrent use.
type IDs struct {
	h H
	// known are the ids that were learned, names what the worker or its tools
	// are called.
	known, names map[string]bool
	to, from     map[string]string
	// kept are known ids that stay, in the order in which that was found.
	kept    []string
	keeping map[string]bool
	// seen are short strings of what was learned from: no new id may be one. short
	// says that there is an id so short.
	seen  map[string]bool
	short bool
	// sound and soundLen are the text that was found to be JSON last.
	sound    *byte
	soundLen int
	// sizes are the lengths of ids below its own length; one may be longer.
	sizes [128]bool
}

// Bounds on what is remembered.
const (
	maxIDs  = 1 << 20
	maxSeen = 1 << 16
)

// shortID is the length below which a string may be equal to an id by chance.
const shortID = 16

// New returns a map that has learned nothing and makes new ids by h. With nil it
// makes none: only ids that were bound are replaced, and others that were learned
// stand for themselves.
func New(h H) *IDs {
	return &IDs{
		h: h, known: map[string]bool{}, names: map[string]bool{}, keeping: map[string]bool{}, seen: map[string]bool{},
		to: map[string]string{}, from: map[string]string{},
	}
}

// Learn learns the ids of a recorded exchange, as far as it can be read. All of
// a recording should be learned before anything of it is replaced, so that no
// new id is an old one.
func (m *IDs) Learn(x *spec.Exchange) {
	if asked, fault := x.Asked(); fault == nil {
		m.LearnRequest(asked)
	}
	m.strings(x.RequestBody, false)
	if decided, failure := x.Decided(); failure == nil {
		m.LearnDecision(decided)
	}
	m.strings(x.ResponseBody, x.Answer().Streams())
}

// LearnRequest learns the ids of a request, and the names in it that are none.
func (m *IDs) LearnRequest(r *spec.DecisionRequest) {
	recorder.RequestIDs(r, m.learn)
	m.name(r.AgentID)
	switch t := r.Trigger.(type) {
	case spec.ToolExecuteTrigger:
		m.name(t.Name)
	case spec.ToolFinishedTrigger:
		m.name(t.Name)
	case spec.SubagentFinishedTrigger:
		m.name(t.AgentID)
	}
	if r.Agent == nil {
		return
	}
	for _, t := range r.Agent.Tools {
		m.name(t.Name)
	}
	for _, s := range r.Agent.Subagents {
		m.name(s.ID)
	}
}

// LearnDecision learns the ids that an answer makes up.
func (m *IDs) LearnDecision(d *spec.Decision) { recorder.DecisionIDs(*d, m.learn) }

func (m *IDs) learn(_ recorder.IDPlace, id string) {
	if len(m.known) < maxIDs && !m.known[id] {
		m.know(id)
	}
}

func (m *IDs) know(id string) {
	m.known[id] = true
	m.sized(id)
	m.short = m.short || len(id) < shortID
}

// sized notes the length of an id, old or new.
func (m *IDs) sized(id string) {
	if len(id) < len(m.sizes) {
		m.sizes[len(id)] = true
	}
}

func (m *IDs) name(name string) {
	if len(m.names) < maxIDs {
		m.names[name] = true
	}
}

// strings remembers the short strings of a body.
func (m *IDs) strings(body []byte, stream bool) {
	if m.h == nil || len(body) == 0 {
		return
	}
	take := func(t token) {
		if len(t.raw) < shortID+2 && len(m.seen) < maxSeen {
			m.seen[t.text()] = true
		}
	}
	if stream {
		streamTokens(body, take)
	} else {
		// What is not JSON holds no place for an id.
		_ = tokens(body, take)
	}
}

// Bind says what is to stand for an id: the one that a worker or an engine made
// up this time. It is false, and changes nothing, when the id stands for another
// already or another for it.
func (m *IDs) Bind(id, to string) bool {
	if id == "" || to == "" {
		return false
	}
	if is, bound := m.to[id]; bound || m.from[to] != "" {
		return bound && is == to
	}
	if len(m.to) >= maxIDs {
		return false
	}
	m.know(id)
	m.sized(to)
	m.to[id], m.from[to] = to, id
	return true
}

// To is what stands for a recorded id, made now if it must be; From is the way
// back. They are false for what is no id, and for one that stays.
func (m *IDs) To(id string) (string, bool) {
	if to, is := m.to[id]; is {
		return to, true
	}
	if !m.known[id] || m.keeping[id] {
		return "", false
	}
	if m.h == nil {
		return id, m.Bind(id, id)
	}
	if to, made := m.make(id); made {
		return to, m.Bind(id, to)
	}
	m.keeping[id] = true
	m.kept = append(m.kept, id)
	return "", false
}

// From is the recorded id that another one stands for.
func (m *IDs) From(id string) (string, bool) {
	old, is := m.from[id]
	return old, is
}

// Kept are the ids that stay, since they are words of the protocol, names, or
// leave no room for others.
func (m *IDs) Kept() []string { return slices.Clone(m.kept) }

// make makes a new id.
func (m *IDs) make(id string) (string, bool) {
	if words()[id] || m.names[id] {
		return "", false
	}
	// The id of a turn or of an interrupt may be made of another id (B8, M6).
	if i := strings.IndexByte(id, ':'); i > 0 && m.known[id[i+1:]] {
		if to, is := m.To(id[i+1:]); is && m.free(id[:i+1]+to) {
			return id[:i+1] + to, true
		}
	}
	for try := range maxTries {
		if to := another(id, try, m.h); m.free(to) {
			return to, true
		}
	}
	return "", false
}

// free reports whether a string may be a new id.
func (m *IDs) free(to string) bool {
	return !m.known[to] && m.from[to] == "" && !words()[to] && !m.names[to] && !m.seen[to]
}

// Renew puts new ids into the body of a request, and moves its deadlines.
func (m *IDs) Renew(body []byte, by time.Duration) Text { return m.replace(body, false, by, m.forth) }

// RenewAnswer puts new ids into the body of an answer, a stream of events or
// not, and moves the moment at which an interrupt of it expires.
func (m *IDs) RenewAnswer(body []byte, stream bool, by time.Duration) Text {
	return m.replace(body, stream, by, m.forth)
}

// Restore puts the recorded ids back into a body, so that it compares with what
// was recorded. Times stay.
func (m *IDs) Restore(body []byte, stream bool) Text { return m.replace(body, stream, 0, m.back) }

func (m *IDs) forth(out *Text, t token, text string) (string, bool) {
	if t.name && words()[text] {
		return "", false
	}
	to, is := m.To(text)
	switch {
	case is && to == text:
		return "", false
	case is:
		if at := t.pointer(); len(text) < shortID && (t.name || !expected(at)) {
			out.note(at, text, NoteShort)
		}
	case m.from[text] != "" && m.to[text] == "":
		out.note(t.pointer(), text, NoteClash)
	}
	return to, is
}

func (m *IDs) back(_ *Text, t token, text string) (string, bool) {
	if t.name && words()[text] {
		return "", false
	}
	old, is := m.From(text)
	return old, is && old != text
}

// places are the names of members whose values are ids.
var places = map[string]bool{
	"session_id": true, "decision_id": true, "turn_id": true, "id": true, "tool_call_id": true, "toolCallId": true,
	"parent_id": true, "head_id": true, "anchor": true, "interrupt_id": true,
}

// expected reports whether an id may well stand at a place.
func expected(pointer string) bool {
	return places[pointer[strings.LastIndexByte(pointer, '/')+1:]] || strings.HasPrefix(pointer, "/ancestry/")
}

func (m *IDs) replace(body []byte, stream bool, by time.Duration, swap func(*Text, token, string) (string, bool)) Text {
	var out Text
	take := func(t token) {
		if by != 0 && looksLikeTime(t.raw) && t.mayBeWireTime() && recorder.IsWireTime(t.pointer()) {
			out.shift(t, by)
			return
		}
		if size := len(t.raw) - 2; size < len(m.sizes) && !m.sizes[size] && bytes.IndexByte(t.raw, '\\') < 0 {
			// No id is so long.
			return
		}
		text := t.text()
		to, is := swap(&out, t, text)
		if !is {
			return
		}
		raw, exact := spell(t.raw, text, to)
		if !exact {
			out.note(t.pointer(), text, NoteSpelling)
		}
		out.IDs++
		out.edits = append(out.edits, edit{t.at, len(t.raw), raw})
	}
	if len(body) > 0 && m.sound == &body[0] && m.soundLen == len(body) && !stream {
		soundTokens(body, take)
	} else if stream {
		if faults := streamTokens(body, take); faults > 0 {
			out.Fault = "the data of a frame is not JSON"
		}
	} else if err := tokens(body, take); err != nil {
		out.Fault = err.Error()
	}
	out.apply(body)
	return out
}

func (t *Text) shift(at token, by time.Duration) {
	was := at.text()
	moved, ok := shifted(was, by)
	if raw := []byte(`"` + moved + `"`); ok && len(raw) == len(at.raw) {
		t.Times++
		t.edits = append(t.edits, edit{at.at, len(at.raw), raw})
		return
	}
	t.note(at.pointer(), was, NoteTime)
}

var traceForm = regexp.MustCompile(`^([0-9a-f]{2}-)([0-9a-f]{32})-([0-9a-f]{16})(-.*)$`)

// Headers puts new ids into headers whose whole value is one, and a new trace
// into the trace context that an engine sends (wire 1).
func (m *IDs) Headers(list [][2]string) [][2]string {
	out := slices.Clone(list)
	for i, h := range out {
		if to, is := m.To(h[1]); is {
			out[i][1] = to
			continue
		}
		if p := traceForm.FindStringSubmatch(h[1]); p != nil && m.h != nil && strings.EqualFold(h[0], "traceparent") {
			out[i][1] = p[1] + another(p[2], 0, m.h) + "-" + another(p[3], 0, m.h) + p[4]
		}
	}
	return out
}
