package reference_test

import (
	"io"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// odd is a request to which a fault ends its process.
type odd struct{ fault, request, want string }

func odds() []odd {
	execute := func(id, name, arguments string) string {
		t := &talk{session: "s1"}
		return encoded(t.executing(toolCall{id, name, arguments}, malformed(), false))
	}
	const refused = `"type":"tool.error"`
	long := &talk{session: "s1", send: func(spec.DecisionRequest) spec.Answer { return spec.Answer{} }}
	for range 200 {
		long.record(spec.Message{ID: "m", Role: spec.RoleUser, Content: content("x")})
	}
	many := &talk{session: "s1"}
	for range 31 {
		many.open = append(many.open, spec.Call{ID: "z", Kind: spec.CallTool})
	}
	return []odd{
		{"dies-of-large-arguments", execute("c1", "find_glaze", strings.Repeat("x", 1<<20)), refused},
		{"dies-of-deep-nesting", execute("c1", "find_glaze", strings.Repeat("[", 1000)), refused},
		{"dies-of-odd-text", execute("c1", "find_glaze", "\u2028"), refused},
		{"dies-of-odd-names", execute("c1", "__proto__", "{}"), refused},
		{"dies-of-odd-ids", execute("__proto__", "find_glaze", "{}"), refused},
		{"dies-of-empty-text", execute("c1", "", "{}"), refused},
		{"dies-of-many-calls", encoded(many.executing(toolCall{"c1", "list_kilns", "{}"}, valid("{}"), false)), "tool.result"},
		{"dies-of-long-history", encoded(long.request(spec.ClientMessagesTrigger{}, spec.Decision{})), "{"},
		{"dies-of-what-it-does-not-know", `{"hallmark_later":1,` + spoken()[1:], "llm.call"},
	}
}

var _ = Describe("a fault that ends its process over something odd", func() {
	for _, o := range odds() {
		It(o.fault+": answers, and is dead from then on", func(ctx SpecContext) {
			codes := make(chan int, 9)
			url := serving(reference.Options{Faults: []string{o.fault}, Exit: func(code int) { codes <- code }})
			Expect(delivered(ctx, url, quietCall()).End).To(Equal(spec.EndWhole))
			Expect(codes).To(BeEmpty())
			a := delivered(ctx, url, o.request)
			Expect(a.End).To(Equal(spec.EndWhole))
			Expect(a.Status).To(Equal(200))
			Expect(string(a.Body)).To(ContainSubstring(o.want))
			Expect(delivered(ctx, url, quietCall()).Reason).To(Equal(spec.ReasonClosed))
			Eventually(ctx, codes).Should(HaveLen(1))
		})
	}

	It("dies-of-broken-requests: turns a GET away, and is dead from then on", func(ctx SpecContext) {
		url := serving(reference.Options{Faults: []string{"dies-of-broken-requests"}})
		Expect(delivered(ctx, url, quietCall()).End).To(Equal(spec.EndWhole))
		got, err := http.Get(url)
		Expect(err).NotTo(HaveOccurred())
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		Expect(err).NotTo(HaveOccurred())
		Expect(got.StatusCode).To(Equal(http.StatusMethodNotAllowed))
		Expect(string(text)).To(Equal("send a decision request by POST\n"))
		Expect(delivered(ctx, url, quietCall()).Reason).To(Equal(spec.ReasonClosed))
	})

	It("refuses a later protocol where the fault is that", func() {
		Expect(post(serving(reference.Options{Faults: []string{"refuses-unknown-fields"}}), `{"hallmark_later":1,`+spoken()[1:]).status).To(Equal(422))
		Expect(post(serving(reference.Options{Faults: []string{"refuses-unknown-triggers"}}), raw(`{"type":"hallmark.later"}`, hostile)).status).To(Equal(400))
	})
})
