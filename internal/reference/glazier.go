package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// glazier is the agent that the studio calls as a subagent: it knows glazes and
// nothing else.
const glazier = "glazier"

// withSubagents adds the studio's subagents to a config, but for those that it
// has.
func withSubagents(agent jsontext.Value) jsontext.Value {
	declared, _ := jsonv.Get(agent, "/subagents")
	list, _ := jsonv.Elements(declared)
	for _, s := range list {
		if id, _ := textAt(s, "/id"); id == glazier {
			return agent
		}
	}
	return with(agent, "subagents", array(append(list, encode(spec.Subagent{
		ID: glazier, Description: "Advises on glazes, and on which goes with which. Ask it what find_glaze does not say; it sees nothing of this conversation.",
	}))...))
}

// startsGlazier answers the start of the subagent's own session, by the agent
// that it is for: it has one tool, and calls no other agent.
func (w *worker) startsGlazier(a *asked) []byte {
	agent, ok := jsonv.Get(a.proposed, "/agent")
	if !ok || jsonv.Kind(agent) != '{' {
		agent = jsontext.Value(`{"model":"studio","llm":"main"}`)
	}
	agent = with(agent, "system", jsonv.Quote("You know the glazes of a small pottery studio. Look each up before you speak of it; answer in one sentence."))
	var tools []jsontext.Value
	for _, t := range w.tools {
		if t.Name == countedTool {
			tools = append(tools, encode(t.AgentTool))
		}
	}
	return with(a.proposed, "agent", with(agent, "tools", array(tools...)))
}
