package reference_test

import (
	"context"
	"net"
	"net/http"
	"sync"

	"github.com/hallmarkdev/hallmark/simulator"
)

// pipeNet is an in-memory network with one server, so that everything that
// waits runs on the clock of a bubble.
type pipeNet struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipeNet() *pipeNet {
	return &pipeNet{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipeNet) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeNet) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipeNet) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipeNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// overPipe serves h in memory. stop ends everything that it started.
func overPipe(h http.Handler) (t *simulator.Transport, stop func()) {
	network := newPipeNet()
	server := &http.Server{Handler: h}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(network) })
	t, err := simulator.NewTransport(simulator.TransportConfig{
		URL: "http://studio.example/", Dial: network.dial, MaxBody: 4 << 20,
	})
	if err != nil {
		panic(err)
	}
	return t, func() {
		t.Close()
		_ = server.Close()
		done.Wait()
	}
}
