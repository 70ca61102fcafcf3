package judge_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// ends is a tool.finished of a call: a result, or an error when it is not ok.
func ends(id, result string) string {
	return `{"type":"tool.finished","id":"` + id + `","ok":true,"name":"get_weather","result":` + result + `}`
}

func fails(id, code, message string) string {
	return fmt.Sprintf(`{"type":"tool.finished","id":%q,"ok":false,"name":"get_weather","error":{"message":%s,"code":%q}}`, id, jsonv.Quote(message), code)
}

const (
	plainResult   = `{"content":[{"type":"text","text":"Sunny."}]}`
	flaggedResult = `{"content":[{"type":"text","text":"no such city: \"Paris\""}],"isError":true}`
)

// twins is a recording of a case whose call ended one way and that of its twin
// another.
func twins(main, twin string) *tape {
	t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceTest, Evidence: allEvidence, Case: &spec.CaseHeader{Labels: map[string]string{"a": "c1"}}})
	t.add("s1", &spec.SessionEvent{Origin: "new"})
	if main != "" {
		t.exchange("s1", main, "", `{}`)
	}
	t.add("s2", &spec.SessionEvent{Origin: "new", Twin: "s1", Right: "a", Labels: map[string]string{"a": "c7"}})
	t.exchange("s2", `{"type":"tool.execute","id":"c7","name":"get_weather","arguments":"{\"city\":\"Rome\"}","input":{"status":"valid","value":{"city":"Rome"}},"attempt":0}`, "", `{}`)
	if twin != "" {
		t.exchange("s2", twin, "", `{}`)
	}
	return t
}

var _ = Describe("The outcome of a twin", func() {
	const refusal = "invalid arguments: city is missing"

	DescribeTable("is told in a word",
		func(main, twin string, want judge.TwinOutcome) {
			got := judge.TwinOutcomes(slices.Values(twins(main, twin).events))
			Expect(got).To(HaveLen(1))
			Expect(got[0].Outcome).To(Equal(want))
			Expect([]string{got[0].Session, got[0].Of, got[0].Call, got[0].ID}).To(Equal([]string{"s2", "s1", "a", "c1"}))
		},
		Entry("a plain result", fails("c1", "handler_error", refusal), ends("c7", plainResult), judge.TwinRan),
		Entry("a result that its schema spoils", fails("c1", "handler_error", refusal), fails("c7", "invalid_response", "tool output violated"), judge.TwinRan),
		Entry("a flagged result", fails("c1", "handler_error", refusal), ends("c7", flaggedResult), judge.TwinRefusedOtherwise),
		Entry("another error", fails("c1", "handler_error", refusal), fails("c7", "handler_error", "no such city"), judge.TwinRefusedOtherwise),
		Entry("the same error", fails("c1", "handler_error", "out of order"), fails("c7", "handler_error", "out of order"), judge.TwinRefusedAlike),
		Entry("the same error but for what it quotes", fails("c1", "handler_error", `no city 'Oslo' here`), fails("c7", "handler_error", `no city 'Rome' here`), judge.TwinRefusedAlike),
		Entry("the same error but for an argument", fails("c1", "handler_error", `no city … here`), fails("c7", "handler_error", `no city Rome here`), judge.TwinRefusedAlike),
		Entry("a deadline", fails("c1", "handler_error", refusal), fails("c7", "deadline_exceeded", "deadline exceeded"), judge.TwinNotMade),
		Entry("nothing", fails("c1", "handler_error", refusal), "", judge.TwinNotMade),
		Entry("an error where the case did not end", "", fails("c7", "handler_error", "x"), judge.TwinRefusedOtherwise),
	)

	It("says why there is none", func() {
		t := newTape().add("s1", &spec.SessionEvent{Origin: "new"})
		t.add("s2", &spec.SessionEvent{Twin: "s1", Right: "a", Origin: spec.NotMade + "could not be satisfied at /n"})
		got := judge.TwinOutcomes(slices.Values(t.events))
		Expect(got[0].Outcome).To(Equal(judge.TwinNotMade))
		Expect(got[0].Reason).To(Equal("could not be satisfied at /n"))
	})

	It("gives a refusal of an undeclared tool its weight", func() {
		refusing := func(twin string) spec.Observation {
			t := newTape().add("s1", &spec.SessionEvent{Origin: "new"})
			t.exchange("s1", onUnknown, unknown, refused)
			t.add("s2", &spec.SessionEvent{Origin: "new", Twin: "s1"})
			t.exchange("s2", onExecute, "", twin)
			return t.done().of("execute.refuses-undeclared")
		}
		Expect(refusing(sunny).Status).To(Equal(spec.StatusPass))
		Expect(refusing(refused).Status).To(Equal(spec.StatusNotObserved))
	})
})

