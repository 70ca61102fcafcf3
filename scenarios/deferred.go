package scenarios

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// ThroughCallTool is the way of a [Call] that names its tool to call_tool and not
// outright (K4).
const ThroughCallTool = spec.CallToolName

// nothingDeferred is why a case does not apply that calls through call_tool: no
// engine offers that to a model for an agent that defers nothing (K1).
const nothingDeferred = "calls a tool through call_tool, and the worker defers no tool"

// ownPair is a tool of the pair that an agent has itself, so that the engine's is
// dropped (wire 8); "" for none.
func ownPair(agent *spec.AgentConfig) string {
	for _, name := range []string{spec.ToolSearchName, ThroughCallTool} {
		if _, own := agent.Tool(name); own {
			return name
		}
	}
	return ""
}

// unwrapped is the reason why the calls of a case through call_tool come to
// nothing, "" where they do not. A case that brings a config of its own has said
// what that defers.
func (p *planner) unwrapped(c Case) string {
	if c.Engine.StartAgent != nil || c.Given.Agent != nil || p.seen("deferred") {
		return ""
	}
	for i := range c.Steps {
		if m := c.Steps[i].Model; m != nil {
			for _, call := range m.Calls {
				if call.Via == ThroughCallTool {
					return nothingDeferred
				}
			}
		}
	}
	return ""
}

// maxShownName is the longest name that an engine shows a model, in characters
// (K8).
const maxShownName = 64

// tooLong reports whether no model is ever shown the tool: its name is too long,
// and it is not deferred, so that it is not found either (K8).
func (p *planner) tooLong(tool spec.AgentTool) bool {
	return utf8.RuneCountInString(tool.Name) > maxShownName && !p.declared.Agent.Defers(tool)
}

// Target returns the tool that a call is for where an agent has this config, and
// its arguments as the tool gets them: those that stand inside where the call is
// written out as one of call_tool, and the agent has no tool of that name itself.
func (c Call) Target(agent *spec.AgentConfig) (tool string, arguments jsontext.Value, raw *Text) {
	tool, arguments, raw = c.Tool.String(), c.Arguments, c.Raw
	if _, own := agent.Tool(tool); own || tool != ThroughCallTool || c.Via == ThroughCallTool {
		return tool, arguments, raw
	}
	wrapper := string(arguments)
	if raw != nil {
		wrapper = raw.String()
	}
	read := toolcall.Classify(wrapper, nil).Value
	name, _ := jsonv.Get(read, "/name")
	inner, ok := jsonv.Text(name)
	if !ok {
		return tool, arguments, raw
	}
	given, ok := jsonv.Get(read, "/arguments")
	if !ok {
		return inner, jsontext.Value("{}"), nil
	}
	if text, isText := jsonv.Text(given); isText {
		return inner, nil, &Text{Pos: c.Pos, Parts: []TextPart{{Plain: text}}}
	}
	return inner, given, nil
}

// handlerOf is where a call runs: a good call_tool where the tool inside does (C6,
// K4).
func handlerOf(agent *spec.AgentConfig, name, arguments string) spec.Handler {
	inner := name
	if agent.RunsOnEngine(name) && name == ThroughCallTool {
		found, _ := jsonv.Get(toolcall.Classify(arguments, nil).Value, "/name")
		inner, _ = jsonv.Text(found)
	}
	if tool, ok := agent.Tool(inner); ok {
		return tool.RunsOn()
	}
	if agent.RunsOnEngine(name) {
		return spec.HandlerServer
	}
	return spec.HandlerWorker
}

// connectionOf names the connection that a tool of that name would come from, ""
// for none that the worker declares: connector tools are named ID__TOOL, with
// anything but letters and digits of the id as _ (K8).
func connectionOf(agent *spec.AgentConfig, tool string) string {
	prefix, _, ok := strings.Cut(tool, "__")
	if _, own := agent.Tool(tool); own || !ok {
		return ""
	}
	for _, path := range agent.Connections() {
		id := path[strings.LastIndexByte(path, '.')+1:]
		plain := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r
			}
			return '_'
		}, id)
		if plain == prefix {
			return path
		}
	}
	return ""
}

// undialed is the reason why a case does not apply that calls the tool of a
// connection, "" where it calls none: no connection is ever dialed.
func (p *planner) undialed(steps []Step) string {
	for i := range steps {
		if steps[i].Model == nil {
			continue
		}
		for _, call := range steps[i].Model.Calls {
			tool, _, _ := call.Target(p.declared.Agent)
			if path := connectionOf(p.declared.Agent, tool); path != "" {
				return "calls " + printable(tool) + ", a tool of the connection " + printable(path) + ", which Hallmark does not dial"
			}
		}
	}
	return ""
}
