package scenarios_test

import (
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
)

var _ = Describe("the scenarios at hand", func() {
	It("reads each example of the language, without a warning", func() {
		docs, err := scenarios.Load(os.DirFS("testdata"), "examples")
		Expect(err).NotTo(HaveOccurred())
		Expect(docs).To(HaveLen(7))
		for _, doc := range docs {
			Expect(doc.Warnings).To(BeEmpty(), doc.Name)
		}
	})

	It("reads the built-in corpus, without a warning", func() {
		docs, err := scenarios.Load(scenarios.Corpus(), ".")
		Expect(err).NotTo(HaveOccurred())
		Expect(docs).NotTo(BeEmpty())
		for _, doc := range docs {
			Expect(doc.Warnings).To(BeEmpty(), doc.Name)
		}
	})
})
