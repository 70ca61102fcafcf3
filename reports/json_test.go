package reports_test

import (
	"bytes"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmarkdev/hallmark/reports"
)

func reportSchema() *jsonschema.Schema {
	GinkgoHelper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(reports.Schema()))
	Expect(err).NotTo(HaveOccurred())
	c := jsonschema.NewCompiler()
	Expect(c.AddResource("report.json", doc)).To(Succeed())
	schema, err := c.Compile("report.json")
	Expect(err).NotTo(HaveOccurred())
	return schema
}

func asJSON(r *reports.Report) []byte {
	GinkgoHelper()
	var b bytes.Buffer
	Expect(reports.WriteJSON(&b, r)).To(Succeed())
	return b.Bytes()
}

var _ = Describe("WriteJSON", func() {
	for name, r := range map[string]func() *reports.Report{"every block": everyBlock, "nothing": func() *reports.Report { return build() }} {
		It("fits its schema: "+name, func() {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON(r())))
			Expect(err).NotTo(HaveOccurred())
			Expect(reportSchema().Validate(doc)).To(Succeed())
		})
	}

	It("has a schema that refuses what is no report", func() {
		for _, bad := range []string{`{}`, `[]`, `{"format":"hallmark-report"}`} {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(bad)))
			Expect(err).NotTo(HaveOccurred())
			Expect(reportSchema().Validate(doc)).NotTo(Succeed(), bad)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON(everyBlock())))
		Expect(err).NotTo(HaveOccurred())
		doc.(map[string]any)["more"] = true
		Expect(reportSchema().Validate(doc)).NotTo(Succeed(), "an unknown member")
	})

	It("writes the same bytes twice, and ends the last line", func() {
		Expect(asJSON(everyBlock())).To(Equal(asJSON(everyBlock())))
		Expect(string(asJSON(build()))).To(HaveSuffix("}\n"))
	})

	It("gives a schema that the caller may change", func() {
		reports.Schema()[0] = '!'
		Expect(string(reports.Schema())).To(HavePrefix("{"))
	})
})
