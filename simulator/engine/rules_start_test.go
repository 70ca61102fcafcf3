package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("A: the start of a session", func() {
	It("A1: delivers nothing before session.start has settled, its retry included", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "refresh"}})
		Expect(b.delivered).To(HaveLen(1))
		b.fail(httpStatus(503))
		Expect(b.InFlight()).To(BeFalse())
		Expect(b.delivered).To(HaveLen(1))
		timer, ok := b.NextTimer()
		Expect(ok).To(BeTrue())
		Expect(timer).To(Equal(Timer{At: 2 * time.Second, Why: "retry", Of: "decision-1"}))
		b.step(Tick{To: timer.At})
		Expect(b.delivered).To(HaveLen(2))
		b.answer(`{}`)
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientMessages), "arrival order")
	})

	It("A1: lets no retry pass a session.start that is owed again", func() {
		b := newBench(testConfig())
		act := Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "refresh"}}
		b.step(act)
		b.fail(httpStatus(400))
		b.answer(`{"actions":[{"type":"tool.call","name":"t","arguments":"{}","retry":{"max_attempts":2,"backoff_base_secs":1,"backoff_max_secs":1}}]}`)
		b.answer(`{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`)
		b.step(act)
		b.fail(httpStatus(503))
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAppend, TurnID: "t", Queue: true, Messages: []spec.DraftMessage{{Role: spec.RoleUser}}}})
		Expect(b.TurnOpen()).To(BeTrue(), "the action's turn runs, so the input is held")
		b.step(Tick{To: 1500 * time.Millisecond})
		Expect(b.last().Try).To(Equal(2))
		b.answer(`{"actions":[{"type":"fail","error":{"message":"m","code":"internal"}}]}`)
		Expect(b.last().Request.Trigger).To(Equal(spec.SessionStartTrigger{}))
		b.fail(httpStatus(503))
		before := len(b.delivered)
		b.step(Tick{To: 3 * time.Second})
		Expect(b.delivered).To(HaveLen(before), "the action has been due for a while")
		b.step(Tick{To: 4 * time.Second})
		Expect(b.last().Request.Trigger).To(Equal(spec.SessionStartTrigger{}))
	})

	It("A2: shows nothing at the first delivery, and the turn at a redelivery", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		body, err := b.last().Body(start)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(body)).To(Equal(`{"session_id":"s-1","decision_id":"decision-1","agent_id":"harbour",` +
			`"identity":{"visibility":"shared","metadata":{}},"trigger":{"type":"session.start"},` +
			`"proposed":{"messages":[],"actions":[],"state":null},"state":null,"agent":null,"calls":[],` +
			`"pending_calls":0,"messages":[],"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,` +
			`"deadline":"2026-08-28T12:00:20.000Z","turn_id":null}`))
		b.fail(httpStatus(503))
		b.step(Tick{To: 3 * time.Second})
		Expect(b.last().Request.Attempts).To(BeEquivalentTo(1))
		Expect(*b.last().Request.TurnID).To(Equal("turn-1"))
	})

	It("A4: lets config and state of session.start hold for every branch", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(`{"agent":{"model":"m-small","llm":"main"},"state":{"day":1}}`)
		b.answer(`{"messages":[{"id":"a","role":"user","content":"one"}],"state":{"day":2}}`)
		Expect(string(b.State())).To(Equal(`{"day":2}`))
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "fork"}})
		b.answer(`{"messages":[{"id":"b","role":"user","content":"two"}]}`)
		Expect(string(b.State())).To(Equal(`{"day":1}`))
		Expect(b.Agent().Model).To(Equal("m-small"))
	})

	It("A5: fails the waiting turn and starts again ahead of the next user's message", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.fail(httpStatus(400))
		Expect(b.turned).To(HaveLen(2))
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnFailed))
		Expect(b.turned[1].Event.Error.Code).To(Equal(spec.CodeHandlerError))
		Expect(b.InFlight()).To(BeFalse())

		b.step(user("hello again"))
		Expect(b.last().Request.Trigger).To(Equal(spec.SessionStartTrigger{}))
		Expect(*b.last().Request.TurnID).To(Equal("turn-1"), "the last turn that is over")
		b.answer(harbourConfig)
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientMessages))
	})

	It("A5: starts again ahead of what is queued", func() {
		b := newBench(testConfig())
		act := Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "refresh"}}
		b.step(act)
		b.fail(httpStatus(400))
		b.step(act)
		b.step(user("hello"))
		b.answer(`{}`)
		Expect(b.last().Request.Trigger).To(Equal(spec.SessionStartTrigger{}))
		b.answer(`{}`)
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientAction))
	})

	It("A5: does not start again for a full view or an action", func() {
		for _, in := range []spec.ClientInput{
			{Type: spec.InputClientMessages, Messages: []spec.DraftMessage{{Role: spec.RoleUser}}},
			{Type: spec.InputClientAction, Name: "refresh"},
			{Type: spec.InputClientAppend, Messages: []spec.DraftMessage{{Role: spec.RoleAssistant}}},
		} {
			b := newBench(testConfig())
			b.step(user("hello"))
			b.fail(httpStatus(400))
			b.step(Input{Input: in})
			Expect(b.last().Request.Trigger.TriggerType()).NotTo(Equal(spec.OnSessionStart), in.Type)
		}
	})
})

