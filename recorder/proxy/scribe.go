package proxy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// scribe turns items into events of files. It belongs to the recorder's
// goroutine.
type scribe struct {
	r   *recording
	cfg *Config
	m   *metrics

	roots map[string]*root
	// bySession finds the root of a session that was seen.
	bySession map[string]*root
	// dirty are the files with lines that the kernel does not have.
	dirty []*file
	// turn counts flushes; open are the files that are open.
	turn uint64
	open []*file
	// swept is when all sessions were last looked through.
	swept time.Time
	// closed takes the names of whole files.
	closed func(path string)
}

func newScribe(r *recording) *scribe {
	return &scribe{
		r: r, cfg: &r.cfg, m: r.m,
		roots: map[string]*root{}, bySession: map[string]*root{},
		closed: r.closer.add,
	}
}

// entry is what the recorder keeps of an exchange between its request and its
// end.
type entry struct {
	root    *root
	session string
	alias   string
	d       string
	// pieces and written count what was written of a stream.
	pieces  int
	written int64
	stream  *recorder.StreamScope
	// packed says that a stream is packed and does not say so.
	packed bool
	// held is a request whose answer decides whether it is written, waiting what
	// came of that answer so far.
	held    *item
	waiting []item
}

// take writes one item.
func (s *scribe) take(it *item) {
	switch it.kind {
	case itemRequest:
		s.request(it)
	case itemPiece:
		s.piece(it)
	case itemResponse:
		s.response(it)
	}
}

// request begins an exchange in the file of its session, if it is to be
// recorded.
func (s *scribe) request(it *item) {
	if it.lost != "" && it.head == nil {
		return
	}
	in := s.read(it)
	r := s.root(in.env.root())
	reason, held := s.wanted(r, in)
	if reason != "" {
		s.m.passed.WithLabelValues(reason).Inc()
		s.forget(r)
		return
	}
	e := &entry{root: r, session: in.env.session}
	it.c.entry = e
	r.open++
	r.used = s.cfg.Now()
	if held {
		// The answer will say whether it is written.
		later := *it
		e.held = &later
		it.body = nil
		return
	}
	s.begin(e, it, in)
}

// begin writes the request of an exchange.
func (s *scribe) begin(e *entry, it *item, in asked) {
	r := e.root
	ev := s.requestEvent(it, in, r)
	x := s.session(r, in, it)
	x.exchanges++
	e.alias, e.d = x.alias, "d"+strconv.Itoa(x.exchanges)
	ev.D = e.d
	if in.env.decision != "" {
		ev.Delivery = x.delivery(in.env.decision)
	}
	s.write(r, it.at, e.alias, ev)
	s.m.recorded.Add(1)
	s.m.redacted.Add(float64(ev.Redacted))
}

// decide ends the wait of a request that was held: it says whether the exchange
// is recorded. From the first that is, the session is.
func (s *scribe) decide(e *entry, it *item) bool {
	later, pieces := e.held, e.waiting
	e.held, e.waiting = nil, nil
	defer func() {
		s.r.settle(later)
		for i := range pieces {
			s.r.settle(&pieces[i])
		}
	}()
	if !e.root.kept && !s.keeps(it, pieces) {
		s.m.passed.WithLabelValues("not in the sample").Inc()
		s.forget(e.root)
		return false
	}
	e.root.kept = true
	s.begin(e, later, s.read(later))
	for i := range pieces {
		s.piece(&pieces[i])
	}
	return true
}

// asked is a request as it was read.
type asked struct {
	headers [][2]string
	method  string
	target  string
	proto   string
	coded   recorder.Unpacked
	env     envelope
}

func (s *scribe) read(it *item) asked {
	var in asked
	in.method, in.target, in.proto = requestLine(it.head)
	in.headers = parseFields(it.head)
	in.coded = recorder.Unpack(it.body, header(in.headers, "content-encoding"), s.cfg.MaxBody)
	if env, ok := readEnvelope(in.coded.Body); ok && it.end == spec.EndWhole && !it.over && it.lost == "" {
		in.env = env
	}
	return in
}

