package reports_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("Build", func() {
	// The order of R10, worst first.
	order := []spec.Status{
		spec.StatusFail, spec.StatusError, spec.StatusKnownFailing, spec.StatusWarn,
		spec.StatusPass, spec.StatusNotObserved, spec.StatusNotApplicable,
	}

	It("shows the worst of what all cases say of a requirement, in whatever order they come", func() {
		for i, worse := range order {
			for _, better := range order[i:] {
				for _, r := range []*reports.Report{
					build(ran("a", seen("turn.first", worse)), ran("b", seen("turn.first", better))),
					build(ran("a", seen("turn.first", better)), ran("b", seen("turn.first", worse))),
				} {
					Expect(r.Requirements[7].Status).To(Equal(worse), "%s and %s", worse, better)
				}
			}
		}
	})

	It("keeps the reason of the status shown, and of the first that has it", func() {
		why := func(s spec.Status, reason string) spec.Observation {
			return spec.Observation{Requirement: "turn.first", Status: s, Reason: reason}
		}
		r := build(ran("a", why(spec.StatusNotApplicable, "none")), ran("b", why(spec.StatusNotObserved, "first")), ran("c", why(spec.StatusNotObserved, "second")))
		Expect(r.Requirements[7].Reason).To(Equal("first"))
		r = build(ran("a", why(spec.StatusNotObserved, "first")), ran("b", why(spec.StatusPass, "")))
		Expect(r.Requirements[7].Reason).To(BeEmpty())
	})

	It("prefers the reason of a moment that came and proved nothing", func() {
		unseen := func(reason string, weak bool) spec.Observation {
			return spec.Observation{Requirement: "turn.first", Status: spec.StatusNotObserved, Reason: reason, Weak: weak}
		}
		r := build(ran("a", unseen("never came", false)), ran("b", unseen("came", true)), ran("c", unseen("came again", true)), ran("d", unseen("never came", false)))
		Expect(r.Requirements[7].Reason).To(Equal("came"))
		r = build(ran("a", unseen("came", true)), ran("b", spec.Observation{Requirement: "turn.first", Status: spec.StatusPass, Count: 1}))
		Expect(r.Requirements[7].Reason).To(BeEmpty())
	})

	It("counts moments over all cases and names the cases in which they went wrong", func() {
		r := build(
			ran("a", seen("turn.first", spec.StatusPass)), ran("b", seen("turn.first", spec.StatusWarn)),
			ran("c", seen("turn.first", spec.StatusFail)), ran("k", seen("turn.first", spec.StatusKnownFailing)), ran("d", seen("turn.first", spec.StatusNotObserved)),
		)
		Expect(r.Requirements[7].Count).To(Equal(4))
		Expect(r.Requirements[7].Cases).To(Equal([]string{"b", "c", "k"}))
		Expect(r.Summary.Cases).To(Equal(reports.Counts{Fail: 1, KnownFailing: 1, Warn: 1, Pass: 1, NotObserved: 1}))
		Expect(r.Summary.Requirements).To(Equal(reports.Counts{Fail: 1, NotObserved: 7}))
		Expect(r.Summary.Requirements.Total()).To(Equal(len(registry())))
		Expect(r.Summary.Exchanges).To(Equal(10))
	})

	It("lists every requirement of the registry in its order, and says of those that no case speaks of that they were not observed", func() {
		r := build(ran("a", seen("turn.first", spec.StatusPass)))
		Expect(r.Requirements).To(HaveLen(len(registry())))
		for i, q := range registry() {
			Expect(r.Requirements[i].ID).To(Equal(q.ID))
			Expect(r.Requirements[i].Level).To(Equal(q.Level))
		}
		Expect(r.Requirements[0].Status).To(Equal(spec.StatusNotObserved))
		Expect(r.Requirements[0].Reason).NotTo(BeEmpty())
	})

	It("says what it is, and changes none of its arguments", func() {
		in := reports.Report{Ended: "why"}
		r := reports.Build(in, registry(), []reports.Result{ran("a", seen("turn.first", spec.StatusPass))})
		Expect([]any{r.Format, r.Version}).To(Equal([]any{reports.Format, reports.Version}))
		Expect(in).To(Equal(reports.Report{Ended: "why"}))
	})

	pass, fail := seen("turn.first", spec.StatusPass), seen("turn.first", spec.StatusFail)
	gone := reports.Result{Case: reports.Case{ID: "gone", Status: spec.StatusNotObserved}, Unreachable: true}
	erred := reports.Result{Case: reports.Case{ID: "erred", Status: spec.StatusError}}
	unmet := reports.Result{Case: reports.Case{ID: "unmet", Status: spec.StatusFail}, Observations: []spec.Observation{pass}}
	DescribeTable("asks for the exit code of R10",
		func(want int, ended string, results ...reports.Result) {
			r := reports.Build(reports.Report{Ended: ended}, registry(), results)
			Expect(r.Exit).To(Equal(want))
		},
		Entry("all good", 0, "", ran("a", pass)),
		Entry("a warning is no failure", 0, "", ran("a", seen("turn.first", spec.StatusWarn))),
		Entry("a known failure is no failure", 0, "", ran("a", seen("turn.first", spec.StatusKnownFailing))),
		Entry("a requirement failed", 1, "", ran("a", pass), ran("b", fail)),
		Entry("an expectation failed", 1, "", unmet),
		Entry("a failure beside an error of the harness", 1, "", ran("a", fail), erred),
		Entry("a failure beside a worker that is not there", 1, "", ran("a", fail), gone),
		Entry("a failure in a run that was stopped", 1, "stopped", ran("a", fail)),
		Entry("the harness erred", 5, "", ran("a", pass), erred),
		Entry("a requirement in error", 5, "", ran("a", seen("turn.first", spec.StatusError))),
		Entry("the harness erred beside a worker that is not there", 5, "", erred, gone),
		Entry("unreachable", 3, "", gone),
		Entry("unreachable half way", 3, "", ran("a", pass), gone),
		Entry("unreachable, and so stopped", 3, "stopped", ran("a", pass), gone),
		Entry("nothing observed", 2, "", ran("a", seen("turn.first", spec.StatusNotObserved))),
		Entry("nothing applicable", 2, "", ran("a", seen("turn.first", spec.StatusNotApplicable))),
		Entry("nothing run", 2, ""),
		Entry("what was run held, but the run was stopped", 2, "stopped", ran("a", pass)),
	)
})

var _ = DescribeTable("CaseStatus",
	func(want spec.Status, expectations int, statuses ...spec.Status) {
		var all []spec.Observation
		for _, s := range statuses {
			all = append(all, seen("turn.first", s))
		}
		Expect(reports.CaseStatus(all, expectations)).To(Equal(want))
	},
	Entry("nothing at all", spec.StatusNotObserved, 0),
	Entry("one that holds among others", spec.StatusPass, 0, spec.StatusNotObserved, spec.StatusPass, spec.StatusNotApplicable),
	Entry("a warning", spec.StatusWarn, 0, spec.StatusPass, spec.StatusWarn),
	Entry("a failure", spec.StatusFail, 0, spec.StatusPass, spec.StatusFail, spec.StatusWarn),
	Entry("an expectation that did not hold", spec.StatusFail, 1, spec.StatusPass),
	Entry("an expectation alone", spec.StatusFail, 1),
)