var _ = Describe("The observed policy for bad arguments", func() {
	const (
		proposedInvalid = `{"proposed":{"actions":[{"type":"tool.error","id":"c1","error":"invalid tool arguments: city","retryable":false}]}}`
		asProposed      = `{"actions":[{"type":"tool.error","error":"invalid tool arguments: city"}]}`
		flagged         = `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"No."}],"isError":true}}]}`
	)
	policies := func(t *tape) []judge.Policy {
		events := slices.Values(t.done().events)
		return judge.Policies(events, spec.Exchanges(events))
	}
	is := func(t *tape) (all []string) {
		for _, p := range policies(t) {
			if p.Seen() {
				all = append(all, p.Tool+" "+string(p.Class)+" "+p.Is())
			}
		}
		return all
	}

	DescribeTable("is read off an answer",
		func(trigger, given, answer string, want ...string) {
			Expect(is(newTape().exchange("s1", trigger, given, answer))).To(HaveExactElements(want))
		},
		Entry("the engine's refusal", onInvalid, proposedInvalid, asProposed, "get_weather invalid refuse"),
		Entry("a refusal of its own", onInvalid, proposedInvalid, refused, "get_weather invalid unknown"),
		Entry("a flagged result", onBroken, proposedInvalid, flagged, "get_weather malformed unknown"),
		Entry("a result for what breaks the schema", onInvalid, proposedInvalid, sunny, "get_weather invalid run"),
		Entry("a result for what is no object", onBroken, proposedInvalid, sunny, "get_weather malformed repair"),
		Entry("the empty decision", onInvalid, proposedInvalid, `{}`),
		Entry("a tool that is not there", onUnknown, unknown, refused),
		Entry("what does not read", onInvalid, proposedInvalid, `{"actions":1}`),
	)

	DescribeTable("is read off what a call was settled with later",
		func(from, settle string, status int, want ...string) {
			t := newTape().exchange("s1", onInvalid, proposedInvalid, `{}`)
			Expect(is(t.settles("s1", from, settle, status, ""))).To(HaveExactElements(want))
		},
		Entry("a result", "worker", settleSunny, 200, "get_weather invalid run"),
		Entry("the engine's refusal", "worker", `{"type":"tool.error","id":"c1","error":"invalid tool arguments: city","retryable":false}`, 200, "get_weather invalid refuse"),
		Entry("one that was refused", "worker", settleSunny, 409),
		Entry("one of somebody else", "machine", settleSunny, 200),
	)

	It("is read off an answer that was submitted", func() {
		t := newTape()
		d := t.ask("s1", onInvalid, proposedInvalid)
		t.events[len(t.events)-1].Data.(*spec.RequestEvent).Decision = d
		t.submits("s1", `,"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny."}]}}]`, 200, "")
		t.reply("s1", d, `{}`).add("s1", &spec.OutcomeEvent{D: d, As: spec.OutcomeDropped})
		Expect(is(t)).To(Equal([]string{"get_weather invalid run"}))
	})

	It("takes a refusal for one where a valid call of the tool ran, or its twin did", func() {
		t := newTape().exchange("s1", onInvalid, proposedInvalid, refused).exchange("s1", onExecute, "", sunny)
		Expect(is(t)).To(Equal([]string{"get_weather invalid refuse"}))
		t = newTape().exchange("s1", onInvalid, proposedInvalid, refused).exchange("s1", onExecute, "", refused)
		Expect(is(t)).To(Equal([]string{"get_weather invalid unknown"}))

		t = twins("", ends("c7", plainResult))
		t.exchange("s1", onInvalid, proposedInvalid, refused)
		Expect(policies(t)[0].Refused).To(Equal(1))
		t = twins(fails("c1", "handler_error", "No."), fails("c7", "handler_error", "No."))
		t.exchange("s1", onInvalid, proposedInvalid, refused)
		Expect(policies(t)[0].Unproven).To(Equal(1))
	})

	It("leaves out what the engine did not take", func() {
		t := newTape()
		d := t.ask("s1", onInvalid, proposedInvalid)
		t.reply("s1", d, sunny).add("s1", &spec.OutcomeEvent{D: d, As: spec.OutcomeDropped})
		Expect(is(t)).To(BeEmpty())
	})

	It("is joined over recordings", func() {
		one := policies(newTape().exchange("s1", onInvalid, proposedInvalid, refused))
		two := policies(newTape().exchange("s1", onExecute, "", sunny))
		three := policies(newTape().exchange("s1", onInvalid, proposedInvalid, sunny))
		Expect(judge.JoinPolicies(one, two)[0].Is()).To(Equal(spec.ArgumentsRefused))
		Expect(judge.JoinPolicies(two, three, one)[0]).To(Equal(judge.Policy{
			Tool: "get_weather", Class: spec.InputInvalid, Unproven: 1, Ran: 1, Proven: true}))
	})
})
