package workertest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// start is a request of session.start.
func start() spec.DecisionRequest {
	return spec.DecisionRequest{
		SessionID: "s", DecisionID: "d", AgentID: "agent", Trigger: spec.SessionStartTrigger{},
		Identity: spec.Identity{Visibility: "shared", Metadata: map[string]string{}},
	}
}

// failing is a test whose failure is expected.
type failing struct {
	testing.TB
	text string
}

func (f *failing) Helper() {}

func (f *failing) Context() context.Context { return context.Background() }

func (f *failing) Fatalf(_ string, args ...any) { f.text = args[0].(error).Error() }

func fatal(target workertest.Target, tool string) string {
	GinkgoHelper()
	f := &failing{}
	Expect(workertest.Execute(f, target, tool, "{}")).To(BeNil())
	return f.text
}

func statusOf(x *workertest.Exchange, id string) spec.Status {
	for _, o := range x.Observations() {
		if o.Requirement == id {
			return o.Status
		}
	}
	return ""
}

var _ = Describe("Execute", func() {
	It("returns the tool.execute of one call, with nothing found", func() {
		x := workertest.Execute(GinkgoTB(), workertest.Handler(studio()), "kiln_temperature", `{"kiln":"east"}`)
		req, fault := x.Asked()
		Expect(fault).To(BeNil())
		Expect(req.Trigger).To(BeAssignableToTypeOf(spec.ToolExecuteTrigger{}))
		Expect(req.Trigger.(spec.ToolExecuteTrigger).Name).To(Equal("kiln_temperature"))
		d, failure := x.Decided()
		Expect(failure).To(BeNil())
		Expect(d.Actions).To(HaveLen(1))
		Expect(string(x.ResponseBody)).To(ContainSubstring("1180"))
		Expect(x.Findings()).To(BeEmpty())
		Expect(statusOf(x, "execute.settles-once")).To(Equal(spec.StatusPass))
		Expect(statusOf(x, "execute.answers-malformed")).To(Equal(spec.StatusNotObserved))
	})

	DescribeTable("hands over the argument string as it is",
		func(arguments string) {
			var a asked
			x := workertest.Execute(GinkgoTB(), workertest.Handler(a.before(studio())), "kiln_temperature", arguments)
			req, _ := x.Asked()
			Expect(req.Trigger.(spec.ToolExecuteTrigger).Arguments).To(Equal(arguments))
			Expect(x.Findings()).To(BeEmpty())
			Expect(statusOf(x, "execute.answers-malformed")).To(Equal(spec.StatusPass))
		},
		Entry(nil, `{"kiln": `), Entry(nil, "null"), Entry(nil, `$tool.sample`), Entry(nil, "[1]\t\u0001 # \"x\" 🍸"),
	)

	It("gives the findings of the exchange", func() {
		x := workertest.Execute(GinkgoTB(), workertest.Handler(studio("settles-twice")), "list_kilns", "{}")
		Expect(x.Findings()).To(HaveLen(1))
		Expect(x.Findings()[0].Requirement).To(Equal("execute.settles-once"))
		Expect(statusOf(x, "execute.settles-once")).To(Equal(spec.StatusFail))
	})

	It("tells what became of the answer, which is no finding of this exchange", func() {
		x := workertest.Execute(GinkgoTB(), workertest.Handler(studio("drops-tool-message")), "list_kilns", "{}")
		Expect(x.Findings()).To(BeEmpty())
		Expect(statusOf(x, "finished.records-the-tool-message")).To(Equal(spec.StatusFail))
	})

	It("calls tools that nobody declared", func() {
		x := workertest.Execute(GinkgoTB(), workertest.Handler(studio()), "no_such_tool", "{}")
		Expect(x.Findings()).To(BeEmpty())
	})

	It("has ids of its own each time, so that a worker that remembers runs again", func() {
		target := workertest.Handler(studio())
		var ids []string
		for range 2 {
			req, _ := workertest.Execute(GinkgoTB(), target, "list_kilns", "{}").Asked()
			ids = append(ids, req.DecisionID)
		}
		Expect(ids[0]).NotTo(Equal(ids[1]))
	})

	It("speaks to the worker as a Config says", func() {
		var agents, keys []string
		seen := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(err)
			}
			req, fault := spec.ParseRequest(body)
			if fault != nil {
				panic(fault)
			}
			agents, keys = append(agents, req.AgentID), append(keys, r.Header.Get("X-Key"))
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			studio().ServeHTTP(w, r)
		})
		x := workertest.ExecuteWith(GinkgoTB(), workertest.Handler(seen), "list_kilns", "{}", workertest.Config{
			AgentID: "billing", Header: http.Header{"X-Key": {"a secret"}}, Secret: []byte("s3cret-of-the-test"),
		})
		Expect(agents).NotTo(BeEmpty())
		Expect(agents).To(HaveEach("billing"))
		Expect(keys).To(HaveEach("a secret"))
		Expect(x.Request.Signature).To(Equal("valid"))
		Expect(x.Request.Headers).NotTo(ContainElement(ContainElement("a secret")))
	})

	It("calls no tool that a Config forbids", func() {
		f := &failing{}
		workertest.ExecuteWith(f, workertest.Handler(studio()), "list_kilns", "{}", workertest.Config{SkipTools: []string{"list_kilns"}})
		Expect(f.text).To(ContainSubstring("list_kilns may not be called"))
		workertest.ExecuteWith(f, workertest.Handler(studio()), "list_kilns", "{}", workertest.Config{Jobs: -1})
		Expect(f.text).To(ContainSubstring("Jobs"))
	})

	It("fails the test when no call was answered, and says why", func() {
		Expect(fatal(workertest.URL("http://127.0.0.1:1/"), "x")).To(ContainSubstring("workertest: the worker cannot be reached: "))
		Expect(fatal(workertest.Handler(studio("no-config")), "x")).To(And(
			ContainSubstring("session.start yields no config"), ContainSubstring("start.yields-a-config does not hold"),
		))
		Expect(fatal(workertest.Handler(onExecute(studio(), func(*http.Request) { panic(http.ErrAbortHandler) })), "list_kilns")).To(And(
			ContainSubstring(`no tool.execute of "list_kilns" was answered: turn failed`),
			ContainSubstring("delivery.answers-whole does not hold"),
		))
	})
})

