package engine

import (
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// plant puts things in place as if they had been recorded before. Messages go
// behind the head.
func (e *Engine) plant(p Plant) {
	if p.Agent != nil {
		e.setConfig(p.Agent)
	}
	for _, m := range p.Messages {
		if m.ID == "" || e.tree.known(m.ID) {
			m.ID = e.mint(IDMessage)
		}
		parent := e.tree.head
		if m.Role == spec.RoleAssistant {
			e.assumeLlm(m.ID, e.tree.transcript())
		}
		for _, c := range m.ToolCalls {
			e.assumeOver(c)
		}
		e.tree.moveTo(e.tree.add(m, parent))
	}
	if p.State != nil {
		e.state.set(e.tree.head, jsonv.Sorted(p.State))
	}
}

// assumeLlm makes up the model call that an assistant message answers: it asked
// over the path before it, with the tools of the config in force.
func (e *Engine) assumeLlm(id string, before []spec.DraftMessage) {
	if e.llms[id] != nil {
		return
	}
	c := &llmCall{stream: true, attempts: attempts{
		id: id, status: statusDone, policy: e.llmPolicy(nil),
	}}
	config := e.config.current
	if config != nil {
		c.block, c.request.Model = config.Llm, config.Model
	}
	c.request.Messages = prompt(config, before)
	c.request.Tools = completed(config, offered(config))
	e.llms[id] = c
}

// assumeOver makes a call known as one that ended before (C7).
func (e *Engine) assumeOver(c spec.ToolCall) {
	if e.tools[c.ID] == nil {
		e.tools[c.ID] = &toolCall{
			name: c.Function.Name, arguments: c.Function.Arguments, handler: spec.HandlerWorker,
			attempts: attempts{id: c.ID, status: statusDone},
		}
	}
}
