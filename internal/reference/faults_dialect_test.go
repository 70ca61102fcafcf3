package reference_test

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
)

var _ = Describe("a fault that leans on one form of what engines may choose", func() {
	inIdentity := func(identity string) string {
		return raw(`{"type":"tool.execute","id":"c1","name":"list_kilns","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0},"identity":`+identity, `{"messages":[],"actions":[]}`)
	}
	DescribeTable("answers 500 in the other form and as ever in its own",
		func(fault, own, other string) {
			url := serving(reference.Options{Faults: []string{fault}})
			Expect(post(url, own).status).To(Equal(http.StatusOK))
			got := post(url, other)
			Expect(got.status).To(Equal(http.StatusInternalServerError))
			Expect(got.body).To(HavePrefix("TypeError: "))
			Expect(post(serving(reference.Options{}), other).status).To(Equal(http.StatusOK))
		},
		Entry("needs-a-full-proposal", "needs-a-full-proposal", quietCall(), strings.Replace(quietCall(), `"proposed":{"messages":[],"actions":[],"state":null}`, `"proposed":{}`, 1)),
		Entry("needs-a-visibility", "needs-a-visibility", inIdentity(`{"visibility":"shared","metadata":{}}`), inIdentity(`{"id":"u","metadata":{}}`)),
		Entry("expects-an-interrupt", "expects-an-interrupt",
			raw(`{"type":"llm.finished","id":"l1","ok":false}`, `{"actions":[{"type":"interrupt","reason":"llm call failed"}]}`),
			raw(`{"type":"llm.finished","id":"l1","ok":false}`, `{"actions":[{"type":"fail","error":{"message":"m","code":"provider_error"}}]}`)),
	)
})
