package spec

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MarshalJSONTo writes the proposal as an engine does: with messages, actions
// and state always present, or without empty members when Short (gap 2).
func (p Proposal) MarshalJSONTo(e *jsontext.Encoder) error {
	if p.Short {
		return json.MarshalEncode(e, p.Decision)
	}
	return json.MarshalEncode(e, struct {
		Messages []DraftMessage `json:"messages"`
		Actions  []Action       `json:"actions"`
		State    jsontext.Value `json:"state"`
		Agent    *AgentConfig   `json:"agent,omitzero"`
		Channels jsontext.Value `json:"channels,omitzero"`
	}{p.Messages, p.Actions, p.State, p.Agent, p.Channels})
}
