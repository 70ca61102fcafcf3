package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy passes traffic on to one worker and records it. Make one with [New]. It
// is safe for concurrent use.
type Proxy struct {
	cfg  Config
	tls  *tls.Config
	host []byte
	m    *metrics
	rec  *recording

	ctx    context.Context
	cancel context.CancelFunc
	// stopping says that no further exchange is begun, forced that those under
	// way are not waited for.
	stopping, forced atomic.Bool
	// count counts the goroutines of connections.
	count sync.WaitGroup

	mu        sync.Mutex
	pairs     map[*pair]struct{}
	listeners map[net.Listener]struct{}
}

// New opens the folder of cfg, mends what an earlier process left there, and
// returns a Proxy that waits for [Proxy.Serve]. The error says what is wrong
// with the folder, or that another proxy uses it.
func New(cfg Config) (*Proxy, error) {
	cfg.defaults()
	p := &Proxy{
		cfg: cfg, tls: cfg.clientTLS(), m: newMetrics(),
		pairs: map[*pair]struct{}{}, listeners: map[net.Listener]struct{}{},
	}
	if cfg.RewriteHost {
		p.host = []byte(cfg.To.host())
	}
	rec, err := newRecording(cfg, p.m)
	if err != nil {
		return nil, err
	}
	p.rec = rec
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// Serve takes connections from l until [Proxy.Shutdown], and then returns nil.
// For TLS give it a listener of package tls; the protocol to agree on is
// http/1.1. It may be called for several listeners.
func (p *Proxy) Serve(l net.Listener) error {
	p.mu.Lock()
	if p.stopping.Load() {
		p.mu.Unlock()
		return l.Close()
	}
	p.listeners[l] = struct{}{}
	p.mu.Unlock()
	for wait := time.Duration(0); ; {
		conn, err := l.Accept()
		switch {
		case p.stopping.Load():
			if err == nil {
				_ = conn.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil:
			// Too many open files, most likely: that passes.
			wait = min(max(2*wait, 5*time.Millisecond), time.Second)
			p.cfg.Log("accept: " + err.Error())
			time.Sleep(wait)
			continue
		}
		wait = 0
		p.take(conn)
	}
}

// take serves a connection on a goroutine of its own.
func (p *Proxy) take(conn net.Conn) {
	c := &pair{p: p, client: conn, in: newStream(conn), settled: make(chan bool, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping.Load() {
		_ = conn.Close()
		return
	}
	p.pairs[c] = struct{}{}
	p.m.connections.Inc()
	p.count.Go(func() {
		defer func() {
			p.mu.Lock()
			delete(p.pairs, c)
			p.mu.Unlock()
			p.m.connections.Dec()
		}()
		c.serve()
	})
}

// Shutdown stops in good order: no new connection or exchange is taken, what is
// under way is finished, every file is closed. When ctx ends first, connections
// are cut; the files are closed all the same. The error is ctx's, or that of
// the last file that could not be written.
func (p *Proxy) Shutdown(ctx context.Context) error {
	p.mu.Lock()
	p.stopping.Store(true)
	for l := range p.listeners {
		_ = l.Close()
	}
	for c := range p.pairs {
		c.stop()
	}
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		p.count.Wait()
		close(done)
	}()
	var cut error
	select {
	case <-done:
	case <-ctx.Done():
		cut = ctx.Err()
		p.forced.Store(true)
		p.cancel()
		p.mu.Lock()
		for c := range p.pairs {
			c.close()
		}
		p.mu.Unlock()
		<-done
	}
	p.cancel()
	return errors.Join(cut, p.rec.close())
}

// Admin serves /healthz and /metrics, for a listener apart from the traffic.
// /healthz is 200 while traffic passes, whatever state the recording is in; its
// body tells that in one line.
func (p *Proxy) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if p.stopping.Load() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("passing; " + p.rec.health() + "\n"))
	})
	mux.Handle("GET /metrics", p.m.handler())
	return mux
}

// Summary says in one line what was recorded and what was not.
func (p *Proxy) Summary() string {
	requests, recorded, lost := p.m.requests.Load(), p.m.recorded.Load(), p.m.losses.Load()
	text := fmt.Sprintf("recorded %d of %d requests", recorded, requests)
	if lost > 0 {
		text += fmt.Sprintf("; %d losses, told in the files", lost)
	}
	return text
}
