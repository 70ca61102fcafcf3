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
