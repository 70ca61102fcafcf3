package spec

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// ResolveContext is what an engine knows beside the answer (F3). The zero
// value is a session without config on an engine that has every block.
type ResolveContext struct {
	// Agent is the config in force; nil when there is none.
	Agent *AgentConfig
	// Blocks names the declared model blocks in order; nil means any.
	Blocks []string
	// KnownBlock, when set, decides instead of Blocks whether a block exists.
	KnownBlock func(string) bool
	// CallFormat, when set, gives the format in which the model call of an id was
	// asked, "" for the protocol's own. Without it only the call that the trigger
	// itself asks for has another.
	CallFormat func(id string) string
}

func (c ResolveContext) knows(block string) bool {
	if c.KnownBlock != nil {
		return c.KnownBlock(block)
	}
	return c.Blocks == nil || slices.Contains(c.Blocks, block)
}

func (c ResolveContext) declared() string { return strings.Join(c.Blocks, ", ") }

// ResolveDecision looks for what spoils a decision that parsed (F3, D12): the
// config first, then the actions in order; inside one the id before both
// forms, the model before the block. nil means that the decision can be
// applied. A config in d itself counts before the one in force (O2). It is safe
// for concurrent use.
func ResolveDecision(d Decision, t Trigger, c ResolveContext) *Failure {
	if d.Agent != nil {
		if f := resolveConfig(d.Agent); f != nil {
			return f
		}
		c.Agent = d.Agent
	}
	for _, a := range d.Actions {
		if f := resolveAction(a, t, c); f != nil {
			return f
		}
	}
	return nil
}

// unresolved returns the fatal failure of F3 with its reason and what else its
// detail says, in pairs.
func unresolved(param, reason, message string, more ...string) *Failure {
	detail := []byte(`{"reason":` + string(jsonv.Quote(reason)))
	for i := 0; i+1 < len(more); i += 2 {
		detail = append(detail, ',')
		detail = append(detail, jsonv.Quote(more[i])...)
		detail = append(detail, ':')
		detail = append(detail, jsonv.Quote(more[i+1])...)
	}
	return &Failure{Class: FailureFatal, Info: ErrorInfo{
		Code: CodeInvalidResponse, Param: param, Message: message, Detail: jsontext.Value(append(detail, '}')),
	}}
}

func resolveConfig(a *AgentConfig) *Failure {
	for _, t := range a.Tools {
		if t.Handler == HandlerServer {
			return unresolved("handler", "invalid_handler", "`server` is not a valid handler for a declared tool",
				"surface", "a declared tool", "handler", string(HandlerServer))
		}
	}
	return nil
}

func resolveAction(a Action, t Trigger, c ResolveContext) *Failure {
	switch a := a.(type) {
	case ToolResultAction:
		if f := resolveSettle("tool", a.ID, t, OnToolExecute); f != nil {
			return f
		}
		if a.Result != nil && a.Content != nil {
			return unresolved("result", "ambiguous_tool_result", "tool.result names both `result` and `content`; send one")
		}
	case ToolErrorAction:
		return resolveSettle("tool", a.ID, t, OnToolExecute)
	case LlmResultAction:
		if f := resolveSettle("llm", a.ID, t, OnLlmExecute); f != nil {
			return f
		}
		return resolveResponse(a, t, c)
	case LlmErrorAction:
		return resolveSettle("llm", a.ID, t, OnLlmExecute)
	case LlmCallAction:
		return resolveLlmCall(a, c)
	}
	return nil
}

// resolveSettle refuses a settle without an id that answers no call (F1, F3).
func resolveSettle(kind string, id *string, t Trigger, answers TriggerType) *Failure {
	if id != nil || t.TriggerType() == answers {
		return nil
	}
	article := "a"
	if kind == "llm" {
		article = "an"
	}
	return unresolved(kind+".result.id", "unresolvable_settle_id",
		kind+".result/"+kind+".error omitted its id, but this decision does not answer "+article+" "+string(answers),
		"kind", kind)
}

// resolveResponse refuses a model response that cannot be read in the format in
// which its call was asked.
func resolveResponse(a LlmResultAction, t Trigger, c ResolveContext) *Failure {
	format := ""
	x, ok := t.(LlmExecuteTrigger)
	switch {
	case ok && (a.ID == nil || *a.ID == x.ID):
		format = x.Format
	case a.ID != nil && c.CallFormat != nil:
		format = c.CallFormat(*a.ID)
	}
	_, fault := ParseResponseAs(format, a.Response)
	if fault == nil {
		return nil
	}
	what := "llm.result response cannot be read"
	if format != "" {
		what += " in format " + format
	}
	f := unresolved("response", "invalid_llm_response", what+": "+fault.Error())
	f.Fault = fault
	return f
}

func resolveLlmCall(a LlmCallAction, c ResolveContext) *Failure {
	if a.Model == nil && c.Agent == nil {
		return unresolved("model", "missing_model", "llm.call omitted `model` and no agent config supplies one")
	}
	block := ""
	switch {
	case a.Llm != nil:
		block = *a.Llm
	case c.Agent != nil:
		block = c.Agent.Llm
	}
	declared := ""
	if c.Blocks != nil {
		declared = " — declared: " + c.declared()
	}
	if a.Llm == nil && block == "" {
		return unresolved("llm", "missing_llm", "agent config names no llm"+declared, "declared", c.declared())
	}
	if !c.knows(block) {
		return unresolved("llm", "unknown_llm", "no llm block `"+block+"` is declared"+declared,
			"name", block, "declared", c.declared())
	}
	return nil
}
