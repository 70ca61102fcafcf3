package reports_test

import (
	"bytes"
	"encoding/xml"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/reporters"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// readJUnit reads a report with a reader that others wrote.
func readJUnit(r *reports.Report) reporters.JUnitTestSuites {
	GinkgoHelper()
	var b bytes.Buffer
	Expect(reports.WriteJUnit(&b, r)).To(Succeed())
	var suites reporters.JUnitTestSuites
	Expect(xml.Unmarshal(b.Bytes(), &suites)).To(Succeed(), b.String())
	return suites
}

var _ = Describe("WriteJUnit", func() {
	It("gives each requirement and each case a test of a stable name", func() {
		suites := readJUnit(mixed())
		Expect(suites.Tests).To(Equal(8))
		Expect(suites.Failures).To(Equal(3))
		Expect(suites.TestSuites).To(HaveLen(3))
		requirements, cases := suites.TestSuites[0], suites.TestSuites[1]
		Expect(requirements.Name + " " + cases.Name).To(Equal("requirements cases"))
		Expect(requirements.Skipped).To(Equal(1))
		Expect(requirements.TestCases[0].Classname).To(Equal("hallmark.requirements.execute"))
		Expect(requirements.TestCases[0].Name).To(Equal("execute.settles-once"))
		Expect(requirements.TestCases[0].Failure.Description).To(ContainSubstring("a.yaml#default"))
		Expect(requirements.TestCases[0].Failure.Description).To(ContainSubstring("got: two"))
		Expect(requirements.TestCases[1].Failure).To(BeNil())
		Expect(requirements.TestCases[1].SystemOut).To(HavePrefix("warn: "))
		Expect(requirements.TestCases[3].Skipped.Message).To(HavePrefix("not observed: "))
		Expect(cases.TestCases[0].Name).To(Equal("a.yaml#default"))
		Expect(cases.TestCases[0].Failure).NotTo(BeNil())
	})

	It("tells a harness that erred from a worker that failed", func() {
		r := reports.Build(reports.Report{}, nil, []reports.Result{{Case: reports.Case{ID: "a#b", Status: spec.StatusError, Reason: "disk full"}}})
		suites := readJUnit(r)
		Expect(suites.Errors).To(Equal(1))
		Expect(suites.TestSuites[1].TestCases[0].Error.Message).To(Equal("disk full"))
	})

	It("tells what is about no requirement and no case", func() {
		r := mixed()
		r.Ended = "3 of 4 cases were not run"
		r.Stale = []reports.Stale{{Place: "known.yaml:3", Entry: "execute.settles", Got: "holds now", Hint: "take it out"}}
		run := readJUnit(r).TestSuites[2]
		Expect(run.Errors).To(Equal(1))
		Expect(run.TestCases[0].Error.Message).To(Equal("3 of 4 cases were not run"))
		Expect(run.Failures).To(Equal(1))
		Expect(run.TestCases[1].Name).To(Equal("execute.settles"))
		Expect(run.TestCases[1].Failure.Description).To(ContainSubstring("known.yaml:3"))
	})

	It("survives whatever a worker says", func() {
		var every strings.Builder
		for i := range 256 {
			every.WriteByte(byte(i))
		}
		every.WriteString("\ufffe\uffff\u2028]]>&<")
		f := reports.Finding{Status: spec.StatusFail, Finding: spec.Finding{Requirement: "x.y", Got: every.String(), Want: every.String()}}
		r := reports.Build(reports.Report{}, nil, []reports.Result{{Case: reports.Case{ID: every.String(), Status: spec.StatusFail, Findings: []reports.Finding{f}}}})
		Expect(readJUnit(r).Failures).To(Equal(1))
	})
})
