package retell

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// said tells what the client said: a message, several, or a whole view where that
// does not go on from the conversation (B1, B2). runs says that a turn was running.
func (t *teller) said(s *told, asked *spec.DecisionRequest, d spec.ClientMessagesTrigger, runs bool) {
	n := min(int(d.NewFrom), len(d.Messages))
	goesOn := n == len(asked.Messages) && slices.EqualFunc(asked.Messages, d.Messages[:n], func(m spec.Message, v spec.DraftMessage) bool {
		return m.ID == v.ID
	})
	fresh := d.Messages[n:]
	value := scenarios.ObjectTree()
	switch {
	case !goesOn || len(fresh) == 0 || s.answersIn(fresh):
		// Answers to calls stand in a whole view (B7).
		value.Add("view", t.view(s, d.Messages))
	case len(fresh) == 1 && fresh[0].Role == spec.RoleUser && fresh[0].Name == "":
		t.content(value, fresh[0].Content, "text")
		t.named(s, value, fresh[0], n)
	default:
		list := scenarios.ListTree()
		for i, m := range fresh {
			one := t.given(s, m)
			t.named(s, one, m, n+i)
			list.Items = append(list.Items, one)
		}
		value.Add("append", list)
	}
	if runs {
		value.Add("now", scenarios.WordTree("true"))
	}
	t.offers(value, d.Client)
	t.add(s, "user", value)
}

// named gives what a client said an id, where the client did: another one, since
// none is ever copied. What has none is remembered by its place on the path, where
// the engine gives it one.
func (t *teller) named(s *told, value *scenarios.Tree, m spec.DraftMessage, at int) {
	if m.ID == "" {
		s.unnamed[at] = value
		return
	}
	s.owners[m.ID] = value
	t.id(value)
}

// id is the id of what made a message, a new one where it has none.
func (t *teller) id(owner *scenarios.Tree) *scenarios.Tree {
	id := owner.Member("id")
	if id == nil {
		t.msgs++
		id = scenarios.TextTree("m" + strconv.Itoa(t.msgs))
		owner.Add("id", id)
	}
	return id
}

// answersIn reports whether one of the messages of a client answers a call that is
// open.
func (s *told) answersIn(fresh []spec.DraftMessage) bool {
	return slices.ContainsFunc(fresh, func(m spec.DraftMessage) bool {
		c := s.calls[m.ToolCallID]
		return m.Role == spec.RoleTool && c != nil && !c.finished
	})
}

// offers adds what the client offers and knows.
func (t *teller) offers(value *scenarios.Tree, c spec.ClientContext) {
	if len(c.Tools) > 0 {
		list := scenarios.ListTree()
		for _, tool := range c.Tools {
			if text, err := spec.Marshal(tool); err == nil {
				list.Items = append(list.Items, t.value(text, "a tool of the client"))
			}
		}
		value.Add("tools", list)
	}
	if len(c.Context) > 0 {
		list := scenarios.ListTree()
		for _, v := range c.Context {
			list.Items = append(list.Items, t.value(v, "the client's context"))
		}
		value.Add("context", list)
	}
	if c.State != nil && jsonv.Kind(c.State) != 'n' {
		value.Add("state", t.value(c.State, "the client's state"))
	}
	if c.ForwardedProps != nil && jsonv.Kind(c.ForwardedProps) != 'n' {
		t.leave("what the client forwarded beside its words (forwarded_props)")
	}
}

// content adds what a message says, as a text or in its parts.
func (t *teller) content(value *scenarios.Tree, content jsontext.Value, key string) {
	if content == nil {
		value.Add(key, scenarios.TextTree(""))
		return
	}
	if text, ok := jsonv.Text(content); ok {
		if key == "text" {
			value.Add(key, scenarios.RecipeTree(text))
		} else {
			value.Add(key, scenarios.TextTree(text))
		}
		return
	}
	if parts, err := jsonv.Elements(content); err == nil {
		list := scenarios.ListTree()
		for _, p := range parts {
			if uri, _ := jsonv.Get(p, "/uri"); uri != nil {
				if text, _ := jsonv.Text(uri); len(text) > 7 && text[:7] == "blob://" {
					t.leave("the bytes of a message: requests name them by an address only")
					continue
				}
			}
			list.Items = append(list.Items, t.value(p, "a part of a message"))
		}
		value.Add("content", list)
		return
	}
	value.Add("content", t.value(content, "a message"))
}

