package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// settling reads a body of the settle endpoint.
func settling(body string) Settle {
	a, fault := spec.ParseSettle([]byte(body))
	if fault != nil {
		panic(fault)
	}
	return Settle{a}
}

// submitting reads an answer for the worker-submit endpoint.
func submitting(decision, body string) Submit {
	d, fault := spec.ParseDecision([]byte(body))
	if fault != nil {
		panic(fault)
	}
	return Submit{Decision: decision, Answer: d}
}

// reply is the engine's answer to an event.
func (b *bench) reply(ev Event) InputReply { return of[InputReply](b.step(ev))[0] }

const high = `{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"high"}]}}`

var _ = Describe("I: the settle endpoint", func() {
	It("I1, I2, F4: takes one answer, before or after the empty decision, and refuses the second", func() {
		for _, emptyFirst := range []bool{true, false} {
			b := executing(testConfig())
			if emptyFirst {
				b.answer(`{}`)
				Expect(b.Held()).To(Equal([]string{"c1"}))
			}
			Expect(b.reply(settling(high))).To(Equal(InputReply{
				Status: 200, Settled: []spec.Settled{{Call: "c1", By: "tool.result", Then: "finished"}},
			}))
			if !emptyFirst {
				b.answer(`{}`)
			}
			Expect(b.Held()).To(BeEmpty())
			Expect(b.last().Request.Trigger).To(HaveField("OK", true))
			Expect(b.reply(settling(high))).To(Equal(InputReply{Status: 409, Error: "effect is not pending"}))
			Expect(b.delivered).To(HaveLen(5))
		}
	})

	It("F4: names what it refuses", func() {
		b := executing(testConfig())
		for body, want := range map[string]InputReply{
			`{"type":"tool.result","id":"c9","result":1}`:                             {Status: 404, Error: "effect not found"},
			`{"type":"tool.result","id":"c1","attempt":7,"result":1}`:                 {Status: 409, Error: "effect attempt mismatch"},
			`{"type":"tool.error","id":"","error":"no","retryable":false}`:            {Status: 404, Error: "effect not found"},
			`{"type":"llm.error","id":"c1","error":"no"}`:                             {Status: 404, Error: "effect not found"},
			`{"type":"llm.result","id":"llm_call-1","response":{"model":"m"}}`:        {Status: 409, Error: "effect is not pending"},
			`{"type":"llm.result","id":"llm_call-1","response":"x"}`:                  {Status: 400, Error: "llm.result response cannot be read: expected an object"},
			`{"type":"tool.result","id":"c1","result":1,"content":[]}`:                {Status: 400, Error: "tool.result names both `result` and `content`; send one"},
			`{"type":"tool.error","id":"c1","attempt":1,"error":"","retryable":true}`: {Status: 409, Error: "effect attempt mismatch"},
		} {
			Expect(b.reply(settling(body))).To(Equal(want), body)
		}
		Expect(b.InFlight()).To(BeTrue())
		Expect(b.outcomes).NotTo(ContainElement(HaveField("Event.As", "failed")))
	})

	It("F4: leaves a model call to the engine that runs it", func() {
		b := opened(testConfig())
		Expect(b.reply(settling(`{"type":"llm.error","id":"llm_call-1","error":"no"}`))).To(
			Equal(InputReply{Status: 403, Error: "caller may not settle this effect"}))
	})

	It("H10: settles the current attempt without naming it, and nothing while a retry waits", func() {
		cfg := testConfig()
		three, base := uint32(3), uint32(2)
		cfg.Retry.Tool = &spec.RetryOverride{MaxAttempts: &three, BackoffBaseSecs: &base, BackoffMaxSecs: &base}
		b := executing(cfg)
		b.answer(`{}`)
		busy := `{"type":"tool.error","id":"c1","error":"busy","retryable":true}`
		Expect(b.reply(settling(busy)).Settled).To(Equal(
			[]spec.Settled{{Call: "c1", By: "tool.error", Then: "retry", At: (b.Now() + 2*time.Second).Milliseconds()}}))
		Expect(b.reply(settling(high))).To(Equal(InputReply{Status: 409, Error: "effect is not pending"}))
		b.step(Tick{To: b.Now() + 2*time.Second})
		b.answer(`{}`)
		late := `{"type":"tool.result","id":"c1","attempt":0,"result":"old"}`
		Expect(b.reply(settling(late))).To(Equal(InputReply{Status: 409, Error: "effect attempt mismatch"}))
		Expect(b.reply(settling(high)).Status).To(Equal(200))
	})

	It("F12, I4: holds a settled result against the output schema, flagged or not", func() {
		for _, flag := range []string{"", `,"is_error":true`} {
			b := newBench(testConfig())
			b.step(user("hello"))
			b.answer(`{"agent":{"model":"m","llm":"main","tools":[{"name":"depth","output":{"type":"number"}}]}}`)
			b.echo()
			b.step(calls(b.asked[0].Call, [3]string{"c1", "depth", `{}`}))
			b.echo()
			b.answer(`{}`)
			Expect(b.reply(settling(`{"type":"tool.result","id":"c1","result":"deep"` + flag + `}`)).Status).To(Equal(200))
			t := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
			Expect(t.OK).To(BeFalse())
			Expect(t.Error.Code).To(Equal(spec.CodeInvalidResponse))
			Expect(t.Error.Param).To(Equal("output"))
		}
	})

	It("I5: is no more than one way, a later decision settles by id as well", func() {
		b := executing(testConfig(), "c2")
		b.answer(`{}`)
		b.answer(`{"actions":[{"type":"tool.result","id":"c1","result":"high"},{"type":"tool.result","result":"come"}]}`)
		Expect(b.lastOutcome().Event.Settled).To(HaveLen(2))
		Expect(b.reply(settling(high)).Status).To(Equal(409))
	})

	It("D3: finds a call voided that went with its turn", func() {
		b := executing(testConfig())
		b.fail(httpStatus(400))
		Expect(b.reply(settling(high))).To(Equal(InputReply{Status: 409, Error: "effect is not pending"}))
	})
})

