package engine

import (
	"encoding/base64"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// hosting is a session whose model the worker hosts, with the llm.execute out.
func hosting(form string, retry *spec.RetryOverride) *bench {
	cfg := testConfig()
	cfg.Hosted = form
	cfg.Retry.Llm = retry
	b := opened(cfg)
	Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnLlmExecute))
	return b
}

func (b *bench) executeLlm() spec.LlmExecuteTrigger {
	GinkgoHelper()
	t, ok := b.last().Request.Trigger.(spec.LlmExecuteTrigger)
	Expect(ok).To(BeTrue(), "the last trigger is %T", b.last().Request.Trigger)
	return t
}

func (b *bench) finishedLlm() spec.LlmFinishedTrigger {
	GinkgoHelper()
	t, ok := b.last().Request.Trigger.(spec.LlmFinishedTrigger)
	Expect(ok).To(BeTrue(), "the last trigger is %T", b.last().Request.Trigger)
	return t
}

const (
	hostedWords = `{"actions":[{"type":"llm.result","response":{"model":"m-small","content":"Yes.","finish_reason":"stop"}}]}`
	hostedCall  = `{"actions":[{"type":"llm.result","response":{"model":"m-small","finish_reason":"tool_calls","tool_calls":[` +
		`{"id":"c1","type":"function","function":{"name":"crane_status","arguments":"{}"}}]}}]}`
)

// streamed is an answer by these pieces, then a decision when it is not "".
func streamed(decision string, pieces ...string) spec.Answer {
	body := ""
	for _, p := range pieces {
		body += "event: llm.token.delta\ndata: " + p + "\n\n"
	}
	if decision != "" {
		body += "event: decision.result\ndata: " + decision + "\n\n"
	}
	return spec.Answer{Status: 200, Headers: [][2]string{{"content-type", "text/event-stream"}}, Body: []byte(body), End: spec.EndWhole}
}

