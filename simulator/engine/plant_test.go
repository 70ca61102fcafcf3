package engine

import (
	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("planting", func() {
	// planted has a past: one call that was made and answered.
	planted := func() *bench {
		b := newBench(testConfig())
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientMessage, Message: &spec.DraftMessage{Role: spec.RoleSystem}}})
		b.answer(harbourConfig)
		b.step(Plant{
			State: jsontext.Value(`{"b":1,"a":2}`),
			Messages: []spec.DraftMessage{
				{ID: "u1", Role: spec.RoleUser, Content: jsontext.Value(`"Is it high water?"`)},
				{ID: "a1", Role: spec.RoleAssistant, ToolCalls: []spec.ToolCall{
					{ID: "p1", Type: "function", Function: spec.ToolFunction{Name: "crane_status", Arguments: "{}"}},
				}},
				{Role: spec.RoleTool, ToolCallID: "p1", Content: jsontext.Value(`"idle"`)},
			},
		})
		b.step(user("And now?"))
		return b
	}

	It("puts messages and state in place as if they had been recorded", func() {
		b := planted()
		r := b.last().Request
		Expect(r.Messages).To(HaveLen(3))
		Expect(r.Messages[2].ID).NotTo(BeEmpty())
		Expect(string(r.State)).To(Equal(`{"a":2,"b":1}`))
		Expect(r.Trigger.(spec.ClientMessagesTrigger).NewFrom).To(BeEquivalentTo(3))
		Expect(r.Agent.Tools).To(HaveLen(3))
	})

	It("knows the calls that were made, and what their model saw", func() {
		b := planted()
		b.answer(`{"actions":[{"type":"tool.call","id":"p1","name":"crane_status","arguments":"{}"}]}`)
		Expect(b.lastOutcome().Applied).To(Equal([]bool{false}), "C7")
		o, traced := b.trace("p1")
		Expect(traced).To(BeTrue())
		Expect(o.call.request.Tools).To(HaveLen(3))
		Expect(o.call.request.Model).To(Equal("m-small"))
		Expect(o.call.request.Messages).To(HaveLen(2), "system prompt and u1")
	})

	It("replaces the config", func() {
		b := planted()
		b.step(Plant{Agent: &spec.AgentConfig{Model: "m-large", Llm: "spare"}})
		b.answer(`{"actions":[{"type":"llm.call"}]}`)
		Expect(b.asked[0].Request.Model).To(Equal("m-large"))
		Expect(b.asked[0].Request.Tools).To(BeNil())
	})
})

var _ = Describe("what is not simulated", func() {
	DescribeTable("is told once",
		func(body, want string) {
			b := opened(testConfig())
			b.step(says(b.asked[0].Call, "Yes."))
			for range 2 {
				b.answer(body)
				b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "again"}})
			}
			Expect(b.missing).To(HaveLen(1))
			Expect(b.missing[0].What).To(ContainSubstring(want))
		},
		Entry("a message", `{"actions":[{"type":"message.send","session_id":"s","message":{"role":"user"}}]}`, "message.send"),
	)
})
