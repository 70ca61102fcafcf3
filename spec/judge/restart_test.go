package judge_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("A session over a restart of the worker", func() {
	const id = "restart.keeps-going"
	restarted := func(t *tape) *tape { return t.add("", &spec.WorkerEvent{Event: "restarted"}) }
	before := func() *tape { return newTape().exchange("s1", onExecute, "", sunny) }
	elsewhere := strings.Replace(onExecute, `{"city":"Oslo"}`, `{"city":"Rome"}`, 1)

	DescribeTable("is judged by a call that ran before it",
		func(t func() *tape, status spec.Status, want ...string) {
			all := t().done()
			Expect(broken(all.verdict())).To(ConsistOf(want))
			Expect(all.of(id).Status).To(Equal(status))
		},
		Entry("it runs again", func() *tape { return restarted(before()).exchange("s1", onExecute, "", sunny) }, spec.StatusPass),
		Entry("with another text", func() *tape { return restarted(before()).exchange("s1", onExecute, "", cloudy) }, spec.StatusPass),
		Entry("it fails", func() *tape { return restarted(before()).exchange("s1", onExecute, "", refused) }, spec.StatusFail, id),
		Entry("it is flagged", func() *tape { return restarted(before()).exchange("s1", onExecute, "", flagged) }, spec.StatusFail, id),
		Entry("with other arguments", func() *tape { return restarted(before()).exchange("s1", elsewhere, "", refused) }, spec.StatusNotApplicable),
		Entry("in another session", func() *tape { return restarted(before()).exchange("s2", onExecute, "", refused) }, spec.StatusNotApplicable),
		Entry("that had failed before", func() *tape {
			return restarted(newTape().exchange("s1", onExecute, "", refused)).exchange("s1", onExecute, "", refused)
		}, spec.StatusNotApplicable),
		Entry("without a restart", func() *tape { return before().exchange("s1", onExecute, "", refused) }, spec.StatusNotApplicable),
	)

	It("is not observed where a restart was possible and showed nothing", func() {
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceTest, Evidence: allEvidence, Case: &spec.CaseHeader{Features: []string{"restart"}}})
		o := t.exchange("s1", onExecute, "", sunny).done().of(id)
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
		Expect(o.Reason).To(ContainSubstring("made again"))
	})

	It("does not apply where nothing can restart the worker", func() {
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceTest}).exchange("s1", onStart, withAgent, config).done()
		Expect(t.of(id).Status).To(Equal(spec.StatusNotApplicable))
		Expect(t.of(id).Reason).To(ContainSubstring("--restart-cmd"))
	})

	It("says where, and what the call gave before", func() {
		f := restarted(before()).exchange("s1", onExecute, "", refused).done().of(id).Findings[0]
		Expect(f.Exchange + f.Pointer).To(Equal("d2/actions/0"))
		Expect(f.Got).To(Equal(`after a restart of the worker: an error: "there is no such tool"`))
		Expect(f.Want).To(ContainSubstring("(d1)"))
	})
})

var _ = Describe("A call that the worker held when it was restarted", func() {
	const id = "restart.keeps-its-work"
	held := func() *tape { return holding().add("", &spec.WorkerEvent{Event: "restarted"}) }
	DescribeTable("is settled all the same, or lost, which is no must",
		func(t *tape, status spec.Status, want ...string) {
			v := t.done().verdict()
			Expect(broken(v)).To(ConsistOf(want))
			Expect(t.of(id).Status).To(Equal(status))
		},
		Entry("at the engine", held().settles("s1", "worker", settleSunny, 200, "").exchange("s1", onEnded, "", `{}`), spec.StatusPass),
		Entry("with an error", held().settles("s1", "worker", `{"type":"tool.error","id":"c1","attempt":0,"error":"the station was restarted","retryable":true}`, 200, ""), spec.StatusPass),
		Entry("by its deadline", held().exchange("s1", onTooLate, "", `{}`), spec.StatusWarn, id),
		Entry("never", held(), spec.StatusWarn, id),
		Entry("by somebody else", held().settles("s1", "machine", settleSunny, 200, "").exchange("s1", onEnded, "", `{}`), spec.StatusNotApplicable),
		Entry("twice, by two processes", holding().settles("s1", "worker", settleSunny, 200, "").add("", &spec.WorkerEvent{Event: "restarted"}).
			settles("s1", "worker", settleCloudy, 409, notPending).exchange("s1", onEnded, "", `{}`), spec.StatusNotApplicable),
		Entry("by a settle that was lost on its way", holding().settles("s1", "worker", settleSunny, 0, "").
			add("", &spec.WorkerEvent{Event: "restarted"}).settles("s1", "worker", settleSunny, 200, ""), spec.StatusPass),
		Entry("while the script lets its time pass", held().add("s1", &spec.StepEvent{Step: 2, Verb: "wait"}).
			add("s1", &spec.TimeEvent{Why: "deadline", Of: "c1", Passed: 120_000}).exchange("s1", onTooLate, "", `{}`), spec.StatusNotApplicable),
	)

	It("says so, and where it was asked for", func() {
		f := held().exchange("s1", onTooLate, "", `{}`).done().of(id).Findings[0]
		Expect(f.Got).To(HavePrefix("the worker was restarted while it held the call; the call passed its deadline"))
		Expect(f.Exchange).To(Equal("d1"))
		Expect(f.Hint).To(ContainSubstring("when the process starts"))
	})

	It("is no matter of a worker that lets go of none", func() {
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceTest, Evidence: allEvidence, Case: &spec.CaseHeader{Features: []string{"restart"}}})
		t.exchange("s1", onStart, withAgent, config).exchange("s1", onExecute, "", sunny)
		Expect(t.of(id).Reason).To(Equal("the worker let go of no call: it answers each at once"))
	})
})
