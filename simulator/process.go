package simulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// The bounds of a [Process].
const (
	DefaultReadyTimeout = 30 * time.Second
	DefaultStopTimeout  = 5 * time.Second
	// stderrBytes is how much of the end of a process's output is kept.
	stderrBytes = 8 << 10
	// inputGrace is how long a process may take to end when its input closes.
	inputGrace = 300 * time.Millisecond
	// readyPoll is how often a port is tried until it accepts.
	readyPoll = 20 * time.Millisecond
)

// ProcessConfig says how to start a worker (`--start`, R15).
type ProcessConfig struct {
	// Command is split by [SplitCommand]. {port} in a word becomes the port.
	Command string
	// URL is where the worker will listen. Empty means a free port of
	// loopback; {port} in it becomes the port.
	URL string
	// Env is added to this process's own environment, NAME=value; {port} in it
	// becomes the port. PORT is set before them.
	Env []string
	// Dir is the folder to start in; empty is this process's own.
	Dir string
	// ReadyTimeout bounds the time until the port accepts a connection;
	// StopTimeout is how long it may take to end after TERM.
	ReadyTimeout, StopTimeout time.Duration
	// Output, when set, gets what the process writes, as it comes.
	Output io.Writer
	// Event, when set, is told what happens to the process: started, ready,
	// exited. It is called from several goroutines, never twice at once.
	Event func(spec.WorkerEvent)
	// Clock is [SystemClock] when nil.
	Clock Clock
}

// StartError says why a worker could not be started (exit 3).
type StartError struct {
	// Message says what happened, Hint what to do.
	Message, Hint string
	// Stderr is the end of what the process wrote.
	Stderr string
	Err    error
}

// Error returns the message.
func (e *StartError) Error() string { return "start worker: " + e.Message }

// Unwrap returns the cause, if there is one.
func (e *StartError) Unwrap() error { return e.Err }

// Process is a worker that this run started, in a process group of its own so
// that stopping it stops what it started itself. Its methods are safe for
// concurrent use.
type Process struct {
	// URL is where the worker listens.
	URL string

	cfg ProcessConfig
	// words, addr and port are how it is started and where it listens then.
	words      []string
	addr, port string
	// taken is the port that it keeps until it is stopped, "" for none.
	taken   string
	out     *tail
	telling sync.Mutex

	mu sync.Mutex
	// life is the process itself, another one after each restart.
	life    *life
	stopped bool
}

// life is one process from its start to its end.
type life struct {
	cmd   *exec.Cmd
	stdin io.Closer
	start time.Time
	// done is closed when the process has ended; exit says how, and lived after
	// how many milliseconds.
	done  chan struct{}
	exit  string
	lived int64
}

// Start starts a worker and returns once its port accepts a connection; whether
// it answers session.start is for [Discover] to find out, since a stray
// request kills some workers. A port that accepts connections before anything
// was started is an error: else last week's process would be certified (R15).
// Every error but that of a cancelled ctx is a [*StartError], and nothing is
// left running.
func Start(ctx context.Context, cfg ProcessConfig) (*Process, error) {
	setDefault(&cfg.ReadyTimeout, DefaultReadyTimeout)
	setDefault(&cfg.StopTimeout, DefaultStopTimeout)
	if cfg.Clock == nil {
		cfg.Clock = SystemClock
	}
	words, err := SplitCommand(cfg.Command)
	if err != nil {
		return nil, &StartError{Message: err.Error(), Hint: "quote words that hold spaces", Err: err}
	}
	p := &Process{cfg: cfg, out: &tail{limit: stderrBytes}, words: words}
	if err := p.address(); err != nil {
		return nil, err
	}
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "{port}", p.port)
	}
	if err := p.begin(ctx); err != nil {
		givePortBack(p.taken)
		return nil, err
	}
	return p, nil
}