var _ = Describe("I: the worker-submit endpoint", func() {
	It("I2, D6: answers the live decision, and the answer to the request is dropped", func() {
		b := executing(testConfig())
		d := b.last()
		reply := b.reply(submitting(d.Decision, `{"actions":[{"type":"tool.result","id":"c1","result":"high"}],"state":{"n":1}}`))
		Expect(reply).To(Equal(InputReply{Status: 200, Settled: []spec.Settled{{Call: "c1", By: "tool.result", Then: "finished"}}}))
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnToolFinished))
		Expect(string(b.State())).To(Equal(`{"n":1}`))
		b.step(Answer{Decision: d.Decision, Delivery: 1, Answer: ok200(`{"state":{"n":2}}`)})
		Expect(b.lastOutcome().Event).To(Equal(spec.OutcomeEvent{As: "dropped", Reason: "the decision was answered already"}))
		Expect(string(b.State())).To(Equal(`{"n":1}`))
	})

	It("I2: succeeds and changes nothing for a decision that is no longer live", func() {
		b := executing(testConfig())
		d := b.last()
		b.fail(httpStatus(503))
		settles := `{"actions":[{"type":"tool.result","id":"c1","result":"high"}]}`
		Expect(b.reply(submitting(d.Decision, settles))).To(Equal(InputReply{Status: 200, Dropped: "the decision waits for its retry"}))
		b.step(Tick{To: b.Now() + 2*time.Second})
		b.answer(`{}`)
		Expect(b.reply(submitting(d.Decision, settles))).To(Equal(InputReply{Status: 200, Dropped: "the decision was answered already"}))
		Expect(b.Held()).To(Equal([]string{"c1"}))
	})

	It("F4: refuses what cannot be resolved and leaves the decision live", func() {
		b := executing(testConfig())
		d := b.last()
		for body, want := range map[string]string{
			`{"actions":[{"type":"tool.result","result":"high"}]}`:              "tool.result omitted its id, which a submitted decision must name",
			`{"actions":[{"type":"tool.error","error":"no"}]}`:                  "tool.error omitted its id, which a submitted decision must name",
			`{"actions":[{"type":"llm.error","error":"no"}]}`:                   "llm.error omitted its id, which a submitted decision must name",
			`{"actions":[{"type":"llm.call","llm":"main"}]}`:                    "llm.call omitted `model`, which a submitted decision must name",
			`{"actions":[{"type":"llm.call","model":"m"}]}`:                     "llm.call omitted `llm`, which a submitted decision must name",
			`{"agent":{"model":"m","tools":[{"name":"x","handler":"server"}]}}`: "`server` is not a valid handler for a declared tool",
		} {
			Expect(b.reply(submitting(d.Decision, body))).To(Equal(InputReply{Status: 400, Error: want}), body)
		}
		Expect(b.reply(submitting("d-99", `{}`))).To(Equal(InputReply{Status: 404, Error: "effect not found"}))
		Expect(b.InFlight()).To(BeTrue())
	})

	It("F1: takes the attempt of the tool.execute that it answers", func() {
		b := executing(testConfig())
		id, other := "c1", uint32(4)
		reply := b.reply(Submit{Decision: b.last().Decision, Answer: spec.Decision{Actions: []spec.Action{
			spec.ToolResultAction{ID: &id, Attempt: &other, Result: jsontext.Value(`1`)},
			spec.ToolResultAction{ID: &id, Result: jsontext.Value(`2`)},
		}}})
		Expect(reply.Settled).To(Equal([]spec.Settled{
			{Call: "c1", By: "tool.result", Then: "dropped", Reason: "not the current attempt"},
			{Call: "c1", By: "tool.result", Then: "finished"},
		}))
	})
})