var _ = Describe("wire 4: a model that the worker hosts", func() {
	It("is asked by an llm.execute that proposes nothing", func() {
		b := hosting(spec.HostedNative, nil)
		Expect(b.asked).To(HaveLen(1))
		Expect(b.asked[0].Worker).To(BeTrue())
		_, waits := b.Asked()
		Expect(waits).To(BeFalse(), "nobody else replies")
		d, t := b.last(), b.executeLlm()
		Expect(d.Call).To(Equal(b.asked[0].Call))
		Expect(d.Try).To(Equal(1))
		Expect(t.Format).To(BeEmpty())
		Expect(t.Stream).To(BeTrue())
		Expect(t.Attempt).To(BeZero())
		Expect(t.Deadline.Sub(start)-d.Sent).To(Equal(240*time.Second), "H7: queue and run time-out")
		Expect(d.Request.Proposed.Decision).To(Equal(spec.Decision{Messages: []spec.DraftMessage{}, Actions: []spec.Action{}}))
		Expect(d.Request.PendingCalls).To(BeZero(), "G6: model calls are not counted")
		Expect(d.Request.Calls).To(HaveLen(1))
		Expect(d.Request.Calls[0].Kind).To(Equal(spec.CallLlm))
		Expect(d.Request.Calls[0].Handler).To(Equal(spec.HandlerWorker))
		request, fault := spec.ParseLlmRequest(t.Request)
		Expect(fault).To(BeNil())
		Expect(request.Messages).To(HaveLen(2), "the system prompt and the user's message")
		Expect(request.Tools).To(HaveLen(3))
	})

	It("goes on like any model call once it is settled", func() {
		b := hosting(spec.HostedNative, nil)
		call := b.asked[0].Call
		effects := b.answer(hostedCall)
		Expect(of[Replied](effects)[0].Response.ToolCalls).To(HaveLen(1))
		Expect(b.lastOutcome().Event.Settled).To(Equal([]spec.Settled{{Call: call, By: "llm.result", Then: "finished"}}))
		Expect(b.finishedLlm().Message.ID).To(Equal(call), "C3")
		b.echo()
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnToolExecute))
		b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
		b.echo()
		Expect(b.executeLlm().ID).NotTo(Equal(call), "G10: the same call again under a new id")
		request, _ := spec.ParseLlmRequest(b.executeLlm().Request)
		Expect(request.Messages).To(HaveLen(4))
		b.answer(hostedWords)
		b.echo()
		b.echo()
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnCompleted))
		Expect(string(b.turned[1].Event.Data)).To(Equal(`"Yes."`))
	})

	DescribeTable("is asked and answers in a provider's form",
		func(form, key, response string) {
			b := hosting(form, nil)
			t := b.executeLlm()
			Expect(t.Format).To(Equal(form))
			_, has := jsonv.Get(t.Request, key)
			Expect(has).To(BeTrue(), "%s in %s", key, t.Request)
			_, has = jsonv.Get(t.Request, "/stream")
			Expect(has).To(BeFalse(), "the trigger carries it")
			b.answer(`{"actions":[{"type":"llm.result","response":` + response + `}]}`)
			Expect(string(b.finishedLlm().Message.Content)).To(Equal(`"Yes."`))
			Expect(b.finishedLlm().Usage.Total).To(BeEquivalentTo(12))
		},
		Entry("openai", "openai", "/tools/0/function/parameters",
			`{"model":"m","choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`),
		Entry("anthropic", "anthropic", "/tools/0/input_schema",
			`{"model":"m","content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":2}}`),
	)

	It("F3: fails the turn by a response in another form, in the decision that names its id too", func() {
		b := hosting("openai", nil)
		b.answer(hostedWords)
		Expect(b.lastOutcome().Failure.Info.Param).To(Equal("response"))
		Expect(b.turned[1].Event.Event).To(Equal(spec.TurnFailed))

		b = hosting("anthropic", nil)
		id := b.executeLlm().ID
		b.answer(`{}`)
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "again"}})
		b.answer(`{"actions":[{"type":"llm.result","id":` + strconv.Quote(id) + `,"response":{"model":"m","content":"Yes."}}]}`)
		Expect(b.lastOutcome().Failure.Info.Message).To(ContainSubstring("in format anthropic"))
	})

	It("H4, H5: is tried again when its error says so", func() {
		b := hosting(spec.HostedNative, nil)
		id := b.executeLlm().ID
		for attempt := range 4 {
			Expect(b.executeLlm().Attempt).To(BeEquivalentTo(attempt))
			Expect(b.last().Try).To(Equal(attempt + 1))
			b.answer(`{"actions":[{"type":"llm.error","error":"overloaded","retryable":true,"code":"rate_limited"}]}`)
			Expect(b.lastOutcome().Event.Settled[0].Then).To(Equal("retry"))
			timer, _ := b.NextTimer()
			Expect(timer.Why).To(Equal("retry"))
			b.step(Tick{To: timer.At})
		}
		Expect(b.executeLlm().ID).To(Equal(id))
		b.answer(`{"actions":[{"type":"llm.error","error":"overloaded","retryable":true,"code":"rate_limited"}]}`)
		Expect(b.finishedLlm().OK).To(BeFalse(), "H1: five attempts")
		Expect(b.finishedLlm().Error.Code).To(Equal(spec.CodeRateLimited))
	})

	It("F14, H4: ends for good by an error that does not ask for more", func() {
		b := hosting(spec.HostedNative, nil)
		effects := b.answer(`{"actions":[{"type":"llm.error","error":"no such model","detail":{"model":"m"}}]}`)
		Expect(of[Replied](effects)[0].Error.Message).To(Equal("no such model"))
		Expect(b.finishedLlm().Error.Code).To(Equal(spec.CodeHandlerError))
		Expect(string(b.finishedLlm().Error.Detail)).To(Equal(`{"model":"m"}`))
	})

	It("I1, I5: stays open after the empty decision and is settled in a later one", func() {
		b := hosting(spec.HostedNative, nil)
		id := b.executeLlm().ID
		b.answer(`null`)
		Expect(b.HeldByWorker()).To(BeTrue())
		Expect(b.InFlight()).To(BeFalse())
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "poll"}})
		Expect(b.last().Request.Calls[0].ID).To(Equal(id))
		b.answer(`{"actions":[{"type":"llm.result","id":` + strconv.Quote(id) + `,"response":{"model":"m","content":"Yes."}}]}`)
		Expect(b.HeldByWorker()).To(BeFalse())
		Expect(b.finishedLlm().ID).To(Equal(id))
	})

	DescribeTable("F2: drops what settles nothing",
		func(actions string, applied []bool, reason string) {
			b := hosting(spec.HostedNative, nil)
			b.answer(`{"actions":[` + actions + `]}`)
			Expect(b.lastOutcome().Applied).To(Equal(applied))
			settled := b.lastOutcome().Event.Settled
			Expect(settled[len(settled)-1].Reason).To(Equal(reason))
		},
		Entry("an unknown call", `{"type":"llm.result","id":"nobody","response":{"model":"m"}}`, []bool{false}, "unknown call"),
		Entry("another attempt", `{"type":"llm.error","attempt":3,"error":"e"}`, []bool{false}, "not the current attempt"),
		Entry("the second answer", `{"type":"llm.result","response":{"model":"m"}},{"type":"llm.error","error":"e"}`, []bool{true, false}, "the call is finished"),
	)

	It("F2: drops what would settle a call that the engine asks itself", func() {
		b := opened(testConfig())
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "poll"}})
		b.answer(`{"actions":[{"type":"llm.result","id":` + strconv.Quote(b.asked[0].Call) + `,"response":{"model":"m"}}]}`)
		Expect(b.lastOutcome().Event.Settled[0].Reason).To(Equal("the call does not run on the worker"))
		Expect(b.missing).To(BeEmpty())
	})

	It("H4, H7: is tried again after its run time-out, and ends with its total", func() {
		b := hosting(spec.HostedNative, nil)
		b.answer(`{}`)
		var attempts []uint32
		for range 20 {
			timer, ok := b.NextTimer()
			if !ok || b.last().Request.Trigger.TriggerType() != spec.OnLlmExecute {
				break
			}
			b.step(Tick{To: timer.At})
			if b.InFlight() && b.last().Request.Trigger.TriggerType() == spec.OnLlmExecute {
				attempts = append(attempts, b.executeLlm().Attempt)
				b.answer(`{}`)
			}
		}
		Expect(attempts).To(Equal([]uint32{1, 2, 3, 4}))
		Expect(b.finishedLlm().Error.Code).To(Equal(spec.CodeDeadlineExceeded))

		total := uint32(250)
		b = hosting(spec.HostedNative, &spec.RetryOverride{TotalTimeoutSecs: &total})
		b.answer(`{}`)
		b.step(Tick{To: 255 * time.Second})
		Expect(b.executeLlm().Attempt).To(BeEquivalentTo(1))
		b.answer(hostedWords)
		Expect(b.lastOutcome().Event.Settled[0].Then).To(Equal("dropped"), "G2")
		Expect(b.finishedLlm().OK).To(BeFalse(), "the second attempt ends with the total")
	})

	It("M1: is voided by an interrupt, with the llm.execute that waits", func() {
		b := hosting(spec.HostedNative, nil)
		b.fail(httpStatus(503))
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "stop"}})
		b.answer(`{"actions":[{"type":"interrupt","reason":"ask"}]}`)
		b.step(Tick{To: b.Now() + time.Hour})
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientAction))
		Expect(b.Calls()).To(BeEmpty())
	})

	It("O5: is voided with the path that it was asked on", func() {
		b := hosting(spec.HostedNative, nil)
		b.fail(httpStatus(503))
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "fork"}})
		b.answer(`{"messages":[{"role":"user","content":"another branch"}]}`)
		b.step(Tick{To: b.Now() + time.Minute})
		Expect(b.Calls()).To(BeEmpty())
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnClientAction))
	})

	It("G5: queues its llm.execute behind what was queued before", func() {
		b := hosting(spec.HostedNative, nil)
		b.answer(hostedCall)
		b.answer(`{"actions":[{"type":"tool.call","id":"x1","name":"crane_status","arguments":"{}"},{"type":"llm.call","id":"m2"},` +
			`{"type":"tool.call","id":"x2","name":"crane_status","arguments":"{}"}]}`)
		var order []string
		for range 3 {
			order = append(order, b.last().Call)
			b.answer(`{}`)
		}
		Expect(order).To(Equal([]string{"x1", "m2", "x2"}))
	})

	It("wire 7: is sent the bytes that were stored", func() {
		png := base64.StdEncoding.EncodeToString([]byte("not a real picture"))
		for _, c := range [][2]string{
			{`{"type":"image","data":"` + png + `","mimeType":"image/png"}`, `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png + `"}}`},
			{`{"type":"audio","data":"` + png + `","mimeType":"audio/wav"}`, `{"type":"input_audio","input_audio":{"data":"` + png + `","format":"wav"}}`},
			{`{"type":"resource","resource":{"uri":"file:///a/plan.pdf","mimeType":"application/pdf","blob":"` + png + `"}}`,
				`{"type":"file","file":{"filename":"plan.pdf","file_data":"data:application/pdf;base64,` + png + `"}}`},
			{`{"type":"image","data":"` + png + `","mimeType":"video/mp4"}`, `{"type":"video_url","video_url":{"url":"data:video/mp4;base64,` + png + `"}}`},
		} {
			b := hosting(spec.HostedNative, nil)
			b.answer(hostedCall)
			b.echo()
			b.answer(`{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"a"},` + c[0] + `]}}]}`)
			b.echo()
			request, fault := spec.ParseLlmRequest(b.executeLlm().Request)
			Expect(fault).To(BeNil())
			content := request.Messages[len(request.Messages)-1].Content
			Expect(string(content)).To(Equal(`[{"type":"text","text":"a"},` + string(jsonv.Sorted([]byte(c[1]))) + `]`))
			Expect(string(b.last().Request.Messages[len(b.last().Request.Messages)-1].Content)).To(ContainSubstring("blob://"), "the log holds none")
		}
	})

	It("has one of three forms", func() {
		cfg := testConfig()
		cfg.Hosted = "smoke-signals"
		_, err := New(cfg)
		Expect(err).To(MatchError(`engine config: hosted "smoke-signals" is none of native, openai, anthropic`))
	})
})