// onExecute does something before h answers a tool.execute.
func onExecute(h http.Handler, do func(*http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if strings.Contains(string(body), `"type":"tool.execute"`) {
			do(r)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		h.ServeHTTP(w, r)
	})
}

// after hands the first n requests to one handler, the rest to another.
func after(n int64, first, then http.Handler) http.Handler {
	count := make(chan int64, 1)
	count <- 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := <-count + 1
		count <- seen
		if seen > n {
			then.ServeHTTP(w, r)
			return
		}
		first.ServeHTTP(w, r)
	})
}

var _ = Describe("Send", func() {
	It("sends one request and no other, and returns the exchange", func() {
		var a asked
		x, err := workertest.Send(context.Background(), workertest.Handler(a.before(studio())), start())
		Expect(err).NotTo(HaveOccurred())
		Expect(a.bodies).To(Equal([]string{string(x.RequestBody)}))
		Expect(a.heads[0].Get("Accept")).To(Equal("text/event-stream, application/json"))
		d, failure := x.Decided()
		Expect(failure).To(BeNil())
		Expect(d.Agent.Tools).NotTo(BeEmpty())
	})

	It("returns whatever came", func() {
		x, err := workertest.Send(context.Background(), workertest.Handler(http.NotFoundHandler()), start())
		Expect(err).NotTo(HaveOccurred())
		Expect(x.Answer().Status).To(Equal(404))
		closing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		x, err = workertest.Send(context.Background(), workertest.Handler(closing), start())
		Expect(err).NotTo(HaveOccurred())
		Expect(x.Answer().End).To(Equal(spec.EndReset))
	})

	It("errs when nothing could be sent", func() {
		_, err := workertest.Send(context.Background(), workertest.Handler(studio()), spec.DecisionRequest{})
		Expect(err).To(MatchError(ContainSubstring("the request has no trigger")))
		_, err = workertest.Send(context.Background(), workertest.URL("http://127.0.0.1:1/"), start())
		Expect(err).To(MatchError(ContainSubstring("cannot be reached: connection refused")))
		_, err = workertest.Send(context.Background(), workertest.Target{}, start())
		Expect(err).To(MatchError(ContainSubstring("zero Target")))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = workertest.Send(ctx, workertest.Handler(studio()), start())
		Expect(err).To(MatchError(context.Canceled))
	})
})
