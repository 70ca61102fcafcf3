package judge

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

func callsChecks() []check {
	const moment = "the model never made a call"
	return []check{
		{id: "calls.keeps-the-assistant-message", moment: moment + " whose message was recorded", see: seeAssistant},
		{id: "calls.starts-every-call", moment: moment, see: seeStarted},
		{id: "calls.keeps-the-arguments", moment: moment + " that was started", see: seeArguments},
	}
}

// begin is a call that an answer starts, or is proposed to start.
type begin struct {
	index     int
	id        string
	name      string
	arguments string
	// spawn says that a subagent answers the call.
	spawn bool
}

// begins lists the calls that actions start.
func begins(actions []spec.Action) []begin {
	var all []begin
	for i, a := range actions {
		switch a := a.(type) {
		case spec.ToolCallAction:
			b := begin{index: i, name: a.Name, arguments: a.RawArguments()}
			if a.ID != nil {
				b.id = *a.ID
			}
			all = append(all, b)
		case spec.SubagentSpawnAction:
			all = append(all, begin{index: i, id: a.ToolCallID, name: a.AgentID, spawn: true})
		}
	}
	return all
}

func find(list []begin, id string) (begin, bool) {
	for _, b := range list {
		if b.id == id {
			return b, true
		}
	}
	return begin{}, false
}

// modelCalls are the calls that the model made and the engine proposes to
// start (C2).
func (x *exchange) modelCalls() (spec.LlmFinishedTrigger, []begin) {
	t, ok := x.req.Trigger.(spec.LlmFinishedTrigger)
	if !ok || !t.OK {
		return t, nil
	}
	return t, begins(x.req.Proposed.Actions)
}

// records reports whether the answer records the model's message: under its
// id, or as a message with one of its calls.
func (x *exchange) records(t spec.LlmFinishedTrigger, calls []begin) (underID, atAll bool) {
	for _, m := range x.decision.Messages {
		if m.ID == t.ID && m.Role == spec.RoleAssistant {
			return true, true
		}
		for _, c := range m.ToolCalls {
			if _, ok := find(calls, c.ID); ok {
				atAll = true
			}
		}
	}
	return false, atAll
}

func seeAssistant(x *exchange) {
	const id = "calls.keeps-the-assistant-message"
	t, calls := x.modelCalls()
	if len(calls) == 0 || len(x.decision.Messages) <= len(x.req.Messages) || x.stopped {
		return
	}
	underID, atAll := x.records(t, calls)
	switch {
	case underID:
		x.held(id)
	case atAll:
		at := len(x.req.Messages)
		got := "a message without an id"
		if m := x.decision.Messages[at]; m.ID != "" {
			got = "message " + quote(m.ID)
		}
		x.broke(id, spec.Finding{
			Pointer: fmt.Sprintf("/messages/%d/id", at), Got: got, Want: "the id of the model call: " + quote(t.ID),
			Hint: "return the proposed message as it is",
		})
	}
}

// seeStarted wants each of the model's calls started, or answered by a tool
// message. A worker that parks the session, or that drops the model's message
// and goes another way, is free to (G9).
func seeStarted(x *exchange) {
	const id = "calls.starts-every-call"
	t, calls := x.modelCalls()
	_, recorded := x.records(t, calls)
	if len(x.decision.Actions) > 0 && !recorded {
		return
	}
	for _, a := range x.decision.Actions {
		if a.ActionType() == spec.DoInterrupt {
			return
		}
	}
	started := begins(x.decision.Actions)
	for _, c := range calls {
		if _, ok := find(started, c.id); ok || hasTool(x.decision.Messages, c.id) {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{
			Pointer: "/actions", Got: fmt.Sprintf("no action for call %s of %s", quote(c.id), quote(c.name)),
			Want: "a tool.call with this id, or a tool message in its place",
			Hint: "return the proposed actions; to refuse a call, record a tool message that says why",
		})
	}
}

// sameArguments compares by meaning where both are JSON, else letter by letter.
func sameArguments(a, b string) bool {
	x, y := jsontext.Value(a), jsontext.Value(b)
	return a == b || jsonv.Valid(x, jsonv.MaxDepth) == nil && jsonv.Valid(y, jsonv.MaxDepth) == nil && jsonv.Equal(x, y)
}

func seeArguments(x *exchange) {
	const id = "calls.keeps-the-arguments"
	_, calls := x.modelCalls()
	for _, b := range begins(x.decision.Actions) {
		asked, ok := find(calls, b.id)
		if !ok || b.spawn || asked.spawn {
			continue
		}
		if b.name == asked.name && sameArguments(b.arguments, asked.arguments) {
			x.held(id)
			continue
		}
		f := spec.Finding{
			Pointer: fmt.Sprintf("/actions/%d/arguments", b.index), Got: quote(b.arguments), Want: quote(asked.arguments),
			Hint: "start the call as the model made it; repair or refuse the arguments in tool.execute",
		}
		if b.name != asked.name {
			f.Pointer = fmt.Sprintf("/actions/%d/name", b.index)
			f.Got, f.Want = quote(b.name), quote(asked.name)
		}
		x.broke(id, f)
	}
}
