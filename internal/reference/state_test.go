package reference_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
)

var _ = Describe("the state of the reference worker", func() {
	DescribeTable("is worked out from the path of the request",
		func(state string, asked int, want string) {
			url := serving(reference.Options{})
			for range 2 {
				Expect(post(url, lookup(state, asked, true)).body).To(HaveSuffix(want), "whatever was asked before")
			}
		},
		Entry("none yet", `null`, 1, `],"state":{"lookups":1}}`),
		Entry("with what is not its own beside it", `{"other":1.50,"lookups":41}`, 3, `],"state":{"other":1.50,"lookups":3}}`),
		Entry("one that is not the worker's own", `[1]`, 1, `"attempt":0}]}`),
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
