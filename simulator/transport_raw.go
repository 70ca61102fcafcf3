package simulator

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Raw is a request outside the protocol, ready to be sent: whatever a stranger
// may send to a worker's address.
type Raw struct {
	// Method and Target make the request line; the worker's own target is used
	// for an empty one. Neither holds a space or a control character.
	Method, Target string
	// Headers are all headers but Host, names as they go out.
	Headers [][2]string
	// Body is what follows the head, as it is.
	Body []byte
	// Gone closes the connection after the last byte, as somebody does who is
	// cut off; Half closes our side of it only, and waits for the answer.
	Gone, Half bool
	// Within bounds all of it in real time; 0 is no bound.
	Within time.Duration
}

// RawSender is a [Poster] that can send requests outside the protocol as well.
type RawSender interface {
	// SendRaw sends r on a connection of its own and gives back what came. It
	// never fails: whatever goes wrong is part of the answer.
	SendRaw(ctx context.Context, r Raw) Got
}

// maxRawBody is how much is read of the answer to a raw request.
const maxRawBody = 1 << 20

// The reasons why there is no answer to a raw request that are no worker's.
const (
	reasonGone    = "we hung up on purpose"
	reasonNoRaw   = "raw requests need a connection of their own, which this way to the worker does not give"
	reasonNoProxy = "raw requests are not sent through a proxy"
)

var errOverdue = errors.New("no whole answer in time")

// SendRaw implements [RawSender]. The connection goes to the worker's own
// address, whatever the request says. It does not go through a proxy.
func (t *Transport) SendRaw(ctx context.Context, r Raw) (got Got) {
	if t.shared == nil {
		return omitted(reasonNoRaw)
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: t.url}); err != nil || proxy != nil {
		return omitted(reasonNoProxy)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if r.Within > 0 {
		defer t.cfg.Clock.AfterFunc(r.Within, func() { cancel(errOverdue) })()
	}
	start := t.cfg.Clock.Now()
	conn, err := t.dialRaw(ctx)
	if err != nil {
		got.Answer.End, got.Answer.Reason = spec.EndReset, dialReason(err)
		if cause := context.Cause(ctx); cause != nil {
			got.Answer.End, got.Answer.Reason = spec.EndTimeout, t.reasonOf(cause)
		}
		return got
	}
	// Whoever is read from or written to wakes up when the time is over.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	got.Conn = "new"
	// A worker may answer before it has read all, so both go on at once.
	written := make(chan struct{})
	go func() {
		defer close(written)
		if _, err := conn.Write(t.rawBytes(r)); err != nil {
			return
		}
		if half, ok := conn.Conn.(interface{ CloseWrite() error }); r.Half && ok {
			_ = half.CloseWrite()
		}
	}()
	if r.Gone {
		<-written
		got.Answer.End, got.Answer.Reason = spec.EndClientGone, reasonGone
		if cause := context.Cause(ctx); cause != nil {
			got.Answer.End, got.Answer.Reason = spec.EndTimeout, t.reasonOf(cause)
		}
		return got
	}
	t.readRaw(ctx, conn, r.Method, &got)
	got.Whole = t.cfg.Clock.Now().Sub(start)
	_ = conn.Close()
	<-written
	return got
}

func omitted(reason string) Got {
	return Got{Answer: spec.Answer{End: spec.EndOmitted, Reason: reason}}
}

// dialRaw opens a connection to the worker as deliveries have them.
func (t *Transport) dialRaw(ctx context.Context) (*tapConn, error) {
	dial := t.shared.DialContext
	if t.url.Scheme == "https" {
		dial = t.shared.DialTLSContext
	}
	conn, err := dial(ctx, "tcp", hostPort(t.url))
	if err != nil {
		return nil, err
	}
	tap := conn.(*tapConn)
	tap.begin(false)
	return tap, nil
}

// rawBytes is what goes out.
func (t *Transport) rawBytes(r Raw) []byte {
	target := r.Target
	if target == "" {
		target = t.url.RequestURI()
	}
	var b bytes.Buffer
	b.WriteString(r.Method + " " + target + " HTTP/1.1\r\nHost: " + t.url.Host + "\r\n")
	for _, h := range r.Headers {
		b.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(r.Body)
	return b.Bytes()
}

// readRaw reads the answer to a raw request.
func (t *Transport) readRaw(ctx context.Context, conn *tapConn, method string, got *Got) {
	a := &got.Answer
	limited := io.LimitReader(conn, t.cfg.MaxHead+maxRawBody)
	// One reader for all heads: what follows an interim one may have come with it.
	buffered := bufio.NewReader(limited)
	resp, err := http.ReadResponse(buffered, &http.Request{Method: method})
	for err == nil && resp.StatusCode/100 == 1 && resp.StatusCode != http.StatusSwitchingProtocols {
		resp, err = http.ReadResponse(buffered, &http.Request{Method: method})
	}
	if err != nil {
		head := conn.taken()
		switch cause := context.Cause(ctx); {
		case cause != nil:
			a.End, a.Reason = spec.EndTimeout, t.reasonOf(cause)
		case len(head) == 0 || conn.hungUp() && bytes.HasPrefix(head, []byte("HTTP/")) && headEnd(head) < 0:
			a.End, a.Reason = spec.EndReset, spec.ReasonClosed
		default:
			a.End, a.Reason = spec.EndReset, spec.ReasonNotHTTP
		}
		return
	}
	got.Proto, a.Status = resp.Proto, resp.StatusCode
	x := exchange{t: t, tap: conn}
	a.Headers = x.headers(resp)
	a.End, a.Body = spec.EndWhole, []byte{}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRawBody+1))
	a.Body = body[:min(len(body), maxRawBody)]
	switch cause := context.Cause(ctx); {
	case len(body) > maxRawBody:
		a.End, a.Reason = spec.EndOverLimit, "body over the limit"
	case err != nil && cause != nil:
		a.End, a.Reason = spec.EndTimeout, t.reasonOf(cause)
	case err != nil:
		a.End, a.Reason = spec.EndCut, "body ended before its announced end"
	}
}

var _ RawSender = (*Transport)(nil)
var _ interface{ CloseWrite() error } = (*tls.Conn)(nil)
var _ interface{ CloseWrite() error } = (*net.TCPConn)(nil)

// announces reports whether headers say where the body ends.
func announces(headers [][2]string) bool {
	for _, h := range headers {
		if name := strings.ToLower(h[0]); name == "content-length" || name == "transfer-encoding" {
			return true
		}
	}
	return false
}
