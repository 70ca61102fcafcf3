package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

func sends(c spec.ClientInput) Input { return Input{Input: c} }

// sees is a client's full view: the path so far and more.
func (b *bench) sees(more ...spec.DraftMessage) Input {
	return sends(spec.ClientInput{Type: spec.InputClientMessages, Messages: append(b.tree.transcript(), more...)})
}

func answerOf(call, text string) spec.DraftMessage {
	return spec.DraftMessage{Role: spec.RoleTool, ToolCallID: call, Content: jsontext.Value(`"` + text + `"`)}
}

// asking is a session in which the model made calls, "id tool" each.
func asking(cfg Config, made ...[2]string) *bench {
	b := opened(cfg)
	var list [][3]string
	for _, m := range made {
		list = append(list, [3]string{m[0], m[1], `{}`})
	}
	b.step(calls(b.asked[0].Call, list...))
	b.echo()
	return b
}

func (b *bench) lastReply() InputReply { return b.replied[len(b.replied)-1] }

func (b *bench) lastTrigger() spec.TriggerType { return b.last().Request.Trigger.TriggerType() }

var _ = Describe("B: what a client offers, shows and does", func() {
	offering := func(tools ...spec.AgentTool) *bench {
		b := newBench(testConfig())
		in := user("Is berth 7 free?")
		in.Input.Client = &spec.ClientContext{Tools: tools}
		b.step(in)
		b.answer(harbourConfig)
		return b
	}

	It("B4: merges the client's tools into the proposed call and config, and runs them at the client", func() {
		b := offering(spec.AgentTool{Name: "show_map", Handler: spec.HandlerClient}, spec.AgentTool{Name: "show_map"},
			spec.AgentTool{Name: "tide_table", Handler: spec.HandlerClient})
		p := b.last().Request.Proposed
		Expect(p.Agent.Tools).To(HaveLen(4), "a name that is taken, twice offered or declared, is ignored")
		Expect(p.Agent.Tools[3]).To(Equal(spec.AgentTool{Name: "show_map", Handler: spec.HandlerClient}))
		Expect(p.Actions[0].(spec.LlmCallAction).Tools).To(HaveLen(4))
		b.echo()
		Expect(b.asked[0].Request.Tools).To(HaveLen(4))
		b.step(calls(b.asked[0].Call, [3]string{"k", "show_map", `{`}))
		b.echo()
		Expect(b.InFlight()).To(BeFalse(), "J1, J4: no tool.execute, and nothing reads the arguments")
		Expect(b.Calls()[0].Handler).To(Equal(spec.HandlerClient))
		Expect(*b.Calls()[0].Arguments).To(Equal(`{`))
	})

	It("B4: proposes no config when nothing was added, and keeps an entry as it was sent", func() {
		b := offering(spec.AgentTool{Name: "crane_status", Handler: spec.HandlerClient})
		Expect(b.last().Request.Proposed.Agent).To(BeNil())
		b = offering(spec.AgentTool{Name: "show_map"})
		b.echo()
		b.step(calls(b.asked[0].Call, [3]string{"k", "show_map", `{}`}))
		b.echo()
		Expect(b.lastTrigger()).To(Equal(spec.OnToolExecute), "without a handler it runs on the worker")
	})

	It("B4: loses the client's tools when the answer drops the config", func() {
		b := offering(spec.AgentTool{Name: "show_map", Handler: spec.HandlerClient})
		d := b.last().Request.Proposed.Decision
		d.Agent = nil
		b.answer(string(marshal(d)))
		b.step(calls(b.asked[0].Call, [3]string{"k", "show_map", `{}`}))
		b.echo()
		Expect(b.lastTrigger()).To(Equal(spec.OnToolExecute), "C6: nobody declares it, so the worker is asked")
	})

	It("B7: takes a view whose one change is an answer for a settle", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		before := len(b.Transcript())
		b.step(b.sees(answerOf("k", "aye")))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 202, TurnID: "turn-1"}))
		Expect(b.Transcript()).To(HaveLen(before), "the view is not recorded")
		t := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
		Expect([]any{t.ID, t.OK, *t.Result.Content[0].Text}).To(Equal([]any{"k", true, "aye"}))
		Expect(b.turned).To(HaveLen(1))
		b.step(b.sees(answerOf("k", "no")))
		Expect(b.lastReply().Status).To(Equal(409), "the call is over, so this is a second input")
	})

	It("B7: settles without tool.finished when more has changed, and carries the whole view", func() {
		b := asking(testConfig(), [2]string{"k1", "ask_pilot"}, [2]string{"k2", "ask_pilot"})
		delivered := len(b.delivered)
		b.step(b.sees(answerOf("k1", "aye"), answerOf("k1", "no"), answerOf("k2", "later")))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 202, TurnID: "turn-1"}))
		Expect(*b.tools["k1"].result.Content[0].Text).To(Equal("aye"), "the first of two counts")
		Expect(b.delivered).To(HaveLen(delivered + 1))
		t := b.last().Request.Trigger.(spec.ClientMessagesTrigger)
		Expect([]int{len(t.Messages), int(t.NewFrom)}).To(Equal([]int{5, 2}))
		Expect(b.last().Request.PendingCalls).To(BeZero())
		b.echo()
		Expect(b.asked).To(HaveLen(2))
		Expect(b.turned).To(HaveLen(1), "the turn that the calls kept open goes on")
		Expect(b.Transcript()).To(HaveLen(5))
	})

	It("B7: sees more than an answer in a view of another path", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		view := append(b.tree.transcript()[:1:1], spec.DraftMessage{Role: spec.RoleUser, Content: jsontext.Value(`"edited"`)}, answerOf("k", "aye"))
		b.step(sends(spec.ClientInput{Type: spec.InputClientMessages, Messages: view}))
		Expect(b.lastTrigger()).To(Equal(spec.OnClientMessages))
		Expect(b.tools["k"].status).To(Equal(statusDone))
	})

	It("B7: takes no answer for a call of the worker, one that is over or one that waits for its retry", func() {
		b := asking(testConfig(), [2]string{"c", "crane_status"})
		b.step(b.sees(answerOf("c", "mine")))
		Expect(b.lastReply().Error).To(Equal("turn already active: turn-1"))

		cfg := testConfig()
		two := uint32(2)
		cfg.Retry.Client = &spec.RetryOverride{MaxAttempts: &two, BackoffBaseSecs: &two, BackoffMaxSecs: &two}
		b = asking(cfg, [2]string{"k", "ask_pilot"})
		text, yes := "asleep", true
		b.step(sends(spec.ClientInput{Type: spec.InputToolError, ID: "k", Error: &text, Retryable: &yes}))
		b.step(b.sees(answerOf("k", "aye")))
		Expect(b.lastReply().Status).To(Equal(409))
		b.step(Tick{To: b.Now() + 2*time.Second})
		b.step(b.sees(answerOf("k", "aye")))
		Expect(b.lastTrigger()).To(Equal(spec.OnToolFinished))
	})

	It("B7: skips the output schema, reads parts, and says what it does not read", func() {
		cfg := testConfig()
		b := newBench(cfg)
		b.step(user("hello"))
		b.answer(`{"agent":{"model":"m","llm":"main","tools":[{"name":"ask_pilot","handler":"client","output":{"type":"number"}}]}}`)
		b.echo()
		b.step(calls(b.asked[0].Call, [3]string{"k", "ask_pilot", `{}`}))
		b.echo()
		m := answerOf("k", "")
		m.Content = jsontext.Value(`[{"type":"text","text":"no number"},{"type":"link","uri":"u:1","name":"n"},` +
			`{"type":"image_url","image_url":{"url":"https://x.example/1"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},` +
			`{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}},{}]`)
		b.step(b.sees(m))
		t := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
		Expect(t.OK).To(BeTrue(), "gap 23")
		Expect(t.Result.Content).To(HaveLen(4))
		Expect(t.Result.Content[2].URI).To(Equal("https://x.example/1"))
		Expect(t.Result.Content[3].Type).To(Equal(spec.BlockBlob))
		Expect(b.missing).To(Equal([]Unsupported{{What: "a client's answer with input_audio inside its view"}}))
	})

	It("B7: does not guess what an appended answer does", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		b.step(sends(spec.ClientInput{Type: spec.InputClientAppend, Messages: []spec.DraftMessage{answerOf("k", "aye")}}))
		Expect(b.missing).To(Equal([]Unsupported{{What: "a client's answer to a call in messages that it appends"}}))
	})

	It("B7: opens a turn for a view when none runs, and completes one in its last decision", func() {
		open := func() *bench {
			b := opened(testConfig())
			b.step(calls(b.asked[0].Call, [3]string{"k", "ask_pilot", `{}`}))
			b.answer(`{"actions":[{"type":"tool.call","id":"k","name":"ask_pilot","arguments":"{}"},{"type":"done"}]}`)
			Expect(b.lastTrigger()).To(Equal(spec.OnTurnFinished))
			return b
		}
		more := spec.DraftMessage{Role: spec.RoleUser, Content: jsontext.Value(`"and?"`)}
		b := open()
		b.step(b.sees(answerOf("k", "aye"), more))
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnCompleted))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 202, TurnID: "turn-2"}))
		b = open()
		b.echo()
		b.step(b.sees(answerOf("k", "aye"), more))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 202, TurnID: "turn-2"}))
		Expect(b.lastTrigger()).To(Equal(spec.OnClientMessages))
	})

	It("B7, M1: settles a call of a parked session, and takes no other view", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"}, [2]string{"c", "crane_status"})
		b.answer(`{"actions":[{"type":"interrupt","reason":"ask"}]}`)
		b.step(b.sees(answerOf("k", "aye"), spec.DraftMessage{Role: spec.RoleUser}))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 409, Error: "session is interrupted"}))
		Expect(b.tools["k"].status.open()).To(BeTrue())
		b.step(b.sees(answerOf("k", "aye")))
		Expect(b.lastReply().Status).To(Equal(202))
		Expect(b.InFlight()).To(BeFalse(), "its decision waits")
	})

	It("B8: proposes nothing for an action and lets it open a turn by starting work", func() {
		b := newBench(testConfig())
		act := sends(spec.ClientInput{Type: spec.InputClientAction, Name: "refresh", Args: jsontext.Value(`{"quay":2}`)})
		b.step(act)
		b.answer(harbourConfig)
		Expect(b.last().Request.Trigger).To(Equal(spec.ClientActionTrigger{Name: "refresh", Args: jsontext.Value(`{"quay":2}`)}))
		Expect(b.last().Request.Proposed.IsEmpty()).To(BeTrue())
		Expect(b.last().Request.TurnID).To(BeNil())
		b.answer(`{"state":{"n":1},"messages":[{"id":"u1","role":"user","content":"note"}]}`)
		Expect(b.turned).To(BeEmpty())
		for n, work := range []string{
			`{"actions":[{"type":"tool.call","id":"k","name":"ask_pilot","arguments":"{}"}]}`,
			`{"messages":[{"id":"u1","role":"user"}],"actions":[{"type":"llm.call"}]}`,
		} {
			b.step(act)
			d := b.last().Decision
			b.answer(work)
			Expect(b.turned[2*n].Event).To(Equal(spec.TurnEvent{TurnID: "action:" + d, Event: spec.TurnStarted}))
			if n == 0 {
				b.step(sends(spec.ClientInput{Type: spec.InputToolResult, ID: "k", Result: jsontext.Value(`1`)}))
				Expect(*b.last().Request.TurnID).To(Equal("action:" + d))
				b.answer(`{"actions":[{"type":"done"}]}`)
				b.echo()
			}
		}
		Expect(b.TurnOpen()).To(BeTrue())
	})

	It("B8: takes an action into the turn that runs, and delivers it while the session is parked", func() {
		b := opened(testConfig())
		act := sends(spec.ClientInput{Type: spec.InputClientAction, Name: "refresh"})
		b.step(act)
		Expect(*b.last().Request.TurnID).To(Equal("turn-1"))
		b.answer(`{"actions":[{"type":"tool.call","name":"ask_pilot","arguments":"{}"},{"type":"interrupt","reason":"ask"}]}`)
		Expect(b.turned).To(HaveLen(1))
		b.step(act)
		Expect(b.lastTrigger()).To(Equal(spec.OnClientAction))
	})

	It("B9: ends nothing when the delivery of an action fails", func() {
		b := opened(testConfig())
		b.step(sends(spec.ClientInput{Type: spec.InputClientAction, Name: "refresh"}))
		b.fail(httpStatus(400))
		Expect(b.TurnOpen()).To(BeTrue())
		_, asked := b.Asked()
		Expect(asked).To(BeTrue(), "the model call goes on")
	})
})

