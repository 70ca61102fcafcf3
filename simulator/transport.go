package simulator

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Poster sends one delivery of a decision and gives back what came. It never
// fails: whatever goes wrong is part of the answer. Implementations are safe
// for concurrent use; [Transport] is the one that speaks HTTP.
type Poster interface {
	Post(ctx context.Context, p Post) Got
}

// Post is one delivery, ready to be sent (wire 1).
type Post struct {
	// Body is sent as it is. It must not be empty.
	Body []byte
	// Headers are all headers but Host and Content-Length, names as they go
	// out. See [WireHeaders].
	Headers [][2]string
	// Fresh asks for a connection that has carried nothing before (R17).
	Fresh bool
	// Cut sends the body in several writes that end inside letters, where it
	// has letters of several bytes. The bytes are the same.
	Cut bool
	// OnConn, when set, is called once before the first byte goes out, with
	// "new" or "reused". It is not called when no connection was made.
	OnConn func(conn string)
	// OnPiece, when set, is called for each part of an event stream as it
	// comes, in order. It may keep the bytes.
	OnPiece func(offset int, piece []byte)
}

// Got is what came back for a [Post].
type Got struct {
	Answer spec.Answer
	// Proto is the response's protocol, "" when no response head came.
	Proto string
	// Conn is "new", "reused", or "" when no connection was made.
	Conn string
	// Stream says that the answer was read as an event stream (wire 1).
	Stream bool
	// Head and Whole are how long it took until the response head and until
	// the end of the body; 0 when it never came.
	Head, Whole time.Duration
}

// The bounds of a [Transport] that are not set.
const (
	DefaultMaxHead     = 64 << 10
	DefaultMaxBody     = 32 << 20
	DefaultDialTimeout = 10 * time.Second
	DefaultSilence     = 60 * time.Second
	DefaultIdle        = time.Second
	DefaultLinger      = 250 * time.Millisecond
)

// TransportConfig says how to reach a worker. Only URL is needed.
type TransportConfig struct {
	// URL is the worker's one address, http or https, without user and
	// password.
	URL string
	// TLS is used for https; nil takes the system's roots.
	TLS *tls.Config
	// Dial replaces the network, for instance by a unix socket or a pipe.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// RoundTripper replaces HTTP as a whole. Response headers then come
	// sorted by name, since their order on the wire is not known.
	RoundTripper http.RoundTripper
	// MaxHead and MaxBody bound a response, in bytes.
	MaxHead, MaxBody int64
	// DialTimeout and Silence are the engine's own bounds of 10 s and 60 s
	// (D2). Idle is how long an idle connection is kept (R17).
	DialTimeout, Silence, Idle time.Duration
	// Linger is how long a stream is still listened to after its final frame. It
	// costs nothing where the worker ends the body there.
	Linger time.Duration
	// Clock is [SystemClock] when nil.
	Clock Clock
}

// Transport posts deliveries to one worker exactly as an engine does (wire 1):
// no header beyond the ones given, no compression asked for or undone, no
// redirect followed, no HTTP/2, nothing sent twice in silence. It is safe for
// concurrent use.
type Transport struct {
	cfg    TransportConfig
	url    *url.URL
	rt     http.RoundTripper
	shared *http.Transport
}

// NewTransport returns a Transport for cfg. The error names what is wrong with
// the URL.
func NewTransport(cfg TransportConfig) (*Transport, error) {
	u, err := ParseWorkerURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	setDefault(&cfg.MaxHead, DefaultMaxHead)
	setDefault(&cfg.MaxBody, DefaultMaxBody)
	setDefault(&cfg.DialTimeout, DefaultDialTimeout)
	setDefault(&cfg.Silence, DefaultSilence)
	setDefault(&cfg.Idle, DefaultIdle)
	setDefault(&cfg.Linger, DefaultLinger)
	if cfg.Clock == nil {
		cfg.Clock = SystemClock
	}
	t := &Transport{cfg: cfg, url: u, rt: cfg.RoundTripper}
	if t.rt == nil {
		t.shared = newHTTPTransport(cfg)
		t.rt = t.shared
	}
	return t, nil
}

// ParseWorkerURL reads the address of a worker. The error says what to do.
func ParseWorkerURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, fmt.Errorf("worker URL %q: not a URL", raw)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("worker URL %q: want http:// or https://", raw)
	case u.Hostname() == "":
		return nil, fmt.Errorf("worker URL %q: no host", raw)
	case u.User != nil:
		return nil, errors.New("worker URL: holds a user name, which would be sent to nobody; use a header")
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

func setDefault[T int64 | time.Duration](p *T, v T) {
	if *p <= 0 {
		*p = v
	}
}

// Close drops the idle connections.
func (t *Transport) Close() {
	if t.shared != nil {
		t.shared.CloseIdleConnections()
	}
}

var (
	errSilence = errors.New("silence")
	errEnough  = errors.New("the decision has come")
)

