package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("the session at one moment", Ordered, func() {
	var t, parked, failed told
	BeforeAll(func() {
		t = tell(`scenario: Two turns
limits: {patience: 1ms}
engine: {retry: {tool: {max_attempts: 2, backoff_base_secs: 2, backoff_max_secs: 2}}}
given:
  state: {seen: [1]}
steps:
  - user: Go.
  - model:
      calls:
        - {as: c1, tool: say, arguments: {state: {seen: [1, 2]}, actions: [{type: tool.result, result: one}]}}
        - {as: c2, tool: say, arguments: {tries: [{actions: [{type: tool.error, error: busy, retryable: true}]}, {actions: [{type: tool.error, error: gone}]}]}}
    expect: EXPECT
  - model: First done.
  - user: Again.
  - model: Second done.
finally: FINALLY
`, puppet{})
		parked = tell(conversation(`{as: c1, tool: confirm, raw: "{}"}`), puppet{})
		failed = tell(conversation(`{as: c1, tool: mumble, raw: "{}"}`), puppet{})
	})

	DescribeTable("at the end",
		func(item string, want bool) { t.holds("", "{"+item+"}", want) },
		Entry("the turn", "turn: completed", true),
		Entry("not another turn", "turn: failed", false),
		Entry("its data", "turn: {is: completed, data: Second done.}", true),
		Entry("not the data of the turn before", "turn: {data: First done.}", false),
		Entry("no code", "turn: {code: internal}", false),
		Entry("a call that ran", "calls: {c1: {is: done, handler: worker, tries: 1, text: one}}", true),
		Entry("a call that failed", "calls: {c2: {is: failed, tries: 2, text: gone}}", true),
		Entry("not a call that failed", "calls: {c1: {is: failed}}", false),
		Entry("not so few tries", "calls: {c2: {tries: 1}}", false),
		Entry("not another text", "calls: {c1: {text: two}}", false),
		Entry("not on the client", "calls: {c1: {handler: client}}", false),
		Entry("both at once", "calls: {c1: {is: done}, c2: {is: done}}", false),
		Entry("the state", "state: {equals: {seen: [1, 2]}}", true),
		Entry("not the state that was given", "state: {equals: {seen: [1]}}", false),
		Entry("the agent", "agent: {subset: {system: Be brief.}}", true),
		Entry("not another agent", "agent: {subset: {system: Be long.}}", false),
		Entry("a transcript with gaps", "transcript: [{role: user, text: Go.}, {role: tool, call: c2, text: gone}, {role: assistant, text: Second done.}]", true),
		Entry("a transcript in another order", "transcript: [{role: user, text: Again.}, {role: user, text: Go.}]", false),
		Entry("calls of a message", "transcript: [{role: assistant, calls: [c1, c2]}, {role: tool, call: c1}]", true),
		Entry("not in another order", "transcript: [{role: assistant, calls: [c2, c1]}]", false),
		Entry("not only some", "transcript: [{role: assistant, calls: [c1]}]", false),
		Entry("messages without calls", "transcript: [{role: assistant, calls: []}]", true),
		Entry("one message for two items", "transcript: [{role: user, text: Go.}, {role: user, text: Go.}]", false),
		Entry("several at once", "turn: completed, state: {present: true}, calls: {c1: {is: done}}", true),
	)

	DescribeTable("at the end of a window",
		func(item string, want bool) { t.holds("{"+item+"}", "", want) },
		Entry("the turn is open", "turn: open", true),
		Entry("the turn is not over", "turn: completed", false),
		Entry("calls have ended", "calls: {c1: {is: done}, c2: {is: failed}}", true),
		Entry("the state is the newest", "state: {equals: {seen: [1, 2]}}", true),
		Entry("the transcript has what was just recorded", "transcript: [{role: tool, call: c1}, {role: tool, call: c2}]", true),
		Entry("the transcript has nothing that comes later", "transcript: [{role: assistant, text: First done.}]", false),
	)

	It("knows a call that no request lists", func() {
		parked.holds("", "{calls: {c1: {is: open, handler: client, tries: 1}}, turn: open}", true)
		parked.holds("", "{calls: {c1: {text: {absent: true}}}}", true)
		parked.holds("", "{calls: {c1: {is: done}}}", false)
	})

	It("knows why a turn failed", func() {
		failed.holds("", "{turn: {is: failed, code: invalid_response}}", true)
		failed.holds("", "{turn: {is: failed, code: internal}}", false)
		Expect(failed.unmet("", "{turn: completed}")).To(ConsistOf(HavePrefix("finally[0]: the turn is failed: invalid_response: ")))
	})

	It("says what stands there and what is wanted", func() {
		Expect(t.unmet("", `{turn: open, calls: {c1: {is: failed, tries: 3, handler: client, text: two}}, state: {type: array}, transcript: [{role: user, text: No.}]}`)).To(Equal([]string{
			"finally[0]: the turn is completed | a turn that is open",
			"finally[0]: the call c1 is done | the call c1 failed",
			"finally[0]: the call c1 runs on worker | the call c1 on client",
			"finally[0]: the call c1 took 1 tries | 3 tries",
			`finally[0]: the text of c1 "one" | "two"`,
			`finally[0]: state {"seen":[1,2]} | a value of type array`,
			`finally[0] /messages/0: ` + firstMessages(t) + ` | item 0 of the transcript: user, "No."`,
		}))
	})

	It("says of a session whose first turn never began that there is no turn", func() {
		empty := told{text: conversation(says("c1", "{}")), events: []spec.Event{{Data: &spec.CloseEvent{Why: "gave up"}}}}
		Expect(empty.unmet("", "{turn: open, calls: {c1: {is: open}}}")).To(Equal([]string{
			"finally[0]: the turn is none | a turn that is open",
			"finally[0]: the call c1 was never started | the call c1",
		}))
		empty.holds("", "{state: {absent: true}, agent: {absent: true}, transcript: []}", true)
	})
})

// firstMessages is how a finding tells the beginning of a transcript.
func firstMessages(t told) string {
	GinkgoHelper()
	for _, f := range t.findings("", "{transcript: [{role: user, text: nobody}]}") {
		Expect(f.Got).To(HavePrefix(`the transcript goes on with user "Go."; assistant`))
		return f.Got
	}
	return ""
}
