package engine

import (
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// decisionPolicy is the policy of deliveries. No agent config touches it (D4),
// only the engine's own layer for decisions.
func (e *Engine) decisionPolicy() spec.RetryPolicy {
	return toolcall.Policy(toolcall.ForDecision, e.cfg.Retry.Decision)
}

// mostDeliveries is how often a decision may fail before it is lost.
func (e *Engine) mostDeliveries() int { return toolcall.Attempts(e.policy) }

// toolPolicy resolves the policy of a tool call when it is requested (H2, H3).
// The engine's own layer has a kind for client tools; an agent config has one
// for all tools.
func (e *Engine) toolPolicy(handler spec.Handler, own *spec.RetryOverride) spec.RetryPolicy {
	r := e.cfg.Retry
	switch handler {
	case spec.HandlerClient:
		return e.resolve(toolcall.ForClientTool, r.Client, own)
	case spec.HandlerServer:
		return e.resolve(toolcall.ForConnectorTool, r.Tool, own)
	default:
		return e.resolve(toolcall.ForWorkerTool, r.Tool, own)
	}
}

// childPolicy resolves the policy of a subagent's call (H2, H3).
func (e *Engine) childPolicy(own *spec.RetryOverride) spec.RetryPolicy {
	return e.resolve(toolcall.ForSubagent, e.cfg.Retry.Subagent, own)
}

// llmPolicy resolves the policy of a model call (H2). A whole policy, as a
// repeated proposal names it (G10), is the last layer like any other.
func (e *Engine) llmPolicy(own *spec.RetryOverride) spec.RetryPolicy {
	return e.resolve(toolcall.ForModelCall, e.cfg.Retry.Llm, own)
}

// resolve lays the engine's own layer, the config's and the action's over the
// default of a kind (H2).
func (e *Engine) resolve(kind toolcall.PolicyKind, engine, own *spec.RetryOverride) spec.RetryPolicy {
	layers := []*spec.RetryOverride{e.cfg.Retry.Default, engine}
	if config := e.config.current; config != nil {
		layers = append(layers, toolcall.Layers(kind, config.Retry)...)
	}
	return toolcall.Policy(kind, append(layers, own)...)
}
