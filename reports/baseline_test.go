package reports_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// mixed is the report of a run with one failed requirement, one warning, one
// that held, one that nobody observed, and one case that failed by its
// scenario alone.
func mixed() *reports.Report {
	fail := spec.Finding{Requirement: "execute.settles-once", Got: "two", Want: "one"}
	warn := spec.Finding{Requirement: "result.is-explicit", Got: "bare", Want: "blocks"}
	of := func(s spec.Status, f spec.Finding) []spec.Observation {
		return []spec.Observation{{Requirement: f.Requirement, Status: s, Count: 1, Findings: []spec.Finding{f}}}
	}
	return reports.Build(reports.Report{MadeBy: spec.MadeBy{Registry: "2026-11/1"}}, []spec.Requirement{
		{ID: "execute.settles-once", Level: spec.Must}, {ID: "result.is-explicit", Level: spec.Should},
		{ID: "response.is-json", Level: spec.Must}, {ID: "output.matches-schema", Level: spec.Must},
	}, []reports.Result{
		{Case: reports.Case{ID: "a.yaml#default", Status: spec.StatusFail,
			Findings:     []reports.Finding{{Finding: fail, Status: spec.StatusFail}},
			Expectations: []reports.Finding{{Finding: spec.Finding{Expectation: "finally[0]"}, Status: spec.StatusFail}}},
			Observations: of(spec.StatusFail, fail)},
		{Case: reports.Case{ID: "b.yaml#default", Status: spec.StatusWarn,
			Findings: []reports.Finding{{Finding: warn, Status: spec.StatusWarn}}},
			Observations: of(spec.StatusWarn, warn)},
		{Case: reports.Case{ID: "own.yaml#default", Status: spec.StatusFail,
			Expectations: []reports.Finding{{Finding: spec.Finding{Expectation: "steps[0].expect[0]"}, Status: spec.StatusFail}}},
			Observations: []spec.Observation{{Requirement: "response.is-json", Status: spec.StatusPass, Count: 3}}},
	})
}

