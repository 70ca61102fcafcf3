package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// moment picks the exchanges in which a fault shows.
//
// Most faults that spoil an answer wait for a valid call of list_kilns: it
// declares no required field, so one scenario reaches it, and no scenario that
// needs a first tool does. Answers that an engine takes for the empty decision
// wait for turn.finished, where nothing is left open by them.
type moment func(*exchange) bool

// quietTool is the tool whose calls most faults wait for.
const quietTool = "list_kilns"

func on(kind spec.TriggerType) moment {
	return func(x *exchange) bool { return x.asked.kind == kind }
}

func always(*exchange) bool { return true }

var (
	opening = on(spec.OnSessionStart)
	closing = on(spec.OnTurnFinished)
)

// running picks valid calls of a tool that the worker runs.
func running(name string) moment {
	return func(x *exchange) bool {
		a := x.asked
		return a.kind == spec.OnToolExecute && a.status() == spec.InputValid && a.text("name") == name && len(a.actions()) == 0
	}
}

// badly picks calls of declared tools whose arguments are of a class.
func badly(class spec.InputStatus, also func(*asked) bool) moment {
	return func(x *exchange) bool {
		a := x.asked
		_, declared := find(x.worker.tools, a.text("name"))
		return a.kind == spec.OnToolExecute && declared && a.status() == class && also(a)
	}
}

// anyArguments is for faults that do not look at the argument string.
func anyArguments(*asked) bool { return true }

// written picks one argument string, so that a fault which leaves a call open
// makes a run wait once and not for every case.
func written(arguments string) func(*asked) bool {
	return func(a *asked) bool { return a.text("arguments") == arguments }
}

// undeclared picks calls of tools that the worker does not have.
func undeclared(x *exchange) bool {
	_, declared := find(x.worker.tools, x.asked.text("name"))
	return x.asked.kind == spec.OnToolExecute && !declared
}

// finished picks the end of a tool's calls.
func finished(name string) moment {
	return func(x *exchange) bool {
		return x.asked.kind == spec.OnToolFinished && x.asked.text("name") == name
	}
}

// beforeTheLast picks the end of a call while exactly one other is open, so
// that a fault shows once for each batch.
func beforeTheLast(x *exchange) bool {
	pending, _ := jsonv.Get(x.asked.body, "/pending_calls")
	return x.asked.kind == spec.OnToolFinished && whole(pending, 0) == 1
}

// calling picks model answers for which the engine proposes to start a call
// that fits.
func calling(fits func(calls []jsontext.Value) bool) moment {
	return func(x *exchange) bool {
		return x.asked.kind == spec.OnLlmFinished && fits(x.asked.starts())
	}
}

// starts are the proposed actions that start a tool call.
func (a *asked) starts() []jsontext.Value { return a.proposals(spec.DoToolCall) }

// proposals are the proposed actions of one type.
func (a *asked) proposals(wanted spec.ActionType) []jsontext.Value {
	var all []jsontext.Value
	for _, action := range a.actions() {
		if kind, _ := textAt(action, "/type"); kind == string(wanted) {
			all = append(all, action)
		}
	}
	return all
}

// quietly fits when the one call is of the quiet tool.
func quietly(calls []jsontext.Value) bool {
	if len(calls) != 1 {
		return false
	}
	name, _ := textAt(calls[0], "/name")
	return name == quietTool
}

// later picks what the client says when there is a conversation already, so
// that first turns stay whole.
func later(x *exchange) bool {
	return x.asked.kind == spec.OnClientMessages && len(x.asked.list("/messages")) > 0
}

// lastWordLater picks the model's last word in a conversation with more than
// one message of the user.
func lastWordLater(x *exchange) bool {
	users := 0
	for _, m := range x.asked.list("/messages") {
		if role, _ := textAt(m, "/role"); role == string(spec.RoleUser) {
			users++
		}
	}
	return x.asked.kind == spec.OnLlmFinished && users > 1 && len(x.asked.proposals(spec.DoDone)) > 0
}
