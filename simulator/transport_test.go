package simulator

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const okHead = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"

func pipeTransport(t *testing.T, serve func(conn int, c *pipeConn), cfg TransportConfig) *Transport {
	t.Helper()
	cfg.URL = "http://worker.test/decide?x=1"
	cfg.Dial = (&pipeWorker{serve: serve}).dial
	tr, err := NewTransport(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func post(body string) Post {
	return Post{Body: []byte(body), Headers: WireHeaders("00-aa-bb-01", nil)}
}

func once(answer string) func(int, *pipeConn) {
	return func(_ int, c *pipeConn) {
		if c.request() != nil {
			c.send(answer)
		}
	}
}

func TestTransportSendsExactlyWhatAnEngineSends(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var raw string
	tr := pipeTransport(t, func(_ int, c *pipeConn) {
		c.request()
		raw = c.raw.String()
		c.send(okHead + "content-length: 4\r\n\r\nnull")
	}, TransportConfig{})
	p := Post{Body: []byte(`{"a": 1}`), Headers: WireHeaders("00-aa-bb-01", [][2]string{{"X-Team", "a"}, {"X-Team", "b"}})}
	got := tr.Post(context.Background(), p)
	tr.Close()
	g.Expect(got.Answer.End).To(Equal(spec.EndWhole))
	head, body, _ := strings.Cut(raw, "\r\n\r\n")
	g.Expect(body).To(Equal(`{"a": 1}`))
	g.Expect(strings.Split(head, "\r\n")).To(ConsistOf(
		"POST /decide?x=1 HTTP/1.1", "Host: worker.test", "Content-Length: 8", "content-type: application/json",
		"accept: text/event-stream, application/json", "traceparent: 00-aa-bb-01", "X-Team: a", "X-Team: b"))
}

func TestTransportKeepsHeadersInOrderAndSpelling(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	tr := pipeTransport(t, once("HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\nz-last: 1\r\nX-fIRST:  two \r\ncontent-length: 2\r\nz-last: 3\r\n\r\n{}"), TransportConfig{})
	got := tr.Post(context.Background(), post("{}"))
	g.Expect(got.Answer.Headers).To(Equal([][2]string{{"z-last", "1"}, {"X-fIRST", "two"}, {"content-length", "2"}, {"z-last", "3"}}))
	g.Expect(got.Proto).To(Equal("HTTP/1.1"))
	g.Expect(got.Conn).To(Equal("new"))
}

func TestTransportEnds(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte("{}"))
	_ = z.Close()
	long := strings.Repeat("x", 3000)
	for _, tc := range []struct {
		name   string
		answer string
		status int
		body   string
		end    spec.BodyEnd
		reason string
	}{
		{"whole", okHead + "content-length: 2\r\n\r\n{}", 200, "{}", spec.EndWhole, ""},
		{"whole, chunked", okHead + "transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 200, "{}", spec.EndWhole, ""},
		{"whole, ended by closing", okHead + "\r\n{}", 200, "{}", spec.EndWhole, ""},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", spec.EndWhole, ""},
		{"HTML", "HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>", 502, "<html>", spec.EndWhole, ""},
		{"a redirect is not followed", "HTTP/1.1 307 X\r\nlocation: http://other.test/\r\ncontent-length: 0\r\n\r\n", 307, "", spec.EndWhole, ""},
		{"gzip is not undone", okHead + "content-encoding: gzip\r\n\r\n" + zipped.String(), 200, zipped.String(), spec.EndWhole, ""},
		{"switching protocols", "HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nabc", 101, "", spec.EndWhole, ""},
		{"cut by length", okHead + "content-length: 9\r\n\r\n{}", 200, "{}", spec.EndCut, "body ended before its announced end"},
		{"cut in a chunk", okHead + "transfer-encoding: chunked\r\n\r\n9\r\n{}", 200, "{}", spec.EndCut, "body ended before its announced end"},
		{"too large", okHead + "\r\n" + long, 200, long[:2000], spec.EndOverLimit, "body over the limit"},
		{"too large by its own word", okHead + "content-length: 99999999999\r\n\r\n" + long, 200, long[:2000], spec.EndOverLimit, "body over the limit"},
		{"closed at once", "", 0, "", spec.EndReset, spec.ReasonClosed},
		{"closed in the head", "HTTP/1.1 200 OK\r\ncontent-", 0, "", spec.EndReset, spec.ReasonClosed},
		{"garbage", "220 smtp ready\r\n", 0, "", spec.EndReset, spec.ReasonNotHTTP},
		{"garbage in the status", "HTTP/1.1 abc OK\r\n\r\n", 0, "", spec.EndReset, spec.ReasonNotHTTP},
		{"garbage in a header", "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", 0, "", spec.EndReset, spec.ReasonNotHTTP},
		{"endless head", "HTTP/1.1 200 OK\r\n" + strings.Repeat("x: "+long+"\r\n", 40), 0, "", spec.EndReset, spec.ReasonHeadTooBig},
		{"endless line", "HTTP/1.1 200 OK\r\nx: " + strings.Repeat(long, 40), 0, "", spec.EndReset, spec.ReasonHeadTooBig},
		{"endless interim heads", strings.Repeat("HTTP/1.1 103 X\r\nx: "+long+"\r\n\r\n", 40), 0, "", spec.EndReset, spec.ReasonHeadTooBig},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			tr := pipeTransport(t, once(tc.answer), TransportConfig{MaxBody: 2000})
			got := tr.Post(context.Background(), post("{}"))
			g.Expect(got.Answer.End).To(Equal(tc.end))
			g.Expect(got.Answer.Reason).To(Equal(tc.reason))
			g.Expect(got.Answer.Status).To(Equal(tc.status))
			g.Expect(string(got.Answer.Body)).To(Equal(tc.body))
		})
	}
}

