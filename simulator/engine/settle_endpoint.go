package engine

import (
	"net/http"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// settleAsMachine takes what came through the settle endpoint. The holder of an
// API key may settle any call that is open, wherever it runs (I2, J2).
func (e *Engine) settleAsMachine(by spec.Action) InputReply {
	if f := spec.ResolveSettle(by); f != nil {
		return refused(http.StatusBadRequest, f.Info.Message)
	}
	switch t := by.(type) {
	case spec.ToolResultAction:
		return e.settleFromOutside(*t.ID, t.Attempt, t)
	case spec.ToolErrorAction:
		return e.settleFromOutside(*t.ID, t.Attempt, t)
	case spec.LlmResultAction:
		return e.settleModelCall(*t.ID, t.Attempt, t)
	case spec.LlmErrorAction:
		return e.settleModelCall(*t.ID, t.Attempt, t)
	default:
		return refused(http.StatusUnprocessableEntity, string(by.ActionType())+" settles nothing")
	}
}

// settleModelCall settles a model call that the worker hosts (I2). One that the
// engine asks itself is settled by nobody else. Tool ids and model-call ids are
// separate (C7).
func (e *Engine) settleModelCall(id string, attempt *uint32, by spec.Action) InputReply {
	switch e.whyNotLlm(id, attempt) {
	case "":
	case droppedUnknown:
		return refused(http.StatusNotFound, "effect not found")
	case droppedElsewhere:
		return refused(http.StatusForbidden, "caller may not settle this effect")
	case droppedAttempt:
		return refused(http.StatusConflict, "effect attempt mismatch")
	default:
		return refused(http.StatusConflict, "effect is not pending")
	}
	if t, ok := by.(spec.LlmResultAction); ok {
		format := e.callFormat(id)
		if _, fault := spec.ParseResponseAs(format, t.Response); fault != nil {
			return refused(http.StatusBadRequest, "llm.result response cannot be read: "+fault.Error())
		}
	}
	settled := settledBy(id, by.ActionType(), e.settleLlm(id, attempt, by))
	return InputReply{Status: http.StatusOK, Settled: []spec.Settled{settled}}
}

// submitted takes an answer that came through the worker-submit endpoint and
// returns the time that it took. It counts like the answer to the request, which
// then finds the decision answered (I2, D6). What cannot be resolved is
// answered and fails no turn: the decision stays live (F4).
func (e *Engine) submitted(s Submit) (InputReply, time.Duration) {
	d := e.decisions[s.Decision]
	if d == nil {
		return refused(http.StatusNotFound, "effect not found"), 0
	}
	if f := spec.ResolveSubmission(s.Answer); f != nil {
		return refused(http.StatusBadRequest, f.Info.Message), 0
	}
	if reason := whyDropped(d); reason != "" {
		return InputReply{Status: http.StatusOK, Dropped: reason}, 0
	}
	f := spec.ResolveDecision(s.Answer, d.trigger, e.known())
	if f != nil {
		return refused(http.StatusBadRequest, f.Info.Message), 0
	}
	reply := InputReply{Status: http.StatusOK}
	_, reply.Settled = e.apply(d, s.Answer)
	return reply, e.cfg.Pace
}
