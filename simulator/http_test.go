package simulator

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// httpWorker is the scripted worker as a handler.
func httpWorker(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, read(b).answer())
}

func transportTo(url string) *Transport {
	t, err := NewTransport(TransportConfig{URL: url})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(t.Close)
	return t
}

var _ = Describe("a case over HTTP", func() {
	It("is driven to its end, on one connection", func(ctx SpecContext) {
		server := httptest.NewServer(http.HandlerFunc(httpWorker))
		DeferCleanup(server.Close)
		in := input(planned(calm)[0])
		in.Worker.URL = server.URL + "/decide"
		got := drive(ctx, in, transportTo(server.URL+"/decide"))
		Expect(got.Why).To(Equal("script done"))
		Expect(got.request("d1").Conn).To(Equal("new"))
		Expect(got.request("d9").Conn).To(Equal("reused"))
		Expect(got.request("d9").Target).To(Equal("/decide"))
		Expect(got.digest()).To(Equal(drive(ctx, input(planned(calm)[0]), &scripted{}).digest()))
	})

	It("is driven over TLS, and is told why when it is not trusted", func(ctx SpecContext) {
		server := httptest.NewTLSServer(http.HandlerFunc(httpWorker))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		DeferCleanup(server.Close)
		t, err := NewTransport(TransportConfig{URL: server.URL, TLS: server.Client().Transport.(*http.Transport).TLSClientConfig})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(t.Close)
		got := drive(ctx, input(planned(calm)[0]), t)
		Expect(got.Why).To(Equal("script done"))
		Expect(got.request("d9").Conn).To(Equal("reused"))
		Expect(drive(ctx, input(planned(calm)[0]), transportTo(server.URL)).Why).To(Equal("unreachable: TLS failure"))
	})

	It("survives a worker that closes idle connections as a request goes out", func(ctx SpecContext) {
		// Each connection carries two requests; the third finds it closed.
		w := &pipeWorker{serve: func(_ int, c *pipeConn) {
			for range 2 {
				body := c.request()
				if body == nil {
					return
				}
				answer := read(body).answer()
				c.send(fmt.Sprintf("%scontent-length: %d\r\n\r\n%s", okHead, len(answer), answer))
			}
			c.request()
		}}
		t, err := NewTransport(TransportConfig{URL: "http://worker.test", Dial: w.dial})
		Expect(err).NotTo(HaveOccurred())
		got := drive(ctx, input(planned(calm)[0]), t)
		Expect(got.Why).To(Equal("script done"))
		Expect(got.story()).To(ContainElement(HaveSuffix("stale")))
		Expect(got.story()).NotTo(ContainElement(HaveSuffix("failed")))
	})

	It("blames a worker that hangs up on a new connection too", func(ctx SpecContext) {
		w := &pipeWorker{serve: func(_ int, c *pipeConn) {
			for {
				body := c.request()
				if body == nil || read(body).Trigger.Type == spec.OnToolExecute {
					return
				}
				answer := read(body).answer()
				c.send(fmt.Sprintf("%scontent-length: %d\r\n\r\n%s", okHead, len(answer), answer))
			}
		}}
		t, err := NewTransport(TransportConfig{URL: "http://worker.test", Dial: w.dial})
		Expect(err).NotTo(HaveOccurred())
		got := drive(ctx, input(planned(one)[0]), t)
		Expect(got.Why).To(Equal("turn failed"))
		Expect(got.from("d4")).To(Equal([]string{
			"4 request d4 tool.execute/1 try 1", "4 response d4 stale", "4 request d5 tool.execute/1 try 1", "4 response d5 reset",
			"4 outcome d5 failed", "4 turn failed", "turn failed",
		}))
	})

	It("records a stream piece by piece", func(ctx SpecContext) {
		w := &pipeWorker{serve: func(_ int, c *pipeConn) {
			for body := c.request(); body != nil; body = c.request() {
				answer := read(body).answer()
				c.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: working\n\n")
				c.send("event: decision.result\ndata: " + answer + "\n\n")
				c.waitGone()
			}
		}}
		t, err := NewTransport(TransportConfig{URL: "http://worker.test", Dial: w.dial})
		Expect(err).NotTo(HaveOccurred())
		got := drive(ctx, input(planned(one)[0]), t)
		Expect(got.Why).To(Equal("script done"))
		Expect(got.story()).To(ContainElements("4 piece d4 0", "4 piece d4 11", "4 outcome d4 accepted finished"))
		for _, e := range got.events {
			if r, ok := e.Data.(*spec.ResponseEvent); ok {
				Expect(r.Pieces).To(Equal(2))
				Expect(r.Body).To(BeZero())
				Expect(r.Bytes).To(BeNumerically(">", 11))
			}
		}
	})
})