func TestTransportStopsReadingAnEndlessHead(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	took := make(chan int, 1)
	tr := pipeTransport(t, func(_ int, c *pipeConn) {
		c.request()
		c.send("HTTP/1.1 200 OK\r\n")
		line := []byte("x: " + strings.Repeat("y", 1000) + "\r\n")
		n := 0
		for _, err := c.Write(line); err == nil && n < 1<<24; _, err = c.Write(line) {
			n += len(line)
		}
		took <- n
	}, TransportConfig{})
	g.Expect(tr.Post(context.Background(), post("{}")).Answer.Reason).To(Equal(spec.ReasonHeadTooBig))
	g.Expect(<-took).To(BeNumerically("<", 2*DefaultMaxHead))
}

func TestTransportReadsAStreamHoweverItIsCut(t *testing.T) {
	t.Parallel()
	const frame = "event: decision.result\ndata: {}\n\n"
	for name, sent := range map[string]string{
		"LF":                 ": hi\n\n" + frame + "event: more\n",
		"CR LF":              "event: decision.result\r\ndata: {}\r\n\r\nrest",
		"CR":                 "event: decision.error\rdata: {}\r\rrest",
		"name after data":    "data: 1\ndata: 2\nevent:decision.result\n\nrest",
		"another frame":      "event: llm.token.delta\ndata: {}\n\n" + frame,
		"without data":       "event: decision.result\n\n" + frame + "rest",
		"a frame cut off":    "event: decision.result\ndata: {}\n",
		"a name that begins": "event: decision.results\ndata: {}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			for size := 1; size <= len(sent); size += 1 + len(sent)/9 {
				tr := pipeTransport(t, func(_ int, c *pipeConn) {
					c.request()
					c.send("HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\r\n")
					for rest := sent; rest != ""; rest = rest[min(size, len(rest)):] {
						c.send(rest[:min(size, len(rest))])
					}
				}, TransportConfig{})
				p := post("{}")
				var pieces []byte
				p.OnPiece = func(offset int, b []byte) {
					g.Expect(offset).To(Equal(len(pieces)))
					pieces = append(pieces, b...)
				}
				got := tr.Post(context.Background(), p)
				g.Expect(string(got.Answer.Body)).To(Equal(sent))
				g.Expect(string(pieces)).To(Equal(sent))
				g.Expect(got.Stream).To(BeTrue())
				g.Expect(got.Answer.End).To(Equal(spec.EndWhole))
			}
		})
	}
}

// A stream is over with its final frame. What a worker still says is heard for a
// moment, so that it can be judged, and no longer.
func TestTransportListensForAMomentAfterTheDecision(t *testing.T) {
	t.Parallel()
	const frame = "event: decision.result\ndata: {}\n\n"
	stream := func(after func(c *pipeConn)) Got {
		tr := pipeTransport(t, func(_ int, c *pipeConn) {
			c.request()
			c.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + frame)
			after(c)
		}, TransportConfig{Linger: 20 * time.Millisecond})
		return tr.Post(context.Background(), post("{}"))
	}
	t.Run("from a worker that holds the connection", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		held := make(chan struct{})
		defer close(held)
		got := stream(func(*pipeConn) { <-held })
		g.Expect(string(got.Answer.Body)).To(Equal(frame))
		g.Expect(got.Answer.End).To(Equal(spec.EndWhole))
	})
	t.Run("from a worker that never stops", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		over := make(chan struct{})
		got := stream(func(c *pipeConn) {
			for {
				if _, err := c.Write([]byte(strings.Repeat(": on and on\n", 1000))); err != nil {
					close(over)
					return
				}
			}
		})
		g.Expect(got.Answer.End).To(Equal(spec.EndWhole))
		g.Expect(len(got.Answer.Body)).To(BeNumerically("<", 1<<20))
		<-over
	})
}

