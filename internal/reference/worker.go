package reference

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

// The bounds that hold where [Options] name none.
const (
	// DefaultMaxBody is the largest request body that is read, in bytes. A
	// request carries a conversation several times over.
	DefaultMaxBody = 64 << 20
	// DefaultMemory is how many answers are remembered for redeliveries.
	DefaultMemory = 4096
	// DefaultDiesAfter is how many requests the fault "dies" answers first.
	DefaultDiesAfter = 20
)

// Options say how the worker behaves. The zero value is the correct worker.
type Options struct {
	// Faults are names of [Faults]. Each acts in its own moments; where the
	// moments of two are the same, the first in the order of that list acts.
	Faults []string
	// MaxBody bounds a request body in bytes; 0 means [DefaultMaxBody]. A
	// longer one is answered with 413.
	MaxBody int64
	// Memory bounds how many answers of tools are remembered, so that a
	// decision delivered again does not act twice (D5); 0 means
	// [DefaultMemory]. The oldest is forgotten first.
	Memory int
	// DiesAfter is how many requests the fault "dies" answers before it ends
	// the worker in the middle of an answer; 0 means [DefaultDiesAfter].
	DiesAfter int
	// Exit ends the process for the fault "dies". The worker calls it once,
	// when half of an answer is out and before the connection closes. When it
	// returns, or is nil, every later request is met with a closed connection,
	// session.start too: the fault breaks what it names and no more only where
	// Exit makes the worker unreachable.
	Exit func(code int)
	// Engine is where the tools whose work takes time settle their calls. Without
	// one they answer at once, as all others do.
	Engine Engine
	// Journal is where calls that were let go are written down, so that the next
	// worker with the same journal goes on with them; nil keeps them in memory,
	// where they are lost with the worker.
	Journal *Journal
	// Ran, when set, is called each time a tool really runs, before its answer
	// goes out. Redeliveries that are answered from memory do not count. It
	// must be safe for concurrent use.
	Ran func(Run)
	// Secret makes the worker answer requests only that are signed with it, and
	// others with 401 (D10); nil takes every request. SignatureHeader is the
	// header that carries the signature, X-Substructure-Signature when empty.
	Secret          []byte
	SignatureHeader string
}

// Run says that a tool ran.
type Run struct {
	// Session, Call and Tool name the call; Arguments is its raw string.
	Session, Call, Tool, Arguments string
}

// worker is the handler that [New] returns.
type worker struct {
	options Options
	defects []defect
	tools   []tool
	answers *memory[[]byte]
	// first remembers the first attempt of a call, since engines count from 0
	// or from 1 (gap 1).
	first *memory[uint64]
	// jobs are the calls that were let go, by what asked for them; benches hold
	// those of a session that have not ended.
	jobs    *memory[*job]
	benches *memory[*bench]
	// holding is for the fault "mixes-sessions-up".
	holding holding
	// life ends when the worker is replaced by another: then it does no more.
	life  context.Context
	leave context.CancelFunc
	// delivered counts the deliveries of each tool.execute (D5).
	delivered *memory[*atomic.Int64]
	// looked counts the lookups of each session.
	looked   *memory[*atomic.Int64]
	requests atomic.Int64
	dead     atomic.Bool
	// opened are the sessions that the fault "forgets-over-a-restart" knows.
	opened *memory[bool]
	// acted are the calls that the fault "acts-before-checking" made.
	acted *memory[struct{}]
	// byCall are the answers of the fault "remembers-by-call-id".
	byCall *memory[[]byte]
	// current is what the fault "shares-a-variable" shares.
	current atomic.Value
	// lastOpened is what the fault "answers-another-session" shares.
	lastOpened atomic.Value
}