// requestEvent is the event of a request, redacted.
func (s *scribe) requestEvent(it *item, in asked, r *root) *spec.RequestEvent {
	ev := &spec.RequestEvent{
		Decision: in.env.decision, Trigger: in.env.trigger, Call: in.env.call,
		Method: in.method, Proto: in.proto, Conn: "new", Now: spec.At(it.at).String(),
		Signature: s.cfg.signature(in.headers, it),
		Trace:     traceID(header(in.headers, "traceparent")),
	}
	if it.c.reused {
		ev.Conn = "reused"
	}
	if in.env.trigger == spec.OnToolExecute || in.env.trigger == spec.OnLlmExecute {
		ev.Try = int(in.env.attempt) + 1
	}
	var n [3]int
	ev.Headers, n[0] = r.scope.Headers(in.headers)
	ev.Target, n[1] = r.scope.Target(in.target)
	b := s.kept(it, in.coded, header(in.headers, "content-type"), r.scope)
	ev.Body, ev.Bytes, ev.End, ev.Reason, ev.Was = b.body, b.bytes, b.end, b.reason, b.was
	if ev.End == spec.EndWhole {
		ev.End, ev.Bytes = "", 0
	}
	ev.Redacted = n[0] + n[1] + b.redacted
	return ev
}

// written is a body as it goes into an event.
type written struct {
	body     spec.Body
	bytes    int64
	end      spec.BodyEnd
	reason   string
	was      string
	redacted int
}

// kept says what of a body is written.
func (s *scribe) kept(it *item, coded recorder.Unpacked, contentType string, scope *recorder.Scope) written {
	w := written{bytes: it.total, end: it.end, reason: it.reason, was: coded.Was}
	switch {
	case it.lost != "":
		w.end, w.reason = spec.EndOmitted, it.lost
	case it.over:
		w.end, w.reason = spec.EndOverLimit, fmt.Sprintf("body of %d bytes over the limit of %d", it.total, s.cfg.MaxBody)
	case coded.Fault != "":
		w.end, w.reason = spec.EndOmitted, coded.Fault
	default:
		text, n := scope.Body(coded.Body, contentType, it.end == spec.EndWhole)
		w.body, w.redacted = spec.BodyOf(text), n
		if it.end == spec.EndWhole {
			w.bytes = int64(len(text))
		}
		return w
	}
	w.was = ""
	return w
}

// session finds a session of a root, and introduces it where the part has not
// heard of it. What is no decision has none.
func (s *scribe) session(r *root, in asked, it *item) *session {
	id := in.env.session
	x := r.sessions[id]
	if x == nil {
		x = &session{}
		r.sessions[id] = x
		if id != "" {
			x.alias = "s" + strconv.Itoa(len(r.sessions))
			s.bySession[id] = r
			x.introduced = s.introduce(r, in)
		}
	}
	if id != "" && !x.said {
		s.write(r, it.at, x.alias, x.introduced)
		x.said = true
		// In a later part the session is one that goes on.
		again := *x.introduced
		again.Origin = originJoined
		x.introduced = &again
	}
	return x
}

const (
	originNew    = "new"
	originJoined = "joined"
)

// introduce is the event that names a session.
func (s *scribe) introduce(r *root, in asked) *spec.SessionEvent {
	ev := &spec.SessionEvent{SessionID: in.env.session, AgentID: in.env.agent, Origin: originJoined}
	if in.env.trigger == spec.OnSessionStart && in.env.turn == "" {
		ev.Origin = originNew
	}
	if p := r.sessions[in.env.parent()]; p != nil && in.env.parent() != "" {
		ev.Parent = p.alias
	} else {
		ev.Parent = in.env.parent()
	}
	if in.env.identity != nil {
		text, _ := r.scope.Body(in.env.identity, "application/json", true)
		var id spec.Identity
		if json.Unmarshal(text, &id) == nil {
			ev.Identity = &id
		}
	}
	ev.AgentID, _ = r.scope.Text(ev.AgentID)
	return ev
}

