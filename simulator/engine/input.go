package engine

import (
	"net/http"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// news is what a client said, until it is recorded (B1, B2).
type news struct {
	messages []spec.DraftMessage
	// full says that messages are a whole view and not what is to be appended.
	full   bool
	client spec.ClientContext
}

func (n *news) fromUser() bool {
	for _, m := range n.messages {
		if m.Role == spec.RoleUser {
			return true
		}
	}
	return false
}

// input takes what a client sends and answers it. The answer is the first
// effect, whatever else follows.
func (e *Engine) input(in Input) {
	e.replying(func() InputReply { return e.takeInput(in) })
}

// replying puts the reply of take ahead of whatever else it brings about.
func (e *Engine) replying(take func() InputReply) {
	before := e.out
	e.out = nil
	reply := take()
	e.out = append(append(before, Effect(reply)), e.out...)
}

func (e *Engine) takeInput(in Input) InputReply {
	c := in.Input
	if in.Stranger {
		return InputReply{Status: http.StatusForbidden, Error: "session access denied"}
	}
	switch c.Type {
	case spec.InputClientMessage:
		if c.Message == nil {
			return InputReply{Status: http.StatusUnprocessableEntity, Error: "client.message without a message"}
		}
		if c.Message.Role != spec.RoleUser {
			return e.silent()
		}
		return e.say(c, &news{messages: []spec.DraftMessage{*c.Message}, client: context(c)}, c.Queue)
	case spec.InputClientAppend:
		return e.say(c, &news{messages: c.Messages, client: context(c)}, c.Queue)
	case spec.InputClientMessages:
		return e.say(c, &news{messages: c.Messages, full: true, client: context(c)}, false)
	case spec.InputClientAction:
		return e.act(c)
	case spec.InputToolResult, spec.InputToolError:
		return e.settleAsClient(c)
	case spec.InputInterruptResume:
		return e.resumeAsClient(c)
	default:
		e.unsupported("input " + c.Type)
		return InputReply{Status: http.StatusUnprocessableEntity, Error: "input " + c.Type + " is not simulated"}
	}
}

func context(c spec.ClientInput) spec.ClientContext {
	if c.Client == nil {
		return spec.ClientContext{}
	}
	return *c.Client
}

// silent takes a client.message that is not a user's: it reaches no worker (B1).
func (e *Engine) silent() InputReply {
	e.oweStart(nil)
	return InputReply{Status: http.StatusAccepted}
}

// say starts a turn with n, or holds it, or refuses it (B5). Repeating the id
// of a turn that is known starts nothing.
func (e *Engine) say(c spec.ClientInput, n *news, hold bool) InputReply {
	n.messages = e.withoutBytes(n.messages)
	answers, only := e.answersInView(n)
	if only {
		return e.settleByView(answers[0])
	}
	if e.turns.taken(c.TurnID) && len(answers) == 0 {
		return InputReply{Status: http.StatusAccepted, TurnID: c.TurnID}
	}
	if e.parked() != nil {
		return InputReply{Status: http.StatusConflict, Error: "session is interrupted"}
	}
	if len(answers) > 0 {
		return e.continueByView(c, n, answers)
	}
	if t := e.turns.running; t != nil && t.ending != nil {
		// B6: the turn before is in its last decision.
		e.completeTurn(nil)
	}
	if t := e.turns.running; t != nil && !hold {
		return InputReply{Status: http.StatusConflict, TurnID: t.id, Error: "turn already active: " + t.id}
	}
	id := c.TurnID
	if id == "" {
		id = e.mint(IDTurn)
	}
	if e.turns.running != nil {
		e.turns.held = append(e.turns.held, heldInput{id, n})
		return InputReply{Status: http.StatusAccepted, TurnID: id, Queued: true}
	}
	e.startTurn(id, n)
	return InputReply{Status: http.StatusAccepted, TurnID: id}
}

// withoutBytes is what a client says with its bytes stored (wire 7), so that no
// request carries them. What is recorded already is left alone: it counts by its
// id. Whether an engine stores them here or as they are recorded is not stated.
func (e *Engine) withoutBytes(messages []spec.DraftMessage) []spec.DraftMessage {
	out := slices.Clone(messages)
	for i, m := range out {
		if !e.tree.known(m.ID) {
			out[i].Content = toolcall.StoreContent(m.Content, blobs{e})
		}
	}
	return out
}

// act queues a client.action, which opens no turn by itself (B8).
func (e *Engine) act(c spec.ClientInput) InputReply {
	e.oweStart(nil)
	e.enqueue(&decision{trigger: spec.ClientActionTrigger{Name: c.Name, Args: c.Args}})
	return InputReply{Status: http.StatusAccepted}
}

// view is the client.messages trigger as the session stands now (B1, B2, D5).
func (e *Engine) view(n *news) spec.ClientMessagesTrigger {
	t := spec.ClientMessagesTrigger{Client: n.client}
	if n.full {
		t.Messages, t.NewFrom = e.fullView(n.messages)
		return t
	}
	t.Messages = e.tree.transcript()
	t.NewFrom = uint32(len(t.Messages))
	for _, m := range n.messages {
		if !e.tree.known(m.ID) {
			t.Messages = append(t.Messages, m)
		}
	}
	return t
}

// fullView keeps the longest known prefix of a client's view; the first message
// that is not known starts the news (B2).
func (e *Engine) fullView(view []spec.DraftMessage) (messages []spec.DraftMessage, newFrom uint32) {
	messages = make([]spec.DraftMessage, 0, len(view))
	parent := ""
	for i, m := range view {
		id := m.ID
		if !e.tree.known(id) && m.Role == spec.RoleTool && m.ToolCallID != "" {
			if recorded, ok := e.tree.recordedAnswer(m.ToolCallID, parent); ok {
				id = recorded
			}
		}
		if !e.tree.known(id) {
			return append(messages, view[i:]...), uint32(i)
		}
		messages = append(messages, e.tree.nodes[e.tree.at[id]].Message.Draft())
		parent = id
	}
	return messages, uint32(len(messages))
}
