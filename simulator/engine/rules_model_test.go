package engine

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("C: what the model answered", func() {
	It("C5, gap 9: proposes fail in that dialect, and fail ends the turn", func() {
		cfg := testConfig()
		cfg.Dialect.FailedCall = "fail"
		b := opened(cfg)
		b.step(Reply{Call: b.asked[0].Call, Error: &spec.ErrorInfo{Message: "busy", Code: spec.CodeRateLimited}})
		Expect(b.last().Request.Proposed.Actions).To(Equal(
			[]spec.Action{spec.FailAction{Error: spec.ErrorInfo{Message: "busy", Code: spec.CodeRateLimited}}}))
		b.echo()
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnFailed))
		Expect(b.turned[1].Event.Error.Code).To(Equal(spec.CodeRateLimited))
		Expect(b.InFlight()).To(BeFalse(), "N4: no turn.finished")
	})

	DescribeTable("C5: reads how the model stopped",
		func(reason string, truncated, refused bool) {
			b := opened(testConfig())
			text := "Yes, fr"
			b.step(Reply{Call: b.asked[0].Call, Response: &spec.LlmResponse{Content: &text, FinishReason: reason}})
			t := b.last().Request.Trigger.(spec.LlmFinishedTrigger)
			Expect([]bool{t.OK, t.Truncated, t.Refused}).To(Equal([]bool{true, truncated, refused}))
		},
		Entry("stop", "stop", false, false),
		Entry("length", "length", true, false),
		Entry("refusal", "refusal", false, true),
		Entry("content_filter", "content_filter", false, true),
	)

	It("C3: gives the assistant message the id of the model call", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		Expect(b.last().Request.Trigger.(spec.LlmFinishedTrigger).Message.ID).To(Equal(b.asked[0].Call))
	})

	It("C6, H3: fixes place and policy of a call when it is requested", func() {
		b := executing(testConfig(), "c2")
		b.answer(`{"agent":{"model":"m-small","llm":"main","retry":{"tool":{"run_timeout_secs":1}},` +
			`"tools":[{"name":"crane_status","handler":"client"}]}}`)
		Expect(b.last().Request.Calls[1].Handler).To(Equal(spec.HandlerWorker))
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnToolExecute))
		Expect(b.last().Request.Calls[1].Deadline.Sub(start)).To(Equal(120*time.Second + 4*time.Millisecond))
	})

	It("C9: shows the model no output schema", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(`{"agent":{"model":"m","llm":"main","tools":[{"name":"t","output":{"type":"string"}}]}}`)
		b.echo()
		Expect(b.asked[0].Request.Tools).To(Equal([]spec.LlmTool{{Name: "t"}}))
	})

	It("drops a reply that nobody waits for", func() {
		b := opened(testConfig())
		reply := says(b.asked[0].Call, "Yes.")
		Expect(b.step(reply)).NotTo(BeEmpty())
		Expect(b.step(reply)).To(BeEmpty())
		Expect(b.step(says("nobody", "Yes."))).To(BeEmpty())
		b.echo()
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnTurnFinished))
	})

	It("C7: takes a model call of a known id once", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[{"type":"llm.call","id":"m","messages":[]},{"type":"llm.call","id":"m","messages":[]},` +
			`{"type":"llm.call","id":"` + b.asked[0].Call + `","messages":[]}]}`)
		Expect(b.lastOutcome().Applied).To(Equal([]bool{true, false, false}))
		Expect(b.asked).To(HaveLen(2))
	})

	It("gap 35: prompts over the messages of the same answer", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(harbourConfig)
		b.answer(`{"actions":[{"type":"llm.call"}]}`)
		Expect(b.asked[0].Request.Messages).To(HaveLen(1))
		Expect(b.asked[0].Request.Messages[0].Role).To(Equal(spec.RoleSystem))
		Expect(b.asked[0].Request.Messages[0].ID).NotTo(BeEmpty(), "a prompt has ids")
	})
})