// New returns the reference worker as a handler for any path. The error names
// a fault that does not exist, with a hint at the one that was meant. The
// handler is safe for concurrent use; its memory is its own, so two of them
// share nothing.
func New(o Options) (http.Handler, error) {
	chosen, err := choose(o.Faults)
	if err != nil {
		return nil, err
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.DiesAfter <= 0 {
		o.DiesAfter = DefaultDiesAfter
	}
	if o.SignatureHeader == "" {
		o.SignatureHeader = spec.SignatureHeader
	}
	if o.Engine.Client == nil {
		o.Engine.Client = &http.Client{Timeout: 10 * time.Second}
	}
	w := &worker{
		options: o, defects: chosen, tools: studioTools(),
		answers: newMemory[[]byte](o.Memory), first: newMemory[uint64](o.Memory),
		delivered: newMemory[*atomic.Int64](o.Memory), opened: newMemory[bool](o.Memory), byCall: newMemory[[]byte](o.Memory), acted: newMemory[struct{}](o.Memory),
		looked: newMemory[*atomic.Int64](o.Memory),
		jobs:   newMemory[*job](o.Memory), benches: newMemory[*bench](o.Memory),
	}
	if o.Journal == nil {
		w.options.Journal = NewJournal()
	}
	w.life, w.leave = context.WithCancel(context.Background())
	for _, d := range chosen {
		if d.declare != nil {
			w.tools = d.declare(w.tools)
		}
	}
	w.resume()
	return w, nil
}

// UnknownFaultError says that no fault has that name.
type UnknownFaultError struct {
	Name string
	// Hint says which name was meant, or is empty.
	Hint string
}

// Error returns the message without the hint.
func (e *UnknownFaultError) Error() string { return fmt.Sprintf("unknown fault %q", e.Name) }

// choose picks defects by name, in the order of the table, each once.
func choose(names []string) ([]defect, error) {
	var known []string
	for _, d := range defects {
		known = append(known, d.Name)
	}
	wanted := map[string]bool{}
	for _, name := range names {
		if _, ok := lookup(name); !ok {
			return nil, &UnknownFaultError{Name: name, Hint: suggest.Hint(name, known)}
		}
		wanted[name] = true
	}
	var chosen []defect
	for _, d := range defects {
		if wanted[d.Name] {
			chosen = append(chosen, d)
		}
	}
	return chosen, nil
}

// ServeHTTP answers one decision request (wire 1): 200 with a decision for all
// that it understands, 400 for what is no decision request, 401 for a signature
// that does not fit, 405 for another method, 413 for a body over the bound.
func (w *worker) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if w.dead.Load() {
		closeConnection(rw)
		return
	}
	if r.Method != http.MethodPost {
		rw.Header().Set("Allow", http.MethodPost)
		w.refuse(rw, http.StatusMethodNotAllowed, "send a decision request by POST")
		return
	}
	body, edges, err := receive(r.Body, w.options.MaxBody)
	if err != nil {
		if errors.Is(err, errTooLong) {
			rw.Header().Set("Connection", "close")
			w.refuse(rw, http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is longer than %d bytes", w.options.MaxBody))
			return
		}
		w.refuse(rw, http.StatusBadRequest, "the request ended early")
		return
	}
	if s := (signed{w.options.Secret, r.Header.Get(w.options.SignatureHeader), body, edges}); !w.trusts(s) {
		w.turnAway(rw, s)
		return
	}
	a, err := read(body)
	if err != nil {
		w.refuse(rw, http.StatusBadRequest, err.Error())
		return
	}
	if w.options.Engine.URL != "" {
		b := w.bench(a.session)
		b.enter()
		defer b.leave()
	}
	x := &exchange{worker: w, asked: a, number: w.requests.Add(1), delivery: w.deliveries(a)}
	if a.kind == spec.OnLlmExecute {
		x.host()
	} else {
		x.answer = w.decide(a)
	}
	x.send(rw, r)
}

// refuse turns away what is no decision request.
func (w *worker) refuse(rw http.ResponseWriter, code int, text string) {
	for _, d := range w.defects {
		if d.stray != nil {
			d.stray(w, rw, code, text)
			return
		}
	}
	http.Error(rw, text, code)
}

// exchange is one request with the answer that goes out for it.
type exchange struct {
	worker *worker
	asked  *asked
	// answer is the right answer until a fault changes it.
	answer []byte
	// pieces are those of a hosted model's answer that is streamed, nil for an
	// answer in one piece.
	pieces []jsontext.Value
	// reply is what the hosted model says, nil where none was asked.
	reply  *reply
	number int64
	// delivery counts the deliveries of the decision from 1; it is 0 where no
	// call is to be run.
	delivery int64
}

// send writes the answer. The first fault whose moment it is acts on it, and no
// other: two faults in one answer would hide each other.
func (x *exchange) send(rw http.ResponseWriter, r *http.Request) {
	for _, d := range x.worker.defects {
		if d.at == nil || !d.at(x) {
			continue
		}
		if d.deliver != nil {
			d.deliver(x, rw, r)
			return
		}
		x.answer = d.answer(x)
		break
	}
	if x.streams(r) {
		x.stream(rw, frames(x.pieces, x.answer))
		return
	}
	write(rw, http.StatusOK, "application/json", x.answer)
}

// streams reports whether the answer goes out as a stream of events: that of a
// model whose pieces were asked for, and that of studio_notice, since an answer
// to any trigger may (gap 24). Who does not say that it reads streams gets none.
func (x *exchange) streams(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream") && (x.pieces != nil || running("studio_notice")(x))
}

// stream writes frames, in a spelling of its own for each form of the model.
func (x *exchange) stream(rw http.ResponseWriter, all []frame) {
	write(rw, http.StatusOK, "text/event-stream", streamed(x.asked.text("format"), all))
}

// write sends a whole response. A client that has left is no error: there is
// nobody to tell.
func write(rw http.ResponseWriter, status int, kind string, body []byte) {
	rw.Header().Set("Content-Type", kind)
	rw.WriteHeader(status)
	_, _ = rw.Write(body)
}