// Post sends p and reads the answer. It returns when the body has ended, or
// the final frame of an event stream has come, or a bound is passed, or ctx is
// done. The cause of a ctx that was cancelled becomes the reason.
func (t *Transport) Post(ctx context.Context, p Post) Got {
	x := &exchange{t: t, start: t.cfg.Clock.Now(), onPiece: p.OnPiece}
	ctx, cancel := context.WithCancelCause(ctx)
	x.enough = func() { cancel(errEnough) }
	defer cancel(nil)
	x.silence = newWatchdog(t.cfg.Clock, t.cfg.Silence, func() { cancel(errSilence) })
	defer x.silence.stop()

	rt := t.rt
	if p.Fresh && t.shared != nil {
		// A transport of its own has no connection to reuse, and unlike
		// DisableKeepAlives it adds no header.
		own := newHTTPTransport(t.cfg)
		defer own.CloseIdleConnections()
		rt = own
	}
	req, err := t.request(x.trace(ctx, p), p)
	if err != nil {
		x.got.Answer = spec.Answer{End: spec.EndReset, Reason: err.Error()}
		return x.got
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		x.noHead(ctx, err)
		return x.got
	}
	defer func() { _ = resp.Body.Close() }()
	x.got.Head = t.cfg.Clock.Now().Sub(x.start)
	x.got.Proto = resp.Proto
	x.got.Answer.Status = resp.StatusCode
	x.got.Answer.Headers = x.headers(resp)
	x.readBody(ctx, resp)
	x.got.Whole = t.cfg.Clock.Now().Sub(x.start)
	return x.got
}

// request builds the request by hand: http.NewRequest would set GetBody, by
// which net/http sends a POST again on its own.
func (t *Transport) request(ctx context.Context, p Post) (*http.Request, error) {
	if len(p.Body) == 0 {
		return nil, errors.New("nothing to send")
	}
	// The entry without values keeps net/http from naming itself.
	h := http.Header{"User-Agent": nil}
	host := t.url.Host
	for _, f := range p.Headers {
		switch strings.ToLower(f[0]) {
		case "host":
			host = f[1]
		case "content-length", "transfer-encoding", "connection", "trailer", "expect", "upgrade":
			return nil, fmt.Errorf("header %s: is the transport's own", f[0])
		case "user-agent":
			h["User-Agent"] = append(h["User-Agent"], f[1])
		default:
			h[f[0]] = append(h[f[0]], f[1])
		}
	}
	req := &http.Request{
		Method: http.MethodPost, URL: t.url, Host: host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(p.Body)), ContentLength: int64(len(p.Body)),
	}
	return req.WithContext(ctx), nil
}

// exchange is one Post under way.
type exchange struct {
	t       *Transport
	start   time.Time
	silence *watchdog
	tap     *tapConn
	// byteCame says that a byte of the response was seen.
	byteCame atomic.Bool
	got      Got
	onPiece  func(offset int, piece []byte)
	// enough ends the reading of a stream whose final frame has come.
	enough func()
	// pieces counts those handed out as they came; joined are small ones after
	// many, from the offset joinedAt.
	pieces   int
	joined   []byte
	joinedAt int
}

func (x *exchange) trace(ctx context.Context, p Post) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			x.got.Conn = "new"
			if info.Reused {
				x.got.Conn = "reused"
			}
			if c, ok := info.Conn.(*tapConn); ok {
				c.begin(p.Cut)
				x.tap = c
			}
			// The 60 s are counted from the send (wire 1).
			x.silence.feed()
			if p.OnConn != nil {
				p.OnConn(x.got.Conn)
			}
		},
		GotFirstResponseByte: func() { x.byteCame.Store(true) },
	})
}

// noHead says why no whole response head came (D2, R17).
func (x *exchange) noHead(ctx context.Context, err error) {
	a := &x.got.Answer
	if cause := context.Cause(ctx); cause != nil {
		a.End, a.Reason = spec.EndTimeout, x.t.reasonOf(cause)
		return
	}
	head := x.tap.taken()
	a.End = spec.EndReset
	switch {
	case x.got.Conn == "":
		a.Reason = dialReason(err)
	case int64(len(head)) >= x.t.cfg.MaxHead || strings.Contains(err.Error(), "headers exceeded"):
		a.Reason = spec.ReasonHeadTooBig
	case len(head) == 0 && !x.byteCame.Load():
		a.Reason = spec.ReasonClosed
		if x.got.Conn == "reused" {
			a.End = spec.EndStale
		}
	case x.tap.hungUp() && bytes.HasPrefix(head, []byte("HTTP/")) && headEnd(head) < 0:
		a.Reason = spec.ReasonClosed
	default:
		a.Reason = spec.ReasonNotHTTP
	}
}

// reasonOf puts the cause of a cancelled request in words.
func (t *Transport) reasonOf(cause error) string {
	switch {
	case errors.Is(cause, errSilence):
		return fmt.Sprintf("no byte for %s", t.cfg.Silence)
	case errors.Is(cause, context.DeadlineExceeded):
		return "deadline passed"
	case errors.Is(cause, context.Canceled):
		return "given up"
	default:
		return cause.Error()
	}
}

// dialReason says why there was no connection. All kinds are retried alike
// (D2), but a reader wants to know which it was.
func dialReason(err error) string {
	var (
		unknown  *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		alert    tls.AlertError
		failsTLS *tlsError
	)
	switch {
	case errors.As(err, &failsTLS), errors.As(err, &unknown), errors.As(err, &record), errors.As(err, &alert):
		return spec.ReasonTLS
	case isRefused(err):
		return spec.ReasonRefused
	default:
		return spec.ReasonUnreachable
	}
}
