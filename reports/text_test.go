package reports_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

func text(r *reports.Report, o reports.TextOptions) string {
	GinkgoHelper()
	var b bytes.Buffer
	Expect(reports.WriteText(&b, r, o)).To(Succeed())
	return b.String()
}

// golden compares with a file of testdata; -update writes it.
func golden(name, got string) {
	GinkgoHelper()
	file := filepath.Join("testdata", name)
	if *update {
		Expect(os.WriteFile(file, []byte(got), 0o666)).To(Succeed())
	}
	want, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	Expect(got).To(Equal(string(want)))
}

var _ = Describe("WriteText", func() {
	It("writes every kind of block", func() {
		golden("every-block.golden", text(everyBlock(), reports.TextOptions{}))
	})

	It("writes all of them when asked", func() {
		golden("every-block-all.golden", text(everyBlock(), reports.TextOptions{All: true}))
	})

	It("adds colours and changes nothing else", func() {
		colored := text(everyBlock(), reports.TextOptions{Color: true})
		Expect(colored).To(ContainSubstring("\x1b[31mFAIL\x1b[0m"))
		Expect(colored).To(ContainSubstring("\x1b[33mWARN\x1b[0m"))
		for _, code := range []string{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"} {
			colored = strings.ReplaceAll(colored, code, "")
		}
		Expect(colored).To(Equal(text(everyBlock(), reports.TextOptions{})))
	})

	It("lets nothing that a worker wrote reach the terminal as a control", func() {
		Expect(text(everyBlock(), reports.TextOptions{All: true})).NotTo(ContainSubstring("\x1b"))
	})

	It("writes the same bytes twice", func() {
		Expect(text(everyBlock(), reports.TextOptions{})).To(Equal(text(everyBlock(), reports.TextOptions{})))
	})

	It("keeps a report of one flaw in a thousand cases short, and says how much it left out", func() {
		var results []reports.Result
		for i := range 1000 {
			id := fmt.Sprintf("a.yaml#%d", i)
			r := broken(id, spec.StatusFail, spec.Finding{Requirement: "turn.first", Got: fmt.Sprint(i), Want: "0"})
			if i%2 == 0 {
				r.Case.Findings[0].Got = "the same"
			}
			r.Case.Expectations = []reports.Finding{{Status: spec.StatusFail, Finding: spec.Finding{Got: "a", Want: "b", Expectation: "finally[0]"}}}
			results = append(results, r)
		}
		short := text(build(results...), reports.TextOptions{})
		Expect(strings.Count(short, "\n")).To(BeNumerically("<", 60))
		Expect(short).To(ContainSubstring("1000 places in 1000 cases"))
		Expect(short).To(ContainSubstring("499 more places in 499 more cases"))
		Expect(short).To(ContainSubstring("… and 498 more places"))
		Expect(short).To(ContainSubstring("… in 995 more cases"))
		all := text(build(results...), reports.TextOptions{All: true})
		Expect(strings.Count(all, "      a.yaml#")).To(Equal(1000))
		Expect(all).NotTo(ContainSubstring("more place"))
	})

	It("counts cases that only their scenario failed", func() {
		var results []reports.Result
		for i := range 9 {
			results = append(results, reports.Result{Case: reports.Case{ID: fmt.Sprintf("own.yaml#%d", i), Status: spec.StatusFail,
				Expectations: []reports.Finding{{Status: spec.StatusFail, Finding: spec.Finding{Got: "a", Want: "b", Expectation: "finally[0]"}}}}})
		}
		got := text(build(results...), reports.TextOptions{})
		Expect(got).To(ContainSubstring("… and 4 more cases that did not go as the scenario says; --all shows them"))
		Expect(got).To(ContainSubstring("failed: 9 cases did not go as the scenario says"))
	})

	DescribeTable("ends with the verdict",
		func(want string, ended string, results ...reports.Result) {
			r := reports.Build(reports.Report{Ended: ended}, registry(), results)
			lines := strings.Split(strings.TrimRight(text(r, reports.TextOptions{}), "\n"), "\n")
			Expect(lines[len(lines)-1]).To(Equal(want))
		},
		Entry("good", "good: every requirement that was observed holds", "", ran("a", seen("turn.first", spec.StatusPass))),
		Entry("good with a warning", "good, with 1 warning: nothing failed", "", ran("a", seen("turn.first", spec.StatusWarn))),
		Entry("failed", "failed: 1 requirement did not hold", "", broken("a", spec.StatusFail, found("turn.first"))),
		Entry("an expectation", "failed: 1 case did not go as its scenario says", "", reports.Result{Case: reports.Case{Status: spec.StatusFail}}),
		Entry("both", "failed: 1 requirement did not hold, 1 case did not go as its scenario says", "",
			broken("a", spec.StatusFail, found("turn.first")), reports.Result{Case: reports.Case{Status: spec.StatusFail}}),
		Entry("nothing", "nothing observed: no requirement was put to the test", ""),
		Entry("stopped", "not finished: the run ended before every case had its turn", "stopped", ran("a", seen("turn.first", spec.StatusPass))),
		Entry("unreachable", "unreachable: the worker could not be reached or started", "", reports.Result{Unreachable: true}),
		Entry("harness", "error: the harness erred; this says nothing about the worker", "", reports.Result{Case: reports.Case{Status: spec.StatusError}}),
	)

	It("says when the worker declares no tools, and says nothing of tools when it did not start", func() {
		none := text(reports.Build(reports.Report{Worker: reports.Worker{Form: "bare"}}, registry(), nil), reports.TextOptions{})
		Expect(none).To(ContainSubstring("\ntools    none declared"))
		Expect(none).To(ContainSubstring("session.start with no proposed agent"))
		unknown := text(build(), reports.TextOptions{})
		Expect(unknown).NotTo(ContainSubstring("\ntools"))
		Expect(unknown).To(ContainSubstring("session.start with no usable form"))
	})

	It("names one reason once for all that have it", func() {
		got := text(build(), reports.TextOptions{})
		Expect(got).To(ContainSubstring("all 8 requirements"))
		Expect(strings.Count(got, "no case brought the moment about")).To(Equal(1))
		Expect(got).NotTo(ContainSubstring("delivery  "), "no table of areas where nothing was observed")
	})

	It("names some of many ids with one reason, and all when asked", func() {
		var results []reports.Result
		for i := range 40 {
			results = append(results, reports.Result{Case: reports.Case{ID: fmt.Sprintf("o.yaml#%02d", i), Status: spec.StatusNotApplicable, Reason: "needs an output schema"}})
		}
		results = append(results, ran("z", seen("turn.first", spec.StatusPass)))
		got := text(build(results...), reports.TextOptions{})
		Expect(got).To(ContainSubstring("  40 cases: needs an output schema\n"))
		Expect(got).To(ContainSubstring("o.yaml#05, and 34 more cases\n"))
		Expect(got).NotTo(ContainSubstring("o.yaml#06"))
		Expect(text(build(results...), reports.TextOptions{All: true})).To(ContainSubstring("o.yaml#39"))
	})

	It("returns the error of the writer", func() {
		broken := errors.New("no space")
		Expect(reports.WriteText(failing{broken}, build(), reports.TextOptions{})).To(MatchError(broken))
		Expect(reports.WriteJSON(failing{broken}, build())).To(MatchError(broken))
	})
})

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

var _ = DescribeTable("Clean writes what a terminal would act on as escapes",
	func(in, want string) { Expect(reports.Clean(in)).To(Equal(want)) },
	Entry("plain text", "Größe 1, 火\n", "Größe 1, 火\n"),
	Entry("an escape", "\x1b[2J", `\x1b[2J`),
	Entry("a carriage return and a tab", "a\r\tb", `a\r\tb`),
	Entry("DEL and a C1 control", "\x7f\u009b", `\x7f\u009b`),
	Entry("a change of direction", "a\u202eb\u2066", `a\u202eb\u2066`),
	Entry("line separators", "\u2028\u2029", `\u2028\u2029`),
	Entry("bytes that are no UTF-8", "a\xffb\xc3", `a\xffb\xc3`),
	Entry("a replacement character that was sent", "\uFFFD", "\uFFFD"),
)