// begin starts a process and waits until it listens.
func (p *Process) begin(ctx context.Context) error {
	if accepts(ctx, p.addr) {
		return &StartError{
			Message: "something already listens at " + p.addr,
			Hint:    "stop it, or let hallmark pick a port: put {port} in the command",
		}
	}
	l, err := p.launch()
	if err != nil {
		return err
	}
	p.life = l
	if err := p.untilReady(ctx, l); err != nil {
		p.end(l)
		return err
	}
	p.tell(spec.WorkerEvent{Event: "ready", AfterMs: p.after(l)})
	return nil
}

// Restart stops the process and starts it anew at the same address (R15). It
// returns once that accepts a connection. Its errors are those of [Start], and
// leave nothing running. A process that was stopped is not started again.
func (p *Process) Restart(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return &StartError{Message: "it was stopped"}
	}
	p.end(p.life)
	return p.begin(ctx)
}

// address works out where the worker will listen.
func (p *Process) address() error {
	raw := p.cfg.URL
	if raw == "" {
		raw = "http://127.0.0.1:{port}/"
	}
	if strings.Contains(raw, "{port}") {
		free, err := takePort()
		if err != nil {
			return &StartError{Message: "no free port: " + err.Error(), Err: err}
		}
		p.taken = free
		raw = strings.ReplaceAll(raw, "{port}", free)
	}
	u, err := ParseWorkerURL(raw)
	if err != nil {
		return &StartError{Message: err.Error(), Err: err}
	}
	p.URL, p.addr, p.port = u.String(), hostPort(u), portOf(u)
	return nil
}

// hostPort is where the host of a URL listens, portOf its port.
func hostPort(u *url.URL) string { return net.JoinHostPort(u.Hostname(), portOf(u)) }

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

func accepts(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// launch starts the process and watches for its end.
func (p *Process) launch() (*life, error) {
	l := &life{cmd: exec.Command(p.words[0], p.words[1:]...), done: make(chan struct{})}
	l.cmd.Dir = p.cfg.Dir
	l.cmd.Env = append(os.Environ(), "PORT="+p.port)
	for _, text := range p.cfg.Env {
		l.cmd.Env = append(l.cmd.Env, strings.ReplaceAll(text, "{port}", p.port))
	}
	ownGroup(l.cmd)
	var out io.Writer = p.out
	if p.cfg.Output != nil {
		out = io.MultiWriter(p.out, p.cfg.Output)
	}
	l.cmd.Stdout, l.cmd.Stderr = out, out
	// A grandchild that keeps the output open must not keep us waiting.
	l.cmd.WaitDelay = time.Second
	stdin, err := l.cmd.StdinPipe()
	if err != nil {
		return nil, &StartError{Message: err.Error(), Err: err}
	}
	l.stdin, l.start = stdin, p.cfg.Clock.Now()
	if err := l.cmd.Start(); err != nil {
		return nil, &StartError{Message: err.Error(), Hint: "is the program there, and may it be run?", Err: err}
	}
	p.tell(spec.WorkerEvent{Event: "started"})
	go p.watch(l)
	return l, nil
}

// watch waits for the process to end.
func (p *Process) watch(l *life) {
	err := l.cmd.Wait()
	l.exit = "exit status 0"
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		l.exit = exit.Error()
	} else if l.cmd.ProcessState != nil {
		l.exit = l.cmd.ProcessState.String()
	}
	l.lived = p.after(l)
	p.tell(p.ended(l))
	close(l.done)
}

// untilReady waits until the port accepts a connection.
func (p *Process) untilReady(ctx context.Context, l *life) error {
	err := untilAccepts(ctx, p.addr, p.cfg.ReadyTimeout, p.cfg.Clock, l.done)
	switch {
	case err == nil:
		return p.stillAlive(l)
	case errors.Is(err, errEnded):
		return p.died(l)
	case errors.Is(err, errNotReady):
		return &StartError{
			Message: fmt.Sprintf("nothing listens at %s after %s", p.addr, p.cfg.ReadyTimeout),
			Hint:    "the worker must listen at the port in PORT or {port}; a slow one needs --ready-timeout",
			Stderr:  p.out.String(), Err: errNotReady,
		}
	default:
		return err
	}
}

