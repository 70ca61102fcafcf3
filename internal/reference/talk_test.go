package reference_test

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// talk builds the requests of one session, as an engine sends them when the
// worker returns what it is proposed.
type talk struct {
	session string
	agent   *spec.AgentConfig
	path    []spec.Message
	// left are the messages of a branch that is not the active one.
	left []spec.Message
	// open are further calls in flight, offer the client's tools.
	open  []spec.Call
	offer []spec.AgentTool
	made  int
	send  func(spec.DecisionRequest) spec.Answer
}

// toolCall is one call of the model.
type toolCall struct{ id, tool, arguments string }

// request is a whole request around a trigger.
func (t *talk) request(trigger spec.Trigger, proposed spec.Decision) spec.DecisionRequest {
	t.made++
	turn := "turn-1"
	return spec.DecisionRequest{
		SessionID: t.session, DecisionID: fmt.Sprintf("%s-%d", t.session, t.made), AgentID: "agent",
		Identity: spec.Identity{Visibility: "shared", Metadata: map[string]string{}},
		Trigger:  trigger, Proposed: spec.Proposal{Decision: proposed}, Agent: t.agent,
		Calls: append([]spec.Call{}, t.open...), Messages: slices.Clone(t.path), MessageTree: t.tree(),
		Ancestry: []string{}, TurnID: &turn,
	}
}

// tree is the path and what was left beside it.
func (t *talk) tree() spec.MessageTree {
	tree := spec.MessageTree{Nodes: []spec.MessageNode{}}
	for _, branch := range [][]spec.Message{t.left, t.path} {
		tree.HeadID = ""
		for _, m := range branch {
			tree.Nodes = append(tree.Nodes, spec.MessageNode{Message: m, ParentID: tree.HeadID})
			tree.HeadID = m.ID
		}
	}
	return tree
}

// drafts is the path as a proposal holds it, with one message more.
func (t *talk) drafts(more ...spec.DraftMessage) []spec.DraftMessage {
	var all []spec.DraftMessage
	for _, m := range t.path {
		all = append(all, m.Draft())
	}
	return append(all, more...)
}

func (t *talk) record(m spec.Message) {
	if m.ToolCalls == nil {
		m.ToolCalls = []spec.ToolCall{}
	}
	t.path = append(t.path, m)
}

func asking() spec.Action {
	model, block := "studio", "main"
	return spec.LlmCallAction{Model: &model, Llm: &block}
}

func content(text string) jsontext.Value { return jsonv.Quote(text) }

// starts asks for the config, in the form that proposes one or in the bare one.
func (t *talk) starts(bare bool) spec.Answer {
	proposed := spec.Decision{Agent: &spec.AgentConfig{Model: "hallmark-simulated", Llm: "main"}}
	if bare {
		proposed = spec.Decision{}
	}
	r := t.request(spec.SessionStartTrigger{}, proposed)
	r.Agent, r.TurnID = nil, nil
	return t.send(r)
}

// says brings a message of the user.
func (t *talk) says(text string) spec.Answer {
	said := spec.DraftMessage{Role: spec.RoleUser, Content: content(text)}
	view := t.drafts(said)
	proposed := spec.Decision{Messages: view, Actions: []spec.Action{asking()}}
	if t.offer != nil {
		merged := *t.agent
		merged.Tools = slices.Concat(merged.Tools, t.offer)
		ask := asking().(spec.LlmCallAction)
		for _, tool := range merged.Tools {
			ask.Tools = append(ask.Tools, spec.LlmTool{Name: tool.Name, Description: tool.Description})
		}
		proposed.Agent, proposed.Actions = &merged, []spec.Action{ask}
	}
	r := t.request(
		spec.ClientMessagesTrigger{Messages: view, NewFrom: uint32(len(t.path)), Client: spec.ClientContext{Tools: t.offer}}, proposed,
	)
	t.record(spec.Message{ID: fmt.Sprintf("user-%d", t.made), Role: spec.RoleUser, Content: content(text)})
	return t.send(r)
}

