package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// executing is a session whose tool.execute of c1 (and of more calls, all of
// crane_status) is out.
func executing(cfg Config, ids ...string) *bench {
	b := opened(cfg)
	var made [][3]string
	for _, id := range append([]string{"c1"}, ids...) {
		made = append(made, [3]string{id, "crane_status", `{}`})
	}
	b.step(calls(b.asked[0].Call, made...))
	b.echo()
	return b
}

func (b *bench) lastOutcome() Outcome { return b.outcomes[len(b.outcomes)-1] }

var _ = Describe("D: delivery", func() {
	It("D5: delivers the same trigger again and works out the rest anew", func() {
		b := executing(testConfig(), "c2")
		first := b.last()
		b.fail(httpStatus(503))
		b.answer(`{"state":{"berth":7},"actions":[{"type":"tool.result","result":"free"}]}`)
		b.echo()
		b.step(Tick{To: b.Now() + 2*time.Second})
		again := b.last()
		Expect(again.Decision).To(Equal(first.Decision))
		Expect(again.Delivery).To(Equal(2))
		Expect(again.Request.Trigger).To(Equal(first.Request.Trigger))
		Expect(again.Request.Attempts).To(Equal(first.Request.Attempts + 1))
		Expect(again.Request.Deadline.After(first.Request.Deadline.Time)).To(BeTrue())
		Expect(string(again.Request.State)).To(Equal(`{"berth":7}`))
		Expect(first.Request.State).To(BeNil(), "what was sent does not change")
		Expect(len(again.Request.Messages)).To(Equal(len(first.Request.Messages) + 1))
	})

	It("D5: appends a client's message to the path as it is at the redelivery", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(harbourConfig)
		b.fail(httpStatus(503))
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "greet"}})
		b.answer(`{"messages":[{"id":"g1","role":"assistant","content":"Ahoy."}]}`)
		b.step(Tick{To: 10 * time.Second})
		t := b.last().Request.Trigger.(spec.ClientMessagesTrigger)
		Expect(t.NewFrom).To(BeEquivalentTo(1))
		Expect(t.Messages[0].ID).To(Equal("g1"))
	})

	It("D6: takes an answer for the decision, not for the delivery", func() {
		b := executing(testConfig())
		d := b.last()
		b.step(Tick{To: d.Deadline})
		Expect(b.lastOutcome().Event.Code).To(Equal(spec.CodeDeadlineExceeded))
		late := Answer{Decision: d.Decision, Delivery: 1, Answer: ok200(`{"actions":[{"type":"tool.result","result":"late"}]}`)}
		b.step(late)
		Expect(b.lastOutcome().Event).To(Equal(spec.OutcomeEvent{As: spec.OutcomeDropped, Reason: "the decision waits for its retry"}))
		b.step(Tick{To: d.Deadline + 2*time.Second})
		b.step(late)
		Expect(b.lastOutcome().Event.As).To(Equal(spec.OutcomeLate))
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnToolFinished))
		late.Delivery = 2
		b.step(late)
		Expect(b.lastOutcome().Event).To(Equal(spec.OutcomeEvent{As: spec.OutcomeDropped, Reason: "the decision was answered already"}))
		b.step(Answer{Decision: "nobody", Delivery: 1, Answer: ok200(`{}`)})
		Expect(b.lastOutcome().Event.Reason).To(Equal("no such decision"))
	})

	It("D6: lets a late failure of a fatal class end the turn", func() {
		b := executing(testConfig())
		d := b.last()
		b.step(Tick{To: d.Deadline + 2*time.Second})
		b.step(Answer{Decision: d.Decision, Delivery: 1, Answer: httpStatus(400)})
		Expect(b.lastOutcome().Delivery).To(Equal(1))
		Expect(b.TurnOpen()).To(BeFalse())
	})

	It("D3: keeps a decision that waits for its own retry when the turn fails", func() {
		b := executing(testConfig(), "c2")
		waiting := b.last().Decision
		b.fail(httpStatus(503))
		b.fail(httpStatus(400))
		Expect(b.TurnOpen()).To(BeFalse())
		b.step(Tick{To: 10 * time.Second})
		Expect(b.last().Decision).To(Equal(waiting))
		b.answer(`{"actions":[{"type":"tool.result","result":"x"}]}`)
		Expect(b.lastOutcome().Event.Settled).To(Equal(
			[]spec.Settled{{Call: "c1", By: "tool.result", Then: "dropped", Reason: "the call was voided"}}))
	})

	It("D8: delivers again what was out at a restart, and leaves open calls alone", func() {
		b := executing(testConfig(), "c2")
		b.answer(`{}`)
		out := b.last().Decision
		b.step(Restart{})
		Expect(b.lastOutcome().Event.Code).To(Equal(spec.CodeInternal))
		Expect(b.lastOutcome().Event.Reason).To(Equal("dispatch lost on engine restart"))
		Expect(b.HeldByWorker()).To(BeTrue())
		b.step(Tick{To: b.Now() + 2*time.Second})
		Expect(b.last().Decision).To(Equal(out))
		Expect(b.last().Delivery).To(Equal(2))
		Expect(b.step(Restart{})).To(HaveLen(1))
		Expect(b.step(Restart{})).To(BeEmpty(), "nothing was out")
	})

	It("D13: skips what cannot be applied and applies the rest", func() {
		b := executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","id":"nobody","result":1},{"type":"tool.result","result":"free"}]}`)
		Expect(b.lastOutcome().Applied).To(Equal([]bool{false, true}))
		Expect(b.lastOutcome().Event.Settled).To(Equal([]spec.Settled{
			{Call: "nobody", By: "tool.result", Then: "dropped", Reason: "unknown call"},
			{Call: "c1", By: "tool.result", Then: "finished"},
		}))
	})
})

