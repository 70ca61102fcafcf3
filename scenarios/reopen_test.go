package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("a document's source", func() {
	It("is the text it was read from, so that a recording can hold the scenario", func() {
		text := []byte(head + steps)
		doc := parse(string(text))
		Expect(string(doc.Source)).To(Equal(string(text)))
	})
})