var _ = Describe("D11: a streamed model answer", func() {
	It("hands its pieces on with a sequence of the call's own, over all attempts", func() {
		b := hosting(spec.HostedNative, nil)
		sequence := func(effects []Effect) (all []int) {
			for _, d := range of[Delta](effects) {
				Expect(d.Call).To(Equal(b.asked[0].Call))
				all = append(all, d.Sequence)
			}
			return all
		}
		Expect(sequence(b.fail(streamed("", `{"text":"Ye"}`, `{"text":"s"}`)))).To(Equal([]int{0, 1}))
		Expect(b.lastOutcome().Event.Class).To(Equal("retryable"))
		b.step(Tick{To: b.Now() + 2*time.Second})
		Expect(sequence(b.fail(streamed(`{"actions":[{"type":"llm.error","error":"e","retryable":true}]}`, `{"text":"Y"}`)))).To(Equal([]int{2}))
		b.step(Tick{To: b.Now() + 2*time.Second})
		Expect(sequence(b.fail(streamed(hostedWords, `{"text":"Yes."}`)))).To(Equal([]int{3}))
		Expect(b.finishedLlm().OK).To(BeTrue())
	})

	It("hands nothing on that spoils the stream, or that nobody asked to stream", func() {
		b := hosting(spec.HostedNative, nil)
		Expect(of[Delta](b.fail(streamed(hostedWords, `{"text":"Yes"}`, `{"text":5}`, `{"text":"."}`)))).To(HaveLen(1))
		Expect(b.lastOutcome().Event.Class).To(Equal("fatal"))

		cfg := testConfig()
		cfg.Hosted = spec.HostedNative
		b = newBench(cfg)
		b.step(user("hello"))
		b.answer(harbourConfig)
		b.answer(`{"actions":[{"type":"llm.call","stream":false}]}`)
		Expect(b.executeLlm().Stream).To(BeFalse())
		Expect(of[Delta](b.fail(streamed(hostedWords, `{"text":"Yes"}`)))).To(BeEmpty())
	})

	It("takes any JSON as a piece in a provider's form", func() {
		b := hosting("openai", nil)
		body := `{"actions":[{"type":"llm.result","response":{"model":"m","choices":[{"message":{"content":"Yes."}}]}}]}`
		Expect(of[Delta](b.fail(streamed(body, `{"choices":[{"delta":{"content":"Yes."}}]}`, `[]`)))).To(HaveLen(2))
		Expect(b.finishedLlm().OK).To(BeTrue())
	})
})

