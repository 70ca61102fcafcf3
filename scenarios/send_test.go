package scenarios_test

import (
	"context"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// porter is a puppet that also answers requests outside the protocol, all alike.
type porter struct {
	puppet
	says simulator.Got
	came []simulator.Raw
}

// SendRaw implements simulator.RawSender.
func (p *porter) SendRaw(_ context.Context, r simulator.Raw) simulator.Got {
	p.came = append(p.came, r)
	return p.says
}

func teapot() simulator.Got {
	return simulator.Got{Proto: "HTTP/1.1", Conn: "new", Answer: spec.Answer{Status: http.StatusTeapot, Body: []byte("no"), End: spec.EndWhole}}
}

// knocking is a talk with a raw request in its midst; EXPECT is about that.
func knocking(send string) string {
	return "scenario: A knock\nsteps:\n  - user: a\n  - model: b\n  - send: " + send + "\n    expect: EXPECT\n  - user: c\n  - model: d\nfinally: FINALLY\n"
}

var _ = Describe("a request outside the protocol", func() {
	DescribeTable("is held to the status that its step wants",
		func(send string, says simulator.Got, want ...string) {
			t := tell(knocking(send), &porter{says: says})
			Expect(t.unmet("", "{turn: {is: completed, data: d}}")).To(HaveExactElements(want))
			Expect(t.unobserved()).To(BeEmpty())
		},
		Entry("none", "{}", teapot()),
		Entry("that one", "{status: 418}", teapot()),
		Entry("another", "{status: 200}", teapot(), "steps[2].send d5: status 418 | status 200"),
		Entry("where nothing came", "{status: 200}",
			simulator.Got{Answer: spec.Answer{End: spec.EndReset, Reason: spec.ReasonClosed}},
			"steps[2].send d5: no response: closed before a response head | status 200"),
	)

	It("is no exchange that an item could speak of", func() {
		t := tell(knocking("{}"), &porter{says: teapot()})
		Expect(t.unmet("{trigger: client.messages, never: true}", "{trigger: client.messages, times: 2}")).To(BeEmpty())
	})

	It("leaves what follows without a verdict where it cannot be sent", func() {
		t := tell(knocking("{status: 400}"), puppet{})
		Expect(t.unmet("", "{turn: failed}")).To(BeEmpty())
		Expect(t.unobserved()).To(HavePrefix("raw requests need a connection of their own"))
	})

	It("takes its parts from the case", func() {
		c := plan(head+"cases: [{name: a, m: PUT, p: {repeat: /x, times: 2}, n: 3, h: b}]\n"+
			withStep("send: {method: $case.m, path: $case.p, headers: {A: $case.h}, body: $case.h, cut_after: $case.n, status: 404}")[len(head):], scenarios.PlanOptions{})[0]
		send := c.Steps[1].Send
		Expect([]any{send.Method, send.Path, send.Headers[0].Value, send.Body.String(), *send.CutAfter, *send.Status}).
			To(Equal([]any{"PUT", "/x/x", "b", "b", 3, 404}))
		reopens(c, scenarios.PlanOptions{})
	})

	DescribeTable("goes to the worker and nowhere else, in one line",
		func(send string, want ...string) { Expect(fault(withStep("send: " + send))).To(Equal(lines(want...))) },
		Entry("a whole address", "{path: \"http://elsewhere.example/\"}",
			`a.yaml:4:18: "http://elsewhere.example/" is no path of the worker`,
			"  hint: begin it with one slash: a raw request goes to the worker and nowhere else"),
		Entry("another host", "{path: //elsewhere.example/}",
			`a.yaml:4:18: "//elsewhere.example/" is no path of the worker`,
			"  hint: begin it with one slash: a raw request goes to the worker and nowhere else"),
		Entry("a space", `{path: "/a HTTP/1.1\r\nX: y"}`,
			`a.yaml:4:18: "/a HTTP/1.1\r\nX: y" cannot stand in a request line`,
			"  hint: write spaces, control characters, # and letters beyond ASCII as %20 and the like"),
		Entry("two words", `{method: "GET /x"}`, `a.yaml:4:20: "GET /x" is no method`, "  hint: write one word, such as GET"),
		Entry("a host header", "{headers: {Host: elsewhere.example}}",
			"a.yaml:4:22: host: a raw request goes to the worker and nowhere else", "  hint: leave it out"),
		Entry("a line break in a header", `{headers: {a: "b\r\nc: d"}}`,
			"a.yaml:4:25: the value of a is not fit for a header", "  hint: leave line breaks and control characters out"),
	)
})

var _ = Describe("a worker that is to be alive", func() {
	const talk = "scenario: Alive\nsteps:\n  - user: a\n    expect: [{alive: true}]\n  - model: b\nfinally: [{alive: true}]\n"

	It("answers a fresh session.start", func() {
		t := tell(talk, puppet{})
		Expect(t.unmet("", "")).To(BeEmpty())
	})

	It("is told where it does not, and what was met", func() {
		n := 0
		t := tell(talk, posting{func(body []byte) string {
			if n++; n == 3 {
				// The session that looks for life between the two steps.
				return "no more"
			}
			return puppet{}.answer(body)
		}})
		Expect(t.unmet("", "")).To(HaveExactElements("steps[0].expect[0]: status 200, and no decision | a fresh session.start to be answered"))
	})

	It("is told when the case ended before", func() {
		t := tell("scenario: Alive\nlimits: {decisions: 1}\nsteps:\n  - user: a\n  - model: b\nfinally: [{alive: true}]\n", puppet{})
		Expect(t.unmet("", "")).To(HaveExactElements("finally[0]: did not happen: the case ended because: bound: decisions: 1 | a fresh session.start to be answered"))
	})
})
