package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// agentDefects break the config after the session has started (O2).
func agentDefects() []defect {
	return []defect{
		{
			Fault: named("forgets-its-tools", "Sends a config without tools when a turn ends in which list_kilns was called.", "agent.keeps-its-tools"),
			at:    func(x *exchange) bool { return closing(x) && x.called(quietTool) },
			answer: func(x *exchange) []byte {
				return with(x.asked.proposed, "agent", jsontext.Value(`{"model":"studio","llm":"main"}`))
			},
		},
	}
}

// called reports whether a call of a tool is on the path.
func (x *exchange) called(tool string) bool {
	for _, m := range x.asked.list("/messages") {
		role, _ := textAt(m, "/role")
		calls, _ := jsonv.Get(m, "/tool_calls")
		items, _ := jsonv.Elements(calls)
		for _, c := range items {
			if name, _ := textAt(c, "/function/name"); role == string(spec.RoleAssistant) && name == tool {
				return true
			}
		}
	}
	return false
}
