package workertest

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// A Target is the worker under test. Make one with [URL], [Handler], [Factory]
// or [Command]; the zero Target is not usable. A Target may be used by several
// goroutines: each use has connections of its own, and a [Factory] or
// [Command] a worker of its own. Ids follow from the seed (R20), so runs that
// share one running worker at the same time should have different seeds.
type Target struct {
	impl target
	// executed counts the uses of Execute, so that each has ids of its own.
	executed *atomic.Int64
}

// target opens a way to a worker. The worker's close must be called.
type target interface {
	open(ctx context.Context, o opening) (*worker, error)
}

// opening is how a target is opened.
type opening struct {
	// silence bounds how long nothing may come while an answer is waited for; 0
	// is the engine's own bound (D2).
	silence time.Duration
	// env is added to the environment of a process that is started.
	env []string
}

// worker is a target that is open.
type worker struct {
	// header is how recordings and reports name it.
	header spec.WorkerHeader
	// ours says that it runs in or under this process, so that its tools may
	// be called (R3).
	ours    bool
	post    *simulator.Transport
	process *simulator.Process
	// restart restarts it; nil where nothing can.
	restart func(context.Context) error
	// another starts a further one; nil where nothing can.
	another func(context.Context) (*simulator.Instance, error)
	close   func()
}

func newTarget(impl target) Target {
	return Target{impl: impl, executed: new(atomic.Int64)}
}

// URL names a worker that is already running. Its tools are called only if it
// is on loopback, or by consent: see [Config.OnlyTools]. Cases that restart the
// worker are not applicable to it (R15).
func URL(rawURL string) Target { return newTarget(address(rawURL)) }

// Handler serves h on an in-memory network inside the test process: a real
// http.Server and a real client, no socket. Requests are POSTed to the path /.
// Inside a [testing/synctest] bubble the handler's own timers run on the
// bubble's clock, so slow workers are tested without waiting.
//
// When a use of the target ends, its server and connections are closed, and
// handlers that still run are waited for, at most 5 seconds: a handler should
// return when the context of its request is done. Cases that restart the worker
// are not applicable; use [Factory] for them.
func Handler(h http.Handler) Target {
	return newTarget(memory{make: func() http.Handler { return h }})
}

// Factory is like [Handler] and calls f once for each use of the target, so
// that each meets a fresh worker, and again each time a case restarts the worker
// (R15). Memory that f shares between the handlers it returns survives a
// restart; that is the caller's to decide.
func Factory(f func() http.Handler) Target { return newTarget(memory{make: f, anew: true}) }

// Command starts a process in its own process group for each use of the
// target. {port} in an argument, and PORT in its environment, are a free
// loopback port; it is ready when the port accepts a connection. The process
// is stopped when the use ends: its input is closed, then comes TERM, then
// KILL (R15). No shell takes part. It does not work inside a bubble.
func Command(name string, args ...string) Target {
	return newTarget(command(append([]string{name}, args...)))
}

// open opens t.
func (t Target) open(ctx context.Context, o opening) (*worker, error) {
	if t.impl == nil {
		return nil, problem("the target is the zero Target", "make one with URL, Handler, Factory or Command")
	}
	return t.impl.open(ctx, o)
}

// address is a worker that runs already.
type address string

func (a address) open(_ context.Context, o opening) (*worker, error) {
	post, err := simulator.NewTransport(simulator.TransportConfig{URL: string(a), Silence: o.silence})
	if err != nil {
		return nil, problem(err.Error(), "name it as in http://127.0.0.1:4444")
	}
	return &worker{header: spec.WorkerHeader{URL: string(a)}, post: post, close: post.Close}, nil
}

// command is the words of a command that starts a worker.
type command []string

func (c command) open(ctx context.Context, o opening) (*worker, error) {
	line := reports.Command(c...)
	process, err := simulator.Start(ctx, simulator.ProcessConfig{Command: line, Env: o.env})
	if err != nil {
		return nil, startProblem(err)
	}
	post, err := simulator.NewTransport(simulator.TransportConfig{URL: process.URL, Silence: o.silence})
	if err != nil {
		process.Stop()
		return nil, err
	}
	return &worker{
		header: spec.WorkerHeader{URL: process.URL, Start: line, StartedBy: "hallmark"},
		ours:   true, post: post, process: process, restart: process.Restart,
		another: process.Another(simulator.TransportConfig{Silence: o.silence}),
		close: func() {
			post.Close()
			process.Stop()
		},
	}, nil
}

// path is the request target of the worker's address.
func (w *worker) path() string {
	if u, err := simulator.ParseWorkerURL(w.header.URL); err == nil {
		return u.RequestURI()
	}
	return "/"
}

// died says how the worker's process ended by itself, "" when it did not.
func (w *worker) died() string {
	if w.process == nil || !w.process.HasEnded() {
		return ""
	}
	return "the worker's process ended by itself: " + w.process.Ended().Exit + lastWords(w.process.Stderr())
}