var _ = Describe("N: the end of a turn", func() {
	It("N1: applies what stands beside done, and completes with the frozen data", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[{"type":"done","data":{"b":1}},{"type":"tool.call","id":"w","name":"crane_status","arguments":"{}"}]}`)
		t := b.last().Request.Trigger.(spec.TurnFinishedTrigger)
		Expect(string(t.Data)).To(Equal(`{"b":1}`))
		Expect(b.Calls()).To(HaveLen(1))
		b.answer(`{"state":{"n":1},"actions":[{"type":"done","data":"other"}]}`)
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnCompleted))
		Expect(string(b.turned[1].Event.Data)).To(Equal(`{"b":1}`))
		Expect(string(b.State())).To(Equal(`{"n":1}`))
		Expect(b.turned).To(HaveLen(2))
	})

	It("N1: counts what the turn cost", func() {
		b := opened(testConfig())
		reply := calls(b.asked[0].Call, [3]string{"c1", "crane_status", "{}"})
		reply.Response.Usage, reply.Response.Cost = &spec.Usage{Input: 3, Output: 4, UncachedInput: 3, Total: 7}, "0.10"
		b.step(reply)
		b.echo()
		b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
		b.echo()
		reply = says(b.asked[1].Call, "Yes.")
		reply.Response.Usage, reply.Response.Cost = &spec.Usage{Input: 1, Output: 1, UncachedInput: 1, Total: 2}, "0.025"
		b.step(reply)
		b.echo()
		t := b.last().Request.Trigger.(spec.TurnFinishedTrigger)
		Expect(t.Cost).To(Equal("0.125"))
		Expect(t.Usage.Total).To(BeEquivalentTo(9))
	})

	It("N3: completes at once when done comes while turn.finished is queued, and only marks outside", func() {
		b := executing(testConfig(), "c2")
		b.answer(`{"actions":[{"type":"done","data":1}]}`)
		b.answer(`{"actions":[{"type":"done","data":2}]}`)
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnCompleted))
		Expect(string(b.turned[1].Event.Data)).To(Equal("1"))
		b.answer(`{"actions":[{"type":"done"}]}`)
		Expect(b.turned).To(HaveLen(2))
	})

	It("N5: leaves a turn open that nothing moves", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{}`)
		_, timer := b.NextTimer()
		Expect([]bool{b.TurnOpen(), b.InFlight(), timer}).To(Equal([]bool{true, false, false}))
	})
})

