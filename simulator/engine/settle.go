package engine

import (
	"net/http"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// fate is what became of a settle.
type fate struct {
	then string
	// at is the engine time of the retry.
	at     time.Duration
	reason string
}

// The values of Settled.Then.
const (
	thenFinished = "finished"
	thenRetry    = "retry"
	thenDropped  = "dropped"
)

// The reasons why a settle is dropped (F2).
const (
	droppedUnknown   = "unknown call"
	droppedFinished  = "the call is finished"
	droppedVoided    = "the call was voided"
	droppedQueued    = "the call is not dispatched yet"
	droppedWaits     = "the call waits for its retry"
	droppedAttempt   = "not the current attempt"
	droppedElsewhere = "the call does not run on the worker"
	// The last one is about model calls.
	droppedUnread = "the response does not read"
)

// whyNot says why a call cannot be settled now, "" when it can. A nil attempt
// is the current one (F2, H10).
func (e *Engine) whyNot(id string, attempt *uint32) string {
	c := e.tools[id]
	if c == nil {
		return droppedUnknown
	}
	if c.child != nil && c.status.open() {
		return droppedElsewhere // its child alone ends it
	}
	return e.whyNotOpen(&c.attempts, attempt)
}

// whyNotOpen is whyNot for a call that is known.
func (e *Engine) whyNotOpen(c *attempts, attempt *uint32) string {
	switch c.status {
	case statusQueued:
		return droppedQueued
	case statusWaiting:
		return droppedWaits
	case statusVoided:
		return droppedVoided
	case statusDone, statusFailed:
		return droppedFinished
	}
	if attempt != nil && *attempt != e.wireAttempt(c.failures) {
		return droppedAttempt
	}
	return ""
}

// settle ends a call, or this attempt of it, with a tool.result or tool.error.
// The first answer wins (F2).
func (e *Engine) settle(id string, attempt *uint32, by spec.Action) fate {
	if reason := e.whyNot(id, attempt); reason != "" {
		return fate{then: thenDropped, reason: reason}
	}
	c := e.tools[id]
	switch t := by.(type) {
	case spec.ToolErrorAction:
		return e.failTool(c, toolcall.ErrorOf(t), t.Retryable != nil && *t.Retryable)
	case spec.ToolResultAction:
		tool, _, _ := e.seen(c.id, c.name)
		stored := toolcall.ReadResult(t, blobs{e})
		if message, ok := toolcall.CheckOutput(stored, tool.Output); !ok {
			return e.failTool(c, toolcall.OutputError(message), false) // F11
		}
		c.status, c.result = statusDone, &stored
		return e.finishTool(c)
	}
	return fate{then: thenDropped}
}

// failTool takes the failure of an attempt: another one follows if the failure
// may be retried and attempts remain, else the call ends with it (H4, H6).
func (e *Engine) failTool(c *toolCall, info spec.ErrorInfo, retryable bool) fate {
	c.failures++
	c.handed = false
	if retryable && c.mayRetry() {
		c.status = statusWaiting
		c.retryAt = e.now + toolcall.Wait(c.policy, c.failures)
		return fate{then: thenRetry, at: c.retryAt}
	}
	c.status, c.err = statusFailed, &info
	return e.finishTool(c)
}

// finishTool queues the one tool.finished of a call (F13, F14, F15), or its
// subagent.finished (L3).
func (e *Engine) finishTool(c *toolCall) fate {
	if c.child != nil {
		e.enqueue(&decision{call: c, trigger: finishedChild(c)})
		return fate{then: thenFinished}
	}
	e.enqueue(&decision{call: c, trigger: spec.ToolFinishedTrigger{
		ID: c.id, OK: c.err == nil, Name: c.name, Result: c.result, Error: c.err,
	}})
	return fate{then: thenFinished}
}

// settleAsClient settles a call for the session's owner (F4, J1, J2). Faults
// are answered and change nothing.
func (e *Engine) settleAsClient(c spec.ClientInput) InputReply {
	var by spec.Action
	if c.Type == spec.InputToolError {
		if c.Error == nil || c.Retryable == nil {
			return refused(http.StatusUnprocessableEntity, "tool.error must state error and retryable")
		}
		by = spec.ToolErrorAction{Error: *c.Error, Retryable: c.Retryable}
	} else {
		by = spec.ToolResultAction{Result: c.Result}
	}
	if call := e.tools[c.ID]; call != nil && call.handler != spec.HandlerClient {
		return refused(http.StatusForbidden, "caller may not settle this effect")
	}
	reply := e.settleFromOutside(c.ID, c.Attempt, by)
	if reply.Error == "" {
		reply.Status, reply.TurnID = http.StatusAccepted, e.runningTurn()
	}
	return reply
}

// settleFromOutside settles a call outside a decision. Faults are answered and
// change nothing (F4).
func (e *Engine) settleFromOutside(id string, attempt *uint32, by spec.Action) InputReply {
	switch e.whyNot(id, attempt) {
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
	settled := settledBy(id, by.ActionType(), e.settle(id, attempt, by))
	return InputReply{Status: http.StatusOK, Settled: []spec.Settled{settled}}
}

func refused(status int, text string) InputReply { return InputReply{Status: status, Error: text} }

// settledBy is what a recording keeps of a settle.
func settledBy(call string, by spec.ActionType, f fate) spec.Settled {
	s := spec.Settled{Call: call, By: string(by), Then: f.then, Reason: f.reason}
	if f.then == thenRetry {
		s.At = f.at.Milliseconds()
	}
	return s
}

func (e *Engine) runningTurn() string {
	if t := e.turns.running; t != nil {
		return t.id
	}
	return ""
}