var _ = Describe("a baseline", func() {
	today := reports.BaselineOptions{Today: "2026-12-01"}
	known := func(entries ...reports.BaselineEntry) reports.Baseline {
		return reports.Baseline{File: "known.yaml", Registry: "2026-11/1", Entries: entries}
	}
	both := known(
		reports.BaselineEntry{Requirement: "execute.settles-once", Reason: "mended in 2.0", Line: 3},
		reports.BaselineEntry{Case: "own.yaml#default", Line: 5},
	)

	It("makes a run with nothing but known failures good", func() {
		before := mixed()
		Expect(before.Exit).To(Equal(reports.ExitFailed))
		r := reports.ApplyBaseline(before, both, today)
		Expect(r.Exit).To(Equal(reports.ExitGood))
		Expect(r.Stale).To(BeEmpty())
		Expect(r.Requirements[0].Status).To(Equal(spec.StatusKnownFailing))
		Expect(r.Requirements[0].Reason).To(Equal("mended in 2.0"))
		Expect(r.Cases[0].Status).To(Equal(spec.StatusKnownFailing))
		Expect(r.Cases[2].Status).To(Equal(spec.StatusKnownFailing))
		Expect(r.Summary.Cases.KnownFailing).To(Equal(2))
		By("without touching the report that it was given")
		Expect(before).To(Equal(mixed()))
	})

	DescribeTable("fails the run",
		func(b reports.Baseline, o reports.BaselineOptions, stale string) {
			r := reports.ApplyBaseline(mixed(), b, o)
			Expect(r.Exit).To(Equal(reports.ExitFailed))
			if stale == "" {
				Expect(r.Stale).To(BeEmpty())
				return
			}
			Expect(r.Stale).To(ContainElement(HaveField("Got", ContainSubstring(stale))))
		},
		Entry("on a failure that it does not know", known(reports.BaselineEntry{Requirement: "execute.settles-once"}), today, ""),
		Entry("on an entry that holds now", known(append(both.Entries, reports.BaselineEntry{Requirement: "response.is-json"})...), today, "holds now"),
		Entry("on an entry that nobody observed", known(append(both.Entries, reports.BaselineEntry{Requirement: "output.matches-schema"})...), today, "was not observed"),
		Entry("on an entry that names nothing", known(append(both.Entries, reports.BaselineEntry{Requirement: "execute.sings"})...), today, "no requirement is called that"),
		Entry("on a case that is gone", known(append(both.Entries, reports.BaselineEntry{Case: "gone.yaml#default"})...), today, "no case is called that"),
		Entry("on a case that goes well now", known(append(both.Entries, reports.BaselineEntry{Case: "b.yaml#default"})...), today, "goes as its scenario says now"),
		Entry("on an entry that has expired", known(both.Entries[1], reports.BaselineEntry{Requirement: "execute.settles-once", Expires: "2026-11-30"}), today, "expired on 2026-11-30"),
	)

	It("counts to the end of its last day", func() {
		r := reports.ApplyBaseline(mixed(), known(both.Entries[1], reports.BaselineEntry{Requirement: "execute.settles-once", Expires: "2026-12-01"}), today)
		Expect(r.Exit).To(Equal(reports.ExitGood))
	})

	It("lets entries rest that a narrowed run did not meet", func() {
		o := today
		o.Partial = true
		b := known(append(both.Entries, reports.BaselineEntry{Requirement: "output.matches-schema"}, reports.BaselineEntry{Case: "gone.yaml#default"})...)
		Expect(reports.ApplyBaseline(mixed(), b, o).Exit).To(Equal(reports.ExitGood))
	})

	It("warns of a requirement that is younger than the file", func() {
		o := today
		o.Added = map[string]string{"execute.settles-once": "2027-01/1"}
		r := reports.ApplyBaseline(mixed(), known(both.Entries[1]), o)
		Expect(r.Exit).To(Equal(reports.ExitGood))
		Expect(r.Requirements[0].Status).To(Equal(spec.StatusWarn))
		Expect(r.Requirements[0].Reason).To(HavePrefix("new: "))
		By("by the numbers of the versions")
		o.Added = map[string]string{"execute.settles-once": "2026-11/10"}
		Expect(reports.ApplyBaseline(mixed(), known(both.Entries[1]), o).Exit).To(Equal(reports.ExitGood))
	})

	It("is written as small as can be, and is then enough", func() {
		text, err := reports.WriteBaseline(reports.Baseline{}, mixed())
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(HaveSuffix(`registry: 2026-11/1
entries:
  - requirement: execute.settles-once
    reason: ""
  - case: "own.yaml#default"
    reason: ""
`))
	})

	It("keeps the reasons when it is written anew", func() {
		old := known(both.Entries...)
		old.Entries[0].Expires = "2027-01-31"
		text, err := reports.WriteBaseline(old, mixed())
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring("reason: \"mended in 2.0\"\n    expires: 2027-01-31\n"))
	})

	It("is not written of a run that did not come to its end", func() {
		r := mixed()
		r.Ended = "3 of 4 cases were not run"
		_, err := reports.WriteBaseline(reports.Baseline{}, r)
		Expect(err).To(MatchError(ContainSubstring("partial")))
	})

	It("is written once of several runs, with what failed in any of them", func() {
		first, second := mixed(), mixed()
		first.Requirements[0].Status = spec.StatusPass
		second.Cases[2].Expectations = nil
		text, err := reports.WriteBaseline(reports.Baseline{}, first, second)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(HaveSuffix(`registry: 2026-11/1
entries:
  - requirement: execute.settles-once
    reason: ""
  - case: "own.yaml#default"
    reason: ""
`))
	})

	It("is not written of a worker that nobody reached", func() {
		r := reports.Build(reports.Report{}, nil, []reports.Result{{Case: reports.Case{ID: "discovery#default"}, Unreachable: true}})
		_, err := reports.WriteBaseline(reports.Baseline{}, r)
		Expect(err).To(MatchError(ContainSubstring("could not be reached")))
	})

	It("is stale in several runs only where no run needed the entry", func() {
		b := known(append(both.Entries, reports.BaselineEntry{Requirement: "response.is-json", Line: 7})...)
		r := reports.ApplyBaseline(mixed(), b, today)
		Expect(r.Stale).To(HaveLen(1))
		Expect(reports.KeepStale(r, r.Stale).Exit).To(Equal(reports.ExitFailed))
		joined := reports.KeepStale(r, nil)
		Expect(joined.Stale).To(BeEmpty())
		Expect(joined.Exit).To(Equal(reports.ExitGood))
		Expect(r.Stale).To(HaveLen(1))
	})

	It("says of a case that no longer applies why", func() {
		r := mixed()
		r.Cases[2] = reports.Case{ID: "own.yaml#default", Status: spec.StatusNotApplicable, Reason: "no tool has output"}
		after := reports.ApplyBaseline(r, both, today)
		Expect(after.Stale).To(ConsistOf(HaveField("Got", "does not apply to this worker now: no tool has output")))
		By("and of one that shows nothing any more")
		r.Cases[2] = reports.Case{ID: "own.yaml#default", Status: spec.StatusNotObserved, Reason: "no call was made"}
		Expect(reports.ApplyBaseline(r, both, today).Stale).To(ConsistOf(HaveField("Got", "was not observed: no call was made")))
		By("and of one whose scenario goes well and whose requirements do not")
		r.Cases[2] = reports.Case{ID: "own.yaml#default", Status: spec.StatusFail, Findings: r.Cases[0].Findings}
		Expect(reports.ApplyBaseline(r, both, today).Stale).To(ConsistOf(HaveField("Got", "goes as its scenario says now")))
	})

	It("does not take what a user's own scenario says for a consequence", func() {
		r := mixed()
		r.Cases[0].Own = true
		after := reports.ApplyBaseline(r, both, today)
		Expect(after.Exit).To(Equal(reports.ExitFailed))
		text, err := reports.WriteBaseline(reports.Baseline{}, r)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring(`case: "a.yaml#default"`))
	})

	It("never knows a worker that does not start", func() {
		f := spec.Finding{Requirement: "start.yields-a-config"}
		r := reports.Build(reports.Report{}, []spec.Requirement{{ID: "start.yields-a-config", Level: spec.Must}}, []reports.Result{
			{Case: reports.Case{ID: "discovery", Status: spec.StatusFail}, Observations: []spec.Observation{
				{Requirement: "start.yields-a-config", Status: spec.StatusFail, Findings: []spec.Finding{f}}}},
		})
		_, err := reports.WriteBaseline(reports.Baseline{}, r)
		Expect(err).To(MatchError(ContainSubstring("cannot be a known failure")))
		after := reports.ApplyBaseline(r, known(reports.BaselineEntry{Requirement: "start.yields-a-config"}), today)
		Expect(after.Exit).To(Equal(reports.ExitFailed))
		Expect(after.Requirements[0].Status).To(Equal(spec.StatusFail))
	})
})

