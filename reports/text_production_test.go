package reports_test

import (
	"bytes"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("The report of production", func() {
	at := func(d string, line int64) *spec.Place { return &spec.Place{Session: "s1", Exchange: d, Line: line} }
	report := func() *reports.Report {
		held := seen("result.first", spec.StatusPass)
		held.Count, held.Example = 40, at("d2", 7)
		fewer := held
		fewer.Requirement, fewer.Count, fewer.Example = "result.second", 1, nil
		broke := seen("result.first", spec.StatusFail)
		broke.Count, broke.Example = 5, at("d9", 31)
		broke.Findings = []spec.Finding{{Requirement: "result.first", Session: "s1", Exchange: "d9", Got: "a", Want: "b"}, {Requirement: "result.first", Session: "s1", Exchange: "d10", Got: "c", Want: "b"}}
		warned := seen("execute.second", spec.StatusWarn)
		warned.Example = at("d3", 9)
		warned.Findings = []spec.Finding{{Requirement: "execute.second", Session: "s1", Exchange: "d3", Got: "a", Want: "b"}}
		all := registry()
		for i := range all {
			all[i].Evidence = spec.EvidenceSession
		}
		all[7].Evidence = spec.EvidenceEngine
		first, second := ran("calm", held, fewer, seen("turn.first", spec.StatusNotObserved)), ran("stormy", broke, warned, seen("result.third", spec.StatusNotApplicable))
		first.Case.Recording, second.Case.Recording = "cap/a.jsonl", "cap/b\x1b.jsonl.zst"
		return reports.Build(reports.Report{Production: true}, all, []reports.Result{first, second})
	}

	It("tells the worst first, with an example of each, and what it would take to see the rest", func() {
		Expect(text(report(), reports.TextOptions{})).To(ContainSubstring(`what production showed, the worst first:

        seen   failed  requirement      level   example
FAIL      45        2  result.first     must    cap/b\x1b.jsonl.zst:31  s1/d9
WARN       1        1  execute.second   should  cap/b\x1b.jsonl.zst:9  s1/d3
pass       1        -  result.second    must

not observed, and what it takes:
  delivery.first   session   no case brought the moment about
  delivery.second  session   no case brought the moment about
  execute.first    session   no case brought the moment about
  turn.first       engine    the reason of not-observed

not applicable, and what it takes:
  result.third     session   the reason of not-applicable
`))
	})

	It("fits the schema", func() {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON(report())))
		Expect(err).NotTo(HaveOccurred())
		Expect(reportSchema().Validate(doc)).To(Succeed())
	})

	It("is no report of a run, which tells no example", func() {
		r := reports.Build(reports.Report{}, registry(), []reports.Result{ran("calm", seen("result.first", spec.StatusPass))})
		Expect(r.Requirements[4].Example).To(BeNil())
		Expect(text(r, reports.TextOptions{})).NotTo(ContainSubstring("production"))
	})
})
