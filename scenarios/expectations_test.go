package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// aTalk has the exchanges tool.execute c1, tool.execute c2, tool.finished c1,
// tool.finished c2 in the window of its second step, after llm.finished.
var aTalk = conversation(says("c1", resultOf(`"one"`)) + ", " + says("c2", resultOf(`"two"`)))

var _ = Describe("items of a window", Ordered, func() {
	var t told
	BeforeAll(func() { t = tell(aTalk, puppet{}) })

	DescribeTable("in their order",
		func(items string, want ...string) {
			got := t.unmet(items, "")
			Expect(got).To(HaveLen(len(want)))
			for i := range want {
				Expect(got[i]).To(Equal(want[i]))
			}
		},
		Entry("as it went", "{trigger: tool.execute, call: c1}, {trigger: tool.execute, call: c2}, {trigger: tool.finished, call: c1}, {trigger: tool.finished, call: c2}"),
		Entry("with others between", "{trigger: llm.finished}, {trigger: tool.finished, call: c2}"),
		Entry("the same twice, for two exchanges", "{trigger: tool.execute}, {trigger: tool.execute}"),
		Entry("the same too often", "{trigger: tool.execute}, {trigger: tool.execute}, {trigger: tool.execute}",
			"steps[1].expect[2]: did not happen in this window | tool.execute"),
		Entry("turned round", "{trigger: tool.execute, call: c2}, {trigger: tool.execute, call: c1}",
			"steps[1].expect[1]: did not happen in this window | tool.execute of c1"),
		Entry("of another window", "{trigger: client.messages}",
			"steps[1].expect[0]: did not happen in this window | client.messages"),
		Entry("the later one that fits", "{trigger: tool.execute, answer: {text: two}}, {trigger: tool.finished, call: c1}"),
		Entry("one that is there and does not fit, the next ones still judged",
			"{trigger: tool.execute, call: c1, answer: error}, {trigger: tool.execute, call: c2, answer: error}",
			`steps[1].expect[0] d4: tool.result "one" | an answer that is error`,
			`steps[1].expect[1] d5: tool.result "two" | an answer that is error`),
		Entry("every demand that does not hold", "{trigger: tool.execute, call: c1, open: 9, answer: {text: x}}",
			"steps[1].expect[0] d4 request:/pending_calls: 2 | 9",
			`steps[1].expect[0] d4: text "one" | "x"`),
	)

	DescribeTable("by number",
		func(items string, want ...string) { Expect(t.unmet(items, "")).To(HaveExactElements(want)) },
		Entry("never", "{trigger: interrupt.resumed, never: true}"),
		Entry("never, and it did", "{trigger: tool.execute, call: c2, never: true}", "steps[1].expect[0] d5: once | never: tool.execute of c2"),
		Entry("never so answered", "{trigger: tool.execute, never: true, answer: error}"),
		Entry("times", "{trigger: tool.execute, times: 2}"),
		Entry("times, too few", "{trigger: tool.execute, times: 3}", "steps[1].expect[0]: 2 times | 3 times: tool.execute"),
		Entry("times, too many", "{trigger: tool.execute, times: 1}", "steps[1].expect[0] d5: 2 times | once: tool.execute"),
		Entry("times none", "{trigger: client.action, times: 0}"),
		Entry("times with a demand that one does not meet", "{trigger: tool.execute, times: 2, answer: {text: one}}",
			`steps[1].expect[0] d5: text "two" | "one"`),
		Entry("a counted item before an ordered one does not take its place", "{trigger: tool.finished, times: 2}, {trigger: tool.execute, call: c1}"),
	)

	It("leaves others where exactly is not said, and names each where it is", func() {
		exactly := func(text, items string) []string {
			it := told{text: text, events: t.events}
			return it.unmet(items, "")
		}
		exact := "    exactly: true\n    expect: EXPECT"
		text := replaced(aTalk, "    expect: EXPECT", exact)
		all := "{trigger: llm.finished}, {trigger: tool.execute, call: c1}, {trigger: tool.execute, call: c2}, {trigger: tool.finished, call: c1}, {trigger: tool.finished, call: c2}"
		Expect(exactly(text, all)).To(BeEmpty())
		Expect(exactly(text, "{trigger: llm.finished}, {trigger: tool.execute, times: 2}, {trigger: tool.finished, times: 2}")).To(BeEmpty())
		Expect(exactly(text, "{trigger: llm.finished}, {trigger: tool.execute, times: 2}")).To(Equal([]string{
			"steps[1].exactly d6: an exchange that no item expects: tool.finished of c1 | exactly the exchanges listed",
			"steps[1].exactly d7: an exchange that no item expects: tool.finished of c2 | exactly the exchanges listed",
		}))
		Expect(exactly(aTalk, "{trigger: llm.finished}")).To(BeEmpty())
	})

	It("has the line of the item, and of the step for what no item expects", func() {
		f := t.findings("\n      {trigger: llm.finished},\n      {trigger: client.action}\n    ", "")
		Expect(f).To(HaveLen(1))
		Expect(f[0].Line).To(Equal(8))
		exact := told{text: replaced(aTalk, "    expect: EXPECT", "    exactly: true\n    expect: EXPECT"), events: t.events}
		Expect(exact.findings("", "")[0].Line).To(Equal(5))
	})

	It("says where the exchange is to be found", func() {
		f := t.findings("{trigger: tool.execute, call: c2, answer: error}", "")[0]
		Expect([]any{f.Session, f.Exchange, *f.Step, string(f.Trigger)}).To(Equal([]any{"s1", "d5", 1, "tool.execute"}))
	})

	It("gives the same findings twice", func() {
		items := "{trigger: tool.execute, call: c2, answer: error}, {turn: failed}"
		Expect(t.findings(items, "{turn: open}")).To(Equal(t.findings(items, "{turn: open}")))
	})
})