var _ = Describe("strictness", func() {
	It("raises warnings, and what a claimed profile names and nobody observed", func() {
		r := reports.Strict(mixed(), []string{"output.matches-schema", "response.is-json"})
		Expect(r.Requirements[1].Status).To(Equal(spec.StatusFail))
		Expect(r.Requirements[2].Status).To(Equal(spec.StatusPass))
		Expect(r.Requirements[3].Status).To(Equal(spec.StatusFail))
		Expect(r.Requirements[3].Reason).To(HavePrefix("claimed, and not observed"))
		Expect(r.Cases[1].Status).To(Equal(spec.StatusFail))
	})
})

var _ = Describe("a run of which no chosen case applies", func() {
	It("is no good run, whatever discovery showed", func() {
		held := []spec.Observation{{Requirement: "response.is-json", Status: spec.StatusPass, Count: 2}}
		cases := []reports.Result{
			{Case: reports.Case{ID: "discovery#default", Status: spec.StatusPass}, Observations: held},
			{Case: reports.Case{ID: "own.yaml#default", Status: spec.StatusNotApplicable}},
		}
		registry := []spec.Requirement{{ID: "response.is-json", Level: spec.Must}}
		Expect(reports.Build(reports.Report{}, registry, cases).Exit).To(Equal(reports.ExitUsage))
		cases = append(cases, reports.Result{Case: reports.Case{ID: "other.yaml#default", Status: spec.StatusPass}, Observations: held})
		Expect(reports.Build(reports.Report{}, registry, cases).Exit).To(Equal(reports.ExitGood))
	})
})
