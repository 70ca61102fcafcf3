package spec

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// SubagentToolName is the name of the one tool of the strategy single (wire 8).
const SubagentToolName = "subagent"

// single reports whether all subagents are offered as one tool.
func (c *AgentConfig) single() bool {
	return c.SubagentTools != nil && c.SubagentTools.Strategy == "single"
}

// toolName is the name under which a subagent of its own tool is offered.
func (s Subagent) toolName() string {
	if s.Prefix != nil && *s.Prefix {
		return "agent__" + s.ID
	}
	return s.ID
}

// OffersSubagent reports whether a call of that name is for a subagent of c. A
// declared tool of the same name wins (wire 8). A nil config offers none.
func (c *AgentConfig) OffersSubagent(name string) bool {
	if c == nil || len(c.Subagents) == 0 {
		return false
	}
	if _, declared := c.Tool(name); declared {
		return false
	}
	if c.single() {
		return name == SubagentToolName
	}
	return slices.ContainsFunc(c.Subagents, func(s Subagent) bool { return s.toolName() == name })
}

// SubagentCalled returns the agent that a call of an offered subagent is for: the
// one of that name, or the one that the arguments name where there is one tool for
// all. It is empty when the arguments name none.
func (c *AgentConfig) SubagentCalled(name, arguments string) string {
	if c.single() {
		v := jsontext.Value(arguments)
		if !v.IsValid() {
			return ""
		}
		agent, _ := jsonv.Get(v, "/agent")
		id, _ := jsonv.Text(agent)
		return id
	}
	for _, s := range c.Subagents {
		if s.toolName() == name {
			return s.ID
		}
	}
	return ""
}

// The texts of the parameters of subagents' tools (L1).
const (
	aboutMessage = `"message":{"type":"string","description":"What the agent is asked. It knows nothing of this conversation."}`
	aboutSession = `"session":{"type":"string","description":"The session of an earlier answer, to go on with it. Leave it out for a new one."}`
)

// SubagentOffers returns the tools by which the subagents of c are offered to the
// model, in the order declared (L1): one each, or one for all. Those whose name a
// declared tool has, or one before them, are left out. Nil when there is none.
func (c *AgentConfig) SubagentOffers() []LlmTool {
	if c == nil || len(c.Subagents) == 0 {
		return nil
	}
	if c.single() {
		if !c.OffersSubagent(SubagentToolName) {
			return nil
		}
		ids, description := jsontext.Value{}, "Hands a task to another agent."
		for _, s := range c.Subagents {
			ids = append(append(ids, ','), jsonv.Quote(s.ID)...)
			description += "\n" + s.ID
			if s.Description != "" {
				description += ": " + s.Description
			}
		}
		return []LlmTool{{Name: SubagentToolName, Description: description, Input: jsontext.Value(
			`{"type":"object","properties":{"agent":{"type":"string","enum":[` + string(ids[1:]) + `]},` +
				aboutMessage + `,` + aboutSession + `},"required":["agent","message"]}`)}}
	}
	var offers []LlmTool
	for _, s := range c.Subagents {
		name := s.toolName()
		if !c.OffersSubagent(name) || slices.ContainsFunc(offers, func(t LlmTool) bool { return t.Name == name }) {
			continue
		}
		offer := LlmTool{Name: name, Description: s.Description, Input: jsontext.Value(
			`{"type":"object","properties":{` + aboutMessage + `,` + aboutSession + `},"required":["message"]}`)}
		_, all := c.Deferral()
		if deferred := s.Defer == nil && all || s.Defer != nil && *s.Defer; deferred {
			offer.Defer = &deferred
		}
		offers = append(offers, offer)
	}
	return offers
}