// piece writes a part of a stream.
func (s *scribe) piece(it *item) {
	e := it.c.entry
	if e == nil || it.lost != "" {
		return
	}
	if e.held != nil {
		e.waiting = append(e.waiting, *it)
		it.body = nil
		return
	}
	if e.stream == nil {
		e.stream = e.root.scope.Stream()
		e.packed = recorder.IsPacked(it.body)
	}
	if !e.packed {
		s.writePiece(e, it.at, e.stream.Add(it.body))
	}
}

func (s *scribe) writePiece(e *entry, at time.Time, text []byte) {
	for len(text) > 0 {
		n := min(len(text), recorder.PieceSize)
		for back := 0; n < len(text) && back < utf8.UTFMax && !utf8.RuneStart(text[n]); back++ {
			n--
		}
		s.write(e.root, at, e.alias, &spec.PieceEvent{D: e.d, Of: "response", Offset: e.written, Body: spec.BodyOf(text[:n])})
		e.pieces++
		e.written += int64(n)
		text = text[n:]
	}
}

// response ends an exchange.
func (s *scribe) response(it *item) {
	e := it.c.entry
	if e == nil {
		return
	}
	e.root.open--
	e.root.used = s.cfg.Now()
	if e.held != nil && !s.decide(e, it) {
		return
	}
	ev := &spec.ResponseEvent{D: e.d, Bytes: it.total, End: it.end, Reason: it.reason, Assumed: it.assumed}
	headers := parseFields(it.head)
	ev.Status, ev.Proto = statusLine(it.head)
	ev.Headers, ev.Redacted = e.root.scope.Headers(headers)
	if it.c.stream && it.lost == "" && !it.over && !e.packed && (e.stream != nil || !recorder.IsPacked(it.body)) {
		if e.stream == nil {
			e.stream = e.root.scope.Stream()
		}
		s.writePiece(e, it.at, e.stream.Add(it.body))
		s.writePiece(e, it.at, e.stream.Close(it.end == spec.EndWhole))
		ev.Pieces, ev.Bytes = e.pieces, e.written
	} else {
		coded := recorder.Unpack(it.body, header(headers, "content-encoding"), s.cfg.MaxBody)
		b := s.kept(it, coded, header(headers, "content-type"), e.root.scope)
		ev.Redacted += b.redacted
		ev.Body, ev.Bytes, ev.End, ev.Reason, ev.Was = b.body, b.bytes, b.end, b.reason, b.was
		if e.packed {
			ev.Body, ev.Bytes, ev.End, ev.Reason = spec.Body{}, it.total, spec.EndOmitted, recorder.PackedReason
		}
		if e.pieces > 0 {
			// A stream of which the rest is not kept.
			ev.Body, ev.Pieces, ev.Bytes = spec.Body{}, e.pieces, e.written
		}
	}
	if e.stream != nil {
		ev.Redacted += e.stream.Replaced()
	}
	s.write(e.root, it.at, e.alias, ev)
	s.m.redacted.Add(float64(ev.Redacted))
	if it.lost != "" {
		s.r.lose(e.session, missing{n: 1, bytes: it.total, reason: it.lost})
	}
}

// requestLine splits the first line of a request's head.
func requestLine(head []byte) (method, target, proto string) {
	line, _ := firstLine(head)
	method, rest, _ := strings.Cut(string(line), " ")
	if i := strings.LastIndexByte(rest, ' '); i >= 0 {
		return method, rest[:i], rest[i+1:]
	}
	return method, rest, ""
}

// statusLine splits the first line of a response's head.
func statusLine(head []byte) (int, string) {
	line, _ := firstLine(head)
	proto, rest, _ := strings.Cut(string(line), " ")
	status, _, _ := strings.Cut(rest, " ")
	n, _ := strconv.Atoi(status)
	return n, proto
}

// traceID is the trace of a traceparent header, "" when it is none.
func traceID(traceparent string) string {
	if parts := strings.Split(traceparent, "-"); len(parts) >= 4 && len(parts[1]) == 32 {
		return parts[1]
	}
	return ""
}
