package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// answers reads the responses of a worker's connection until it ends.
func (c *pair) answers(up *upstream) {
	defer func() { _ = up.conn.Close() }()
	for {
		err := up.in.wait()
		if c.tunnel.Load() && c.underWay(up) == nil {
			c.passBack(up)
			return
		}
		x := c.underWay(up)
		if x == nil {
			// An idle connection has ended, or says what nobody asked: the next
			// request gets a new one.
			c.forget(up)
			if x = c.underWay(up); x == nil {
				return
			}
		}
		keep := false
		if err != nil {
			c.noAnswer(x, err)
		} else {
			keep = c.answer(x)
		}
		if c.tunnel.Load() {
			c.finish(x)
			c.passBack(up)
			return
		}
		if keep = c.finish(x) && keep; !keep {
			c.forget(up)
			c.hangUp(x)
			c.settled <- false
			return
		}
		c.settled <- true
	}
}

// underWay is the exchange that waits for an answer on up, nil when none does.
func (c *pair) underWay(up *upstream) *exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.x != nil && c.x.up == up {
		return c.x
	}
	return nil
}

// forget drops a connection that ends, unless an exchange has begun on it.
func (c *pair) forget(up *upstream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up == up && c.x == nil {
		c.up = nil
	}
}

// finish ends the exchange under way, and says whether the connection may go
// on.
func (c *pair) finish(*exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = nil
	return !c.p.stopping.Load()
}

// hangUp ends the connection of the client after its last answer. A client
// that is still sending could lose the answer to a reset, so it is read on for
// a little.
func (c *pair) hangUp(x *exchange) {
	if x.sent.Load() {
		_ = c.client.Close()
		return
	}
	closeWrite(c.client)
	_ = c.client.SetReadDeadline(time.Now().Add(lingerFor))
}

// answer passes one response on, and says whether both connections may carry
// another exchange.
func (c *pair) answer(x *exchange) bool {
	in := x.up.in
	for {
		size, err := in.head(nil)
		if err != nil {
			c.noAnswer(x, err)
			return false
		}
		raw := in.buffered()[:size]
		h, err := parseResponse(raw, &x.requestHead)
		if err != nil {
			c.noAnswer(x, err)
			return false
		}
		switch {
		case h.status == 101 || x.connect && h.status/100 == 2:
			// From here on it is another protocol.
			c.p.m.unread.WithLabelValues("upgrade").Inc()
			x.cap.answered(raw, false)
			c.tunnel.Store(true)
			x.cap.endResponse(spec.EndOmitted, "the connection changed to another protocol")
			return false
		case h.status/100 == 1:
			if _, err := c.client.Write(raw); err != nil {
				x.cap.endResponse(spec.EndClientGone, "the client is gone")
				return false
			}
			in.skip(size)
			continue
		}
		c.p.m.answered(h.status)
		x.cap.answered(raw, h.stream)
		return c.body(x, h, size)
	}
}

// body passes on the head that is buffered and the body that follows.
func (c *pair) body(x *exchange, h responseHead, head int) bool {
	in, skip := x.up.in, head
	if h.body.kind == byLength {
		x.cap.resp.expect(h.body.left)
	}
	for {
		b := in.buffered()
		from := x.cap.resp.total
		n, done, err := h.body.take(b[skip:], &x.cap.resp)
		if err != nil {
			// It is passed on as it is; the client may make something of it.
			n = len(b) - skip
			h.body = framer{kind: byClose}
			h.close = true
			x.cap.spoil(err.Error())
		}
		if _, err := c.client.Write(b[:skip+n]); err != nil {
			x.cap.endResponse(spec.EndClientGone, "the client was gone before the end of the answer")
			return false
		}
		x.begun = true
		in.skip(skip + n)
		skip = 0
		if h.stream && x.cap.resp.total > from {
			x.cap.piece()
		}
		if done {
			x.cap.endResponse(spec.EndWhole, "")
			return !h.close
		}
		in.enlarge()
		if err := in.fill(); err != nil {
			return c.bodyEnded(x, h, err)
		}
	}
}

// bodyEnded says how a body ended whose connection did.
func (c *pair) bodyEnded(x *exchange, h responseHead, err error) bool {
	switch {
	case c.p.forced.Load():
		x.cap.endResponse(spec.EndTimeout, closedByUs)
	case h.body.kind == byClose && errors.Is(err, io.EOF):
		x.cap.endResponse(spec.EndWhole, "")
	case isTimeout(err):
		x.cap.endResponse(spec.EndClientGone, "the client had ended its connection")
	default:
		x.cap.endResponse(spec.EndCut, "body ended before its announced end")
		c.p.m.failed("cut")
	}
	return false
}

// noAnswer answers for a worker that did not (D2: an engine may try again).
func (c *pair) noAnswer(x *exchange, err error) {
	end, reason, label := spec.EndReset, spec.ReasonClosed, "closed"
	switch {
	case c.p.forced.Load():
		end, reason, label = spec.EndTimeout, closedByUs, "stopped"
	case errors.Is(err, errHeadTooLong):
		reason, label = spec.ReasonHeadTooBig, "head too big"
	case errors.Is(err, errNotHTTP) || errors.Is(err, errAmbiguous):
		reason, label = spec.ReasonNotHTTP, "not HTTP"
	case isTimeout(err):
		x.cap.endResponse(spec.EndClientGone, "the client had ended its connection")
		return
	case len(x.up.in.buffered()) > 0:
	case x.reused && !errors.Is(err, io.ErrUnexpectedEOF):
		// The worker ended an idle connection just as the request went out
		// (R17). It is not sent again.
		end, label = spec.EndStale, "stale"
	}
	x.cap.endResponse(end, reason)
	c.p.m.failed(label)
	c.badGateway(x, reason)
}

// refuse answers a request that could not be sent on.
func (c *pair) refuse(x *exchange, err error) {
	reason := dialReason(err)
	x.cap.endRequest(spec.EndOmitted, "the worker could not be reached")
	x.cap.endResponse(spec.EndReset, reason)
	c.p.m.failed(reason)
	c.badGateway(x, reason)
	c.hangUp(x)
	_, _ = io.CopyN(io.Discard, c.client, lingerBytes)
}

// badGateway writes the one answer that is the proxy's own.
func (c *pair) badGateway(x *exchange, reason string) {
	c.p.m.answered(502)
	text := fmt.Sprintf("hallmark record: no answer of the worker: %s; the request was not sent again\n", reason)
	_, _ = fmt.Fprintf(c.client, "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", len(text))
	if !x.head {
		_, _ = io.WriteString(c.client, text)
	}
}

// passBack copies what the worker sends until it ends.
func (c *pair) passBack(up *upstream) {
	if _, err := c.client.Write(up.in.buffered()); err == nil {
		_, _ = io.Copy(c.client, up.conn)
	}
	closeWrite(c.client)
	_ = c.client.SetReadDeadline(time.Now().Add(clientGoneAfter))
	c.settled <- false
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// closedByUs is the reason of an answer that the proxy did not wait for, in the
// words by which a judge knows that it says nothing of the worker.
const closedByUs = "closed by hallmark: the proxy was stopped"
