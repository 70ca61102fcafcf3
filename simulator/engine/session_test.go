package engine

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const harbourConfig = `{"agent":{"model":"m-small","llm":"main","system":"Be brief.","tools":[` +
	`{"name":"tide_table","description":"Tides","input":{"type":"object","required":["port"]}},` +
	`{"name":"crane_status"},{"name":"ask_pilot","handler":"client"}]}}`

// opened is a session with a config whose turn asked the model.
func opened(cfg Config) *bench {
	b := newBench(cfg)
	b.step(user("Is berth 7 free?"))
	b.answer(harbourConfig)
	b.echo()
	return b
}

var _ = Describe("a simple session", func() {
	It("goes from a client's message to a completed turn", func() {
		b := newBench(testConfig())
		b.step(user("Is berth 7 free?"))
		Expect(b.replied).To(Equal([]InputReply{{Status: 202, TurnID: "turn-1"}}))
		Expect(b.last().Request.Trigger).To(Equal(spec.SessionStartTrigger{}))
		Expect(b.last().Request.TurnID).To(BeNil(), "A2: no turn yet")
		Expect(b.last().Sent).To(BeZero())
		Expect(b.last().Deadline).To(Equal(20 * time.Second))

		b.answer(harbourConfig)
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientMessages))
		Expect(b.last().Sent).To(Equal(time.Millisecond))
		Expect(*b.last().Request.TurnID).To(Equal("turn-1"))

		b.echo()
		Expect(b.asked).To(HaveLen(1))
		Expect(b.asked[0].Request.Tools).To(HaveLen(3))
		Expect(b.asked[0].Stream).To(BeTrue())
		Expect(b.Now()).To(Equal(2 * time.Millisecond))

		b.step(calls(b.asked[0].Call, [3]string{"c1", "tide_table", `{"port":"Brest"}`}))
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnLlmFinished))
		Expect(b.last().Sent).To(Equal(3 * time.Millisecond))

		b.echo()
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnToolExecute))
		Expect(b.last().Request.PendingCalls).To(BeEquivalentTo(1))
		Expect(b.HeldByWorker()).To(BeFalse())

		b.answer(`{"actions":[{"type":"tool.result","result":"04:12"}]}`)
		Expect(b.outcomes[len(b.outcomes)-1].Event.Settled).To(Equal(
			[]spec.Settled{{Call: "c1", By: "tool.result", Then: "finished"}}))
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnToolFinished))

		b.echo()
		Expect(b.asked).To(HaveLen(2))
		b.step(says(b.asked[1].Call, "Yes."))
		b.echo()
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnTurnFinished))
		b.echo()
		Expect(b.turned).To(HaveLen(2))
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnCompleted))
		Expect(string(b.turned[1].Event.Data)).To(Equal(`"Yes."`))
		Expect(b.TurnOpen()).To(BeFalse())
		Expect(b.InFlight()).To(BeFalse())
		Expect(b.missing).To(BeEmpty())
	})
})