var _ = Describe("items of the whole session", Ordered, func() {
	var t told
	BeforeAll(func() { t = tell(aTalk, puppet{}) })

	DescribeTable("hold in any place, once or more, or as often as said",
		func(items string, want ...string) { Expect(t.unmet("", items)).To(HaveExactElements(want)) },
		Entry("any order", "{trigger: turn.finished}, {trigger: session.start}"),
		Entry("more than once", "{trigger: tool.execute}"),
		Entry("as often as said", "{trigger: llm.finished, times: 2}"),
		Entry("not as often", "{trigger: llm.finished, times: 1}", "finally[0] d8: 2 times | once: llm.finished"),
		Entry("not at all", "{trigger: client.action}", "finally[0]: never | once: client.action"),
		Entry("there, and not so", "{trigger: turn.finished, answer: empty}", "finally[0] d9: 5 messages, done | an answer that is empty"),
		Entry("never", "{trigger: client.action, never: true}"),
	)
})

var _ = Describe("a step that did not act", func() {
	const rest = `
  - model: never asked for
    expect: EXPECT
finally: []
`
	It("was passed over where nobody asked the model", func() {
		t := tell("scenario: A\nsteps:\n  - user: Go.\n  - model: done"+rest, puppet{})
		Expect(t.unmet("{trigger: llm.finished}, {turn: open}", "")).To(Equal([]string{
			"steps[2].expect[0]: did not happen: the step was passed over, since nobody asked the model | llm.finished",
			"steps[2].expect[1]: did not happen: the step was passed over, since nobody asked the model | the session as the scenario says",
		}))
		f := t.findings("{trigger: llm.finished}", "")[0]
		Expect(*f.Step).To(Equal(2))
		Expect(f.Line).To(Equal(6))
	})

	It("was never reached where the case ended before", func() {
		t := tell("scenario: A\nsteps:\n  - user: Go.\n  - model: {calls: [{as: c1, tool: mumble, raw: '{}'}]}"+rest, puppet{})
		Expect(t.unmet("{trigger: llm.finished, call: c1, try: 2, delivery: 1, answer: done}", "")).To(ConsistOf(
			And(HavePrefix("steps[2].expect[0]: did not happen: the case ended because: turn failed"),
				HaveSuffix(" | llm.finished of c1, try 2, delivery 1, answered by done")),
		))
	})

	It("keeps what must never happen", func() {
		t := tell("scenario: A\nsteps:\n  - user: Go.\n  - model: done"+rest, puppet{})
		t.holds("{trigger: llm.finished, never: true}, {trigger: tool.execute, times: 0}", "", true)
	})
})
