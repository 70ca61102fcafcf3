package proxy

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

const (
	// clientGoneAfter bounds how long an answer is waited for when the client
	// has ended its side of the connection.
	clientGoneAfter = 60 * time.Second
	// lingerFor and lingerBytes bound what is read of a client after its
	// connection was ended, so that it can read the last answer before it
	// meets a reset.
	lingerFor   = time.Second
	lingerBytes = 1 << 20
	// bodyTimeout bounds the silence in the middle of a request.
	bodyTimeout = 5 * time.Minute
)

// pair is a connection of a client with its connection to the worker. One
// goroutine reads requests, in serve; another reads responses, in answers. One
// exchange is under way at a time.
type pair struct {
	p      *Proxy
	client net.Conn
	in     *stream

	mu sync.Mutex
	// up is the connection to the worker, nil when there is none that lives.
	up *upstream
	// x is the exchange under way; only the goroutine of up ends it.
	x *exchange
	// settled is sent to when the exchange under way has ended: false when the
	// connection ends with it.
	settled chan bool
	// reading says that the client is read for the beginning of a request.
	reading bool
	// tunnel says that from now on bytes pass unread.
	tunnel atomic.Bool
}

// upstream is a connection to the worker.
type upstream struct {
	conn net.Conn
	in   *stream
	// served counts the exchanges begun on it.
	served int
}

// exchange is a request with its response, on their way.
type exchange struct {
	requestHead
	cap *capture
	up  *upstream
	// begun says that bytes of a response went to the client.
	begun bool
	// sent says that the whole request went out.
	sent atomic.Bool
	// reused says that the connection to the worker had carried another one.
	reused bool
}

// serve reads the requests of a client until its connection ends.
func (c *pair) serve() {
	defer c.close()
	busy := false
	for n := 0; ; n++ {
		if idle := c.setReading(true); idle && c.p.stopping.Load() {
			return
		}
		err := c.in.wait()
		c.setReading(false)
		size := 0
		if err == nil {
			size, err = c.in.head(c.tunnel.Load)
		}
		if c.tunnel.Load() {
			c.passOn()
			return
		}
		if busy {
			if errors.Is(err, io.EOF) {
				c.halfClose()
			}
			if !<-c.settled {
				return
			}
			busy = false
		}
		switch {
		case errors.Is(err, errHeadTooLong):
			c.passUnread("the head is over the limit")
			return
		case err != nil:
			return
		}
		raw := c.in.buffered()[:size]
		head, err := parseRequest(raw)
		if err != nil {
			c.passUnread(err.Error())
			return
		}
		if busy = c.request(head, raw, n > 0); !busy {
			return
		}
	}
}

// setReading says whether the client is read for the beginning of a request,
// and tells whether nothing is under way.
func (c *pair) setReading(on bool) (idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = on
	return c.x == nil
}

// stop ends the connection if it is idle; if not, it ends after its exchange.
func (c *pair) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading && c.x == nil && !c.tunnel.Load() {
		_ = c.client.SetReadDeadline(time.Unix(1, 0))
	}
}

// request sends one request on. It says whether a response is to come; if not,
// the connection is over.
func (c *pair) request(head requestHead, raw []byte, reused bool) bool {
	x := &exchange{requestHead: head, cap: c.p.rec.begin(raw, reused)}
	c.p.m.requests.Add(1)
	if head.body.kind == byLength {
		x.cap.req.expect(head.body.left)
	}
	if err := c.begin(x); err != nil {
		c.refuse(x, err)
		return false
	}
	x.cap.endRequest(c.sendOn(x, len(raw)))
	return true
}

// begin makes x the exchange under way, on a connection to the worker that
// lives.
func (c *pair) begin(x *exchange) error {
	up := c.take(x)
	if up != nil {
		return nil
	}
	conn, err := c.p.dial()
	if err != nil {
		return err
	}
	up = &upstream{conn: conn, in: newStream(conn)}
	c.mu.Lock()
	c.up = up
	c.mu.Unlock()
	c.take(x)
	c.p.count.Go(func() { c.answers(up) })
	return nil
}