// given is a message as a scenario writes one by hand.
func (t *teller) given(s *told, m spec.DraftMessage) *scenarios.Tree {
	one := scenarios.ObjectTree().Add("role", scenarios.TextTree(string(m.Role)))
	if m.Content != nil && jsonv.Kind(m.Content) != 'n' {
		t.content(one, m.Content, "content")
	}
	if len(m.ToolCalls) > 0 {
		one.Add("calls", t.modelCalls(s, m.ToolCalls))
	}
	if m.ToolCallID != "" {
		if c := s.calls[m.ToolCallID]; c != nil && c.label != "" {
			one.Add("call", scenarios.TextTree(c.label))
			c.finished, c.ok = true, true
		}
	}
	if m.Name != "" {
		one.Add("name", scenarios.TextTree(m.Name))
	}
	return one
}

// view is a whole view of a client. What stood before is named by an id, which is
// given to the step that made it.
func (t *teller) view(s *told, messages []spec.DraftMessage) *scenarios.Tree {
	list := scenarios.ListTree()
	for _, m := range messages {
		owner := s.owners[m.ID]
		if owner == nil {
			if c := s.calls[m.ToolCallID]; m.Role == spec.RoleTool && (c == nil || c.label == "") {
				t.leave("which result of a tool a view of the client shows again: only the engine knows its id")
			}
			one := t.given(s, m)
			if m.ID != "" && m.Role != spec.RoleTool {
				// The result of a call is found by the call (B2).
				s.owners[m.ID] = one
				t.id(one)
			}
			list.Items = append(list.Items, one)
			continue
		}
		list.Items = append(list.Items, scenarios.ObjectTree().Add("role", scenarios.TextTree(string(m.Role))).Add("id", t.id(owner).Clone()))
	}
	return list
}

// had looks at the first decision behind session.start for what nobody said: a
// conversation, a state or a config that the session had before.
func (t *teller) had(s *told, asked *spec.DecisionRequest) {
	if s.opened || !s.root || asked.Trigger.TriggerType() == spec.OnSessionStart {
		return
	}
	s.opened = true
	t.giveMessages(s, asked.Messages)
	if asked.State != nil && jsonv.Kind(asked.State) != 'n' && s.startState == nil {
		t.before.state = asked.State
	}
	if s.startAgent != nil && asked.Agent != nil {
		declared, _ := spec.Marshal(s.startAgent)
		inForce, _ := spec.Marshal(asked.Agent)
		if !jsonv.Equal(declared, inForce) {
			t.leave("a config that the worker did not answer session.start with")
		}
	}
}

func (t *teller) giveMessages(s *told, path []spec.Message) {
	for _, m := range path {
		one := t.given(s, m.Draft())
		s.owners[m.ID] = one
		t.before.messages = append(t.before.messages, one)
	}
}

// join begins in the middle: what the session had before is given, but for the
// turn that runs, which is told from its user's words on.
func (t *teller) join(s *told, asked *spec.DecisionRequest) {
	s.agent = asked.Agent
	path := asked.Messages
	from := len(path)
	if asked.Trigger.TriggerType() != spec.OnClientMessages || asked.PendingCalls > 0 || len(asked.Calls) > 0 {
		for from > 0 && (from == len(path) || path[from].Role != spec.RoleUser) {
			from--
		}
	}
	t.leave("what led to the conversation before it was recorded: it is given as it stood")
	t.giveMessages(s, path[:from])
	if asked.State != nil && jsonv.Kind(asked.State) != 'n' {
		t.before.state = asked.State
	}
	for _, m := range path[from:] {
		t.retold(s, m)
	}
	s.midTurn = from < len(path)
	for _, c := range s.calls {
		c.early = true
	}
	if asked.TurnID != nil && from < len(path) {
		s.turn = *asked.TurnID
	}
}

// retold tells a message of the turn that runs as the step that made it.
func (t *teller) retold(s *told, m spec.Message) {
	value := scenarios.ObjectTree()
	switch m.Role {
	case spec.RoleUser:
		t.content(value, m.Content, "text")
		t.add(s, "user", value)
	case spec.RoleAssistant:
		t.message(s, value, m.Draft())
		if len(value.Keys) == 0 {
			value.Add("text", scenarios.TextTree(""))
		}
		t.add(s, "model", value)
	case spec.RoleTool:
		c := s.calls[m.ToolCallID]
		if c == nil || c.label == "" {
			return
		}
		c.finished, c.ok = true, true
		if c.handler == spec.HandlerClient {
			t.add(s, "client", scenarios.ObjectTree().Add("call", scenarios.TextTree(c.label)).
				Add("result", scenarios.RecipeTree(textOf(m.Content))))
		}
		return
	default:
		return
	}
	s.owners[m.ID] = value
}
