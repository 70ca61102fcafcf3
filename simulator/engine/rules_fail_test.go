package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("N4: the end of a turn by failure", func() {
	const fail = `{"type":"fail","error":{"message":"the kiln is cold","code":"internal"}}`
	failed := func(b *bench) {
		GinkgoHelper()
		last := b.turned[len(b.turned)-1].Event
		Expect(last.Event).To(Equal(spec.TurnFailed))
		Expect(last.Error).To(Equal(&spec.ErrorInfo{Message: "the kiln is cold", Code: spec.CodeInternal}))
		Expect(b.TurnOpen()).To(BeFalse())
	}

	It("voids what is in flight and drops what is queued, and no turn.finished follows", func() {
		b := executing(testConfig(), "c1", "c2")
		b.answer(`{"actions":[` + fail + `]}`)
		failed(b)
		Expect(b.InFlight()).To(BeFalse(), "neither the other tool.execute nor turn.finished")
		Expect(b.Calls()).To(BeEmpty())
		id := "c1"
		reply := of[InputReply](b.step(Settle{spec.ToolResultAction{ID: &id, Result: jsontext.Value(`1`)}}))[0]
		Expect(reply).To(Equal(InputReply{Status: 409, Error: "effect is not pending"}))
		_, waits := b.NextTimer()
		Expect(waits).To(BeFalse(), "no deadline is left")
	})

	It("voids the model call that is out, whose reply nobody waits for", func() {
		b := opened(testConfig())
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "stop"}})
		b.answer(`{"actions":[` + fail + `]}`)
		failed(b)
		Expect(b.step(says(b.asked[0].Call, "Yes."))).To(BeEmpty())
	})

	It("keeps what the same answer records", func() {
		b := opened(testConfig())
		b.step(calls(b.asked[0].Call, [3]string{"c1", "crane_status", `{}`}))
		b.answer(`{"messages":` + string(marshal(b.last().Request.Proposed.Messages)) + `,"state":{"n":1},"actions":[` + fail + `]}`)
		failed(b)
		Expect(b.Transcript()).To(HaveLen(2))
		Expect(string(b.State())).To(Equal(`{"n":1}`))
	})

	It("undoes what the same answer asked for before it, and begins nothing after it", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		call := `{"type":"tool.call","name":"crane_status","arguments":"{}"}`
		b.answer(`{"actions":[{"type":"done","data":"Yes."},` + call + `,` + fail + `,` + call + `,` +
			`{"type":"llm.call"},{"type":"interrupt","reason":"r"},{"type":"done"},` + fail + `]}`)
		failed(b)
		Expect(b.lastOutcome().Applied).To(Equal([]bool{true, true, true, false, false, false, false, false}))
		Expect(b.InFlight()).To(BeFalse())
		Expect(b.asked).To(HaveLen(1))
		Expect(b.turned).To(HaveLen(2))
	})

	It("starts the input that was held, which the rest of the answer does not touch", func() {
		b := opened(testConfig())
		held := user("and then?")
		held.Input.Queue, held.Input.TurnID = true, "t-held"
		b.step(held)
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[` + fail + `,{"type":"done","data":"no"},{"type":"interrupt","reason":"r"}]}`)
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnFailed))
		Expect(b.turned[2].Event).To(Equal(spec.TurnEvent{TurnID: "t-held", Event: spec.TurnStarted}))
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientMessages))
		Expect(b.TurnOpen()).To(BeTrue())
	})

	It("leaves a session that takes the next message", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[` + fail + `]}`)
		b.step(user("once more"))
		Expect(*b.last().Request.TurnID).To(Equal("turn-2"))
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientMessages))
		b.echo()
		Expect(b.asked).To(HaveLen(2))
	})

	It("ends a turn whose turn.finished is out, with the error and not with the output", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		b.echo()
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnTurnFinished))
		b.answer(`{"actions":[` + fail + `]}`)
		failed(b)
		Expect(b.turned[1].Event.Data).To(BeNil())
	})

	It("drops the redelivery of nothing: a decision that waits for its own retry goes out again", func() {
		b := opened(testConfig())
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "a"}})
		b.fail(httpStatus(503))
		waiting := b.last().Decision
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[` + fail + `]}`)
		failed(b)
		b.step(Tick{To: b.Now() + 2*time.Second})
		Expect(b.last().Decision).To(Equal(waiting), "D3")
	})

	It("opens no turn when an action is answered so while none runs", func() {
		b := newBench(testConfig())
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "a"}})
		b.answer(harbourConfig)
		b.answer(`{"actions":[{"type":"tool.call","name":"crane_status","arguments":"{}"},` + fail + `]}`)
		Expect(b.turned).To(BeEmpty())
		Expect(b.Calls()).To(BeEmpty())
	})
})
