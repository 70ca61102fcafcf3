package certify_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// says answers every request alike.
func says(status int, contentType, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

var _ = Describe("a worker that is none", func() {
	DescribeTable("gets a clear verdict from its first answer",
		func(h http.Handler, exit int, broken ...string) {
			r := certifyAll(config(), h)
			Expect(r.Exit).To(Equal(exit))
			Expect(troubled(r)).To(ConsistOf(broken))
			Expect(r.Summary.Exchanges).To(BeNumerically("<=", 2*10), "two forms of session.start, ten deliveries each")
		},
		Entry("answers {}", says(200, "application/json", "{}"), 1, "start.yields-a-config"),
		Entry("answers null", says(200, "application/json", "null"), 1, "start.yields-a-config"),
		Entry("answers 500", says(500, "text/plain", "oops"), 1, "delivery.answers-2xx", "start.yields-a-config"),
		Entry("answers 404", says(404, "text/plain", "not found"), 1, "delivery.answers-2xx", "start.yields-a-config"),
		Entry("answers HTML", says(200, "text/html", "<!doctype html><title>hi</title>"), 1, "response.is-json", "start.yields-a-config"),
		Entry("answers nothing", says(200, "application/json", ""), 1, "response.has-a-body", "start.yields-a-config"),
		Entry("redirects", http.RedirectHandler("/elsewhere", http.StatusFound), 1, "delivery.does-not-redirect", "start.yields-a-config"),
	)

	It("is certified by what it does when it only echoes: a worker without tools", func() {
		c := config()
		c.Features = nil
		r := certifyAll(c, referenceWorker("echoes-proposed"))
		Expect(r.Exit).To(Equal(0))
		Expect(r.Worker.Tools).To(BeEmpty())
		Expect(troubled(r)).To(ConsistOf("start.works-in-either-form"))
		Expect(statusOf(r, "output.matches-schema")).NotTo(Equal(spec.StatusPass))
		Expect(statusOf(r, "execute.refuses-undeclared")).NotTo(Equal(spec.StatusPass))
	})

	It("is exit 3 when nobody is there", func() {
		refused := func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("connect: connection refused")}
		}
		t, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: refused})
		Expect(err).NotTo(HaveOccurred())
		r, err := certify.Run(context.Background(), config(), t)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Exit).To(Equal(reports.ExitUnreachable))
		Expect(troubled(r)).To(BeEmpty())
	})
})

// In a bubble, where time moves by itself: a worker that never answers costs
// its deadlines and no more (R16).
func TestHangingWorkers(t *testing.T) {
	t.Parallel()
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	workers := map[string]http.Handler{"from the start": hang, "after a few answers": referenceThen(hang, 4)}
	for _, fault := range hanging {
		h, err := reference.New(reference.Options{Faults: []string{fault}})
		if err != nil {
			t.Fatal(err)
		}
		workers["in one place: "+fault] = h
	}
	for name, h := range workers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				network, stop := memnet.Serve(h)
				defer stop()
				poster, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial})
				g.Expect(err).NotTo(HaveOccurred())
				began := time.Now()
				r, err := certify.Run(context.Background(), hangConfig(), poster)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(r.Exit).To(Equal(1), fmt.Sprint(troubled(r)))
				g.Expect(troubled(r)).To(ContainElement("delivery.answers-in-time"))
				if strings.HasSuffix(name, "stalls-a-stream") {
					g.Expect(unmet(r)).To(ContainSubstring("a stream that fell silent after 1 of its frames: "))
				}
				if name != "from the start" {
					g.Expect(troubled(r)).To(ConsistOf("delivery.answers-in-time"))
				}
				g.Expect(time.Since(began)).To(BeNumerically("<", 3*time.Minute), "time of the bubble")
			})
		})
	}
}

// A bound shorter than the wire's can only warn; a run that ended by it is not
// good all the same.
func TestImpatienceIsNoGoodNews(t *testing.T) {
	t.Parallel()
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		network, stop := memnet.Serve(hang)
		defer stop()
		poster, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial})
		g.Expect(err).NotTo(HaveOccurred())
		c := hangConfig()
		c.Patience = time.Second
		r, err := certify.Run(context.Background(), c, poster)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(troubled(r)).To(ConsistOf("delivery.answers-in-time"))
		g.Expect(r.Summary.Requirements.Fail).To(BeZero())
		g.Expect(r.Ended).To(HavePrefix("nothing was run after the discovery: "))
		g.Expect(r.Exit).To(Equal(reports.ExitUsage))
	})
}
