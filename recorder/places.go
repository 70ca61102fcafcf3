package recorder

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// IDKind says what an id is of.
type IDKind string

// What ids are of (R8).
const (
	IDSession   IDKind = "session"
	IDDecision  IDKind = "decision"
	IDTurn      IDKind = "turn"
	IDCall      IDKind = "call"
	IDMessage   IDKind = "message"
	IDBlob      IDKind = "blob"
	IDInterrupt IDKind = "interrupt"
)

// IDPlace is a place of a request or of an answer where an id stands: its name
// and the elements of lists on the way to it. Ids of two requests that stand at
// equal places are ids of the same thing, where the requests tell the same story.
type IDPlace struct {
	Kind IDKind
	// Name is the way to the place with its lists left out: "messages/id".
	Name string
	I, J int
}

// RequestIDs tells of every id that stands in a request at a place of its own,
// the decision that it proposes included, in an order that is the same for
// requests that tell the same story. Other places, such as a state, are none
// where an id is learned. The path of a connection is no id.
func RequestIDs(r *spec.DecisionRequest, take func(place IDPlace, id string)) {
	p := placer(take)
	for i, id := range r.Ancestry {
		p.take(IDSession, "ancestry", i, 0, id)
	}
	p.take(IDSession, "session_id", 0, 0, r.SessionID)
	p.take(IDDecision, "decision_id", 0, 0, r.DecisionID)
	p.optional(IDTurn, "turn_id", 0, r.TurnID)
	for i, m := range r.Messages {
		p.draft("messages", i, m.Draft())
	}
	for i, n := range r.MessageTree.Nodes {
		p.draft("message_tree", i, n.Message.Draft())
	}
	switch t := r.Trigger.(type) {
	case spec.ClientMessagesTrigger:
		p.drafts("trigger/messages", t.Messages)
	case spec.LlmExecuteTrigger:
		p.take(IDCall, "trigger/id", 0, 0, t.ID)
		if asked, fault := spec.ParseLlmRequest(t.Request); fault == nil && t.Format == "" {
			p.drafts("trigger/request/messages", asked.Messages)
		}
	case spec.LlmFinishedTrigger:
		p.take(IDCall, "trigger/id", 0, 0, t.ID)
		if t.Message != nil {
			p.draft("trigger/message", 0, *t.Message)
		}
	case spec.SubagentFinishedTrigger:
		p.take(IDCall, "trigger/id", 0, 0, t.ID)
		p.take(IDSession, "trigger/session_id", 0, 0, t.SessionID)
	case spec.InterruptResumedTrigger:
		p.take(IDInterrupt, "trigger/interrupt_id", 0, 0, t.InterruptID)
	case spec.TurnFinishedTrigger:
		p.take(IDTurn, "trigger/turn_id", 0, 0, t.TurnID)
	default:
		p.take(IDCall, "trigger/id", 0, 0, r.Trigger.CallID())
	}
	for i, c := range r.Calls {
		if c.Kind == spec.CallConnectorSync {
			continue
		}
		p.take(IDCall, "calls/id", i, 0, c.ID)
		p.take(IDSession, "calls/session_id", i, 0, c.SessionID)
	}
	p.decision("proposed/", r.Proposed.Decision)
}

// DecisionIDs tells of every id that a decision makes up, as [RequestIDs] does.
func DecisionIDs(d spec.Decision, take func(place IDPlace, id string)) { placer(take).decision("", d) }

// placer tells of the ids at places.
type placer func(place IDPlace, id string)

func (p placer) take(kind IDKind, name string, i, j int, id string) {
	if id != "" {
		p(IDPlace{Kind: kind, Name: name, I: i, J: j}, id)
	}
}

func (p placer) optional(kind IDKind, name string, i int, id *string) {
	if id != nil {
		p.take(kind, name, i, 0, *id)
	}
}

func (p placer) decision(at string, d spec.Decision) {
	p.drafts(at+"messages", d.Messages)
	for i, act := range d.Actions {
		switch act := act.(type) {
		case spec.ToolCallAction:
			p.optional(IDCall, at+"actions/id", i, act.ID)
		case spec.LlmCallAction:
			p.optional(IDCall, at+"actions/id", i, act.ID)
			p.drafts(at+"actions/messages", act.Messages)
		case spec.InterruptAction:
			p.optional(IDInterrupt, at+"actions/interrupt_id", i, act.InterruptID)
		case spec.SubagentSpawnAction:
			p.optional(IDSession, at+"actions/session_id", i, act.SessionID)
			p.take(IDCall, at+"actions/tool_call_id", i, 0, act.ToolCallID)
		}
	}
}

func (p placer) drafts(at string, list []spec.DraftMessage) {
	for i, m := range list {
		p.draft(at, i, m)
	}
}

func (p placer) draft(at string, i int, m spec.DraftMessage) {
	p.take(IDMessage, at+"/id", i, 0, m.ID)
	for j, c := range m.ToolCalls {
		p.take(IDCall, at+"/tool_calls", i, j, c.ID)
	}
	p.take(IDCall, at+"/tool_call_id", i, 0, m.ToolCallID)
	p.blobs(at+"/content", i, m.Content)
}

// blobs tells of the addresses of stored content (F8).
func (p placer) blobs(at string, i int, content jsontext.Value) {
	if !bytes.Contains(content, []byte("blob:")) {
		return
	}
	parts, err := jsonv.Elements(content)
	if err != nil {
		return
	}
	for j, part := range parts {
		v, _ := jsonv.Get(part, "/uri")
		if uri, ok := jsonv.Text(v); ok && strings.HasPrefix(uri, "blob://") {
			p.take(IDBlob, at, i, j, uri)
		}
	}
}

// IsWireTime reports whether wire time stands at a place of a request or of an
// answer, given by its JSON pointer: the deadlines, and when an interrupt
// expires (R1).
func IsWireTime(pointer string) bool {
	at := strings.Split(pointer, "/")
	switch {
	case pointer == "/deadline", pointer == "/trigger/deadline":
		return true
	case len(at) == 4:
		return at[1] == "calls" && at[3] == "deadline"
	case len(at) > 1 && at[1] == "proposed":
		at = at[1:]
	}
	return len(at) == 5 && at[1] == "actions" && at[3] == "payload" && at[4] == "expiresAt"
}