// take makes x the exchange under way if there is a connection to the worker.
func (c *pair) take(x *exchange) *upstream {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up != nil {
		c.x, x.up, x.reused = x, c.up, c.up.served > 0
		c.up.served++
	}
	return c.up
}

// sendOn sends the request whose head is buffered, and what follows of its body
// as it comes. It says how the request ended.
func (c *pair) sendOn(x *exchange, head int) (spec.BodyEnd, string) {
	f := &x.requestHead.body
	skip, timed := head, false
	if c.p.host != nil {
		// The head goes out on its own, with the host of the worker.
		if _, err := x.up.conn.Write(withHost(c.in.buffered()[:head], c.p.host)); err != nil {
			return spec.EndCut, "the worker stopped reading"
		}
		c.in.skip(head)
		skip = 0
		if f.ended() {
			x.sent.Store(true)
			return spec.EndWhole, ""
		}
	}
	for {
		b := c.in.buffered()
		n, done, err := f.take(b[skip:], &x.cap.req)
		if err != nil {
			c.p.m.unread.WithLabelValues("chunks").Inc()
			c.tunnel.Store(true)
			return spec.EndCut, err.Error()
		}
		if skip+n > 0 {
			if _, err := x.up.conn.Write(b[:skip+n]); err != nil {
				// What the worker has to say of it comes as its response.
				return spec.EndCut, "the worker stopped reading"
			}
			c.in.skip(skip + n)
			skip = 0
		}
		if done {
			x.sent.Store(true)
			if timed {
				_ = c.client.SetReadDeadline(time.Time{})
			}
			return spec.EndWhole, ""
		}
		c.in.enlarge()
		timed = true
		_ = c.client.SetReadDeadline(time.Now().Add(bodyTimeout))
		if err := c.in.fill(); err != nil {
			c.halfClose()
			return spec.EndCut, "the client stopped sending"
		}
	}
}

// passUnread passes on a connection that does not read as HTTP/1, both ways.
func (c *pair) passUnread(why string) {
	c.p.rec.unread(why)
	c.tunnel.Store(true)
	c.mu.Lock()
	up := c.up
	c.mu.Unlock()
	if up == nil {
		conn, err := c.p.dial()
		if err != nil {
			return
		}
		up = &upstream{conn: conn, in: newStream(conn)}
		c.mu.Lock()
		c.up = up
		c.mu.Unlock()
		c.p.count.Go(func() { c.answers(up) })
	}
	c.passOn()
}

// passOn copies what the client sends until it ends.
func (c *pair) passOn() {
	c.mu.Lock()
	up := c.up
	c.mu.Unlock()
	if up == nil {
		return
	}
	if _, err := up.conn.Write(c.in.buffered()); err == nil {
		c.in.skip(len(c.in.buffered()))
		_, _ = io.Copy(up.conn, c.client)
	}
	closeWrite(up.conn)
	<-c.settled
}

// halfClose tells the worker that the client sends no more.
func (c *pair) halfClose() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up != nil {
		closeWrite(c.up.conn)
		// A client that is gone altogether is noticed when an answer is
		// written; if none comes, this ends the wait.
		_ = c.up.conn.SetReadDeadline(time.Now().Add(clientGoneAfter))
	}
}

// close ends both connections; the goroutine of the other one ends by that.
func (c *pair) close() {
	_ = c.client.Close()
	c.mu.Lock()
	up := c.up
	c.mu.Unlock()
	if up != nil {
		_ = up.conn.Close()
	}
}

// closeWrite ends one direction of a connection, where there is such a thing.
func closeWrite(conn net.Conn) {
	if w, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = w.CloseWrite()
	}
}