var _ = Describe("discovery", func() {
	discover := func(ctx context.Context, only string, t Poster) (Discovery, recorded) {
		var out recorded
		d := Discover(ctx, Settings{Fixed: true}, only, t, func(e spec.Event) { out.events = append(out.events, e) })
		out.Result = d.Result
		return d, out
	}
	// starts answers session.start by what is proposed.
	starts := func(agent, bare string) *scripted {
		return &scripted{serve: func(_ context.Context, _ int, a asked) Got {
			if strings.Contains(string(a.Proposed), "hallmark-simulated") {
				return ok(agent)
			}
			return ok(bare)
		}}
	}

	It("asks both forms and keeps to the first that works", func(ctx SpecContext) {
		d, r := discover(ctx, "", starts(declared, declared))
		Expect(d.Form).To(Equal(FormAgent))
		Expect(d.Agent.Model).To(Equal("hallmark-simulated"))
		Expect(d.Declared.Tools).To(HaveLen(2))
		Expect(d.Unreachable()).To(BeFalse())
		Expect(r.story()).To(Equal([]string{
			"0 session", "0 input 202", "0 request d1 session.start/1", "0 response d1 whole", "0 outcome d1 accepted",
			"0 session", "0 input 202", "0 request d1 session.start/1", "0 response d1 whole", "0 outcome d1 accepted", "script done",
		}))
		Expect(r.events[6].Session).To(Equal("s2"))
		Expect(r.events[0].Data.(*spec.HeaderEvent).Case.Scenario).To(Equal("discovery"))
	})

	It("falls back on the bare form", func(ctx SpecContext) {
		d, _ := discover(ctx, "", starts("{}", declared))
		Expect(d.Form).To(Equal(FormBare))
		Expect(d.Agent).To(BeNil())
		Expect(d.Declared).NotTo(BeNil())
	})

	It("notices that one form is refused", func(ctx SpecContext) {
		d, _ := discover(ctx, "", starts(declared, "nonsense"))
		Expect(d.Form).To(Equal(FormAgent))
		Expect(d.Forms[1].Declared).To(BeNil())
	})

	It("finds no config", func(ctx SpecContext) {
		d, _ := discover(ctx, "", starts("{}", "null"))
		Expect(d.Form).To(BeEmpty())
		Expect(d.Declared).To(BeNil())
		Expect(d.Unreachable()).To(BeFalse())
		Expect(d.Forms).To(HaveLen(2))
	})

	It("asks one form when told to", func(ctx SpecContext) {
		d, _ := discover(ctx, FormBare, starts(declared, declared))
		Expect(d.Forms).To(HaveLen(1))
		Expect(d.Form).To(Equal(FormBare))
	})

	It("tells a worker that hangs up from one that is not there", func(ctx SpecContext) {
		d, r := discover(ctx, "", &scripted{serve: func(context.Context, int, asked) Got {
			return Got{Answer: spec.Answer{End: spec.EndReset, Reason: spec.ReasonClosed}}
		}})
		Expect(d.Form).To(BeEmpty())
		Expect(d.Unreachable()).To(BeFalse())
		Expect(d.Forms).To(HaveLen(2))
		Expect(r.story()).To(ContainElement("0 outcome d1 failed"))
	})

	It("asks a worker that is not there once", func(ctx SpecContext) {
		d, r := discover(ctx, "", &scripted{offline: true})
		Expect(d.Unreachable()).To(BeTrue())
		Expect(d.Forms).To(HaveLen(1))
		Expect(r.Why).To(Equal("unreachable: connection refused"))
	})
})
