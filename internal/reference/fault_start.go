package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// startDefects break the first decision of a session (A3, A4).
func startDefects() []defect {
	const either = "start.works-in-either-form"
	proposesAgent := func(x *exchange) bool {
		agent, _ := jsonv.Get(x.asked.proposed, "/agent")
		return jsonv.Kind(agent) == '{'
	}
	return []defect{
		{
			Fault:  named("no-config", "Answers session.start with the empty decision.", "start.yields-a-config"),
			at:     opening,
			answer: says(`{}`),
		},
		{
			Fault:  named("needs-proposed-agent", "Has a config only when the engine proposes one.", either),
			at:     func(x *exchange) bool { return opening(x) && !proposesAgent(x) },
			answer: says(`{}`),
		},
		{
			Fault:  named("needs-a-bare-start", "Has a config only when the engine proposes none.", either),
			at:     func(x *exchange) bool { return opening(x) && proposesAgent(x) },
			answer: says(`{}`),
		},
	}
}

// declareDefects break what is declared (wire 8, D12). A handler that spoils
// the response is sent at the end of a turn, since at session.start it would
// end everything.
func declareDefects() []defect {
	const (
		handler  = "declare.handler-is-worker-or-client"
		compile  = "declare.schemas-compile"
		defaults = "declare.defaults-fit"
	)
	return []defect{
		{
			Fault: named("duplicate-tool", "Declares one tool twice.", "declare.tool-names-unique"),
			declare: func(tools []tool) []tool {
				twin, _ := find(tools, quietTool)
				return append(tools, twin)
			},
		},
		{
			Fault:   named("dotted-tool-name", "Declares a tool with a dot in its name.", "declare.tool-names-acceptable"),
			declare: changing(func(t *tool) { t.Name = "list.kilns" }),
		},
		{
			Fault:   named("string-input-schema", "Declares a text as the input of a tool.", "declare.input-takes-objects"),
			declare: changing(func(t *tool) { t.Input = jsontext.Value(`{"type":"string"}`) }),
		},
		{
			Fault: named("broken-schema", "Declares a schema with a type that JSON Schema does not have.", compile),
			declare: changing(func(t *tool) {
				t.Input = jsontext.Value(`{"type":"object","properties":{"most":{"type":"int","description":"How many kilns to list."}}}`)
			}),
		},
		{
			Fault:   named("schema-elsewhere", "Declares a schema that refers to a file.", compile),
			declare: changing(func(t *tool) { t.Input = jsontext.Value(`{"$ref":"file:///etc/hostname"}`) }),
		},
		{
			Fault: named("bad-default", "Declares null as the default of a text.", defaults),
			declare: changing(func(t *tool) {
				t.Input = jsontext.Value(`{"type":"object","properties":{"room":{"type":"string","default":null}}}`)
			}),
		},
		{
			Fault: named("bad-example", "Declares an example that its own enum refuses.", defaults),
			declare: changing(func(t *tool) {
				t.Input = jsontext.Value(`{"type":"object","properties":{"room":{"type":"string","enum":["yard","cellar"],"examples":["attic"]}}}`)
			}),
		},
		{
			Fault:  named("server-handler", "Sends a config in which the engine is to run a tool.", handler),
			at:     closing,
			answer: declares(spec.HandlerServer),
		},
		{
			Fault:  named("unknown-handler", "Sends a config with a handler that does not exist.", handler),
			at:     closing,
			answer: declares("cloud"),
		},
	}
}

// changing changes the declaration of the quiet tool.
func changing(change func(*tool)) func([]tool) []tool {
	return func(tools []tool) []tool {
		for i := range tools {
			if tools[i].Name == quietTool {
				change(&tools[i])
			}
		}
		return tools
	}
}

// declares sends the worker's tools once more, with a handler on one of them.
func declares(handler spec.Handler) func(*exchange) []byte {
	return func(x *exchange) []byte {
		config := spec.AgentConfig{Model: "studio", Llm: "main"}
		for _, t := range x.worker.tools {
			declared := t.AgentTool
			if declared.Name == quietTool {
				declared.Handler = handler
			}
			config.Tools = append(config.Tools, declared)
		}
		return with(x.asked.proposed, "agent", encode(config))
	}
}