// replies brings the model's answer: words, calls, or both.
func (t *talk) replies(text string, calls ...toolCall) spec.Answer {
	id := fmt.Sprintf("llm-%d", t.made)
	m := spec.Message{ID: id, Role: spec.RoleAssistant, Content: content(text)}
	var actions []spec.Action
	for _, c := range calls {
		m.ToolCalls = append(m.ToolCalls, spec.ToolCall{ID: c.id, Type: "function", Function: spec.ToolFunction{Name: c.tool, Arguments: c.arguments}})
		actions = append(actions, spec.ToolCallAction{ID: &c.id, Name: c.tool, Arguments: jsonv.Quote(c.arguments)})
	}
	if len(calls) == 0 {
		actions = []spec.Action{spec.DoneAction{Data: content(text)}}
	}
	draft := m.Draft()
	r := t.request(
		spec.LlmFinishedTrigger{ID: id, OK: true, Message: &draft},
		spec.Decision{Messages: t.drafts(draft), Actions: actions},
	)
	t.record(m)
	return t.send(r)
}

// executing is the request to run a call, of the class that is given, with
// what an engine proposes for it (E9).
func (t *talk) executing(c toolCall, in spec.ToolInput, undeclared bool) spec.DecisionRequest {
	var proposed spec.Decision
	refuse := func(text string) {
		no := false
		proposed = spec.Decision{Messages: t.drafts(), Actions: []spec.Action{spec.ToolErrorAction{ID: &c.id, Error: text, Retryable: &no}}}
	}
	switch {
	case undeclared:
		refuse("unknown tool: " + c.tool)
	case in.Status != spec.InputValid:
		refuse("invalid tool arguments: " + *in.Error)
	}
	r := t.request(spec.ToolExecuteTrigger{ID: c.id, Name: c.tool, Arguments: c.arguments, Input: in}, proposed)
	r.Calls = append([]spec.Call{open(c)}, t.open...)
	r.PendingCalls = uint32(len(r.Calls))
	return r
}

func open(c toolCall) spec.Call {
	return spec.Call{ID: c.id, Kind: spec.CallTool, Status: spec.CallPending, Name: c.tool, Arguments: &c.arguments, Handler: spec.HandlerWorker}
}

// finishes brings the end of a call; rest is how many of its batch are open.
func (t *talk) finishes(c toolCall, rest int, failed *spec.ErrorInfo) spec.Answer {
	text := "it ran"
	trigger := spec.ToolFinishedTrigger{ID: c.id, OK: failed == nil, Name: c.tool, Error: failed}
	if failed != nil {
		text = failed.Message
	} else {
		trigger.Result = &spec.StoredResult{Content: []spec.StoredContent{{Type: spec.BlockText, Text: &text}}}
	}
	m := spec.Message{Role: spec.RoleTool, ToolCallID: c.id, Name: c.tool, Content: content(text)}
	proposed := spec.Decision{Messages: t.drafts(m.Draft())}
	if rest == 0 {
		proposed.Actions = []spec.Action{asking()}
	}
	r := t.request(trigger, proposed)
	r.PendingCalls = uint32(rest)
	m.ID = fmt.Sprintf("tool-%d", t.made)
	t.record(m)
	return t.send(r)
}

// ends brings the end of the turn.
func (t *talk) ends() spec.Answer {
	return t.send(t.request(
		spec.TurnFinishedTrigger{TurnID: "turn-1", Data: content("bye"), Cost: "0"},
		spec.Decision{Messages: t.drafts(), Actions: []spec.Action{spec.DoneAction{}}},
	))
}

// valid, invalid and malformed are the engine's readings of arguments.
func valid(arguments string) spec.ToolInput {
	return spec.ToolInput{Status: spec.InputValid, Value: jsontext.Value(arguments)}
}

func invalid(arguments string) spec.ToolInput {
	why := "a required field is missing"
	return spec.ToolInput{Status: spec.InputInvalid, Value: jsontext.Value(arguments), Error: &why}
}

func malformed() spec.ToolInput {
	why := "arguments must be a JSON object, got null"
	return spec.ToolInput{Status: spec.InputMalformed, Error: &why}
}
