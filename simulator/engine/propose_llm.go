package engine

import (
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// proposeLlmFinished records the model's answer and goes on with it: its calls
// in its own order, or the end of the turn (C1, C2).
func (e *Engine) proposeLlmFinished(t spec.LlmFinishedTrigger) spec.Decision {
	if !t.OK || t.Truncated || t.Refused || t.Message == nil {
		return e.proposeLlmFailed(t)
	}
	d := spec.Decision{Messages: append(e.tree.transcript(), *t.Message)}
	for _, c := range t.Message.ToolCalls {
		d.Actions = append(d.Actions, e.proposeCall(c))
	}
	if d.Actions == nil {
		data := t.Message.Content
		if data == nil {
			data = null
		}
		d.Actions = []spec.Action{spec.DoneAction{Data: data}}
	}
	return d
}

func (e *Engine) proposeCall(c spec.ToolCall) spec.Action {
	if config := e.config.current; config.OffersSubagent(c.Function.Name) {
		return proposeSpawn(config, c)
	}
	return spec.ToolCallAction{ID: &c.ID, Name: c.Function.Name, Arguments: jsonv.Quote(c.Function.Arguments)}
}

// proposeLlmFailed is the continuation of a model call that failed, was cut or
// was refused: an interrupt in the baseline, a fail in later engines (C5, gap
// 9). What the model said is not recorded.
func (e *Engine) proposeLlmFailed(t spec.LlmFinishedTrigger) spec.Decision {
	reason := "llm call failed"
	info := spec.ErrorInfo{Code: spec.CodeProviderError}
	switch {
	case t.Error != nil:
		reason += ": " + t.Error.Message
		info = *t.Error
	case t.Truncated:
		reason = "llm call truncated"
	case t.Refused:
		reason = "llm call refused"
		info.Code = spec.CodeRefused
	}
	d := spec.Decision{Messages: e.tree.transcript()}
	if e.cfg.Dialect.FailedCall == dialectFail {
		if t.Error == nil {
			info.Message = reason
		}
		d.Actions = []spec.Action{spec.FailAction{Error: info}}
		return d
	}
	payload, err := spec.Marshal(failedPayload{
		Type: "llm.failed", ID: t.ID, Error: t.Error, Truncated: t.Truncated, Refused: t.Refused,
	})
	if err != nil {
		// Only a detail that is no JSON can do this; the rest still tells.
		payload = []byte(`{"type":"llm.failed"}`)
	}
	d.Actions = []spec.Action{spec.InterruptAction{Reason: reason, Payload: payload}}
	return d
}

// failedPayload is the payload of that interrupt (C5).
type failedPayload struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Error     *spec.ErrorInfo `json:"error"`
	Truncated bool            `json:"truncated"`
	Refused   bool            `json:"refused"`
}
