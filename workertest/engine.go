package workertest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/simulator"
)

// An Engine is what a worker that settles calls later talks to (I2): it answers
// some tool.execute by the empty decision, and settles the call by a request of
// its own, with the engine's address and key. Make one with [NewEngine] or
// [ListenEngine], give it to the worker, and put it into [Config.Engine]. It is
// safe for concurrent use, and several runs may share it.
//
//	engine := workertest.NewEngine()
//	worker := newWorker(engine.URL(), engine.Key(), engine.Client())
//	workertest.Run(t, workertest.Handler(worker), workertest.Config{Engine: engine})
type Engine struct {
	url, key string
	endpoint *simulator.Endpoint
	client   *http.Client
	// close ends an engine on a socket; nil for one in memory.
	close func() error

	mu sync.Mutex
	// uses counts the runs that an engine in memory serves now, on network,
	// until stop is called.
	uses    int
	network *memnet.Network
	stop    func()
}

// NewEngine returns an engine on a network in memory, for a [Handler] or a
// [Factory]: it is reached by its own Client and no other, while a run uses it.
// It works inside a [testing/synctest] bubble, where a worker that takes ten
// minutes takes none.
func NewEngine() *Engine {
	key := rand.Text()
	e := &Engine{url: "http://engine.invalid", key: key, endpoint: simulator.NewEndpoint(key)}
	e.client = &http.Client{Transport: &http.Transport{DialContext: e.dial}}
	return e
}

// ListenEngine returns an engine that listens on a socket, for a worker that
// runs elsewhere; see [URL]. The address is one of loopback, as in 127.0.0.1:0,
// unless the worker is on another machine. A worker that [Command] starts has
// such an engine of its own, at what HALLMARK_ENGINE_URL and HALLMARK_API_KEY
// in its environment say. Close ends it. The error is that of the address.
func ListenEngine(address string) (*Engine, error) { return listenEngine(address, rand.Text()) }

func listenEngine(address, key string) (*Engine, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &fault{message: "engine: " + err.Error(), hint: "for example 127.0.0.1:0", err: err}
	}
	at := l.Addr().(*net.TCPAddr)
	host := at.String()
	if at.IP.IsUnspecified() {
		host = fmt.Sprintf("127.0.0.1:%d", at.Port)
	}
	e := &Engine{url: "http://" + host, key: key, endpoint: simulator.NewEndpoint(key), client: &http.Client{}}
	server := &http.Server{Handler: e.endpoint, ReadHeaderTimeout: 10 * time.Second}
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(l) })
	e.close = func() error {
		err := server.Close()
		served.Wait()
		return err
	}
	return e, nil
}

// URL returns the address of the engine, without a slash at its end.
func (e *Engine) URL() string { return e.url }

// Key returns the API key that the engine takes. It is made anew for each
// engine, and never reaches a recording or a report.
func (e *Engine) Key() string { return e.key }

// Client returns a client that reaches the engine. For one in memory no other
// does, and its calls fail while no run uses the engine.
func (e *Engine) Client() *http.Client { return e.client }

// Close ends an engine that listens on a socket. For one in memory, which runs
// while it is used and no longer, it does nothing.
func (e *Engine) Close() error {
	if e.close == nil {
		return nil
	}
	return e.close()
}

// use serves an engine in memory until release is called by each of its users.
func (e *Engine) use() (release func()) {
	if e.close != nil {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.uses++; e.uses == 1 {
		e.network, e.stop = memnet.Serve(e.endpoint)
	}
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.uses--; e.uses == 0 {
			e.stop()
			e.network = nil
		}
	}
}

func (e *Engine) dial(ctx context.Context, network, address string) (net.Conn, error) {
	e.mu.Lock()
	to := e.network
	e.mu.Unlock()
	if to == nil {
		return nil, problem("no run uses this engine now", "put it into Config.Engine, and settle calls while the run lasts")
	}
	return to.Dial(ctx, network, address)
}

// engineOf serves the engine of a run, if it is to have one, until done is
// called, and says what a process that is started for it must know.
func (p *plan) engineOf(target Target) (env []string, done func(), err error) {
	e, own := p.engine, false
	_, started := target.impl.(command)
	if _, inside := target.impl.(memory); e != nil && !inside && e.close == nil {
		return nil, nil, misset("Engine", "make one with ListenEngine", "the worker is another process, and cannot reach an engine in memory")
	}
	if e == nil && started {
		if e, err = listenEngine("127.0.0.1:0", p.key); err != nil {
			return nil, nil, err
		}
		own = true
	}
	if e == nil {
		return nil, func() {}, nil
	}
	p.Endpoint = e.endpoint
	release := e.use()
	return []string{"HALLMARK_ENGINE_URL=" + e.url, "HALLMARK_API_KEY=" + e.key}, func() {
		release()
		if own {
			_ = e.Close()
		}
	}, nil
}
