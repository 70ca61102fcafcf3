package reference_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// resumedBy is the answer to an interrupt while an order of a pallet is open.
func resumedBy(interrupt, payload string) string {
	return `{"session_id":"s1","decision_id":"d9","trigger":{"type":"interrupt.resumed","interrupt_id":"` + interrupt + `","payload":` + payload + `},` +
		`"proposed":{"actions":[{"type":"llm.call"}]},"calls":[{"id":"c1","kind":"tool_call","status":"pending","attempt":0,` +
		`"name":"order_clay","arguments":"{\"clay\":\"stoneware\",\"kilos\":500.0}","handler":"worker"}]}`
}

var _ = Describe("orders of clay", func() {
	var url string
	BeforeEach(func() { url = serving(reference.Options{}) })

	It("run at once when they are small", func() {
		for _, arguments := range []string{`{"clay":"stoneware","kilos":499}`, `{"clay":"porcelain","kilos":1000}`} {
			Expect(*blocksOf(resulted(post(url, call("order_clay", arguments)))).Content[0].Text).To(ContainSubstring("are ordered"))
		}
	})

	DescribeTable("say what to send instead", func(arguments, want string) {
		Expect(failedWith(post(url, call("order_clay", arguments))).Error).To(ContainSubstring(want))
	},
		Entry("another clay", `{"clay":"mud","kilos":5}`, `"stoneware" or "porcelain"`),
		Entry("no weight", `{"clay":"stoneware"}`, "from 1 to 1000"),
		Entry("half a kilo", `{"clay":"stoneware","kilos":500.5}`, "from 1 to 1000"),
		Entry("a weight beyond numbers", `{"clay":"stoneware","kilos":1e1000000000}`, "from 1 to 1000"),
	)

	It("M5: of a whole pallet ask first, with the same interrupt each time", func() {
		ask := call("order_clay", `{"clay":"stoneware","kilos":500.0}`)
		first := post(url, ask)
		Expect(first.body).To(Equal(`{"actions":[{"type":"interrupt","interrupt_id":"order:c1","reason":"Shall the studio order a whole pallet of stoneware?",` +
			`"payload":{"message":"Shall the studio order a whole pallet of stoneware?","toolCallId":"c1"}}]}`))
		Expect(post(url, ask).body).To(Equal(first.body), "D5")
	})

	It("M5: are settled by their id when somebody agrees, and run once", func() {
		ran := 0
		url := serving(reference.Options{Ran: func(reference.Run) { ran++ }})
		post(url, call("order_clay", `{"clay":"stoneware","kilos":500}`))
		Expect(ran).To(BeZero(), "asking is not running")
		for range 2 {
			done := resulted(post(url, resumedBy("order:c1", `{"approved":true}`)))
			Expect(*done.ID).To(Equal("c1"))
			Expect(*blocksOf(done).Content[0].Text).To(Equal("500 kilos of stoneware are ordered."))
		}
		Expect(ran).To(Equal(1))
	})

	DescribeTable("M3: are turned down by anything but a plain yes", func(payload string) {
		no := failedWith(post(url, resumedBy("order:c1", payload)))
		Expect(*no.ID).To(Equal("c1"))
		Expect(no.Error).To(ContainSubstring("said no"))
	},
		Entry("no", `{"approved":false}`), Entry("a word", `{"approved":"true"}`), Entry("nothing", `null`),
	)

	It("M4: go on as proposed where the interrupt, or the call, is not the studio's", func() {
		for _, other := range []string{"someone", "order:c2"} {
			d := decided(post(url, resumedBy(other, `true`)))
			Expect(d.Actions).To(HaveLen(1))
			Expect(d.Actions[0].ActionType()).To(Equal(spec.DoLlmCall))
		}
	})
})
