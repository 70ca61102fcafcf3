package reference_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
)

var _ = Describe("the state of the reference worker", func() {
	DescribeTable("is worked out from that of the request", func(state, want string) {
		url := serving(reference.Options{})
		for range 2 {
			Expect(post(url, lookup(state, 2)).body).To(HaveSuffix(want), "whatever was asked before")
		}
	},
		Entry("none yet", `null`, `],"state":{"lookups":1}}`),
		Entry("a count", `{"other":1.50,"lookups":41}`, `],"state":{"other":1.50,"lookups":42}}`),
		Entry("a count that is none", `{"lookups":"many"}`, `],"state":{"lookups":1}}`),
		Entry("one that is not the worker's own", `[1]`, `"attempt":0}]}`),
	)

	It("stays as it is when nothing was looked up", func() {
		url := serving(reference.Options{})
		Expect(post(url, call("find_glaze", `{"glaze":"blue"}`)).body).NotTo(ContainSubstring("state"))
		Expect(post(url, quietCall()).body).NotTo(ContainSubstring("state"))
	})

	It("is not touched by a call of the member's screen", func() {
		p := post(serving(reference.Options{}), call("ask_member", `{"question":"?"}`))
		Expect(p.body).To(ContainSubstring("ask_member was not run"))
	})
})