var _ = Describe("R5: resuming a model call that the worker hosts", func() {
	request := func() spec.DecisionRequest {
		b := hosting("openai", nil)
		return b.last().Request
	}

	It("takes its form from the llm.execute", func() {
		r := request()
		r.Calls[0].Attempt = 0
		e, _, err := Resume(testConfig(), r)
		Expect(err).NotTo(HaveOccurred())
		effects := e.Step(Answer{Decision: r.DecisionID, Delivery: 1, Answer: ok200(
			`{"actions":[{"type":"llm.result","response":{"model":"m","choices":[{"message":{"content":"Yes."}}]}}]}`)})
		Expect(of[Deliver](effects)[0].Request.Trigger.TriggerType()).To(Equal(spec.OnLlmFinished))
	})

	It("makes the call that the request does not list", func() {
		r := request()
		r.Calls = nil
		e, assumed, err := Resume(testConfig(), r)
		Expect(err).NotTo(HaveOccurred())
		Expect(assumed).To(ContainElement(ContainSubstring("the request does not list it")))
		effects := e.Step(Answer{Decision: r.DecisionID, Delivery: 1, Answer: ok200(`{"actions":[{"type":"llm.error","error":"e"}]}`)})
		Expect(of[Deliver](effects)[0].Request.Trigger.TriggerType()).To(Equal(spec.OnLlmFinished))
	})

	It("leaves one that another trigger lists with the worker", func() {
		r := request()
		r.Trigger = spec.ClientActionTrigger{Name: "poll"}
		e, assumed, err := Resume(testConfig(), r)
		Expect(err).NotTo(HaveOccurred())
		Expect(e.HeldByWorker()).To(BeTrue())
		Expect(assumed).To(ContainElement(ContainSubstring("the worker has model call")))
	})
})

