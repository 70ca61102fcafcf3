package judge

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

const (
	yieldsSubagent  = "subagent.yields-a-config"
	recordsSubagent = "subagent.records-its-answer"
)

func subagentChecks() []check {
	return []check{
		{id: yieldsSubagent, moment: "no subagent was started", see: seeSubagentConfig},
		{id: "subagent.acts-as-its-agent", moment: "no subagent was started with a config", see: seeOwnAgent},
		{id: "subagent.keeps-the-call", moment: "the model called no subagent", see: seeSpawned},
		// Seen with the results of tools.
		{id: recordsSubagent, moment: "no subagent's answer was proposed for the record"},
	}
}

// isChild reports whether the session is one that another has spawned.
func (x *exchange) isChild() bool { return len(x.req.Ancestry) > 0 }

// seeSubagentConfig wants a config at the start of a subagent's session. What a
// root session's start yields is judged with both forms of it.
func seeSubagentConfig(x *exchange) {
	if x.trigger() != spec.OnSessionStart || !x.isChild() || x.stopped {
		return
	}
	if x.decision.Agent != nil {
		x.held(yieldsSubagent)
		return
	}
	x.broke(yieldsSubagent, spec.Finding{
		Pointer: "/agent", Got: "no agent: " + show(x.text), Want: "a config for the agent " + quote(x.req.AgentID),
		Hint: "session.start comes for each agent that you declare as a subagent: route on agent_id",
	})
}

// ownConfig is the config that a session's agent was started with.
type ownConfig struct {
	agent  string
	config *spec.AgentConfig
}

// seeOwnAgent holds a subagent's config against that of the agent which called
// it: a worker that does not look at agent_id gives both the same.
func seeOwnAgent(x *exchange) {
	const id = "subagent.acts-as-its-agent"
	if x.trigger() != spec.OnSessionStart || !x.isChild() || x.stopped || x.decision.Agent == nil {
		return
	}
	parent, known := x.judge.configs[x.req.Ancestry[len(x.req.Ancestry)-1]]
	if !known || parent.agent == x.req.AgentID {
		return
	}
	own, err := spec.Marshal(x.decision.Agent)
	other, err2 := spec.Marshal(parent.config)
	if err != nil || err2 != nil || !jsonv.Equal(own, other) {
		x.held(id)
		return
	}
	x.broke(id, spec.Finding{
		Pointer: "/agent", Got: "the very config of " + quote(parent.agent), Want: "the config of " + quote(x.req.AgentID),
		Hint: "route on agent_id: as it stands, the subagent has the tools of its caller, and calls itself",
	})
}

// keepConfig remembers what a session's agent was started with.
func (j *Judge) keepConfig(x *exchange) {
	if x.trigger() != spec.OnSessionStart || x.decision.Agent == nil || len(j.configs) >= maxOpen {
		return
	}
	if j.configs == nil {
		j.configs = map[string]ownConfig{}
	}
	j.configs[x.req.SessionID] = ownConfig{x.req.AgentID, x.decision.Agent}
}

// seeSpawned wants the subagents called that the model asked for, in the sessions
// that it named. What they are asked is the worker's to word.
func seeSpawned(x *exchange) {
	const id = "subagent.keeps-the-call"
	if _, ok := x.req.Trigger.(spec.LlmFinishedTrigger); !ok || x.stopped {
		return
	}
	asked := map[string]spec.SubagentSpawnAction{}
	for _, a := range x.req.Proposed.Actions {
		if spawn, ok := a.(spec.SubagentSpawnAction); ok {
			asked[spawn.ToolCallID] = spawn
		}
	}
	for i, a := range x.decision.Actions {
		spawn, ok := a.(spec.SubagentSpawnAction)
		want, known := asked[spawn.ToolCallID]
		if !ok || !known {
			continue
		}
		switch {
		case spawn.AgentID != want.AgentID:
			x.broke(id, spec.Finding{
				Pointer: fmt.Sprintf("/actions/%d/agent_id", i), Got: quote(spawn.AgentID), Want: quote(want.AgentID),
				Hint: "return the proposed spawn; to refuse a call, record a tool message that says why",
			})
			return
		case sessionNamed(spawn) != sessionNamed(want):
			x.broke(id, spec.Finding{
				Pointer: fmt.Sprintf("/actions/%d/session_id", i), Got: quote(sessionNamed(spawn)), Want: quote(sessionNamed(want)),
				Hint: "the model goes on with what it has begun: a new session knows nothing of it",
			})
			return
		default:
			x.held(id)
		}
	}
}

// sessionNamed is the session that a spawn names, "" for a new one.
func sessionNamed(a spec.SubagentSpawnAction) string {
	if a.SessionID == nil {
		return ""
	}
	return *a.SessionID
}