var _ = Describe("B: client messages and turns", func() {
	running := func() *bench { return opened(testConfig()) }
	said := func(in spec.ClientInput) Input { return Input{Input: in} }

	It("B1: appends to the path as it is at delivery and drops what is recorded", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(harbourConfig)
		b.answer(`{"messages":[{"id":"u1","role":"user","content":"hello"}],"actions":[{"type":"done"}]}`)
		b.echo()
		b.step(said(spec.ClientInput{Type: spec.InputClientAppend, Messages: []spec.DraftMessage{
			{ID: "u1", Role: spec.RoleUser}, {ID: "u2", Role: spec.RoleUser, Content: jsontext.Value(`"and?"`)},
		}}))
		t := b.last().Request.Trigger.(spec.ClientMessagesTrigger)
		Expect(t.NewFrom).To(BeEquivalentTo(1))
		Expect(t.Messages).To(HaveLen(2))
		Expect(t.Messages[1].ID).To(Equal("u2"))
	})

	It("B1: keeps a client.message that is no user's from the worker", func() {
		b := running()
		before := len(b.delivered)
		b.step(said(spec.ClientInput{Type: spec.InputClientMessage, Message: &spec.DraftMessage{Role: spec.RoleAssistant}}))
		Expect(b.replied[1].Status).To(Equal(202))
		Expect(b.delivered).To(HaveLen(before))
	})

	It("B3: drops the system messages that a client sent, not those that are recorded", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(harbourConfig)
		b.answer(`{"messages":[{"id":"s1","role":"system","content":"House rules."}],"actions":[{"type":"done"}]}`)
		b.echo()
		b.step(said(spec.ClientInput{Type: spec.InputClientAppend, Messages: []spec.DraftMessage{
			{ID: "s2", Role: spec.RoleSystem}, {ID: "u2", Role: spec.RoleUser},
		}}))
		var ids []string
		for _, m := range b.last().Request.Proposed.Messages {
			ids = append(ids, m.ID)
		}
		Expect(ids).To(Equal([]string{"s1", "u2"}))
	})

	DescribeTable("B2: a full view keeps the longest known prefix",
		func(view []string, want []string, newFrom int) {
			b := newBench(testConfig())
			b.step(user("hello"))
			b.answer(harbourConfig)
			b.answer(`{"messages":[{"id":"u1","role":"user"},{"id":"m1","role":"assistant","tool_calls":[` +
				`{"id":"c1","type":"function","function":{"name":"tide_table","arguments":"{}"}}]},` +
				`{"id":"t1","role":"tool","tool_call_id":"c1","content":"04:12"}],"actions":[{"type":"done"}]}`)
			b.echo()
			var messages []spec.DraftMessage
			for _, id := range view {
				m := spec.DraftMessage{ID: id, Role: spec.RoleUser}
				if id == "tool of c1" {
					m = spec.DraftMessage{Role: spec.RoleTool, ToolCallID: "c1"}
				}
				messages = append(messages, m)
			}
			b.step(said(spec.ClientInput{Type: spec.InputClientMessages, Messages: messages}))
			t := b.last().Request.Trigger.(spec.ClientMessagesTrigger)
			var got []string
			for _, m := range t.Messages {
				got = append(got, m.ID)
			}
			Expect(got).To(Equal(want))
			Expect(t.NewFrom).To(BeEquivalentTo(newFrom))
		},
		Entry("no news", []string{"u1", "m1", "t1"}, []string{"u1", "m1", "t1"}, 3),
		Entry("a tool message without id", []string{"u1", "m1", "tool of c1"}, []string{"u1", "m1", "t1"}, 3),
		Entry("an edit", []string{"u9", "m1"}, []string{"u9", "m1"}, 0),
		Entry("news in the middle", []string{"u1", "", "t1"}, []string{"u1", "", "t1"}, 1),
	)

	It("B5: refuses a second input, holds a queued one, and repeats nothing", func() {
		b := running()
		b.step(user("second"))
		Expect(b.replied[1]).To(Equal(InputReply{Status: 409, TurnID: "turn-1", Error: "turn already active: turn-1"}))
		for range 2 {
			held := user("held")
			held.Input.Queue, held.Input.TurnID = true, "t-held"
			b.step(held)
		}
		Expect(b.replied[2]).To(Equal(InputReply{Status: 202, TurnID: "t-held", Queued: true}))
		Expect(b.replied[3]).To(Equal(InputReply{Status: 202, TurnID: "t-held"}))
		same := user("same")
		same.Input.TurnID = "turn-1"
		b.step(same)
		Expect(b.replied[4]).To(Equal(InputReply{Status: 202, TurnID: "turn-1"}))

		b.step(says(b.asked[0].Call, "Yes."))
		b.echo()
		b.echo()
		Expect(b.turned).To(HaveLen(3))
		Expect(b.turned[2].Event).To(Equal(spec.TurnEvent{TurnID: "t-held", Event: spec.TurnStarted}))
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientMessages))
		b.step(same)
		Expect(b.replied[5]).To(Equal(InputReply{Status: 202, TurnID: "turn-1"}), "a finished turn")
		Expect(b.turned).To(HaveLen(3))
	})

	It("B6: completes a turn that is in its last decision when the next input comes", func() {
		b := running()
		b.step(says(b.asked[0].Call, "Yes."))
		b.echo()
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnTurnFinished))
		b.step(user("next"))
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnCompleted))
		Expect(b.turned[2].Event.TurnID).To(Equal("turn-2"))
		b.echo()
		Expect(b.turned).To(HaveLen(3), "its answer completes nothing twice")
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientMessages))
	})

	It("B8, B9: lets an action open a turn only by starting work, and end none", func() {
		b := newBench(testConfig())
		act := said(spec.ClientInput{Type: spec.InputClientAction, Name: "refresh"})
		b.step(act)
		b.answer(harbourConfig)
		b.answer(`{"state":{"n":1}}`)
		Expect(b.turned).To(BeEmpty())
		b.step(act)
		b.answer(`{"actions":[{"type":"tool.call","name":"tide_table","arguments":"{}"}]}`)
		Expect(b.turned[0].Event.TurnID).To(Equal("action:decision-3"))
		b.answer(`{}`)
		b.step(act)
		b.fail(httpStatus(400))
		Expect(b.TurnOpen()).To(BeTrue())
	})
})
