package spec

import "github.com/go-json-experiment/json/jsontext"

// ClientInput is what a client, a machine or a settling worker sends to the
// engine (wire 11). Which members count depends on Type.
type ClientInput struct {
	Type        string         `json:"type"`
	AgentID     string         `json:"agent_id,omitzero"`
	TurnID      string         `json:"turn_id,omitzero"`
	Message     *DraftMessage  `json:"message,omitzero"`
	Messages    []DraftMessage `json:"messages,omitzero"`
	Client      *ClientContext `json:"client,omitzero"`
	Queue       bool           `json:"queue,omitzero"`
	Stream      bool           `json:"stream,omitzero"`
	Name        string         `json:"name,omitzero"`
	Args        jsontext.Value `json:"args,omitzero"`
	InterruptID string         `json:"interrupt_id,omitzero"`
	Payload     jsontext.Value `json:"payload,omitzero"`
	ID          string         `json:"id,omitzero"`
	Attempt     *uint32        `json:"attempt,omitzero"`
	Result      jsontext.Value `json:"result,omitzero"`
	Error       *string        `json:"error,omitzero"`
	Retryable   *bool          `json:"retryable,omitzero"`
}

// The inputs that clients send (wire 11).
const (
	InputClientMessage   = "client.message"
	InputClientMessages  = "client.messages"
	InputClientAppend    = "client.append"
	InputClientAction    = "client.action"
	InputInterruptResume = "interrupt.resume"
	InputToolResult      = "tool.result"
	InputToolError       = "tool.error"
)
