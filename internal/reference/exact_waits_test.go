package reference_test

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// resumes brings the answer to an interrupt, with what an engine proposes (M4).
func (t *talk) resumes(interrupt, payload string) spec.Answer {
	return t.send(t.request(
		spec.InterruptResumedTrigger{InterruptID: interrupt, Payload: jsontext.Value(payload)},
		spec.Decision{Messages: t.drafts(), Actions: []spec.Action{asking()}},
	))
}

// playSubagents has the model call a subagent, starts its session, and brings its
// answer.
func (p *tape) playSubagents() {
	t := p.talk("calls-an-agent")
	t.says("Which glaze goes with shino?")
	arguments := `{"message":"What goes with shino?"}`
	m := spec.Message{ID: "llm-1", Role: spec.RoleAssistant, ToolCalls: []spec.ToolCall{
		{ID: "c1", Type: "function", Function: spec.ToolFunction{Name: "glazier", Arguments: arguments}},
	}}
	draft := m.Draft()
	spawn := spec.SubagentSpawnAction{AgentID: "glazier", ToolCallID: "c1", Message: &spec.DraftMessage{Role: spec.RoleUser, Content: content("What goes with shino?")}}
	t.send(t.request(spec.LlmFinishedTrigger{ID: m.ID, OK: true, Message: &draft}, spec.Decision{Messages: t.drafts(draft), Actions: []spec.Action{spawn}}))
	t.record(m)

	k := p.talk("glazier")
	proposed, caller := spec.Decision{Agent: &spec.AgentConfig{Model: "hallmark-simulated", Llm: "main"}}, "start-0"
	if p.bare {
		proposed, caller = spec.Decision{}, "start-1"
	}
	r := k.request(spec.SessionStartTrigger{}, proposed)
	r.AgentID, r.Agent, r.TurnID, r.Ancestry = "glazier", nil, nil, []string{caller}
	k.send(r)

	said := "Celadon."
	answer := spec.DraftMessage{Role: spec.RoleTool, ToolCallID: "c1", Name: "glazier", Content: content(`{"result":"Celadon.","session":"glazier"}`)}
	t.send(t.request(
		spec.SubagentFinishedTrigger{ID: "c1", OK: true, SessionID: "glazier", AgentID: "glazier", Result: &said},
		spec.Decision{Messages: t.drafts(answer), Actions: []spec.Action{asking()}},
	))
}

// playWaits has a call wait for a person, and a turn whose model call failed.
func (p *tape) playWaits() {
	t := p.talk("waits")
	c := toolCall{"c1", "order_clay", `{"clay":"stoneware","kilos":500}`}
	t.says("Order a pallet.")
	t.replies("", c)
	t.send(t.executing(c, valid(c.arguments), false))
	t.open = []spec.Call{open(c)}
	a := t.resumes("order:c1", `{"approved":true}`)
	t.open = nil
	if d, failure := spec.ReadAnswer(a, false); failure == nil {
		for _, action := range d.Actions {
			if r, ok := action.(spec.ToolResultAction); ok && r.ID != nil {
				t.finishes(c, 0, nil)
			}
		}
	}
	t = p.talk("parked")
	t.says("Tell me everything.")
	t.resumes("interrupt-1", `null`)
}
