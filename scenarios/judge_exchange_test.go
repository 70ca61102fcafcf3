package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("demands on a request", Ordered, func() {
	var t, trouble told
	BeforeAll(func() {
		t = tell(conversation(`{as: c1, tool: strict, arguments: {a: 1, actions: [{type: tool.result, result: one}]}}, `+
			`{as: c2, tool: strict, arguments: {b: 1}}, {as: c3, tool: nobody, raw: "["}, {as: c4, tool: confirm, raw: "{}"}`), puppet{})
		trouble = tell(`scenario: Trouble
limits: {patience: 1ms}
engine: {retry: {tool: {max_attempts: 2, total_timeout_secs: 900}}}
steps:
  - user: Go.
  - model:
      calls:
        - {as: c1, tool: measure, arguments: {actions: [{type: tool.result, result: sunny}]}}
        - {as: c2, tool: say, arguments: {tries: [{actions: [{type: tool.error, error: busy, retryable: true}]}, {actions: [{type: tool.error, error: gone, code: refused}]}]}}
        - {as: c3, tool: say, raw: "{}"}
    expect: EXPECT
  - model: {fail: {code: rate_limited, message: slow down}}
finally: FINALLY
`, puppet{})
	})

	It("goes as the entries below suppose", func() {
		Expect(t.events[len(t.events)-1].Data.(*spec.CloseEvent).Why).To(HavePrefix("script"))
	})

	DescribeTable("of calls that are well or badly made",
		func(item string, want bool) { t.holds("{"+item+"}", "", want) },
		Entry("the class of arguments: valid", "trigger: tool.execute, call: c1, input: valid", true),
		Entry("invalid", "trigger: tool.execute, call: c2, input: invalid", true),
		Entry("malformed", "trigger: tool.execute, call: c3, input: malformed", true),
		Entry("another class", "trigger: tool.execute, call: c2, input: malformed", false),
		Entry("what is open", "trigger: tool.execute, call: c1, open: 4", true),
		Entry("what is open after", "trigger: tool.finished, call: c3, open: 1", true),
		Entry("not so many open", "trigger: tool.execute, call: c1, open: 3", false),
		Entry("a listed call", "trigger: tool.execute, call: c1, calls: {c4: {is: open, handler: client, tries: 1}, c2: {handler: worker}}", true),
		Entry("a call on the other side", "trigger: tool.execute, call: c1, calls: {c4: {handler: worker}}", false),
		Entry("a call in another state", "trigger: tool.execute, call: c1, calls: {c4: {is: waiting}}", false),
		Entry("a call with more tries", "trigger: tool.execute, call: c1, calls: {c4: {tries: 2}}", false),
		Entry("a call that is not listed", "trigger: tool.finished, call: c3, calls: {c1: {is: open}}", false),
		Entry("proposed empty", "trigger: tool.execute, call: c1, proposed: empty", true),
		Entry("proposed an error", "trigger: tool.execute, call: c2, proposed: error", true),
		Entry("not proposed an error", "trigger: tool.execute, call: c1, proposed: error", false),
		Entry("proposed to record", "trigger: tool.finished, call: c1, proposed: records", true),
		Entry("not proposed to record", "trigger: tool.execute, call: c1, proposed: records", false),
		Entry("proposed to go on", "trigger: llm.finished, proposed: continues", true),
		Entry("not proposed to go on", "trigger: tool.finished, call: c1, proposed: continues", false),
		Entry("any place", "trigger: tool.execute, call: c1, request: {/agent_id: agent, /trigger/arguments: {contains: one}, /nowhere: {absent: true}}", true),
		Entry("a place with another value", "trigger: tool.execute, call: c1, request: {/agent_id: other}", false),
		Entry("a result", "trigger: tool.finished, call: c1, ok: true", true),
		Entry("no result", "trigger: tool.finished, call: c1, ok: false", false),
		Entry("a failure", "trigger: tool.finished, call: c2, ok: false, error: {message: {contains: invalid tool arguments}, code: handler_error}", true),
		Entry("a failure of another kind", "trigger: tool.finished, call: c2, error: {code: refused}", false),
		Entry("a failure without a place", "trigger: tool.finished, call: c2, error: {param: {absent: true}}", true),
		Entry("an error where none is", "trigger: tool.finished, call: c1, error: {message: {present: true}}", false),
		Entry("an error that must be absent where none is", "trigger: tool.finished, call: c1, error: {message: {absent: true}}", false),
	)

	DescribeTable("of calls that are tried again, fail their schema or pass their deadline",
		func(item string, want bool) { trouble.holds("{"+item+"}", "", want) },
		Entry("the first try", "trigger: tool.execute, call: c2, try: 1, answer: {error: busy}", true),
		Entry("the second try", "trigger: tool.execute, call: c2, try: 2, answer: {error: gone}", true),
		Entry("the answer of the other try", "trigger: tool.execute, call: c2, try: 2, answer: {error: busy}", false),
		Entry("no third try", "trigger: tool.execute, call: c2, try: 3", false),
		Entry("the first delivery", "trigger: tool.execute, call: c2, try: 1, delivery: 1", true),
		Entry("no second delivery", "trigger: tool.execute, call: c2, try: 1, delivery: 2", false),
		Entry("an error's code", "trigger: tool.finished, call: c2, error: {code: refused, message: gone}", true),
		Entry("output that breaks its schema", "trigger: tool.finished, call: c1, ok: false, error: {code: invalid_response, param: output}", true),
		Entry("a deadline", "trigger: tool.finished, call: c3, ok: false, error: {code: deadline_exceeded}", true),
		Entry("a call that waits for its next try", "trigger: tool.execute, call: c3, try: 1, calls: {c2: {is: waiting}}", true),
	)

	It("names the place, what was there and what is wanted", func() {
		Expect(t.unmet("{trigger: tool.execute, call: c2, input: valid, open: 1, proposed: empty, request: {/agent_id: x}, calls: {c4: {is: done, tries: 7}}}", "")).To(Equal([]string{
			"steps[1].expect[0] d5 request:/trigger/input/status: invalid | valid",
			"steps[1].expect[0] d5 request:/pending_calls: 4 | 1",
			"steps[1].expect[0] d5 request:/calls: the call c4 is open | the call c4 done",
			"steps[1].expect[0] d5 request:/calls: the call c4 took 1 tries | 7 tries",
			"steps[1].expect[0] d5 request:/proposed: a proposal that is error | empty",
			`steps[1].expect[0] d5 request:/agent_id: "agent" | "x"`,
		}))
	})
})
