package spec

import "github.com/go-json-experiment/json/jsontext"

// Role says who speaks (wire 7).
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// DraftMessage is a message that is proposed or sent to be recorded; its id
// may be left out (wire 7).
type DraftMessage struct {
	ID   string `json:"id,omitzero"`
	Role Role   `json:"role"`
	// Content is a string or an array of parts, as spelled; nil is absent.
	Content    jsontext.Value `json:"content,omitzero"`
	ToolCalls  []ToolCall     `json:"tool_calls,omitzero"`
	ToolCallID string         `json:"tool_call_id,omitzero"`
	Name       string         `json:"name,omitzero"`
	Reasoning  jsontext.Value `json:"reasoning,omitzero"`
}

// Message is a recorded message: a draft with its id. The engine always writes
// tool_calls, empty or not (wire 7).
type Message struct {
	ID         string         `json:"id"`
	Role       Role           `json:"role"`
	Content    jsontext.Value `json:"content,omitzero"`
	ToolCalls  []ToolCall     `json:"tool_calls"`
	ToolCallID string         `json:"tool_call_id,omitzero"`
	Name       string         `json:"name,omitzero"`
	Reasoning  jsontext.Value `json:"reasoning,omitzero"`
}

// Draft returns m as a draft that keeps its id, as a proposal carries it.
func (m Message) Draft() DraftMessage {
	d := DraftMessage(m)
	if len(d.ToolCalls) == 0 {
		d.ToolCalls = nil
	}
	return d
}

// ToolCall is one call inside an assistant message (wire 7).
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function ToolFunction `json:"function"`
}

// ToolFunction is the name and raw argument string of a call (wire 7).
type ToolFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}
