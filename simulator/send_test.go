package simulator

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// stray is a worker that answers decisions as the scripted one does, and keeps
// what else it was asked.
type stray struct {
	method, target, body string
	headers              http.Header
	cut                  error
}

func (s *stray) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Method == http.MethodPost && strings.Contains(string(body), `"trigger":{"type"`) {
		_, _ = io.WriteString(w, read(body).answer())
		return
	}
	s.method, s.target, s.body, s.headers, s.cut = r.Method, r.RequestURI, string(body), r.Header, err
	http.Error(w, "no decision", http.StatusTeapot)
}

// sending drives one send step between a start and a message.
func sending(t *testing.T, step string, h http.Handler, secret string) recorded {
	t.Helper()
	network, stop := memnet.Serve(h)
	t.Cleanup(stop)
	to, err := NewTransport(TransportConfig{URL: "http://worker.example/decide?v=1", Dial: network.Dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(to.Close)
	in := input(planned("scenario: s\nsteps:\n  - user: a\n  - model: b\n  - send: " + step + "\n  - user: c\n  - model: d\n")[0])
	in.Worker.URL, in.Secret = "http://worker.example/decide?v=1", []byte(secret)
	return drive(t.Context(), in, to)
}

// raws are the request outside the protocol and its response.
func (r recorded) raws() (*spec.RequestEvent, *spec.ResponseEvent) {
	for _, e := range r.events {
		if q, ok := e.Data.(*spec.RequestEvent); ok && q.IsRaw() {
			for _, o := range r.events {
				if a, ok := o.Data.(*spec.ResponseEvent); ok && a.D == q.D && o.Session == e.Session {
					return q, a
				}
			}
		}
	}
	return nil, nil
}

func TestSendGoesOutAsItIsWrittenAndIsMarked(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]struct{ method, target, body, kind string }{
		`{}`:                                   {"POST", "/decide?v=1", "", ""},
		`{method: GET}`:                        {"GET", "/decide?v=1", "", ""},
		`{method: DELETE, path: "/a%20b?c=d"}`: {"DELETE", "/a%20b?c=d", "", ""},
		`{body: "not JSON"}`:                   {"POST", "/decide?v=1", "not JSON", "application/json"},
		`{base64: "/wA="}`:                     {"POST", "/decide?v=1", "\xff\x00", "application/json"},
		`{headers: {Content-Type: a/b}, body: x}`:                               {"POST", "/decide?v=1", "x", "a/b"},
		`{headers: {transfer-encoding: chunked}, body: "2\r\n{}\r\n0\r\n\r\n"}`: {"POST", "/decide?v=1", "{}", "application/json"},
	} {
		g := NewWithT(t)
		w := &stray{}
		got := sending(t, step, w, "")
		g.Expect(got.Why).To(Equal("script done"), step)
		g.Expect([]string{w.method, w.target, w.body, w.headers.Get("Content-Type")}).To(Equal([]string{want.method, want.target, want.body, want.kind}), step)
		q, a := got.raws()
		g.Expect(q).NotTo(BeNil(), step)
		g.Expect([]string{q.Method, q.Target, q.Broken, string(q.Trigger), q.Decision}).To(Equal([]string{want.method, want.target, "outside the protocol", "", ""}), step)
		g.Expect(a.Status).To(Equal(http.StatusTeapot), step)
		g.Expect(*a.Body.Text).To(Equal("no decision\n"))
		// What follows goes its usual way, and the engine knows nothing of it.
		g.Expect(got.story()[len(got.story())-2]).To(HaveSuffix("turn completed"), step)
		// Nothing of an engine's own headers is missing but what the step replaced.
		g.Expect(w.headers.Get("Traceparent")).NotTo(BeEmpty())
		g.Expect(w.headers.Get("Accept")).To(ContainSubstring("text/event-stream"))
	}
}

func TestSendIsSignedSoThatItGetsPastTheCheck(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	w := &stray{}
	sending(t, `{body: "what do ya want for nothing?"}`, w, jefe)
	g.Expect(w.headers.Get(SignatureHeader)).To(Equal("sha256=" + answered))
	sending(t, `{headers: {x-substructure-signature: none}, body: x}`, w, jefe)
	g.Expect(w.headers.Values(SignatureHeader)).To(Equal([]string{"none"}))
	sending(t, `{headers: {x-substructure-signature: ""}, body: x}`, w, jefe)
	g.Expect(w.headers).NotTo(HaveKey(SignatureHeader))
}

func TestSendCutsShort(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	w := &stray{}
	got := sending(t, `{body: "0123456789", cut_after: 4}`, w, "")
	q, a := got.raws()
	g.Expect(q.Broken).To(Equal("outside the protocol: cut after 4 of 10 bytes"))
	g.Expect(*q.Body.Text).To(Equal("0123"))
	g.Expect(q.End).To(Equal(spec.EndCut))
	g.Expect(q.Headers).To(ContainElement([2]string{"content-length", "10"}))
	g.Expect([]string{string(a.End), a.Reason}).To(Equal([]string{"client-gone", "we hung up on purpose"}))
	g.Expect(got.Why).To(Equal("script done"))
}

// Over a real socket our side can be closed alone, and a status be waited for.
func TestSendCutsShortAndListens(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	w := &stray{}
	server := &http.Server{Handler: w}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	to, err := NewTransport(TransportConfig{URL: "http://" + l.Addr().String()})
	g.Expect(err).NotTo(HaveOccurred())
	got := to.SendRaw(t.Context(), Raw{
		Method: "POST", Headers: [][2]string{{"content-length", "10"}}, Body: []byte("0123"), Half: true,
	})
	g.Expect(got.Answer.Status).To(Equal(http.StatusTeapot))
	g.Expect(w.cut).To(MatchError(io.ErrUnexpectedEOF))
}

// An interim head and the answer may come in one piece.
func TestSendPassesOverInterimHeads(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	tr := pipeTransport(t, once("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 418 I'm a teapot\r\ncontent-length: 2\r\n\r\nno"), TransportConfig{})
	got := tr.SendRaw(t.Context(), Raw{Method: "GET"})
	g.Expect(got.Answer.Status).To(Equal(http.StatusTeapot))
	g.Expect(string(got.Answer.Body)).To(Equal("no"))
	g.Expect(got.Answer.End).To(Equal(spec.EndWhole))
}

func TestSendIsBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"a worker that never answers": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timeout: no whole answer in time"},
		"one that begins and stops": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "so ")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "timeout: no whole answer in time"},
		"one without end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "over-limit: body over the limit"},
		"one that hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "reset: closed before a response head"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network, stop := memnet.Serve(c.serve)
				defer stop()
				to, err := NewTransport(TransportConfig{URL: "http://worker.example/", Dial: network.Dial})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				got := to.SendRaw(context.Background(), Raw{Method: "GET", Within: 5 * time.Second})
				if is := string(got.Answer.End) + ": " + got.Answer.Reason; is != c.want {
					t.Errorf("got %s", is)
				}
				if took := time.Since(began); took > 5*time.Second || len(got.Answer.Body) > maxRawBody {
					t.Errorf("took %s of the bubble, kept %d bytes", took, len(got.Answer.Body))
				}
			})
		})
	}
}

