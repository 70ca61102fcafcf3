package engine

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// null is the JSON null, where a member must be there although it is empty.
var null = jsontext.Value("null")

// propose works out the engine's own continuation for a delivery of d, in the
// form of the dialect (gap 2).
func (e *Engine) propose(d *decision, trigger spec.Trigger, pending uint32) spec.Proposal {
	p := spec.Proposal{Decision: e.proposal(d, trigger, pending), Short: e.cfg.Dialect.EmptyProposed == dialectShort}
	if p.Messages == nil {
		p.Messages = []spec.DraftMessage{}
	}
	if p.Actions == nil {
		p.Actions = []spec.Action{}
	}
	if p.Short {
		p.Decision = shortened(p.Decision)
	}
	return p
}

func shortened(d spec.Decision) spec.Decision {
	if len(d.Messages) == 0 {
		d.Messages = nil
	}
	if len(d.Actions) == 0 {
		d.Actions = nil
	}
	return d
}

func (e *Engine) proposal(d *decision, trigger spec.Trigger, pending uint32) spec.Decision {
	switch t := trigger.(type) {
	case spec.SessionStartTrigger:
		return spec.Decision{Agent: e.cfg.Agent} // A3
	case spec.ClientMessagesTrigger:
		return e.proposeClientMessages(t)
	case spec.ToolExecuteTrigger:
		return e.proposeExecute(t)
	case spec.ToolFinishedTrigger:
		return e.proposeFinished(t.ID, toolcall.Message(t), pending)
	case spec.SubagentFinishedTrigger:
		return e.proposeFinished(t.ID, toolcall.SubagentMessage(t), pending)
	case spec.LlmFinishedTrigger:
		return e.proposeLlmFinished(t)
	case spec.InterruptResumedTrigger:
		return e.proposeResumed()
	case spec.TurnFinishedTrigger:
		// N2: data is null whatever the turn ended with.
		return spec.Decision{Messages: e.tree.transcript(), Actions: []spec.Action{spec.DoneAction{Data: null}}}
	default:
		return spec.Decision{}
	}
}

// proposeClientMessages asks the model over the view, with every declared tool
// (B3). Without a config there is nothing to ask with (A7).
func (e *Engine) proposeClientMessages(t spec.ClientMessagesTrigger) spec.Decision {
	view := make([]spec.DraftMessage, 0, len(t.Messages))
	for _, m := range t.Messages {
		if m.Role == spec.RoleSystem && !e.tree.known(m.ID) {
			continue
		}
		view = append(view, m)
	}
	config := e.config.current
	if config == nil {
		return spec.Decision{Messages: view, Actions: []spec.Action{spec.InterruptAction{
			Reason:  "no agent config: cannot author the turn",
			Payload: jsontext.Value(`{"type":"agent.unconfigured"}`),
		}}}
	}
	if merged := merge(config, t.Client.Tools); merged != nil {
		decision := e.proposeAsking(view, merged)
		decision.Agent = merged
		return decision
	}
	return e.proposeAsking(view, config)
}

// proposeAsking records messages and asks the model over them, by a config and
// with every tool that it declares.
func (e *Engine) proposeAsking(messages []spec.DraftMessage, config *spec.AgentConfig) spec.Decision {
	call := spec.LlmCallAction{
		Model:    &config.Model,
		Messages: prompt(config, messages),
		Tools:    offered(config),
	}
	if config.Llm != "" {
		call.Llm = &config.Llm
	}
	if config.Effort != "" {
		call.Reasoning = &spec.ReasoningConfig{Effort: config.Effort}
	}
	return spec.Decision{Messages: messages, Actions: []spec.Action{call}}
}

// merge returns config with the tools that a client offers, nil when none is
// added: a name that is taken stays what it is (B4).
func merge(config *spec.AgentConfig, tools []spec.AgentTool) *spec.AgentConfig {
	merged := *config
	merged.Tools = config.Tools[:len(config.Tools):len(config.Tools)]
	for _, t := range tools {
		if _, taken := merged.Tool(t.Name); !taken && !config.OffersSubagent(t.Name) {
			merged.Tools = append(merged.Tools, t)
		}
	}
	if len(merged.Tools) == len(config.Tools) {
		return nil
	}
	return &merged
}

// prompt puts the config's system prompt in front of messages. It is never
// recorded.
func prompt(config *spec.AgentConfig, messages []spec.DraftMessage) []spec.DraftMessage {
	out := make([]spec.DraftMessage, 0, len(messages)+1)
	if config != nil && config.System != "" {
		out = append(out, spec.DraftMessage{Role: spec.RoleSystem, Content: jsonv.Quote(config.System)})
	}
	return append(out, messages...)
}

// offered lists the declared tools as an llm.call carries them; those to be
// deferred are marked (B3, K1). Nil when none is declared.
func offered(config *spec.AgentConfig) []spec.LlmTool {
	if config == nil || len(config.Tools) == 0 {
		return nil
	}
	tools := make([]spec.LlmTool, len(config.Tools))
	for i, t := range config.Tools {
		tools[i] = spec.LlmTool{Name: t.Name, Description: t.Description, Input: t.Input, Output: t.Output}
		if deferred := config.Defers(t); deferred {
			tools[i].Defer = &deferred
		}
	}
	return tools
}

// shown is what the model sees of a request: no deferred tool (K1) and no output
// schema (C9).
func shown(r spec.LlmRequest) spec.LlmRequest {
	if r.Tools == nil {
		return r
	}
	tools := make([]spec.LlmTool, 0, len(r.Tools))
	for _, t := range r.Tools {
		if isDeferred(t) {
			continue
		}
		t.Output = nil
		tools = append(tools, t)
	}
	r.Tools = tools
	return r
}
