package engine

import (
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// origin is how a call is traced back: the assistant message of the active path
// that made it, and the request that message answers (E2, G10).
type origin struct {
	// place is the index of the assistant message on the path.
	place   int
	message spec.Message
	// call is nil when the message's id is that of no model call (E3, C3).
	call *llmCall
}

// trace finds where the call came from. A call that no message of the active
// path made cannot be traced (E3).
func (e *Engine) trace(id string) (origin, bool) {
	for i := len(e.tree.path) - 1; i >= 0; i-- {
		m := e.tree.path[i]
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return origin{i, m, e.llms[m.ID]}, true
			}
		}
	}
	return origin{}, false
}

// seen returns the tool that the model was offered under the call's name.
// listed says that the request had a list of tools at all, so that a name can
// be missing from it (E4).
func (e *Engine) seen(id, name string) (tool spec.LlmTool, found, listed bool) {
	o, ok := e.trace(id)
	if !ok || o.call == nil || o.call.request.Tools == nil {
		return spec.LlmTool{}, false, false
	}
	for _, t := range o.call.request.Tools {
		if t.Name == name {
			return t, true, true
		}
	}
	return spec.LlmTool{}, false, true
}

// classify reads the arguments against the schema of the request that the
// model saw (E1, E2).
func (e *Engine) classify(c *toolCall) spec.ToolInput {
	tool, _, _ := e.seen(c.id, c.name)
	return toolcall.Classify(c.arguments, tool.Input)
}

// proposeExecute refuses what cannot run and leaves the rest to the worker (E9).
func (e *Engine) proposeExecute(t spec.ToolExecuteTrigger) spec.Decision {
	_, found, listed := e.seen(t.ID, t.Name)
	text, refused := toolcall.Refusal(t.Name, listed && !found, t.Input)
	if !refused {
		return spec.Decision{}
	}
	retryable := false
	return spec.Decision{
		Messages: e.tree.transcript(),
		Actions:  []spec.Action{spec.ToolErrorAction{ID: &t.ID, Error: text, Retryable: &retryable}},
	}
}

// proposeFinished records the tool message of a call, and asks the model again
// once nothing is in flight and every call of the batch has its message (G8).
func (e *Engine) proposeFinished(id string, message spec.DraftMessage, pending uint32) spec.Decision {
	messages := e.tree.transcript()
	if !e.answeredOnPath(id) {
		messages = append(messages, message)
	}
	record := spec.Decision{Messages: messages}
	o, traced := e.trace(id)
	if pending > 0 || traced && !e.batchRecorded(o.message, id) {
		return record
	}
	if o.call == nil {
		// G10: it would ask again but does not know what.
		return spec.Decision{}
	}
	record.Actions = []spec.Action{again(o.call, messages[o.place:])}
	return record
}

// answeredOnPath reports whether the active path holds a tool message for the call.
func (e *Engine) answeredOnPath(id string) bool {
	for _, node := range e.tree.toolMessages[id] {
		if e.tree.onPath(node) {
			return true
		}
	}
	return false
}

// batchRecorded reports whether every call of the assistant message has its
// tool message on the path, counting the one of id as there.
func (e *Engine) batchRecorded(m spec.Message, id string) bool {
	for _, c := range m.ToolCalls {
		if c.ID != id && !e.answeredOnPath(c.ID) {
			return false
		}
	}
	return true
}

// again is the same model call once more, over its own prompt and what came
// since (G10). Time-outs that are off are left out of its policy.
func again(c *llmCall, since []spec.DraftMessage) spec.LlmCallAction {
	r := c.request
	messages := make([]spec.DraftMessage, 0, len(r.Messages)+len(since))
	messages = append(append(messages, r.Messages...), since...)
	stream := c.stream
	call := spec.LlmCallAction{
		Model: &r.Model, Messages: messages, Tools: r.Tools,
		Temperature: r.Temperature, MaxCompletionTokens: r.MaxCompletionTokens, Reasoning: r.Reasoning,
		Stream: &stream, Retry: wholePolicy(c.policy),
	}
	if c.block != "" {
		call.Llm = &c.block
	}
	return call
}

// wholePolicy names every field of p that is set.
func wholePolicy(p spec.RetryPolicy) *spec.RetryOverride {
	return &spec.RetryOverride{
		QueueTimeoutSecs: p.QueueTimeoutSecs,
		RunTimeoutSecs:   p.RunTimeoutSecs,
		TotalTimeoutSecs: p.TotalTimeoutSecs,
		MaxAttempts:      &p.MaxAttempts,
		BackoffBaseSecs:  &p.BackoffBaseSecs,
		BackoffMaxSecs:   &p.BackoffMaxSecs,
	}
}