var _ = Describe("I2: a model call settled at the endpoint", func() {
	settle := func(b *bench, action spec.Action) InputReply {
		return of[InputReply](b.step(Settle{action}))[0]
	}

	It("ends like one that is settled in an answer", func() {
		b := hosting("openai", nil)
		id := b.executeLlm().ID
		b.answer(`{}`)
		Expect(settle(b, spec.LlmResultAction{ID: &id, Response: []byte(`{"model":"m","content":"Yes."}`)})).To(And(
			HaveField("Status", 400), HaveField("Error", ContainSubstring(`chat completion lacks "choices"`))))
		other := uint32(7)
		Expect(settle(b, spec.LlmErrorAction{ID: &id, Attempt: &other, Error: "e"}).Error).To(Equal("effect attempt mismatch"))
		response := []byte(`{"model":"m","choices":[{"message":{"content":"Yes."}}]}`)
		reply := settle(b, spec.LlmResultAction{ID: &id, Response: response})
		Expect(reply.Status).To(Equal(200))
		Expect(reply.Settled).To(Equal([]spec.Settled{{Call: id, By: "llm.result", Then: "finished"}}))
		Expect(b.finishedLlm().OK).To(BeTrue())
		Expect(settle(b, spec.LlmResultAction{ID: &id, Response: response}).Error).To(Equal("effect is not pending"))
	})

	It("is tried again by an error that says so", func() {
		b := hosting(spec.HostedNative, nil)
		id := b.executeLlm().ID
		b.answer(`{}`)
		retryable := true
		Expect(settle(b, spec.LlmErrorAction{ID: &id, Error: "busy", Retryable: &retryable}).Settled[0].Then).To(Equal("retry"))
		Expect(settle(b, spec.LlmErrorAction{ID: &id, Error: "busy"}).Error).To(Equal("effect is not pending"), "H10")
		b.step(Tick{To: b.Now() + 2*time.Second})
		Expect(b.executeLlm().Attempt).To(BeEquivalentTo(1))
	})
})
