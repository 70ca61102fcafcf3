package judge

import (
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

func agentChecks() []check {
	return []check{
		{id: "agent.keeps-its-tools", moment: "nothing was answered while the config had tools", see: seeToolsKept},
	}
}

// seeToolsKept looks for tools of the config in force that an answer takes
// away. An agent in an answer replaces the whole config, tools included (O2);
// no agent keeps it.
func seeToolsKept(x *exchange) {
	const id = "agent.keeps-its-tools"
	if x.stopped || x.trigger() == spec.OnSessionStart || x.req.Agent == nil || len(x.req.Agent.Tools) == 0 {
		return
	}
	if x.decision.Agent == nil {
		x.held(id)
		return
	}
	var gone []string
	for _, t := range x.req.Agent.Tools {
		if x.state.offered[t.Name] {
			// A client that no longer offers it may be gone.
			continue
		}
		if !slices.ContainsFunc(x.decision.Agent.Tools, func(kept spec.AgentTool) bool { return kept.Name == t.Name }) {
			gone = append(gone, quote(t.Name))
		}
	}
	if len(gone) == 0 {
		x.held(id)
		return
	}
	const most = 5
	if len(gone) > most {
		gone = append(gone[:most], "…")
	}
	pointer := "/agent/tools"
	if x.decision.Agent.Tools == nil {
		pointer = "/agent"
	}
	x.broke(id, spec.Finding{
		Pointer: pointer, Got: "a config without " + strings.Join(gone, ", "),
		Want: "every tool of the config in force, or no agent",
		Hint: "an agent replaces the whole config: send all of it, or leave it out to keep what there is",
	})
}
