package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// subagentDefects break what a worker owes the agents that its agents call (L1
// to L3).
func subagentDefects() []defect {
	return []defect{
		{
			Fault:  named("knows-one-agent", "Has no config for the agent that it declares as a subagent.", "subagent.yields-a-config"),
			at:     openingOf(glazier),
			answer: func(*exchange) []byte { return []byte(`{}`) },
		},
		{
			Fault:  named("is-every-agent", "Starts a subagent with the config of the agent that calls it.", "subagent.acts-as-its-agent"),
			at:     openingOf(glazier),
			answer: func(x *exchange) []byte { return x.worker.startsStudio(x.asked) },
		},
		{
			Fault: named("drops-the-subagents-answer", "Goes on after a subagent without recording what it said.", "subagent.records-its-answer"),
			at:    on(spec.OnSubagentFinished),
			answer: func(x *exchange) []byte {
				return x.recording(func(m []jsontext.Value) []jsontext.Value { return m[:len(m)-1] })
			},
		},
		{
			Fault: named("asks-another-agent", "Calls itself in place of the subagent that the model asked for.", "subagent.keeps-the-call"),
			at:    func(x *exchange) bool { return len(x.asked.proposals(spec.DoSubagentSpawn)) > 0 },
			answer: func(x *exchange) []byte {
				self, _ := jsonv.Get(x.asked.body, "/agent_id")
				actions := x.asked.actions()
				for i, a := range actions {
					if kind, _ := textAt(a, "/type"); kind == string(spec.DoSubagentSpawn) {
						actions[i] = with(a, "agent_id", self)
					}
				}
				return with(x.asked.proposed, "actions", array(actions...))
			},
		},
	}
}

// openingOf picks the start of a session of one agent.
func openingOf(agent string) moment {
	return func(x *exchange) bool {
		id, _ := textAt(x.asked.body, "/agent_id")
		return x.asked.kind == spec.OnSessionStart && id == agent
	}
}
