package workertest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

const (
	// memoryURL is where a worker in memory believes to be. It is on loopback,
	// for which no proxy of the environment is ever asked.
	memoryURL = "http://localhost/"
	// handlerGrace is how long handlers that still run are waited for.
	handlerGrace = 5 * time.Second
)

// memory is a worker inside this process.
type memory struct {
	make func() http.Handler
	// anew says that make gives another worker each time, so that a restart is
	// one.
	anew bool
}

func (m memory) open(ctx context.Context, o opening) (*worker, error) {
	network := memnet.New()
	lives := &lives{m: m, parent: context.WithoutCancel(ctx), network: network}
	if err := lives.begin(); err != nil {
		return nil, err
	}
	post, err := simulator.NewTransport(simulator.TransportConfig{URL: memoryURL, Dial: network.Dial, Silence: o.silence})
	if err != nil {
		lives.end()
		return nil, err
	}
	// Without a URL no report offers a line that sends a request again: nobody
	// could reach the worker with it.
	w := &worker{
		header: spec.WorkerHeader{Name: "handler in memory"}, ours: true, post: post,
		close: func() {
			_ = network.Close()
			post.Close()
			lives.end()
		},
	}
	if m.anew {
		w.restart = lives.restart
	}
	return w, nil
}

// lives are the workers that follow each other on one network: one, and another
// after each restart. The methods are called one after the other.
type lives struct {
	m       memory
	parent  context.Context
	network *memnet.Network
	// end stops the one that runs.
	end func()
}

// begin starts a worker and serves it.
func (l *lives) begin() error {
	h := l.m.make()
	if h == nil {
		return problem("the handler is nil", "")
	}
	conns := connections{none: make(chan struct{})}
	// Closing a connection ends the context of a request only when its body was
	// read. This one ends all of them.
	life, end := context.WithCancel(l.parent)
	server := &http.Server{
		Handler: h, ConnState: conns.changed,
		BaseContext: func(net.Listener) context.Context { return life },
	}
	part := l.network.Part()
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(part) })
	l.end = func() {
		end()
		_ = server.Close()
		served.Wait()
		// A connection that was accepted while the server closed is known to it
		// only now.
		_ = server.Close()
		conns.wait(handlerGrace)
	}
	return nil
}

// restart stops the worker that runs and serves the next (R15).
func (l *lives) restart(context.Context) error {
	l.end()
	return l.begin()
}

// connections counts the open connections of a server, each of which is a
// goroutine that may be inside a handler.
type connections struct {
	mu   sync.Mutex
	open int
	// closing says that no connection is added any more; none is closed when
	// the last one has ended after that.
	closing bool
	none    chan struct{}
}

func (c *connections) changed(_ net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s {
	case http.StateNew:
		c.open++
	case http.StateClosed, http.StateHijacked:
		c.open--
	default:
		return
	}
	c.ended()
}

func (c *connections) ended() {
	if c.closing && c.open == 0 {
		close(c.none)
		c.closing = false
	}
}

// wait returns when every connection has ended, or after bound.
func (c *connections) wait(bound time.Duration) {
	c.mu.Lock()
	c.closing = true
	c.ended()
	c.mu.Unlock()
	late := time.NewTimer(bound)
	defer late.Stop()
	select {
	case <-c.none:
	case <-late.C:
	}
}