func TestTransportJoinsTheCrumbsOfAStream(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	const size = 5000
	tr := pipeTransport(t, func(_ int, c *pipeConn) {
		c.request()
		c.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
		for range size {
			c.send(":")
		}
	}, TransportConfig{})
	p := post("{}")
	pieces, bytes := 0, 0
	p.OnPiece = func(offset int, b []byte) {
		g.Expect(offset).To(Equal(bytes))
		pieces, bytes = pieces+1, bytes+len(b)
	}
	tr.Post(context.Background(), p)
	g.Expect(bytes).To(Equal(size))
	g.Expect(pieces).To(BeNumerically("<=", exactPieces+1))
}

func TestTransportBoundsSilence(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		serve func(c *pipeConn)
		took  time.Duration
		end   spec.BodyEnd
		why   string
		body  string
	}{
		"a hang":                {func(c *pipeConn) { c.waitGone() }, 60 * time.Second, spec.EndTimeout, "no byte for 1m0s", ""},
		"a head that drips":     {func(c *pipeConn) { drip(c, "HTTP/1.1 200 OK\r\nx: 12345\r\n\r\n", 7*time.Second) }, 60 * time.Second, spec.EndTimeout, "no byte for 1m0s", ""},
		"a body that drips":     {func(c *pipeConn) { c.send(okHead + "\r\n"); drip(c, "123", 50*time.Second) }, 150 * time.Second, spec.EndWhole, "", "123"},
		"a body that falls off": {func(c *pipeConn) { c.send(okHead + "\r\n12"); c.waitGone() }, 60 * time.Second, spec.EndTimeout, "no byte for 1m0s", "12"},
		"an endless drip":       {func(c *pipeConn) { c.send(okHead + "\r\n"); drip(c, strings.Repeat("x", 99), 50*time.Second) }, 590 * time.Second, spec.EndTimeout, "the case is over", strings.Repeat("x", 11)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				tr := pipeTransport(t, func(_ int, c *pipeConn) { c.request(); tc.serve(c) }, TransportConfig{})
				ctx, cancel := context.WithTimeoutCause(t.Context(), 590*time.Second, errors.New("the case is over"))
				defer cancel()
				start := time.Now()
				got := tr.Post(ctx, post("{}"))
				g.Expect(time.Since(start)).To(Equal(tc.took))
				g.Expect(got.Answer.End).To(Equal(tc.end))
				g.Expect(got.Answer.Reason).To(Equal(tc.why))
				g.Expect(string(got.Answer.Body)).To(Equal(tc.body))
				tr.Close()
				// Fake time: let the worker notice that nobody listens.
				time.Sleep(time.Minute)
			})
		})
	}
}

func drip(c *pipeConn, s string, every time.Duration) {
	for i := range len(s) {
		time.Sleep(every)
		if _, err := c.Write([]byte{s[i]}); err != nil {
			return
		}
	}
}

func TestTransportNamesWhyThereIsNoConnection(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"refused":     {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, spec.ReasonRefused},
		"unknown":     {&net.DNSError{Err: "no such host"}, spec.ReasonUnreachable},
		"unreachable": {&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, spec.ReasonUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			tr, err := NewTransport(TransportConfig{URL: "http://worker.test", Dial: func(context.Context, string, string) (net.Conn, error) { return nil, tc.err }})
			g.Expect(err).NotTo(HaveOccurred())
			got := tr.Post(context.Background(), post("{}"))
			g.Expect(got.Answer).To(Equal(spec.Answer{End: spec.EndReset, Reason: tc.want}))
			g.Expect(got.Conn).To(BeEmpty())
		})
	}
	t.Run("a dial that hangs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			tr, err := NewTransport(TransportConfig{URL: "http://worker.test", Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}})
			g.Expect(err).NotTo(HaveOccurred())
			start := time.Now()
			got := tr.Post(t.Context(), post("{}"))
			g.Expect(time.Since(start)).To(Equal(10 * time.Second))
			g.Expect(got.Answer.Reason).To(Equal(spec.ReasonUnreachable))
		})
	})
	t.Run("no TLS there", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		w := &pipeWorker{serve: func(_ int, c *pipeConn) { _, _ = c.r.ReadByte(); c.send("HTTP/1.1 400 Bad Request\r\n\r\n") }}
		tr, err := NewTransport(TransportConfig{URL: "https://worker.test", Dial: w.dial})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(tr.Post(context.Background(), post("{}")).Answer.Reason).To(Equal(spec.ReasonTLS))
	})
}

