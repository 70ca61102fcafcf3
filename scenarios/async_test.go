package scenarios_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// keeper is a puppet that keeps every call and settles it at the endpoint as
// job says, in a goroutine of its own.
type keeper struct {
	puppet
	endpoint *simulator.Endpoint
	// job is told the number of the call, from 0, and how to settle it.
	job  func(n int, settle func() int)
	done sync.WaitGroup
	n    int
}

// Post implements simulator.Poster.
func (k *keeper) Post(ctx context.Context, post simulator.Post) simulator.Got {
	return posting{func(body []byte) string {
		at := func(pointer string) string {
			v, _ := jsonv.Get(body, pointer)
			text, _ := jsonv.Text(v)
			return text
		}
		if at("/trigger/type") != string(spec.OnToolExecute) {
			return k.answer(body)
		}
		n, session, call := k.n, at("/session_id"), at("/trigger/id")
		k.n++
		k.done.Go(func() {
			k.job(n, func() int {
				r := httptest.NewRequest(http.MethodPost, "/api/machine/sessions/"+session+"/calls/settle",
					strings.NewReader(fmt.Sprintf(`{"type":"tool.result","id":%q,"result":"late"}`, call)))
				r.Header.Set("Authorization", "Bearer k")
				w := httptest.NewRecorder()
				k.endpoint.ServeHTTP(w, r)
				return w.Code
			})
		})
		return `{}`
	}}.Post(ctx, post)
}

// tellLate drives a scenario with an endpoint, unless without says that there
// is none.
func tellLate(text string, without bool, job func(n int, settle func() int)) told {
	GinkgoHelper()
	k := &keeper{endpoint: simulator.NewEndpoint("k"), job: job}
	t := told{text: text}
	in := simulator.CaseInput{Case: t.planned("", ""), Settings: simulator.Settings{Seed: 1, Fixed: true, Agent: simulator.DefaultAgent()}}
	if !without {
		in.Endpoint = k.endpoint
	}
	r := simulator.Drive(context.Background(), in, k, func(e spec.Event) { t.events = append(t.events, e) })
	t.events = append(t.events, spec.Event{T: r.T, Data: &spec.CloseEvent{Why: r.Why}})
	k.done.Wait()
	return t
}

func (t told) unobserved() string {
	GinkgoHelper()
	x := scenarios.NewExpectations(t.planned("", ""))
	for _, e := range t.events {
		x.Add(e)
	}
	return x.Unobserved()
}

// exports is a talk with two calls that take their time.
func exports(await string) string {
	return `scenario: Two exports
limits: {patience: 1ms}
steps:
  - user: Export March and April.
  - model: {calls: [{as: a, tool: say, raw: "{}"}, {as: b, tool: say, raw: "{}"}]}
    expect:
      - {trigger: tool.execute, call: a, open: 2, answer: pending}
      - {trigger: tool.execute, call: b, open: 2, answer: pending, calls: {a: {is: open}}}
      - {calls: {a: {is: open}, b: {is: open, tries: 1}}}
  - await: ` + await + `
    expect: EXPECT
  - model: Both are ready.
finally: FINALLY
`
}