// untilAccepts waits until a connection to addr is accepted: at most for so
// long, and no longer than until ended is closed.
func untilAccepts(ctx context.Context, addr string, most time.Duration, clock Clock, ended <-chan struct{}) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer clock.AfterFunc(most, func() { cancel(errNotReady) })()
	for !accepts(ctx, addr) {
		tick := make(chan struct{})
		stop := clock.AfterFunc(readyPoll, func() { close(tick) })
		select {
		case <-tick:
		case <-ended:
			stop()
			return errEnded
		case <-ctx.Done():
			stop()
			return context.Cause(ctx)
		}
	}
	return nil
}

// stillAlive tells the worker from somebody else who took its port meanwhile:
// then the worker has ended.
func (p *Process) stillAlive(l *life) error {
	select {
	case <-l.done:
		err := p.died(l)
		err.Hint = "something else listens at " + p.addr
		return err
	default:
		return nil
	}
}

var (
	errNotReady = errors.New("not ready in time")
	errEnded    = errors.New("ended before it was ready")
)

func (p *Process) died(l *life) *StartError {
	return &StartError{
		Message: "it ended before it was ready: " + l.exit,
		Hint:    "its last output says why", Stderr: p.out.String(),
	}
}

// Exited is closed when the process has ended, for whatever reason. After a
// restart it is another channel.
func (p *Process) Exited() <-chan struct{} { return p.current().done }

// endGrace is how long an end may take to be told once the port is closed.
const endGrace = 5 * time.Second

// HasEnded reports whether the process has ended by itself. One whose port takes
// no connection any more is about to, and is waited for, at most some seconds.
// It must be called before [Process.Stop].
func (p *Process) HasEnded() bool {
	l := p.current()
	select {
	case <-l.done:
		return true
	default:
	}
	if accepts(context.Background(), p.addr) {
		return false
	}
	late := make(chan struct{})
	defer p.cfg.Clock.AfterFunc(endGrace, func() { close(late) })()
	select {
	case <-l.done:
		return true
	case <-late:
		return false
	}
}

// Ended returns the event of the process's end. It must not be called before
// [Process.Exited] is closed.
func (p *Process) Ended() spec.WorkerEvent { return p.ended(p.current()) }

func (p *Process) current() *life {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.life
}

func (p *Process) ended(l *life) spec.WorkerEvent {
	return spec.WorkerEvent{Event: "exited", AfterMs: l.lived, Exit: l.exit, Stderr: p.out.String()}
}

// Stderr returns the last lines that the process wrote.
func (p *Process) Stderr() string { return p.out.String() }

// Stop ends the process and its group: its input is closed, then comes TERM,
// then KILL. TERM has the time of StopTimeout, a closed input only a moment,
// since most workers do not read it. Stop returns when the process has ended;
// later calls wait for the same end.
func (p *Process) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	p.end(p.life)
	givePortBack(p.taken)
}

func (p *Process) end(l *life) {
	_ = l.stdin.Close()
	if !p.endsWithin(l, min(inputGrace, p.cfg.StopTimeout)) {
		terminate(l.cmd)
		if !p.endsWithin(l, p.cfg.StopTimeout) {
			kill(l.cmd)
			<-l.done
		}
	}
	// What the worker started itself may have outlived it.
	kill(l.cmd)
}

func (p *Process) endsWithin(l *life, d time.Duration) bool {
	late := make(chan struct{})
	stop := p.cfg.Clock.AfterFunc(d, func() { close(late) })
	defer stop()
	select {
	case <-l.done:
		return true
	case <-late:
		return false
	}
}

func (p *Process) after(l *life) int64 { return p.cfg.Clock.Now().Sub(l.start).Milliseconds() }

func (p *Process) tell(e spec.WorkerEvent) {
	if p.cfg.Event != nil {
		p.telling.Lock()
		defer p.telling.Unlock()
		p.cfg.Event(e)
	}
}
