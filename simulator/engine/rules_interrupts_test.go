package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// resumes is the client's answer to an interrupt.
func resumes(id, payload string) Input {
	in := spec.ClientInput{Type: spec.InputInterruptResume, InterruptID: id}
	if payload != "" {
		in.Payload = jsontext.Value(payload)
	}
	return Input{Input: in}
}

// parkedBy is a session whose worker answered the tool.execute of c with an
// interrupt "may-i", with the calls besides.
func parkedBy(calls ...[2]string) *bench {
	b := asking(testConfig(), append([][2]string{{"c", "crane_status"}}, calls...)...)
	b.answer(`{"actions":[{"type":"interrupt","interrupt_id":"may-i","reason":"May I?"}]}`)
	return b
}

var _ = Describe("M: interrupts", func() {
	It("M1: parks the session: decisions wait, users are refused, actions go through", func() {
		b := executing(testConfig(), "c2")
		b.answer(`{"actions":[{"type":"tool.result","result":"free"},{"type":"interrupt","reason":"ask"}]}`)
		Expect(b.InFlight()).To(BeFalse())
		b.step(user("hello?"))
		Expect(b.replied[1]).To(Equal(InputReply{Status: 409, Error: "session is interrupted"}))
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "refresh", Args: jsontext.Value(`1`)}})
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientAction))
		Expect(b.TurnOpen()).To(BeTrue())
		id, open := b.OpenInterrupt()
		Expect(open).To(BeTrue())
		Expect(id).To(Equal("interrupt-1"), "one without an id gets one")
		Expect(b.missing).To(BeEmpty())
	})

	It("M1: records what goes on meanwhile and holds its decisions back", func() {
		b := parkedBy([2]string{"k", "ask_pilot"})
		id := "k"
		b.step(Settle{spec.ToolResultAction{ID: &id, Result: jsontext.Value(`"aye"`)}})
		Expect(b.tools["k"].status).To(Equal(statusDone))
		Expect(b.InFlight()).To(BeFalse(), "its tool.finished waits")
		b.step(resumes("may-i", `true`))
		Expect(b.lastTrigger()).To(Equal(spec.OnInterruptResumed), "G5: ahead of what waits")
		Expect(b.last().Request.PendingCalls).To(BeEquivalentTo(2), "G6: c is open, k is not recorded")
		b.answer(`{"actions":[{"type":"tool.result","id":"c","result":"free"}]}`)
		Expect(b.last().Request.Trigger.CallID()).To(Equal("k"), "then in order of arrival")
	})

	It("M1: starts the calls of the answer that parks it", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "wait"))
		b.answer(`{"actions":[{"type":"tool.call","id":"k","name":"ask_pilot","arguments":"{}"},` +
			`{"type":"tool.call","id":"w","name":"crane_status","arguments":"{}"},{"type":"interrupt","reason":"ask"}]}`)
		Expect(b.tools["k"].status).To(Equal(statusPending))
		Expect(b.tools["w"].status).To(Equal(statusPending))
		Expect(b.InFlight()).To(BeFalse(), "the tool.execute of w waits")
		b.step(Tick{To: b.Now() + 3*time.Minute})
		b.step(resumes("interrupt-1", `null`))
		b.echo()
		Expect(b.last().Request.Trigger.CallID()).To(Equal("w"))
		Expect(b.tools["w"].status).To(Equal(statusFailed), "its clock ran while the person thought")
	})

	It("M1: voids the model call", func() {
		b := opened(testConfig())
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "stop"}})
		b.answer(`{"actions":[{"type":"interrupt","reason":"ask"}]}`)
		_, asked := b.Asked()
		Expect(asked).To(BeFalse())
		b.step(says(b.asked[0].Call, "too late"))
		Expect(b.InFlight()).To(BeFalse())
	})

	It("M1: voids the live decision when the owner raises it, and drops its answer", func() {
		b := asking(testConfig(), [2]string{"c", "crane_status"})
		live := b.last()
		Expect(of[InputReply](b.step(Interrupt{Reason: "stop"}))).To(Equal([]InputReply{{Status: 200, Interrupt: "interrupt-1"}}))
		b.step(Answer{Decision: live.Decision, Delivery: 1, Answer: ok200(`{"actions":[{"type":"tool.result","result":"free"}]}`)})
		Expect(b.outcomes[len(b.outcomes)-1].Event.As).To(Equal(spec.OutcomeDropped))
		Expect(b.tools["c"].status).To(Equal(statusPending), "the call itself goes on")
		Expect(of[InputReply](b.step(Interrupt{Reason: "stop"}))).To(Equal([]InputReply{{Status: 200, Interrupt: "interrupt-1"}}), "M2")
		b.step(resumes("interrupt-1", `1`))
		Expect(b.lastTrigger()).To(Equal(spec.OnInterruptResumed))
	})

	It("M1: waits with a decision that waits for its retry", func() {
		b := asking(testConfig(), [2]string{"a", "crane_status"}, [2]string{"b", "crane_status"})
		b.fail(httpStatus(503))
		Expect(b.last().Request.Trigger.CallID()).To(Equal("b"))
		b.answer(`{"actions":[{"type":"interrupt","interrupt_id":"may-i","reason":"ask"}]}`)
		b.step(Tick{To: b.Now() + time.Minute})
		Expect(b.InFlight()).To(BeFalse())
		_, retry := b.NextTimer()
		Expect(retry).To(BeTrue(), "the deadlines of the calls are left")
		b.step(resumes("may-i", `null`))
		b.answer(`{"actions":[{"type":"tool.result","id":"b","result":"free"}]}`)
		b.echo()
		Expect(b.last().Request.Trigger.CallID()).To(Equal("a"))
		Expect(b.last().Delivery).To(Equal(2))
	})

	It("M2: ignores a second interrupt on a parked head, and takes one on another branch", func() {
		b := parkedBy()
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "stop"}})
		b.answer(`{"actions":[{"type":"interrupt","interrupt_id":"other","reason":"ask"}]}`)
		Expect(b.outcomes[len(b.outcomes)-1].Applied).To(Equal([]bool{false}))
		first := b.tree.path[0].ID
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "fork"}})
		b.answer(`{"messages":[{"role":"user","content":"another branch"}],"actions":[{"type":"interrupt","interrupt_id":"other","reason":"ask"}]}`)
		id, _ := b.OpenInterrupt()
		Expect(id).To(Equal("other"))
		b.step(resumes("may-i", `null`))
		Expect(b.InFlight()).To(BeFalse(), "that branch is not the active one")
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "back"}})
		b.answer(`{"messages":[{"id":"` + first + `","role":"user"}]}`)
		_, open := b.OpenInterrupt()
		Expect(open).To(BeFalse(), "before either branch")
	})

	It("M3: resumes by its id alone, and once", func() {
		b := parkedBy()
		b.step(resumes("another", `true`))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 202, TurnID: "turn-1"}))
		Expect(b.InFlight()).To(BeFalse(), "nothing happens")
		stranger := resumes("may-i", `true`)
		stranger.Stranger = true
		b.step(stranger)
		Expect(b.lastReply().Status).To(Equal(403))
		Expect(b.InFlight()).To(BeFalse())
		b.step(resumes("may-i", `{"approved":true}`))
		Expect(b.last().Request.Trigger).To(Equal(spec.InterruptResumedTrigger{InterruptID: "may-i", Payload: jsontext.Value(`{"approved":true}`)}))
		n := len(b.delivered)
		b.step(resumes("may-i", `true`))
		Expect(b.delivered).To(HaveLen(n))
	})

	It("M3: is resumed by the worker's own interrupt.resolve", func() {
		b := parkedBy()
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "go"}})
		b.answer(`{"actions":[{"type":"interrupt.resolve","interrupt_id":"unheard-of"},{"type":"interrupt.resolve","interrupt_id":"may-i","payload":7}]}`)
		Expect(b.outcomes[len(b.outcomes)-1].Applied).To(Equal([]bool{false, true}))
		Expect(b.last().Request.Trigger).To(Equal(spec.InterruptResumedTrigger{InterruptID: "may-i", Payload: jsontext.Value(`7`)}))
		Expect(b.missing).To(BeEmpty())
	})

	It("M4: proposes a model call from the config of now", func() {
		b := opened(testConfig())
		b.step(Reply{Call: b.asked[0].Call, Error: &spec.ErrorInfo{Message: "too many", Code: spec.CodeRateLimited}})
		b.answer(`{"agent":{"model":"m-large","llm":"main","system":"Be wordy."},"actions":[{"type":"interrupt","interrupt_id":"may-i","reason":"ask"}]}`)
		b.step(resumes("may-i", ``))
		p := b.last().Request.Proposed
		call := p.Actions[0].(spec.LlmCallAction)
		Expect(*call.Model).To(Equal("m-large"))
		Expect(call.Messages).To(HaveLen(2), "the system prompt and what is recorded")
		Expect(call.Stream).To(BeNil(), "not the call before (G10)")
		b.echo()
		Expect(b.asked).To(HaveLen(2))
	})

	It("M5: leaves a call open that is answered with an interrupt, until it is settled by its id", func() {
		b := parkedBy()
		Expect(b.Calls()).To(HaveLen(1))
		Expect(b.Held()).To(Equal([]string{"c"}))
		Expect(b.HeldByWorker()).To(BeFalse(), "it waits for a person, not for the worker")
		b.step(resumes("may-i", `true`))
		later := parkedBy()
		later.step(resumes("may-i", `true`))
		later.answer(`{}`)
		Expect(later.HeldByWorker()).To(BeTrue(), "now it settles when it likes")
		b.answer(`{"actions":[{"type":"tool.result","id":"c","result":"lifted"}]}`)
		Expect(b.lastTrigger()).To(Equal(spec.OnToolFinished))
		b.echo()
		Expect(b.asked).To(HaveLen(2))
	})

	It("M5, F3: loses the turn with a settle that names no call", func() {
		b := parkedBy()
		b.step(resumes("may-i", `true`))
		b.answer(`{"actions":[{"type":"tool.result","result":"lifted"}]}`)
		Expect(b.outcomes[len(b.outcomes)-1].Failure.Info.Code).To(Equal(spec.CodeInvalidResponse))
		Expect(b.turned[len(b.turned)-1].Event.Event).To(Equal(spec.TurnFailed))
	})

	It("A1: keeps session.start ahead of all in a session that is parked at once", func() {
		b := newBench(testConfig())
		b.step(Interrupt{Reason: "not yet"})
		Expect(b.lastTrigger()).To(Equal(spec.OnSessionStart))
		b.fail(httpStatus(503))
		b.step(resumes("interrupt-1", ``))
		b.step(Tick{To: b.Now() + 2*time.Second})
		Expect(b.lastTrigger()).To(Equal(spec.OnSessionStart))
		Expect(b.last().Delivery).To(Equal(2))
		b.answer(harbourConfig)
		Expect(b.lastTrigger()).To(Equal(spec.OnInterruptResumed))
	})
})
