package reference_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// startOf is the session.start of one agent, with nothing proposed.
func startOf(agent string) string {
	return `{"session_id":"k1","decision_id":"d1","agent_id":"` + agent + `","trigger":{"type":"session.start"},"proposed":{}}`
}

// surveyed is the end of a subagent, whose answer is proposed for the record.
func surveyed() string {
	return `{"session_id":"s1","decision_id":"d1","trigger":{"type":"subagent.finished","id":"c1","ok":true,"session_id":"k1","agent_id":"glazier","result":"Shino."},` +
		`"proposed":{"messages":[{"id":"m1"},{"role":"tool"}],"actions":[{"type":"llm.call"}]},"messages":[{"id":"m1"}]}`
}

var _ = Describe("the glazier", func() {
	var url string
	BeforeEach(func() { url = serving(reference.Options{}) })

	It("L1: is declared as a subagent of the studio, once", func() {
		agent := decided(post(url, startOf("agent"))).Agent
		Expect(agent.Subagents).To(HaveLen(1))
		Expect(agent.OffersSubagent("glazier")).To(BeTrue())
		given := raw(`{"type":"session.start"}`, `{"agent":{"model":"m","subagents":[{"id":"glazier","description":"Mine."}]}}`)
		Expect(decided(post(url, given)).Agent.Subagents).To(Equal([]spec.Subagent{{ID: "glazier", Description: "Mine."}}))
	})

	It("L2: starts as an agent of its own, in both forms", func() {
		for _, proposed := range []string{`{}`, `{"agent":{"model":"m","llm":"main"}}`} {
			agent := decided(post(url, `{"agent_id":"glazier","trigger":{"type":"session.start"},"proposed":`+proposed+`}`)).Agent
			Expect(agent.Tools).To(HaveLen(1))
			Expect(agent.Tools[0].Name).To(Equal("find_glaze"))
			Expect(agent.Subagents).To(BeEmpty(), "it calls nobody")
			Expect(agent.System).To(ContainSubstring("glazes"))
		}
	})
})