func TestTransportTellsAStaleConnectionFromACrash(t *testing.T) {
	t.Parallel()
	t.Run("closed while idle", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		// The worker takes the second request and hangs up: from outside, a
		// kept-alive connection that closed as the request went out.
		tr := pipeTransport(t, func(conn int, c *pipeConn) {
			c.request()
			c.send(okHead + "content-length: 2\r\n\r\n{}")
			if conn == 1 {
				c.request()
				return
			}
			c.waitGone()
		}, TransportConfig{})
		g.Expect(tr.Post(context.Background(), post("{}")).Conn).To(Equal("new"))
		second := tr.Post(context.Background(), post("{}"))
		g.Expect(second.Conn).To(Equal("reused"))
		g.Expect(second.Answer.End).To(Equal(spec.EndStale))
		again := post("{}")
		again.Fresh = true
		third := tr.Post(context.Background(), again)
		g.Expect(third.Conn).To(Equal("new"))
		g.Expect(third.Answer.End).To(Equal(spec.EndWhole))
	})
	t.Run("a byte came", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		tr := pipeTransport(t, func(_ int, c *pipeConn) {
			c.request()
			c.send(okHead + "content-length: 2\r\n\r\n{}")
			c.request()
			c.send("H")
		}, TransportConfig{})
		tr.Post(context.Background(), post("{}"))
		second := tr.Post(context.Background(), post("{}"))
		g.Expect(second.Conn).To(Equal("reused"))
		g.Expect(second.Answer.End).To(Equal(spec.EndReset))
	})
	t.Run("asked for a fresh one", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		tr := pipeTransport(t, func(_ int, c *pipeConn) {
			for c.request() != nil {
				c.send(okHead + "content-length: 2\r\n\r\n{}")
			}
		}, TransportConfig{})
		tr.Post(context.Background(), post("{}"))
		fresh := post("{}")
		fresh.Fresh = true
		g.Expect(tr.Post(context.Background(), fresh).Conn).To(Equal("new"))
		g.Expect(tr.Post(context.Background(), post("{}")).Conn).To(Equal("reused"))
		tr.Close()
	})
	t.Run("idle for a second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			tr := pipeTransport(t, func(_ int, c *pipeConn) {
				for c.request() != nil {
					c.send(okHead + "content-length: 2\r\n\r\n{}")
				}
			}, TransportConfig{})
			tr.Post(t.Context(), post("{}"))
			time.Sleep(900 * time.Millisecond)
			g.Expect(tr.Post(t.Context(), post("{}")).Conn).To(Equal("reused"))
			time.Sleep(1100 * time.Millisecond)
			g.Expect(tr.Post(t.Context(), post("{}")).Conn).To(Equal("new"))
			tr.Close()
		})
	})
}

func TestTransportWorksThroughARoundTripper(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	rt := roundTrip(func(r *http.Request) (*http.Response, error) {
		b, err := io.ReadAll(r.Body)
		return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", Header: http.Header{"X-B": {"2"}, "X-A": {"1"}}, Body: io.NopCloser(bytes.NewReader(b))}, err
	})
	tr, err := NewTransport(TransportConfig{URL: "http://worker.test", RoundTripper: rt})
	g.Expect(err).NotTo(HaveOccurred())
	got := tr.Post(context.Background(), post("{}"))
	g.Expect(got.Answer).To(Equal(spec.Answer{Status: 200, Headers: [][2]string{{"X-A", "1"}, {"X-B", "2"}}, Body: []byte("{}"), End: spec.EndWhole}))
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTransportRefusesWhatItWouldHaveToBend(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	for _, bad := range []string{"ftp://x/", "http://", "localhost:4444", "http://a:b@x/", "http://x\x7f/"} {
		_, err := NewTransport(TransportConfig{URL: bad})
		g.Expect(err).To(HaveOccurred(), bad)
	}
	tr := pipeTransport(t, once(""), TransportConfig{})
	p := post("{}")
	p.Headers = append(p.Headers, [2]string{"Content-Length", "3"})
	g.Expect(tr.Post(context.Background(), p).Answer.Reason).To(ContainSubstring("Content-Length"))
	g.Expect(tr.Post(context.Background(), post("")).Answer.Reason).To(Equal("nothing to send"))
	// net/http sends a request again by itself when it can get the body again.
	req, err := tr.request(context.Background(), post("{}"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(req.GetBody).To(BeNil())
	g.Expect(req.Body).NotTo(Equal(http.NoBody))
}
