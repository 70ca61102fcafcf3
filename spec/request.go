package spec

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// DecisionRequest is what the engine POSTs before each step (wire 2). Every
// member is on the wire, empty ones included, so the zero value encodes to a
// whole request but for its trigger, which must be set.
type DecisionRequest struct {
	// SessionID names the conversation.
	SessionID string `json:"session_id"`
	// DecisionID names this decision. It is the key under which a worker must
	// be safe to be asked again (D5).
	DecisionID string `json:"decision_id"`
	// AgentID says which agent the worker acts as.
	AgentID string `json:"agent_id"`
	// Identity is the owner of the session.
	Identity Identity `json:"identity"`
	// Trigger says why the engine asks.
	Trigger Trigger `json:"trigger"`
	// Proposed is the engine's own continuation.
	Proposed Proposal `json:"proposed"`
	// State is the worker's state on the active path; nil encodes as null.
	State jsontext.Value `json:"state"`
	// Agent is the config in force; nil encodes as null.
	Agent *AgentConfig `json:"agent"`
	// Worker is the worker that the session is pinned to. Engines of the
	// baseline do not send it.
	Worker jsontext.Value `json:"worker,omitzero"`
	// Calls are the effects in flight, sorted by id (G6).
	Calls []Call `json:"calls"`
	// PendingCalls counts tool and subagent calls in flight and finished ones
	// whose result is not yet recorded (G6).
	PendingCalls uint32 `json:"pending_calls"`
	// Messages is the active path, root to head.
	Messages []Message `json:"messages"`
	// MessageTree holds every branch.
	MessageTree MessageTree `json:"message_tree"`
	// Ancestry lists the parent sessions, root first.
	Ancestry []string `json:"ancestry"`
	// Attempts counts the deliveries of this decision that failed (gap 1).
	Attempts uint32 `json:"attempts"`
	// Deadline is when this delivery expires; nil encodes as null.
	Deadline *Timestamp `json:"deadline"`
	// TurnID is the turn that the decision belongs to; nil encodes as null.
	TurnID *string `json:"turn_id"`
}

// Identity is the owner of a session (WorkerIdentity, wire 2).
type Identity struct {
	Subject *Subject `json:"subject,omitzero"`
	// ID is what builds before 0.7 sent in place of subject and visibility, both
	// of which are then empty.
	ID         string            `json:"id,omitzero"`
	Visibility string            `json:"visibility,omitzero"`
	Metadata   map[string]string `json:"metadata"`
}

// Older returns i in the form of builds before 0.7.
func (i Identity) Older() Identity {
	older := Identity{ID: i.ID, Metadata: i.Metadata}
	if i.Subject != nil {
		older.ID = i.Subject.ID
	}
	return older
}

// Subject is the person behind a session (wire 2).
type Subject struct {
	Issuer string `json:"issuer"`
	ID     string `json:"id"`
}

// Call is one effect in flight, as a request lists it (wire 2).
type Call struct {
	ID        string     `json:"id"`
	Kind      CallKind   `json:"kind"`
	Status    CallStatus `json:"status"`
	Attempt   uint32     `json:"attempt"`
	Deadline  *Timestamp `json:"deadline,omitzero"`
	Anchor    string     `json:"anchor,omitzero"`
	Name      string     `json:"name,omitzero"`
	Arguments *string    `json:"arguments,omitzero"`
	Handler   Handler    `json:"handler,omitzero"`
	Stream    *bool      `json:"stream,omitzero"`
	AgentID   string     `json:"agent_id,omitzero"`
	SessionID string     `json:"session_id,omitzero"`
}

// CallKind is the kind of an effect in flight (wire 2).
type CallKind string

// The kinds of effects that a request lists.
const (
	CallTool          CallKind = "tool_call"
	CallLlm           CallKind = "llm_call"
	CallSubagent      CallKind = "subagent"
	CallConnectorSync CallKind = "connector_sync"
)

// CallStatus is where an unfinished effect stands (wire 2).
type CallStatus string

// The statuses of unfinished effects.
const (
	CallQueued         CallStatus = "queued"
	CallPending        CallStatus = "pending"
	CallRunning        CallStatus = "running"
	CallRetryScheduled CallStatus = "retry_scheduled"
)

// Handler says where a call runs (wire 8, C6).
type Handler string

// The places where calls run. A worker may declare HandlerWorker and
// HandlerClient only (D12).
const (
	HandlerServer Handler = "server"
	HandlerWorker Handler = "worker"
	HandlerClient Handler = "client"
)

// MessageTree holds every branch of a conversation (wire 7).
type MessageTree struct {
	Nodes  []MessageNode `json:"nodes"`
	HeadID string        `json:"head_id,omitzero"`
}

// MessageNode is one recorded message and where it hangs (wire 7).
type MessageNode struct {
	Message  Message `json:"message"`
	ParentID string  `json:"parent_id,omitzero"`
}

// Timestamp is a moment with millisecond precision. It encodes as RFC 3339 in
// UTC with three decimals, and decodes any RFC 3339 text.
type Timestamp struct{ time.Time }