var _ = Describe("O: state, config and messages", func() {
	It("O1, O2: keeps on null, replaces whole, and takes an equal value for none", func() {
		b := executing(testConfig(), "c2", "c3")
		b.answer(`{"state":{"b":1,"a":2}}`)
		b.answer(`{"state":{"b":1.0,"a":2},"agent":null}`)
		Expect(string(b.State())).To(Equal(`{"a":2,"b":1}`))
		Expect(b.Agent().Tools).To(HaveLen(3))
		b.answer(`{"state":{},"agent":{"model":"m-large"}}`)
		Expect(string(b.State())).To(Equal(`{}`))
		Expect(b.Agent()).To(Equal(&spec.AgentConfig{Model: "m-large"}))
	})

	It("O3: lets a branch see the newest version on its own path", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(harbourConfig)
		b.answer(`{"messages":[{"id":"a","role":"user"},{"id":"b","role":"user"}],"state":"at b"}`)
		fork := func(body string) {
			b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "fork"}})
			b.answer(body)
		}
		fork(`{"messages":[{"id":"a","role":"user"}],"state":"at a"}`)
		fork(`{"messages":[{"id":"a","role":"user"},{"id":"c","role":"user"}]}`)
		Expect(string(b.State())).To(Equal(`"at a"`))
		fork(`{"messages":[{"id":"a","role":"user"},{"id":"b","role":"user"}]}`)
		Expect(string(b.State())).To(Equal(`"at b"`))
	})

	It("O4, O6: mints ids and never records one twice", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(harbourConfig)
		b.answer(`{"messages":[{"id":"a","role":"user"},{"role":"assistant","content":"x"},{"id":"a","role":"user"}]}`)
		var ids []string
		for _, m := range b.Transcript() {
			ids = append(ids, m.ID)
		}
		Expect(ids).To(Equal([]string{"a", "message-1", "message-2"}))
		Expect(b.Transcript()[1].ToolCalls).NotTo(BeNil(), "wire 7: tool_calls is always written")
	})

	It("O4: lets tool messages without ids stand for the recorded ones, in any order", func() {
		b := executing(testConfig(), "c2")
		for range 2 {
			b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
		}
		b.echo()
		b.echo()
		path := b.Transcript()
		Expect(path).To(HaveLen(4))
		var messages []spec.DraftMessage
		for _, m := range path[:2] {
			messages = append(messages, m.Draft())
		}
		for _, call := range []string{"c2", "c1"} {
			messages = append(messages, spec.DraftMessage{Role: spec.RoleTool, ToolCallID: call, Content: jsontext.Value(`"mine"`)})
		}
		b.step(says(b.asked[1].Call, "Yes."))
		b.answer(string(marshal(spec.Decision{Messages: messages})))
		Expect(b.Transcript()).To(Equal(path))
	})

	It("O5: drops the decisions of voided calls, queued or waiting", func() {
		b := executing(testConfig(), "c2", "c3")
		b.fail(httpStatus(503))
		Expect(b.last().Call).To(Equal("c2"))
		b.answer(`{"messages":[{"role":"user","content":"another branch"}]}`)
		before := len(b.delivered)
		b.step(Tick{To: time.Hour})
		Expect(b.delivered).To(HaveLen(before))
		Expect(b.Calls()).To(BeEmpty())
	})

	It("O5: voids calls of the branch that is left and keeps those of the trunk", func() {
		b := executing(testConfig())
		first := b.last().Request.Messages[0].ID
		b.answer(`{"messages":[{"id":"` + first + `","role":"user"}],` +
			`"actions":[{"type":"tool.call","id":"w","name":"crane_status","arguments":"{}"}]}`)
		Expect(b.Calls()).To(HaveLen(1))
		Expect(b.Calls()[0].ID).To(Equal("w"))
		b.answer(`{"messages":[{"id":"` + first + `","role":"user"},{"id":"z","role":"user"}]}`)
		Expect(b.Calls()).To(HaveLen(1), "w hangs on the trunk")
	})
})
