package judge

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/spec"
)

func finishedChecks() []check {
	return []check{
		{id: "finished.records-the-tool-message", moment: "no finished call whose tool message was proposed", see: seeRecorded},
		{id: "finished.keeps-the-path", moment: "no answer held messages", see: seePath},
		{id: "finished.waits-for-siblings", moment: "no call finished while others were open", see: seeSiblings},
		{id: "finished.prompts-the-model", moment: "no finished call after which the model was to be asked", see: seeNextCall},
	}
}

// ended is the call that the trigger says has ended.
func (x *exchange) ended() (call string, ok bool) {
	switch t := x.req.Trigger.(type) {
	case spec.ToolFinishedTrigger:
		return t.ID, true
	case spec.SubagentFinishedTrigger:
		return t.ID, true
	}
	return "", false
}

// hasTool reports whether a list holds the tool message of a call.
func hasTool(list []spec.DraftMessage, call string) bool {
	for _, m := range list {
		if m.Role == spec.RoleTool && m.ToolCallID == call {
			return true
		}
	}
	return false
}

func seeRecorded(x *exchange) {
	id := "finished.records-the-tool-message"
	if t, ok := x.req.Trigger.(spec.ToolFinishedTrigger); ok && x.req.Agent.RunsOnEngine(t.Name) {
		id = recordsPair
	}
	if x.trigger() == spec.OnSubagentFinished {
		id = recordsSubagent
	}
	call, ok := x.ended()
	if !ok || !hasTool(x.req.Proposed.Messages, call) {
		return
	}
	for _, m := range x.req.Messages {
		if m.Role == spec.RoleTool && m.ToolCallID == call {
			return
		}
	}
	if hasTool(x.decision.Messages, call) {
		x.held(id)
		return
	}
	got := "no messages"
	if n := len(x.decision.Messages); n > 0 {
		got = fmt.Sprintf("%d messages, none of role tool for this call", n)
	}
	x.broke(id, spec.Finding{
		Pointer: "/messages", Got: got, Want: "the proposed messages, with the tool message of call " + quote(call),
		Hint: "return proposed for triggers that you do not handle",
	})
}

// seePath wants the recorded path at the head of whatever is recorded next
// (gap 7). It is judged where the proposal itself keeps that path: a client's
// own view may leave it.
func seePath(x *exchange) {
	const id = "finished.keeps-the-path"
	if len(x.decision.Messages) == 0 || len(x.req.Messages) == 0 {
		return
	}
	if at := leavesPath(x.req.Messages, x.req.Proposed.Messages); at >= 0 {
		return
	}
	at := leavesPath(x.req.Messages, x.decision.Messages)
	if at < 0 {
		x.held(id)
		return
	}
	got := fmt.Sprintf("%d of the %d recorded messages", len(x.decision.Messages), len(x.req.Messages))
	if at < len(x.decision.Messages) {
		got = "a message without an id"
		if m := x.decision.Messages[at]; m.ID != "" {
			got = "message " + quote(m.ID)
		}
	}
	x.broke(id, spec.Finding{
		Pointer: fmt.Sprintf("/messages/%d", at), Got: got,
		Want: "message " + quote(x.req.Messages[at].ID) + ": the recorded path first, with its ids",
		Hint: "messages is the whole path; append to the proposed ones",
	})
}

// leavesPath returns where a list stops following the path, -1 when it begins
// with the whole of it.
func leavesPath(path []spec.Message, list []spec.DraftMessage) int {
	for i, m := range path {
		if i >= len(list) || list[i].ID != m.ID {
			return i
		}
	}
	return -1
}

// asksModel reports whether a list of actions holds an llm.call, and where.
func asksModel(actions []spec.Action) (int, bool) {
	for i, a := range actions {
		if a.ActionType() == spec.DoLlmCall {
			return i, true
		}
	}
	return 0, false
}

func seeSiblings(x *exchange) {
	const id = "finished.waits-for-siblings"
	_, ok := x.ended()
	if _, proposed := asksModel(x.req.Proposed.Actions); !ok || proposed || x.req.PendingCalls == 0 {
		return
	}
	i, asks := asksModel(x.decision.Actions)
	if !asks {
		x.held(id)
		return
	}
	x.broke(id, spec.Finding{
		Pointer: fmt.Sprintf("/actions/%d", i), Got: fmt.Sprintf("an llm.call while pending_calls is %d", x.req.PendingCalls),
		Want: "no llm.call before the last call of the batch has finished",
		Hint: "return proposed: it asks the model when the last result is there",
	})
}

func seeNextCall(x *exchange) {
	const id = "finished.prompts-the-model"
	_, ok := x.ended()
	if _, proposed := asksModel(x.req.Proposed.Actions); !ok || !proposed || x.stopped {
		return
	}
	x.goesOn(id, "the proposed llm.call, or another action")
}

// goesOn notes that an answer moves the turn on: that it holds some action, or
// that some work is in flight (N5).
func (x *exchange) goesOn(id, want string) {
	if len(x.decision.Actions) > 0 || len(x.req.Calls) > 0 {
		x.held(id)
		return
	}
	x.broke(id, spec.Finding{
		Pointer: "/actions", Got: "no action, with nothing in flight", Want: want,
		Hint: "return proposed whole: its messages and its actions",
	})
}