func TestSendSaysWhereItCannotBeDone(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	got := drive(t.Context(), input(planned("scenario: s\nsteps: [{send: {}}, {user: a}, {model: b}]")[0]), &scripted{})
	_, a := got.raws()
	g.Expect(a.End).To(Equal(spec.EndOmitted))
	g.Expect(got.Why).To(Equal("script done"))
	refused := func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe }
	to, err := NewTransport(TransportConfig{URL: "http://worker.example/", Dial: refused})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(to.SendRaw(t.Context(), Raw{Method: "GET"}).Answer).To(Equal(spec.Answer{End: spec.EndReset, Reason: spec.ReasonUnreachable}))
}

func TestRawRequestsStayWithinConsent(t *testing.T) {
	t.Parallel()
	execute := `{"session_id":"s","trigger":{"type":"tool.execute","id":"c1","name":"a","arguments":"{}"}}`
	for body, calls := range map[string]bool{
		"":                                     false,
		"hello":                                false,
		execute:                                true,
		`{"trigger":{"type":"turn.finished"}}`: false,
		`{"trigger":{"type":"tool.execute"`:    true,
		`{"trigger":{"type":"tool.\u0065xecute","name":"a"}}`: true,
	} {
		g := NewWithT(t)
		step := scenarios.Step{Send: &scenarios.SendStep{Method: "POST", Path: "/", Base64: []byte(body)}}
		for _, policy := range []CallPolicy{CallNever, CallSamplesOnly, CallGenerated} {
			c, err := Agree("https://worker.example/", ConsentOptions{Declared: tools("a", "b"), Policies: map[string]CallPolicy{"b": policy}})
			g.Expect(err).NotTo(HaveOccurred())
			got := c.Bind(scenarios.Case{Steps: []scenarios.Step{step}}).NotApplicable
			if calls && policy != CallGenerated {
				g.Expect(got).To(Equal("sends a raw request that may call a tool, and b may not be called so"), body)
			} else {
				g.Expect(got).To(BeEmpty(), body)
			}
		}
	}
}

func TestAliveOpensAFreshSession(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	got := drive(t.Context(), input(planned(`
scenario: s
steps:
  - user: a
    expect: [{alive: true}]
  - model: b
finally: [{alive: true}]
`)[0]), &scripted{})
	g.Expect(got.Why).To(Equal("script done"))
	var seen []string
	for _, e := range got.events {
		switch d := e.Data.(type) {
		case *spec.SessionEvent:
			if d.Alive == nil {
				seen = append(seen, e.Session)
			} else if d.Alive.Step == nil {
				seen = append(seen, e.Session+" at the end for "+d.Alive.Of)
			} else {
				seen = append(seen, e.Session+" after step 0 for "+d.Alive.Of)
			}
		case *spec.RequestEvent:
			if e.Session != "s1" {
				seen = append(seen, e.Session+" "+string(d.Trigger))
			}
		case *spec.StepEvent:
			seen = append(seen, d.Verb)
		}
	}
	g.Expect(seen).To(Equal([]string{
		"s1", "user", "s1a1 after step 0 for s1", "s1a1 session.start", "model", "s1a2 at the end for s1", "s1a2 session.start",
	}))
}

func TestAliveIsOverSoonWhereNobodyIs(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	w := &scripted{}
	w.serve = func(_ context.Context, _ int, a asked) Got {
		if a.Trigger.Type == "turn.finished" {
			w.mu.Lock()
			w.offline = true
			w.mu.Unlock()
		}
		return ok(a.answer())
	}
	got := drive(t.Context(), input(planned("scenario: s\nsteps: [{user: a}, {model: b}]\nfinally: [{alive: true}]")[0]), w)
	g.Expect(got.Why).To(Equal("script done"))
	g.Expect(got.Exchanges).To(BeNumerically("<", 10))
}
