package simulator

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// pipeWorker is a worker at the other end of net.Pipe: each connection is
// handed to serve, which reads and writes raw bytes.
type pipeWorker struct {
	serve func(conn int, c *pipeConn)

	mu    sync.Mutex
	conns int
}

// pipeConn is one connection as the worker sees it.
type pipeConn struct {
	net.Conn
	r   *bufio.Reader
	raw bytes.Buffer
}

func (w *pipeWorker) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	w.mu.Lock()
	w.conns++
	n := w.conns
	w.mu.Unlock()
	c := &pipeConn{Conn: server}
	c.r = bufio.NewReader(io.TeeReader(server, &c.raw))
	go func() {
		defer server.Close()
		w.serve(n, c)
	}()
	return client, nil
}

// request reads one request and returns its body; nil when the client left.
func (c *pipeConn) request() []byte {
	c.raw.Reset()
	req, err := http.ReadRequest(c.r)
	if err != nil {
		return nil
	}
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return nil
	}
	return b
}

func (c *pipeConn) send(s string) { _, _ = io.WriteString(c.Conn, s) }

// waitGone returns when the client has closed the connection.
func (c *pipeConn) waitGone() { _, _ = io.Copy(io.Discard, c.r) }
