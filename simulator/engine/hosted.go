package engine

import (
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/provider"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// executeLlm hands an attempt that has begun to the worker that hosts the model
// (wire 4): its llm.execute queues like any other decision (G5). Bytes that the
// conversation refers to are put in, since a worker cannot fetch them (wire 7).
func (e *Engine) executeLlm(c *llmCall) {
	c.handed = false
	request := shown(c.request)
	request.Messages = e.inlined(request.Messages)
	format := spec.FormatOf(c.hosted)
	e.emit(AskModel{Call: c.id, Request: request, Stream: c.stream, Worker: true})
	body, err := provider.Request(format, request)
	if err != nil {
		// A conversation that a provider's form cannot hold.
		e.failLlm(c, spec.ErrorInfo{Message: err.Error(), Code: spec.CodeInternal}, false)
		return
	}
	e.enqueue(&decision{
		llm: c, try: c.failures + 1,
		trigger: spec.LlmExecuteTrigger{
			ID: c.id, Request: body, Format: format, Stream: c.stream,
			Attempt: e.wireAttempt(c.failures), Deadline: e.wireTime(c.deadline),
		},
	})
}

// whyNotLlm says why a model call cannot be settled now, "" when it can. One
// that the engine itself asks is settled by nobody else (F2, H10).
func (e *Engine) whyNotLlm(id string, attempt *uint32) string {
	c := e.llms[id]
	switch {
	case c == nil:
		return droppedUnknown
	case c.hosted == "" && c.status == statusPending:
		return droppedElsewhere
	default:
		return e.whyNotOpen(&c.attempts, attempt)
	}
}

// settleLlm ends a model call, or this attempt of it, with an llm.result or
// llm.error. The first answer wins (F2). A result must read in the format in
// which the call was asked; what does not was refused before (F3).
func (e *Engine) settleLlm(id string, attempt *uint32, by spec.Action) fate {
	if reason := e.whyNotLlm(id, attempt); reason != "" {
		return fate{then: thenDropped, reason: reason}
	}
	c := e.llms[id]
	switch t := by.(type) {
	case spec.LlmErrorAction:
		info := toolcall.ErrorOf(spec.ToolErrorAction{Error: t.Error, Code: t.Code, Detail: t.Detail})
		e.emit(Replied{Call: id, Error: &info})
		return e.failLlm(c, info, t.Retryable != nil && *t.Retryable)
	case spec.LlmResultAction:
		response, fault := spec.ParseResponseAs(spec.FormatOf(c.hosted), t.Response)
		if fault != nil {
			return fate{then: thenDropped, reason: droppedUnread}
		}
		response = ownResponse(response)
		e.emit(Replied{Call: id, Response: &response})
		e.finishLlm(c, Reply{Call: id, Response: &response})
		return fate{then: thenFinished}
	}
	return fate{then: thenDropped}
}

// failLlm takes the failure of an attempt: another one follows if the failure
// may be retried and attempts remain, else the call ends with it (H4).
func (e *Engine) failLlm(c *llmCall, info spec.ErrorInfo, retryable bool) fate {
	c.failures++
	c.handed = false
	if retryable && c.mayRetry() {
		c.status = statusWaiting
		c.retryAt = e.now + toolcall.Wait(c.policy, c.failures)
		return fate{then: thenRetry, at: c.retryAt}
	}
	e.finishLlm(c, Reply{Call: c.id, Error: &info})
	return fate{then: thenFinished}
}

// ownResponse copies what a response may share with the body it was read from.
func ownResponse(r spec.LlmResponse) spec.LlmResponse {
	r.Reasoning = r.Reasoning.Clone()
	if r.Usage != nil {
		usage := *r.Usage
		usage.Provider = usage.Provider.Clone()
		r.Usage = &usage
	}
	return r
}

// publish hands on the pieces of a streamed model answer, as far as its stream
// is one: with a sequence of the call's own from 0, over all its attempts. They
// are in no log (D11).
func (e *Engine) publish(d *decision, a spec.Answer) {
	t, ok := d.trigger.(spec.LlmExecuteTrigger)
	if !ok || !t.Stream || d.llm == nil || !a.Streams() {
		return
	}
	spec.ReadStream(a.Body, func(f spec.StreamFrame) bool {
		if f.Event != spec.FrameTokenDelta {
			return false
		}
		if spec.CheckDelta(t, f.Data) != nil {
			return false
		}
		e.emit(Delta{Call: t.ID, Sequence: d.llm.deltas, Data: append([]byte(nil), f.Data...)})
		d.llm.deltas++
		return true
	})
}
