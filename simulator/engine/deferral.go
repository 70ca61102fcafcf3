package engine

import (
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// maxShownName is the longest name that a model is shown, in characters (K8).
const maxShownName = 64

var pair = []spec.LlmTool{
	{
		Name:        spec.ToolSearchName,
		Description: "Finds tools that are not listed here, by words of their names and descriptions. Run what it finds with call_tool.",
		Input:       jsontext.Value(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
	},
	{
		Name:        spec.CallToolName,
		Description: "Runs a tool that tool_search has found: its name, and its arguments as its input schema wants them.",
		Input:       jsontext.Value(`{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name"]}`),
	},
}

func isDeferred(t spec.LlmTool) bool { return t.Defer != nil && *t.Defer }

// defers reports whether an agent keeps tools from the model: all of them, by its
// own word, or those that are marked so (K1).
func defers(config *spec.AgentConfig) bool {
	_, all := config.Deferral()
	return all || slices.ContainsFunc(searchable(config), isDeferred)
}

// searchable lists every tool that an agent has, deferred or not, in the order in
// which they are searched (K7). The pair is none of them.
func searchable(config *spec.AgentConfig) []spec.LlmTool {
	return withSubagents(config, offered(config))
}

// completed is the list with which a model call is dispatched: with the subagents,
// without names that are too long for providers, unless the tool is deferred (K8),
// and with the pair where a tool is (C8, K1). The deferred ones stay on it, marked:
// they count as seen (E2).
func completed(config *spec.AgentConfig, tools []spec.LlmTool) []spec.LlmTool {
	tools = withSubagents(config, tools)
	var list []spec.LlmTool
	for _, t := range tools {
		if isDeferred(t) || utf8.RuneCountInString(t.Name) <= maxShownName {
			list = append(list, t)
		}
	}
	if !defers(config) && !slices.ContainsFunc(tools, isDeferred) {
		if len(list) == len(tools) {
			return tools
		}
		return append([]spec.LlmTool{}, list...)
	}
	for _, t := range pair {
		if !listed(list, t.Name) {
			list = append(list, t)
		}
	}
	return list
}

func listed(tools []spec.LlmTool, name string) bool {
	return slices.ContainsFunc(tools, func(t spec.LlmTool) bool { return t.Name == name })
}

// runsHere reports whether a call of that name is the engine's own to run: it is
// of the pair, the agent has use for it, and declares no tool of that name (C6,
// K3).
func runsHere(config *spec.AgentConfig, name string) bool {
	if _, own := config.Tool(name); own {
		return false
	}
	return (name == spec.ToolSearchName || name == spec.CallToolName) && defers(config)
}

// route fixes what a call runs, and where (C6). A good call_tool becomes the call
// of the tool that it names, which has no handler where a subagent answers it; any
// other is answered here (K4, K5).
func (e *Engine) route(name, arguments string) *toolCall {
	config := e.config.current
	switch {
	case !runsHere(config, name):
		return &toolCall{name: name, arguments: arguments, handler: handlerOf(config, name)}
	case name == spec.ToolSearchName:
		return &toolCall{name: name, arguments: arguments, handler: spec.HandlerServer}
	}
	inner, refusal := e.unwrap(arguments)
	if refusal != "" {
		return &toolCall{name: name, arguments: arguments, handler: spec.HandlerServer, refusal: refusal}
	}
	return inner
}

// handlerOf is where a call that the engine does not run itself goes.
func handlerOf(config *spec.AgentConfig, name string) spec.Handler {
	if t, ok := config.Tool(name); ok {
		return t.RunsOn()
	}
	return spec.HandlerWorker
}

// unwrap returns the call that the arguments of a call_tool ask for, or the
// refusal. What is no object, or no text, is an empty name.
func (e *Engine) unwrap(arguments string) (inner *toolCall, refusal string) {
	wrapper := toolcall.Classify(arguments, nil).Value
	name := textIn(wrapper, "/name")
	config := e.config.current
	for _, t := range searchable(config) {
		if t.Name != name {
			continue
		}
		raw := innerArguments(wrapper)
		if in := toolcall.Classify(raw, t.Input); in.Status != spec.InputValid {
			return nil, e.refuseArguments(t, *in.Error)
		}
		inner := &toolCall{name: name, arguments: raw, handler: handlerOf(config, name)}
		if config.OffersSubagent(name) {
			inner.handler = ""
		}
		return inner, ""
	}
	return nil, e.refuseName(name)
}

// spawnOf is a call that was reached through call_tool, as a subagent gets it (L2).
func spawnOf(config *spec.AgentConfig, id string, c *toolCall, retry *spec.RetryOverride) spec.SubagentSpawnAction {
	spawn := proposeSpawn(config, spec.ToolCall{ID: id, Function: spec.ToolFunction{Name: c.name, Arguments: c.arguments}})
	spawn.Retry = retry
	return spawn
}

// innerArguments is the raw string of the inner call: a text as it is, anything
// else printed anew, nothing as an empty object (K4).
func innerArguments(wrapper jsontext.Value) string {
	v, ok := jsonv.Get(wrapper, "/arguments")
	if !ok {
		return "{}"
	}
	if text, ok := jsonv.Text(v); ok {
		return text
	}
	return string(jsonv.Sorted(v))
}

// textIn is the text at a pointer, "" when there is none.
func textIn(v jsontext.Value, pointer string) string {
	text, _ := textAt(v, pointer)
	return text
}

// unavailable names the connections of a config. None is ever dialed here, which
// an engine calls a fetch that has failed for good: the session goes on without
// their tools (A6).
func unavailable(config *spec.AgentConfig) []string { return config.Connections() }
