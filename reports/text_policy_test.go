package reports_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
)

var _ = Describe("what tools do with bad arguments", func() {
	of := func(tools ...reports.Tool) string {
		return text(&reports.Report{Worker: reports.Worker{Form: "agent", Tools: tools}}, reports.TextOptions{})
	}

	It("is told once where all are alike", func() {
		Expect(of(reports.Tool{Name: "a", Invalid: "refuse"}, reports.Tool{Name: "b", Invalid: "refuse"}, reports.Tool{Name: "c"})).
			To(ContainSubstring("         invalid arguments are refused by every tool tried\n"))
	})

	It("is told by tool where they differ, in an order of its own", func() {
		got := of(reports.Tool{Name: "a", Malformed: "run"}, reports.Tool{Name: "b", Malformed: "refuse"},
			reports.Tool{Name: "c", Malformed: "run"}, reports.Tool{Name: "d", Malformed: "unknown"}, reports.Tool{Name: "e", Malformed: "repair"})
		Expect(got).To(ContainSubstring(`         malformed arguments are refused by b
         malformed arguments are repaired by e
         malformed arguments are run by a, c
         malformed arguments tell nothing of d
`))
		Expect(got).NotTo(ContainSubstring("invalid arguments"))
	})

	It("is not told where none was tried", func() {
		Expect(of(reports.Tool{Name: "a"})).NotTo(ContainSubstring("arguments"))
	})
})

var _ = DescribeTable("the name of a tool stays in its line",
	func(name, want string) {
		got := text(&reports.Report{Worker: reports.Worker{Form: "agent", Tools: []reports.Tool{{Name: name, Malformed: "run"}}}}, reports.TextOptions{})
		Expect(got).To(ContainSubstring("tools    " + want + " (not called)\n         malformed arguments are run by " + want + "\n"))
	},
	Entry("one of two lines", "a\ngood: nothing failed", `a\ngood: nothing failed`),
	Entry("one that nobody sees", "", `""`),
	Entry("one of spaces", " \t", `" \t"`),
	Entry("a long one", strings.Repeat("ü", 10<<10), strings.Repeat("ü", 80)+"…"),
)
