package reference_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// delivered posts a request over a new connection, as a run does.
func delivered(ctx context.Context, url, body string) spec.Answer {
	GinkgoHelper()
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: url, MaxBody: 1 << 20})
	Expect(err).NotTo(HaveOccurred())
	defer t.Close()
	return t.Post(ctx, simulator.Post{Body: []byte(body), Fresh: true}).Answer
}

var _ = Describe("a fault of the delivery, over a socket", func() {
	answer := func(ctx SpecContext, fault, request string) spec.Answer {
		GinkgoHelper()
		return delivered(ctx, serving(reference.Options{Faults: []string{fault}}), request)
	}

	It("closes-the-connection", func(ctx SpecContext) {
		a := answer(ctx, "closes-the-connection", quietCall())
		Expect(a.End).To(Equal(spec.EndReset))
		Expect(a.Reason).To(Equal(spec.ReasonClosed))
	})

	It("cuts-the-body", func(ctx SpecContext) {
		a := answer(ctx, "cuts-the-body", quietCall())
		Expect(a.End).To(Equal(spec.EndCut))
		Expect(a.Status).To(Equal(http.StatusOK))
		whole := `{"actions":[` + quietAction + `]}`
		Expect(string(a.Body)).To(Equal(whole[:len(whole)/2]))
	})

	It("speaks-no-http", func(ctx SpecContext) {
		a := answer(ctx, "speaks-no-http", quietCall())
		Expect(a.End).To(Equal(spec.EndReset))
		Expect(a.Reason).To(Equal(spec.ReasonNotHTTP))
	})

	It("says that it closes idle connections soon", func(ctx SpecContext) {
		a := answer(ctx, "short-keep-alive", quietCall())
		Expect(a.Headers).To(ContainElement([2]string{"Keep-Alive", "timeout=1"}))
		Expect(string(a.Body)).To(Equal(`{"actions":[` + quietAction + `]}`))
	})

	It("redirects", func(ctx SpecContext) {
		a := answer(ctx, "redirects", quietCall())
		Expect(a.Status).To(Equal(http.StatusTemporaryRedirect))
		Expect(a.Headers).To(ContainElement([2]string{"Location", "/decide/"}))
	})

	It("compresses", func(ctx SpecContext) {
		a := answer(ctx, "compresses", quietCall())
		Expect(a.Headers).To(ContainElement([2]string{"Content-Encoding", "gzip"}))
		z, err := gzip.NewReader(bytes.NewReader(a.Body))
		Expect(err).NotTo(HaveOccurred())
		plain, err := io.ReadAll(z)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(plain)).To(Equal(`{"actions":[` + quietAction + `]}`))
	})

	It("endless-body", func(ctx SpecContext) {
		a := answer(ctx, "endless-body", quietCall())
		Expect(a.Status).To(Equal(http.StatusOK))
		Expect(a.End).To(Equal(spec.EndOverLimit))
	})

	It("answers-204", func(ctx SpecContext) {
		a := answer(ctx, "answers-204", turnEnds())
		Expect(a.Status).To(Equal(http.StatusNoContent))
		Expect(a.Body).To(BeEmpty())
	})

	DescribeTable("a status", func(ctx SpecContext, fault, request string, status int) {
		Expect(answer(ctx, fault, request).Status).To(Equal(status))
	},
		Entry("answers-500", "answers-500", turnEnds(), 500),
		Entry("answers-500-on-undeclared", "answers-500-on-undeclared", call("no_such_tool", `{}`), 500),
		Entry("answers-500-on-undeclared, when a refusal is proposed", "answers-500-on-undeclared", refused(spec.InputValid, "no_such_tool", "{}"), 500),
		Entry("answers-400-on-malformed", "answers-400-on-malformed", refused(spec.InputMalformed, "find_glaze", "["), 400),
		Entry("answers-400-on-malformed, not on an undeclared name", "answers-400-on-malformed", refused(spec.InputMalformed, "no_such_tool", "["), 200),
	)

	It("hangs until the client leaves", func(ctx SpecContext) {
		h, err := reference.New(reference.Options{Faults: []string{"hangs"}})
		Expect(err).NotTo(HaveOccurred())
		entered, left := make(chan struct{}), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			defer close(left)
			// Read before the signal, so that nothing but the fault is left to
			// keep the request.
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			close(entered)
			h.ServeHTTP(rw, r)
		}))
		DeferCleanup(server.Close)
		leaving, leave := context.WithCancel(ctx)
		answers := make(chan spec.Answer, 1)
		go func() {
			defer GinkgoRecover()
			answers <- delivered(leaving, server.URL, quietCall())
		}()
		Eventually(ctx, entered).Should(BeClosed())
		leave()
		Eventually(ctx, left).Should(BeClosed())
		Expect((<-answers).End).To(Equal(spec.EndTimeout))
	})

	It("dies in the middle of an answer, once, after its share of requests", func(ctx SpecContext) {
		codes := make(chan int, 9)
		url := serving(reference.Options{Faults: []string{"dies"}, DiesAfter: 2, Exit: func(code int) { codes <- code }})
		Expect(delivered(ctx, url, quietCall()).End).To(Equal(spec.EndWhole))
		Expect(delivered(ctx, url, turnEnds()).End).To(Equal(spec.EndWhole))
		Expect(delivered(ctx, url, turnEnds()).End).To(Equal(spec.EndWhole), "it dies of a call")
		Expect(codes).To(BeEmpty())
		Expect(delivered(ctx, url, quietCall()).End).To(Equal(spec.EndCut))
		Expect(delivered(ctx, url, quietCall()).Reason).To(Equal(spec.ReasonClosed))
		Expect(delivered(ctx, url, turnEnds()).Reason).To(Equal(spec.ReasonClosed))
		Expect(codes).To(HaveLen(1))
		Expect(<-codes).To(Equal(1))
	})

	It("shares-a-variable only between sessions", func() {
		url := serving(reference.Options{Faults: []string{"shares-a-variable"}})
		says := func(session string) {
			post(url, strings.Replace(spoken(), `{"trigger"`, `{"session_id":"`+session+`","trigger"`, 1))
		}
		asks := func(session string) int {
			t := &talk{session: session}
			return post(url, encoded(t.executing(toolCall{"c1", "list_kilns", "{}"}, valid("{}"), false))).status
		}
		says("s1")
		Expect(asks("s1")).To(Equal(200))
		says("s2")
		Expect(asks("s2")).To(Equal(200))
		Expect(asks("s1")).To(Equal(409))
	})
})
