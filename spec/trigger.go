package spec

import "github.com/go-json-experiment/json/jsontext"

// TriggerType names why the engine asks (wire 4).
type TriggerType string

// The triggers of the protocol.
const (
	OnSessionStart     TriggerType = "session.start"
	OnClientMessages   TriggerType = "client.messages"
	OnClientAction     TriggerType = "client.action"
	OnToolExecute      TriggerType = "tool.execute"
	OnToolFinished     TriggerType = "tool.finished"
	OnLlmExecute       TriggerType = "llm.execute"
	OnLlmFinished      TriggerType = "llm.finished"
	OnSubagentFinished TriggerType = "subagent.finished"
	OnInterruptResumed TriggerType = "interrupt.resumed"
	OnTurnFinished     TriggerType = "turn.finished"
)

// Trigger is why the engine asks: one of the *Trigger structs of this package
// (wire 4). It encodes with its type as the first member.
type Trigger interface {
	// TriggerType is the `type` member.
	TriggerType() TriggerType
	// CallID is the call that the trigger is about, "" when it is about none.
	CallID() string
}

// SessionStartTrigger opens a session (A1).
type SessionStartTrigger struct{}

// ClientMessagesTrigger brings what a client said (B1, B2).
type ClientMessagesTrigger struct {
	// Messages is the full view: the active path and what is new.
	Messages []DraftMessage `json:"messages"`
	// NewFrom is the index of the first new message.
	NewFrom uint32        `json:"new_from"`
	Client  ClientContext `json:"client"`
}

// ClientContext is what a client offers beside its messages (wire 4).
type ClientContext struct {
	Tools          []AgentTool      `json:"tools,omitzero"`
	Context        []jsontext.Value `json:"context,omitzero"`
	State          jsontext.Value   `json:"state,omitzero"`
	ForwardedProps jsontext.Value   `json:"forwarded_props,omitzero"`
}

// ClientActionTrigger brings a client's action (B8).
type ClientActionTrigger struct {
	Name string         `json:"name"`
	Args jsontext.Value `json:"args,omitzero"`
}

// ToolExecuteTrigger asks the worker to run a tool call (wire 4, E, H6).
type ToolExecuteTrigger struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is the raw string as the model wrote it.
	Arguments string     `json:"arguments"`
	Input     ToolInput  `json:"input"`
	Attempt   uint32     `json:"attempt"`
	Deadline  *Timestamp `json:"deadline,omitzero"`
}

// ToolInput is the engine's reading of the arguments (E1).
type ToolInput struct {
	Status InputStatus `json:"status"`
	// Value is the parsed object; absent when malformed.
	Value jsontext.Value `json:"value,omitzero"`
	// Error says what is wrong; absent when valid.
	Error *string `json:"error,omitzero"`
}

// InputStatus is the class of a call's arguments (E1).
type InputStatus string

// The classes of arguments.
const (
	InputValid     InputStatus = "valid"
	InputInvalid   InputStatus = "invalid"
	InputMalformed InputStatus = "malformed"
)

// ToolFinishedTrigger says that a tool call ended for good (F13, F14, F15).
type ToolFinishedTrigger struct {
	ID     string        `json:"id"`
	OK     bool          `json:"ok"`
	Name   string        `json:"name"`
	Result *StoredResult `json:"result,omitzero"`
	Error  *ErrorInfo    `json:"error,omitzero"`
}

// LlmExecuteTrigger asks a worker that hosts the model for a reply (wire 4).
type LlmExecuteTrigger struct {
	ID       string         `json:"id"`
	Request  jsontext.Value `json:"request"`
	Format   string         `json:"format,omitzero"`
	Stream   bool           `json:"stream"`
	Attempt  uint32         `json:"attempt"`
	Deadline *Timestamp     `json:"deadline,omitzero"`
}

// LlmFinishedTrigger says that a model call ended (C1, C2, C5).
type LlmFinishedTrigger struct {
	ID        string        `json:"id"`
	OK        bool          `json:"ok"`
	Message   *DraftMessage `json:"message,omitzero"`
	Truncated bool          `json:"truncated"`
	Refused   bool          `json:"refused,omitzero"`
	Usage     *Usage        `json:"usage,omitzero"`
	Cost      string        `json:"cost,omitzero"`
	Error     *ErrorInfo    `json:"error,omitzero"`
}

// SubagentFinishedTrigger says that a child session ended (L3).
type SubagentFinishedTrigger struct {
	ID        string     `json:"id"`
	OK        bool       `json:"ok"`
	SessionID string     `json:"session_id"`
	AgentID   string     `json:"agent_id"`
	Result    *string    `json:"result,omitzero"`
	Error     *ErrorInfo `json:"error,omitzero"`
}

// InterruptResumedTrigger says that an interrupt was answered (M4).
type InterruptResumedTrigger struct {
	InterruptID string         `json:"interrupt_id"`
	Payload     jsontext.Value `json:"payload,omitzero"`
}

// TurnFinishedTrigger says that a turn is about to complete (N1).
type TurnFinishedTrigger struct {
	TurnID string         `json:"turn_id"`
	Data   jsontext.Value `json:"data,omitzero"`
	Cost   string         `json:"cost"`
	Usage  Usage          `json:"usage"`
}

// UnknownTrigger is a trigger that this package does not know: a later
// protocol, or a request made broken on purpose. Raw is its whole JSON text.
type UnknownTrigger struct {
	Type TriggerType
	Raw  jsontext.Value
}
