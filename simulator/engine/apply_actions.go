package engine

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// application is one answer while its actions are applied.
type application struct {
	engine   *Engine
	decision *decision
	answer   spec.Decision
	settled  []spec.Settled
	// started says that a call was requested.
	started bool
	// over says that a fail has ended the turn.
	over bool
}

// apply takes one action and reports whether it did anything. One that cannot
// be applied is skipped, the rest stands (D13).
func (a *application) apply(action spec.Action) bool {
	e := a.engine
	if a.over && ofTheTurn(action) {
		return false
	}
	switch t := action.(type) {
	case spec.ToolCallAction:
		return a.requestTool(t)
	case spec.SubagentSpawnAction:
		return a.requestChild(t)
	case spec.ToolResultAction:
		call, attempt := a.target(t.ID, t.Attempt)
		return a.note(call, spec.DoToolResult, e.settle(call, attempt, t))
	case spec.ToolErrorAction:
		call, attempt := a.target(t.ID, t.Attempt)
		return a.note(call, spec.DoToolError, e.settle(call, attempt, t))
	case spec.LlmCallAction:
		return a.requestLlm(t)
	case spec.InterruptAction:
		return e.park(t)
	case spec.InterruptResolveAction:
		return e.resume(t.InterruptID, t.Payload)
	case spec.DoneAction:
		e.done(t.Data)
		return true
	case spec.FailAction:
		return a.fail(t.Error)
	case spec.ConnectorSyncAction:
		// A6: a fetch that fails for good changes nothing.
		return slices.Contains(unavailable(e.config.current), t.Path)
	case spec.LlmResultAction:
		call, attempt := a.targetLlm(t.ID, t.Attempt)
		return a.note(call, spec.DoLlmResult, e.settleLlm(call, attempt, t))
	case spec.LlmErrorAction:
		call, attempt := a.targetLlm(t.ID, t.Attempt)
		return a.note(call, spec.DoLlmError, e.settleLlm(call, attempt, t))
	default:
		e.unsupported("action " + string(action.ActionType()))
		return true
	}
}

// target says which call a settle means, and which attempt; nil is the current
// one. In the answer to a tool.execute both default to the trigger's (F1).
func (a *application) target(id *string, attempt *uint32) (string, *uint32) {
	t, execute := a.decision.trigger.(spec.ToolExecuteTrigger)
	if execute && attempt == nil {
		attempt = &t.Attempt
	}
	switch {
	case id != nil:
		return *id, attempt
	case execute:
		return t.ID, attempt
	default:
		return "", attempt
	}
}

func (a *application) note(call string, by spec.ActionType, fate fate) bool {
	a.settled = append(a.settled, settledBy(call, by, fate))
	return fate.then != thenDropped
}

// requestTool starts a tool call: an id that the session knows is ignored
// (C7), and place and policy are fixed here (C6, H3).
func (a *application) requestTool(t spec.ToolCallAction) bool {
	e := a.engine
	id := e.given(t.ID, IDCall)
	if e.tools[id] != nil {
		return false
	}
	c := e.route(t.Name, t.RawArguments())
	if c.handler == "" {
		return a.requestChild(spawnOf(e.config.current, id, c, t.Retry))
	}
	c.attempts = e.newAttempts(id, e.toolPolicy(c.handler, t.Retry))
	e.tools[id] = c
	e.open.tools = append(e.open.tools, c)
	e.queue.push(item{tool: c})
	a.started = true
	return true
}

// given returns the id that an action names, or mints one.
func (e *Engine) given(id *string, kind IDKind) string {
	if id != nil {
		return *id
	}
	return e.mint(kind)
}

func (e *Engine) newAttempts(id string, policy spec.RetryPolicy) attempts {
	e.requested++
	return attempts{id: id, policy: policy, anchor: e.tree.head, order: e.requested}
}

// requestLlm asks the model. What the action leaves out comes from the config;
// without messages it is the config's system prompt and the messages of the
// same answer (wire 5, gap 35).
func (a *application) requestLlm(t spec.LlmCallAction) bool {
	e := a.engine
	id := e.given(t.ID, IDLlmCall)
	if e.llms[id] != nil {
		return false
	}
	config := e.config.current
	c := &llmCall{
		attempts: e.newAttempts(id, e.llmPolicy(t.Retry)),
		stream:   t.Stream == nil || *t.Stream,
		hosted:   e.cfg.Hosted,
		request: spec.LlmRequest{
			Messages: t.Messages, Tools: t.Tools, Temperature: t.Temperature.Clone(),
			MaxCompletionTokens: t.MaxCompletionTokens, Reasoning: t.Reasoning,
		},
	}
	switch {
	case t.Model != nil:
		c.request.Model = *t.Model
	case config != nil:
		c.request.Model = config.Model
	}
	switch {
	case t.Llm != nil:
		c.block = *t.Llm
	case config != nil:
		c.block = config.Llm
	}
	if t.Messages == nil {
		c.request.Messages = prompt(config, a.answer.Messages)
	}
	if t.Tools == nil {
		c.request.Tools = offered(config)
	}
	c.request.Tools = completed(config, c.request.Tools)
	c.request.Messages = e.keepPrompt(c.request.Messages)
	c.request.Tools = e.keepTools(c.request.Tools)
	e.llms[id] = c
	e.open.llms = append(e.open.llms, c)
	e.queue.push(item{llm: c})
	a.started = true
	return true
}

// targetLlm says which model call a settle means, and which attempt; nil is the
// current one. In the answer to an llm.execute both default to the trigger's
// (F1, F3).
func (a *application) targetLlm(id *string, attempt *uint32) (string, *uint32) {
	t, execute := a.decision.trigger.(spec.LlmExecuteTrigger)
	if execute && attempt == nil {
		attempt = &t.Attempt
	}
	switch {
	case id != nil:
		return *id, attempt
	case execute:
		return t.ID, attempt
	default:
		return "", attempt
	}
}
