package spec

import "github.com/go-json-experiment/json/jsontext"

// Decision is a worker's answer (DecisionResponse, wire 3). The zero Decision
// is the empty one: decided, nothing to do (D1).
type Decision struct {
	// Messages is the whole path to record, root to new head; empty leaves
	// the tree alone (gap 7).
	Messages []DraftMessage `json:"messages,omitzero"`
	// Actions are applied in order.
	Actions []Action `json:"actions,omitzero"`
	// State replaces the worker's state; nil keeps it (O1).
	State jsontext.Value `json:"state,omitzero"`
	// Agent replaces the whole config; nil keeps it (O2).
	Agent *AgentConfig `json:"agent,omitzero"`
	// Channels is presentation, passed through unread. It is the JSON object
	// as spelled.
	Channels jsontext.Value `json:"channels,omitzero"`
}

// IsEmpty reports whether d asks for nothing at all (wire 3, gap 2).
func (d Decision) IsEmpty() bool {
	return len(d.Messages) == 0 && len(d.Actions) == 0 && d.State == nil && d.Agent == nil &&
		(d.Channels == nil || isEmptyObject(d.Channels))
}

func isEmptyObject(v jsontext.Value) bool {
	c := v.Clone()
	return c.Compact() == nil && string(c) == "{}"
}

// Proposal is the `proposed` of a request: a decision in the form in which an
// engine writes it. Short leaves empty members out, as the reference prints it;
// the engine writes the full form (gap 2).
type Proposal struct {
	Decision
	Short bool
}

// ActionType names what a worker wants done (wire 5).
type ActionType string

// The actions of the protocol.
const (
	DoToolCall         ActionType = "tool.call"
	DoToolResult       ActionType = "tool.result"
	DoToolError        ActionType = "tool.error"
	DoLlmCall          ActionType = "llm.call"
	DoLlmResult        ActionType = "llm.result"
	DoLlmError         ActionType = "llm.error"
	DoSubagentSpawn    ActionType = "subagent.spawn"
	DoMessageSend      ActionType = "message.send"
	DoInterrupt        ActionType = "interrupt"
	DoInterruptResolve ActionType = "interrupt.resolve"
	DoConnectorSync    ActionType = "connector.sync"
	DoDone             ActionType = "done"
	DoFail             ActionType = "fail"
)

// Action is one thing that a worker wants done: one of the *Action structs of
// this package (wire 5). It encodes with its type as the first member. Optional
// scalars that are absent are nil.
type Action interface {
	// ActionType is the `type` member.
	ActionType() ActionType
}

// ToolCallAction starts a tool call (C2, C6, C7).
type ToolCallAction struct {
	ID   *string `json:"id,omitzero"`
	Name string  `json:"name"`
	// Arguments is any JSON value; see [ToolCallAction.RawArguments].
	Arguments jsontext.Value `json:"arguments"`
	Retry     *RetryOverride `json:"retry,omitzero"`
}

// ToolResultAction ends a call with a result (F1, F5, F6, F7).
type ToolResultAction struct {
	ID      *string `json:"id,omitzero"`
	Attempt *uint32 `json:"attempt,omitzero"`
	// Result is any JSON value as spelled; nil is absent.
	Result jsontext.Value `json:"result,omitzero"`
	// Content is the action's own list of blocks; nil is absent.
	Content           []ToolContent  `json:"content,omitzero"`
	StructuredContent jsontext.Value `json:"structured_content,omitzero"`
	IsError           *bool          `json:"is_error,omitzero"`
}

// ToolErrorAction ends a call with a failure (F14, H4).
type ToolErrorAction struct {
	ID        *string        `json:"id,omitzero"`
	Attempt   *uint32        `json:"attempt,omitzero"`
	Error     string         `json:"error"`
	Retryable *bool          `json:"retryable,omitzero"`
	Code      ErrorCode      `json:"code,omitzero"`
	Detail    jsontext.Value `json:"detail,omitzero"`
}

// LlmCallAction asks the model (B3, G10, gap 35).
type LlmCallAction struct {
	ID    *string `json:"id,omitzero"`
	Llm   *string `json:"llm,omitzero"`
	Model *string `json:"model,omitzero"`
	// Messages is the whole prompt; nil is absent.
	Messages            []DraftMessage   `json:"messages,omitzero"`
	Tools               []LlmTool        `json:"tools,omitzero"`
	Temperature         jsontext.Value   `json:"temperature,omitzero"`
	MaxCompletionTokens *uint64          `json:"max_completion_tokens,omitzero"`
	Reasoning           *ReasoningConfig `json:"reasoning,omitzero"`
	Stream              *bool            `json:"stream,omitzero"`
	// Retry is an override; the engine's own proposal of a repeated call names
	// the whole resolved policy, without a time-out that is off (G10).
	Retry *RetryOverride `json:"retry,omitzero"`
}

// LlmResultAction ends a hosted model call with a reply (wire 5).
type LlmResultAction struct {
	ID       *string        `json:"id,omitzero"`
	Attempt  *uint32        `json:"attempt,omitzero"`
	Response jsontext.Value `json:"response"`
}

// LlmErrorAction ends a hosted model call with a failure (wire 5).
type LlmErrorAction struct {
	ID        *string        `json:"id,omitzero"`
	Attempt   *uint32        `json:"attempt,omitzero"`
	Error     string         `json:"error"`
	Retryable *bool          `json:"retryable,omitzero"`
	Code      ErrorCode      `json:"code,omitzero"`
	Detail    jsontext.Value `json:"detail,omitzero"`
}

// SubagentSpawnAction starts or continues a child session (L2).
type SubagentSpawnAction struct {
	SessionID  *string        `json:"session_id,omitzero"`
	AgentID    string         `json:"agent_id"`
	ToolCallID string         `json:"tool_call_id"`
	Message    *DraftMessage  `json:"message,omitzero"`
	Retry      *RetryOverride `json:"retry,omitzero"`
	Mode       string         `json:"mode,omitzero"`
}

// MessageSendAction sends a message to another session (wire 5).
type MessageSendAction struct {
	SessionID string       `json:"session_id"`
	Message   DraftMessage `json:"message"`
}

// InterruptAction parks the session until somebody answers (M1).
type InterruptAction struct {
	InterruptID *string        `json:"interrupt_id,omitzero"`
	Reason      string         `json:"reason"`
	Payload     jsontext.Value `json:"payload,omitzero"`
}

// InterruptResolveAction answers an interrupt (M3).
type InterruptResolveAction struct {
	InterruptID string         `json:"interrupt_id"`
	Payload     jsontext.Value `json:"payload,omitzero"`
}

// ConnectorSyncAction asks for another fetch of a connection (A6).
type ConnectorSyncAction struct {
	Path string `json:"path"`
}

// DoneAction ends the turn (N1).
type DoneAction struct {
	Data jsontext.Value `json:"data,omitzero"`
}

// FailAction ends the turn with an error; later than the baseline (N4).
type FailAction struct {
	Error ErrorInfo `json:"error"`
}
