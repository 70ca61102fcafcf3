package serve

import (
	"fmt"
	"io"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/spec"
)

// MaxBytes bounds the bodies of all recordings that are served: they are held in
// memory.
const MaxBytes = 1 << 30

// TooLargeError says that recordings do not fit into memory.
type TooLargeError struct{}

// Error names the bound.
func (*TooLargeError) Error() string {
	return fmt.Sprintf("the recordings hold over %d bytes of bodies, too many to be served", MaxBytes)
}

// Hint says what to do.
func (*TooLargeError) Hint() string { return "name fewer recordings: recording find tells which" }

// Load adds a recording, which must be whole. It must not be called once requests
// come. The error is that of reading: what cannot be trusted is not served.
func (s *Server) Load(name string, r io.Reader) error {
	l := loader{s: s, file: name, sessions: map[string]*session{}, pieces: map[pieceKey][]piece{}}
	for x := range spec.Exchanges(l.events(recorder.NewReader(r))) {
		if l.fault == nil {
			l.fault = l.exchange(x)
		}
	}
	if l.fault != nil {
		return l.fault
	}
	if l.asked+l.answered > 0 {
		s.say(NoteRedacted, name, fmt.Sprintf("stand-ins for secrets are in %d of its requests, which may differ there, and in %d of its answers", l.asked, l.answered))
	}
	s.files = append(s.files, name)
	return nil
}

// pieceKey names an answer that comes in pieces.
type pieceKey struct{ session, d string }

// loader reads one recording.
type loader struct {
	s    *Server
	file string
	// continues says that the file goes on with the sessions of another.
	continues bool
	sessions  map[string]*session
	pieces    map[pieceKey][]piece
	// asked and answered count the requests and answers that hold stand-ins.
	asked, answered int
	fault           error
}

// events passes the events of a recording on, and takes from them what exchanges
// do not show.
func (l *loader) events(in *recorder.Reader) func(func(spec.Event) bool) {
	return func(yield func(spec.Event) bool) {
		for e, err := range in.All() {
			if err != nil {
				l.fault = err
				return
			}
			l.event(e)
			if l.fault != nil || !yield(e) {
				return
			}
		}
	}
}

func (l *loader) event(e spec.Event) {
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		l.continues = d.Continues != ""
	case *spec.SessionEvent:
		l.session(e.Session, d)
	case *spec.PieceEvent:
		if d.Of != "response" {
			return
		}
		key := pieceKey{e.Session, d.D}
		if b, err := d.Body.Bytes(); err == nil {
			l.pieces[key] = append(l.pieces[key], piece{int(d.Offset) + len(b), e.W})
		}
	case *spec.GapEvent:
		l.s.say(NoteGap, l.file, fmt.Sprintf("%d lost, so what stood there is not known: %s", d.Lost, d.Reason))
	case *spec.InputEvent:
		if d.From == "worker" {
			at := d.Call
			if at == "" {
				at = d.Decision
			}
			l.s.say(NoteSettled, l.file, fmt.Sprintf("line %d: the worker of then called the engine by itself for %s; that is not done here", e.N, at))
		}
	}
}

// session takes what introduces a session.
func (l *loader) session(alias string, d *spec.SessionEvent) {
	if l.continues {
		if old := l.s.byID[d.SessionID]; old != nil {
			l.sessions[alias] = old
			return
		}
	}
	n := l.add(alias)
	n.id, n.agent, n.joined = d.SessionID, d.AgentID, d.Origin == "joined"
	if d.Parent != "" {
		if n.parent = l.sessions[d.Parent]; n.parent == nil {
			n.orphan = true
		} else {
			n.parent.children = append(n.parent.children, n)
			n.family = n.parent.family
		}
	}
	l.s.byID[d.SessionID] = n
}

func (l *loader) add(alias string) *session {
	n := &session{
		file: l.file, alias: alias, byKey: map[recorder.Key][]*recorded{}, keys: recorder.NewKeys(), seen: newCounter(),
		family: &family{ids: renew.New(nil)},
	}
	l.sessions[alias] = n
	l.s.sessions = append(l.s.sessions, n)
	return n
}

// exchange adds an exchange that reached the worker.
func (l *loader) exchange(x *spec.Exchange) error {
	key := pieceKey{x.Session, x.D}
	pieces := l.pieces[key]
	delete(l.pieces, key)
	if neverCame(x) {
		return nil
	}
	if l.s.held += len(x.RequestBody) + len(x.ResponseBody); l.s.held > MaxBytes {
		return &TooLargeError{}
	}
	if x.Request.Redacted > 0 {
		l.asked++
	}
	if x.Response != nil && x.Response.Redacted > 0 {
		l.answered++
	}
	n := l.sessions[x.Session]
	if n == nil {
		n = l.add(x.Session)
	}
	r := &recorded{session: n, pieces: pieces}
	r.cannot, r.again = cannotServe(x)
	asked, fault := x.Asked()
	if fault != nil || x.Request.IsRaw() {
		r.x = bare(x)
		l.s.raw = append(l.s.raw, r)
		l.s.total, l.s.left = l.s.total+1, l.s.left+1
		return nil
	}
	if n.agent == "" {
		n.agent, n.id = asked.AgentID, asked.SessionID
	}
	try, delivery := n.seen.count(asked, true)
	counted := *x.Request
	counted.Try, counted.Delivery = try, delivery
	named := *x
	named.Request = &counted
	r.key = n.keys.Of(&named)
	r.decision, r.trigger = asked.DecisionID, triggerText(asked)
	r.x = bare(x)
	n.all = append(n.all, r)
	n.byKey[r.key] = append(n.byKey[r.key], r)
	l.s.total, l.s.left = l.s.total+1, l.s.left+1
	return nil
}

// neverCame reports whether the worker was never asked: the request was lost on
// purpose, or met a connection that was closed (R17).
func neverCame(x *spec.Exchange) bool {
	if x.Response != nil {
		return x.Response.End == spec.EndStale
	}
	for _, d := range x.Disturbed {
		if d.Do == "lose-request" {
			return true
		}
	}
	return false
}

// bare is an exchange without what was decoded of it.
func bare(x *spec.Exchange) *spec.Exchange {
	return &spec.Exchange{
		Session: x.Session, D: x.D, N: x.N, Line: x.Line, T: x.T, W: x.W,
		Request: x.Request, RequestBody: x.RequestBody, Response: x.Response, ResponseBody: x.ResponseBody,
	}
}
