package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("A delivery that was disturbed", func() {
	const settleC1 = `{"actions":[{"type":"tool.result","id":"c1","result":"x"}]}`

	It("still ends the call that it is about", func() {
		t := newTape().exchange("s1", onExecute, "", `{}`)
		d := t.ask("s1", onFinished, "")
		t.add("s1", &spec.DisturbEvent{D: d, Do: "slow", By: "5s"})
		t.reply("s1", d, `{}`)
		Expect(t.done().of("execute.settles").Status).To(Equal(spec.StatusPass))
	})

	DescribeTable("settles the calls of its answer where the engine took it",
		func(as string, want spec.Status) {
			t := newTape().exchange("s1", onExecute, "", `{}`)
			d := t.ask("s1", onTurnEnd, calls)
			t.add("s1", &spec.DisturbEvent{D: d, Do: "late", By: "1s"})
			t.reply("s1", d, settleC1).add("s1", &spec.OutcomeEvent{D: d, As: as})
			Expect(t.done().of("execute.settles").Status).To(Equal(want))
		},
		Entry("late", spec.OutcomeLate, spec.StatusNotObserved),
		Entry("accepted", spec.OutcomeAccepted, spec.StatusNotObserved),
		Entry("dropped", spec.OutcomeDropped, spec.StatusFail),
	)

	It("says nothing when it never arrived", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.add("s1", &spec.DisturbEvent{D: d, Do: "lose-request"})
		t.add("s1", &spec.OutcomeEvent{D: d, As: spec.OutcomeFailed, Class: "retryable"})
		t.exchange("s1", onExecute, "", sunny)
		o := t.done().of("execute.settles")
		Expect(o.Status).To(Equal(spec.StatusPass))
		Expect(o.Count).To(Equal(1))
	})
})