var _ = Describe("J: client tools", func() {
	result := func(id string) spec.ClientInput {
		return spec.ClientInput{Type: spec.InputToolResult, ID: id, Result: jsontext.Value(`"aye"`)}
	}

	It("J1, J3: keeps a client's call open without a deadline until its client answers", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		Expect(b.InFlight()).To(BeFalse(), "no tool.execute")
		Expect(b.HeldByWorker()).To(BeFalse())
		Expect(b.Calls()[0].Deadline).To(BeNil(), "H7: no run time-out, no deadline")
		_, timer := b.NextTimer()
		Expect(timer).To(BeFalse())
		b.step(Tick{To: 1000 * time.Hour})
		b.step(sends(result("k")))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 202, TurnID: "turn-1", Settled: []spec.Settled{{Call: "k", By: "tool.result", Then: "finished"}}}))
		Expect(b.lastTrigger()).To(Equal(spec.OnToolFinished))
	})

	It("J1: gives the worker a client's failure", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		text, no := "nobody on the bridge", false
		b.step(sends(spec.ClientInput{Type: spec.InputToolError, ID: "k", Error: &text, Retryable: &no}))
		t := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
		Expect(*t.Error).To(Equal(spec.ErrorInfo{Message: text, Code: spec.CodeHandlerError}))
	})

	DescribeTable("J2, F4: refuses in the words of the protocol and changes nothing",
		func(change func(*Input), want InputReply) {
			b := asking(testConfig(), [2]string{"k", "ask_pilot"}, [2]string{"c", "crane_status"})
			in := sends(result("k"))
			change(&in)
			before := string(marshal(b.Calls()))
			b.step(in)
			Expect(b.lastReply()).To(Equal(want))
			Expect(string(marshal(b.Calls()))).To(Equal(before))
		},
		Entry("another end user", func(in *Input) { in.Stranger = true }, InputReply{Status: 403, Error: "session access denied"}),
		Entry("another kind of call", func(in *Input) { in.Input.ID = "c" }, InputReply{Status: 403, Error: "caller may not settle this effect"}),
		Entry("no such call", func(in *Input) { in.Input.ID = "x" }, InputReply{Status: 404, Error: "effect not found"}),
		Entry("another attempt", func(in *Input) { n := uint32(4); in.Input.Attempt = &n }, InputReply{Status: 409, Error: "effect attempt mismatch"}),
		Entry("an error without retryable", func(in *Input) {
			text := "no"
			in.Input.Type, in.Input.Error = spec.InputToolError, &text
		}, InputReply{Status: 422, Error: "tool.error must state error and retryable"}),
	)

	It("J2, F4: refuses a second answer", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		b.step(sends(result("k")))
		b.step(sends(result("k")))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 409, Error: "effect is not pending"}))
	})

	It("J2: lets an API key and the worker settle a client's call", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		Expect(b.reply(settling(`{"type":"tool.result","id":"k","result":1}`)).Status).To(Equal(200))
		b = asking(testConfig(), [2]string{"k", "ask_pilot"}, [2]string{"c", "crane_status"})
		b.answer(`{"actions":[{"type":"tool.result","result":"free"},{"type":"tool.result","id":"k","result":"aye"}]}`)
		Expect(b.tools["k"].status).To(Equal(statusDone))
	})

	It("J2: refuses whatever another end user sends", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		in := user("hello")
		in.Stranger = true
		b.step(in)
		Expect(b.lastReply()).To(Equal(InputReply{Status: 403, Error: "session access denied"}))
	})

	It("F12: holds a client's result to the output schema, unlike one in a view", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(`{"agent":{"model":"m","llm":"main","tools":[{"name":"ask_pilot","handler":"client","output":{"type":"number"}}]}}`)
		b.echo()
		b.step(calls(b.asked[0].Call, [3]string{"k", "ask_pilot", `{}`}))
		b.echo()
		b.step(sends(result("k")))
		Expect(b.last().Request.Trigger.(spec.ToolFinishedTrigger).OK).To(BeFalse())
	})

	It("G3: leaves the worker free while a client's call is open", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"}, [2]string{"c", "crane_status"})
		Expect(b.last().Request.PendingCalls).To(BeEquivalentTo(2))
		b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
		Expect(b.last().Request.PendingCalls).To(BeEquivalentTo(1))
		b.echo()
		Expect(b.asked).To(HaveLen(1), "G8: the model waits for the client")
		b.step(sends(result("k")))
		b.echo()
		Expect(b.asked).To(HaveLen(2))
	})
})
