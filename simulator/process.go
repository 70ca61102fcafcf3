package simulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
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
	// Env is added to this process's own environment, NAME=value. PORT is
	// always set.
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

	cfg   ProcessConfig
	cmd   *exec.Cmd
	stdin io.Closer
	out   *tail
	start time.Time

	// done is closed when the process has ended; exit says how, and lived
	// after how many milliseconds.
	done  chan struct{}
	exit  string
	lived int64

	mu       sync.Mutex
	stopping bool
	telling  sync.Mutex
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
	p := &Process{cfg: cfg, out: &tail{limit: stderrBytes}, done: make(chan struct{})}
	addr, port, err := p.address()
	if err != nil {
		return nil, err
	}
	if accepts(ctx, addr) {
		return nil, &StartError{
			Message: "something already listens at " + addr,
			Hint:    "stop it, or let hallmark pick a port: put {port} in the command",
		}
	}
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "{port}", port)
	}
	if err := p.launch(words, port); err != nil {
		return nil, err
	}
	if err := p.untilReady(ctx, addr); err != nil {
		p.Stop()
		return nil, err
	}
	p.tell(spec.WorkerEvent{Event: "ready", AfterMs: p.after()})
	return p, nil
}

// address works out where the worker will listen and sets URL.
func (p *Process) address() (addr, port string, err error) {
	raw := p.cfg.URL
	if raw == "" {
		raw = "http://127.0.0.1:{port}/"
	}
	if strings.Contains(raw, "{port}") {
		free, err := freePort()
		if err != nil {
			return "", "", &StartError{Message: "no free port: " + err.Error(), Err: err}
		}
		raw = strings.ReplaceAll(raw, "{port}", free)
	}
	u, err := ParseWorkerURL(raw)
	if err != nil {
		return "", "", &StartError{Message: err.Error(), Err: err}
	}
	port = u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	p.URL = u.String()
	return net.JoinHostPort(u.Hostname(), port), port, nil
}

// freePort asks the system for a port of loopback that nobody uses now.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
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
func (p *Process) launch(words []string, port string) error {
	p.cmd = exec.Command(words[0], words[1:]...)
	p.cmd.Dir = p.cfg.Dir
	p.cmd.Env = slices.Concat(os.Environ(), p.cfg.Env, []string{"PORT=" + port})
	ownGroup(p.cmd)
	var out io.Writer = p.out
	if p.cfg.Output != nil {
		out = io.MultiWriter(p.out, p.cfg.Output)
	}
	p.cmd.Stdout, p.cmd.Stderr = out, out
	// A grandchild that keeps the output open must not keep us waiting.
	p.cmd.WaitDelay = time.Second
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return &StartError{Message: err.Error(), Err: err}
	}
	p.stdin, p.start = stdin, p.cfg.Clock.Now()
	if err := p.cmd.Start(); err != nil {
		return &StartError{Message: err.Error(), Hint: "is the program there, and may it be run?", Err: err}
	}
	p.tell(spec.WorkerEvent{Event: "started"})
	go p.watch()
	return nil
}

// watch waits for the process to end.
func (p *Process) watch() {
	err := p.cmd.Wait()
	p.exit = "exit status 0"
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		p.exit = exit.Error()
	} else if p.cmd.ProcessState != nil {
		p.exit = p.cmd.ProcessState.String()
	}
	p.lived = p.after()
	close(p.done)
	p.tell(p.Ended())
}

// untilReady waits until the port accepts a connection.
func (p *Process) untilReady(ctx context.Context, addr string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer p.cfg.Clock.AfterFunc(p.cfg.ReadyTimeout, func() { cancel(errNotReady) })()
	for {
		if accepts(ctx, addr) {
			return p.stillAlive(addr)
		}
		tick := make(chan struct{})
		stop := p.cfg.Clock.AfterFunc(readyPoll, func() { close(tick) })
		select {
		case <-tick:
		case <-p.done:
			stop()
			return p.died()
		case <-ctx.Done():
			stop()
			if !errors.Is(context.Cause(ctx), errNotReady) {
				return context.Cause(ctx)
			}
			return &StartError{
				Message: fmt.Sprintf("nothing listens at %s after %s", addr, p.cfg.ReadyTimeout),
				Hint:    "the worker must listen at the port in PORT or {port}; a slow one needs --ready-timeout",
				Stderr:  p.out.String(), Err: errNotReady,
			}
		}
	}
}

// stillAlive tells the worker from somebody else who took its port meanwhile:
// then the worker has ended.
func (p *Process) stillAlive(addr string) error {
	select {
	case <-p.done:
		err := p.died()
		err.Hint = "something else listens at " + addr
		return err
	default:
		return nil
	}
}

var errNotReady = errors.New("not ready in time")

func (p *Process) died() *StartError {
	return &StartError{
		Message: "it ended before it was ready: " + p.exit,
		Hint:    "its last output says why", Stderr: p.out.String(),
	}
}

// Exited is closed when the process has ended, for whatever reason.
func (p *Process) Exited() <-chan struct{} { return p.done }

// Ended returns the event of the process's end. It must not be called before
// [Process.Exited] is closed.
func (p *Process) Ended() spec.WorkerEvent {
	return spec.WorkerEvent{Event: "exited", AfterMs: p.lived, Exit: p.exit, Stderr: p.out.String()}
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
	if p.stopping {
		return
	}
	p.stopping = true
	_ = p.stdin.Close()
	if !p.endsWithin(min(inputGrace, p.cfg.StopTimeout)) {
		terminate(p.cmd)
		if !p.endsWithin(p.cfg.StopTimeout) {
			kill(p.cmd)
			<-p.done
		}
	}
	// What the worker started itself may have outlived it.
	kill(p.cmd)
}

func (p *Process) endsWithin(d time.Duration) bool {
	late := make(chan struct{})
	stop := p.cfg.Clock.AfterFunc(d, func() { close(late) })
	defer stop()
	select {
	case <-p.done:
		return true
	case <-late:
		return false
	}
}

func (p *Process) after() int64 { return p.cfg.Clock.Now().Sub(p.start).Milliseconds() }

func (p *Process) tell(e spec.WorkerEvent) {
	if p.cfg.Event != nil {
		p.telling.Lock()
		defer p.telling.Unlock()
		p.cfg.Event(e)
	}
}
