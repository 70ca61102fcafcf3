// Package memnet is a network inside the process: one listener, any number of
// connections over net.Pipe. An HTTP server and a client on it are real but
// for the socket, and work inside a testing/synctest bubble, whose clock then
// moves their timers.
package memnet

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Network is a listener and the way to it. Make one with [New]. It is safe for
// concurrent use.
type Network struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// New returns a network on which nobody accepts yet.
func New() *Network {
	return &Network{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept implements [net.Listener].
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]: Accept and Dial fail from then on.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Part returns a listener on the network that can be closed without it: what
// was not accepted by then waits for the next part, as at a port whose server
// restarts.
func (n *Network) Part() net.Listener { return &part{Network: n, over: make(chan struct{})} }

type part struct {
	*Network
	over chan struct{}
	ends sync.Once
}

// Accept implements [net.Listener].
func (p *part) Accept() (net.Conn, error) {
	select {
	case <-p.over:
		return nil, net.ErrClosed
	default:
	}
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-p.over:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p *part) Close() error {
	p.ends.Do(func() { close(p.over) })
	return nil
}

// Addr implements [net.Listener].
func (n *Network) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }

// Dial returns a connection to the listener once it has accepted, whatever the
// address. It has the form that transports want.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case n.conns <- theirs:
		return ours, nil
	case <-n.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Serve serves h on a new network. stop closes it with every connection and
// returns when the server has ended.
func Serve(h http.Handler) (n *Network, stop func()) {
	n = New()
	server := &http.Server{Handler: h}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(n) })
	return n, func() {
		_ = server.Close()
		done.Wait()
	}
}