var _ = Describe("a worker that settles later", func() {
	It("settles in the order that is listed, whatever its own is", func() {
		t := tellLate(exports("{settled: [b, a], order: listed, within: 10s}"), false, func(_ int, settle func() int) { settle() })
		t.holds(`{trigger: tool.finished, call: b, ok: true, open: 1, answer: waits}, {trigger: tool.finished, call: a, ok: true, open: 0, answer: asks-model}, {calls: {a: {is: done, text: late}}}`,
			`{turn: completed}, {transcript: [{role: tool, call: b}, {role: tool, call: a}]}`, true)
		t.holds("", "{transcript: [{role: tool, call: a}, {role: tool, call: b}]}", false)
		Expect(t.unobserved()).To(BeEmpty())
	})

	It("is named when it does not settle", func() {
		t := tellLate(exports("{settled: [a, b], within: 1s}"), false, func(n int, settle func() int) {
			if n == 0 {
				settle()
			}
		})
		Expect(t.unmet("{trigger: tool.finished, call: b, ok: false, error: {code: deadline_exceeded}}", "{turn: completed}, {calls: {b: {is: failed}}}")).To(
			Equal([]string{"steps[2].await: the worker did not settle b within 1s | the worker to settle b"}))
	})

	It("shows nothing of an order that it cannot give", func() {
		first := make(chan struct{})
		t := tellLate(exports("{settled: [b, a], order: listed, within: 1s}"), false, func(n int, settle func() int) {
			defer GinkgoRecover()
			if n == 1 {
				<-first
			}
			Expect(settle()).To(Equal(200))
			if n == 0 {
				close(first)
			}
		})
		Expect(t.unmet("{trigger: tool.finished, call: b, open: 1}", "{turn: failed}")).To(BeEmpty())
		Expect(t.unobserved()).To(Equal("the worker settles one after the other"))
	})

	It("shows nothing where it has nowhere to settle", func() {
		t := tellLate(exports("{settled: [a], within: 10s}"), true, func(int, func() int) {})
		Expect(t.unmet("{trigger: tool.finished, call: b, open: 1}", "{turn: failed}")).To(BeEmpty())
		Expect(t.unobserved()).To(HavePrefix("the worker has nowhere to settle a call"))
	})

	It("is held to what came before", func() {
		t := tellLate(strings.Replace(exports("{settled: [a], within: 10s}"), "answer: pending", "answer: settles", 1), true, func(int, func() int) {})
		Expect(t.unmet("", "")).To(ConsistOf(HavePrefix("steps[1].expect[0] d4")))
	})

	It("cannot settle what was never called", func() {
		t := tell(strings.Replace(exports("{settled: [a], within: 10s}"), "  - model:", "  - model: Nothing.\n  - model:", 1), puppet{})
		Expect(t.unmet("", "")).To(ContainElement("steps[3].await: the call a was never started | the worker to settle a"))
	})
})

var _ = Describe("a settle step", func() {
	talk := func(steps string) told {
		return tellLate(`scenario: On its behalf
engine: {retry: {tool: {max_attempts: 2, backoff_base_secs: 5, backoff_max_secs: 5, run_timeout_secs: 60}}}
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: say, raw: "{}"}]}
`+steps+`
  - model: done
finally: FINALLY
`, true, func(int, func() int) {})
	}

	It("wants the status that it names", func() {
		t := talk(`
  - settle: {call: c1, error: busy, retryable: true}
    expect: [{calls: {c1: {is: waiting}}}]
  - settle: {call: c1, result: too soon, status: 409}
  - wait: {until: retry, call: c1}
  - settle: {call: c1, result: {text: fine}}
    expect: EXPECT
`)
		t.holds("{trigger: tool.finished, call: c1, ok: true}, {calls: {c1: {is: done, tries: 2, text: fine}}}", "{turn: completed}", true)
	})

	It("says what the endpoint answered instead", func() {
		t := talk(`
  - settle: {call: c1, result: fine, attempt: 3}
  - settle: {call: c1, result: fine, status: 409}
    expect: EXPECT
`)
		Expect(t.unmet("{trigger: tool.finished, call: c1, ok: true}", "{turn: completed}")).To(Equal([]string{
			"steps[2].settle: status 409: effect attempt mismatch | status 200",
			"steps[3].settle: status 200 | status 409",
		}))
	})

	It("comes after an attempt that ran out of time", func() {
		t := talk(`
  - wait: {until: deadline, call: c1, plus: 1s}
    expect: [{calls: {c1: {is: waiting}}}]
  - settle: {call: c1, status: 409}
  - wait: 10s
  - wait: {until: deadline, call: c1, plus: 1s}
    expect: EXPECT
`)
		t.holds("{trigger: tool.finished, call: c1, ok: false}, {calls: {c1: {is: failed, tries: 2}}}", "", true)
	})
})
