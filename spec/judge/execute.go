package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func executeChecks() []check {
	return []check{
		{id: "execute.settles-the-asked-call", moment: "no answer settled a call", see: seeAskedCall},
		{id: "execute.settles-the-asked-attempt", moment: "no call was settled", see: seeAskedAttempt},
		{id: "execute.settles-once", moment: "no answer settled a call", see: seeOnce},
		{id: "execute.bad-arguments-not-retryable", moment: "no call was refused for its arguments", see: seeRetryable},
		{id: "execute.refuses-undeclared", moment: "no call of an undeclared tool was delivered", see: seeUndeclared, sum: sumRefusals},
		{id: "execute.undeclared-not-retryable", moment: "no call of an undeclared tool was answered with a tool.error", see: seeUnknownRetried},
		{id: "execute.refuses-alike", moment: "no call that was refused came a second time in its session", see: seeRefusedAgain},
		{id: "execute.settles", moment: "no tool.execute with valid arguments was answered", see: seeSettled, sum: sumOpen},
		{id: "execute.answers-invalid", moment: "no tool.execute with invalid arguments was answered"},
		{id: "execute.answers-malformed", moment: "no tool.execute with malformed arguments was answered"},
	}
}

// asked is the call that the worker is asked to run, when the trigger is one.
func (x *exchange) asked() (spec.ToolExecuteTrigger, bool) {
	t, ok := x.req.Trigger.(spec.ToolExecuteTrigger)
	return t, ok
}

// isOpen reports whether a settle may name this call: it is the asked one, or
// the request lists it (F1, F2).
func (x *exchange) isOpen(call string) bool {
	if t, ok := x.asked(); ok && t.ID == call {
		return true
	}
	return slices.ContainsFunc(x.req.Calls, func(c spec.Call) bool {
		return c.ID == call && (c.Kind == spec.CallTool || c.Kind == spec.CallSubagent)
	})
}

func seeAskedCall(x *exchange) {
	const id = "execute.settles-the-asked-call"
	for _, s := range x.settles() {
		if s.call != "" && x.isOpen(s.call) {
			x.held(id)
			continue
		}
		f := spec.Finding{Pointer: s.pointer("/id"), Got: quote(s.call), Want: "the id of a call that is open"}
		if t, ok := x.asked(); ok {
			f.Want = quote(t.ID) + ", or no id"
		}
		f.Hint = "a settle of another id is dropped without a word"
		x.broke(id, f)
	}
}

func seeAskedAttempt(x *exchange) {
	const id = "execute.settles-the-asked-attempt"
	t, ok := x.asked()
	if !ok {
		return
	}
	for _, s := range x.settles() {
		if s.call != t.ID {
			continue
		}
		// An attempt that is left out is the trigger's (F1).
		if s.attempt == nil || *s.attempt == t.Attempt {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{
			Pointer: s.pointer("/attempt"), Got: fmt.Sprint(*s.attempt), Want: fmt.Sprintf("%d, or no attempt", t.Attempt),
			Hint: "the number is opaque: echo the trigger's, or leave it out",
		})
	}
}

func seeOnce(x *exchange) {
	const id = "execute.settles-once"
	type key struct {
		call    string
		attempt uint32
	}
	t, _ := x.asked()
	first := map[key]settle{}
	twice := false
	for _, s := range x.settles() {
		k := key{s.call, t.Attempt}
		if s.attempt != nil {
			k.attempt = *s.attempt
		}
		before, again := first[k]
		if !again {
			first[k] = s
			continue
		}
		twice = true
		x.broke(id, spec.Finding{
			Pointer: s.pointer(""), Got: fmt.Sprintf("a second settle of call %s, a %s after the %s at %s", quote(s.call), s.by(), before.by(), before.pointer("")),
			Want: "one settle for each call", Hint: "the first one counts",
		})
	}
	if !twice && len(first) > 0 {
		x.held(id)
	}
}

func seeRetryable(x *exchange) {
	const id = "execute.bad-arguments-not-retryable"
	t, ok := x.asked()
	if !ok || t.Input.Status == spec.InputValid {
		return
	}
	seeNoRetry(x, id, t.ID, fmt.Sprintf("true, for %s arguments", t.Input.Status), "a retry would bring the same arguments again; the model sends others when it reads the error")
}

// undeclared reports whether the engine holds the asked call to be of a tool
// that was not offered, and the text with which it would refuse (E4, E9).
func (x *exchange) undeclared() (text string, yes bool) {
	t, ok := x.asked()
	if !ok {
		return "", false
	}
	for _, a := range x.req.Proposed.Actions {
		e, ok := a.(spec.ToolErrorAction)
		if ok && (e.ID == nil || *e.ID == t.ID) && strings.HasPrefix(e.Error, "unknown tool: ") {
			return e.Error, true
		}
	}
	return "", false
}

// plain reports whether a settle is a result that is not flagged.
func (x *exchange) plain(s settle) bool {
	return s.result != nil && !toolcall.ReadResult(*s.result, keeper{}).IsError
}

func seeUndeclared(x *exchange) {
	const id = "execute.refuses-undeclared"
	proposed, yes := x.undeclared()
	if !yes {
		return
	}
	t, _ := x.asked()
	for _, s := range x.settles() {
		if s.call != t.ID {
			continue
		}
		switch {
		case x.plain(s):
			x.broke(id, spec.Finding{
				Pointer: s.pointer(""), Got: "a plain result for the tool " + quote(t.Name), Want: "a tool.error that says there is no such tool",
				Hint: "return proposed, or look the name up and refuse what is not there",
			})
		case s.err != nil && s.err.Error == proposed:
			// A refusal by proposal needs no twin (R11).
			x.held(id)
		default:
			x.state.refusals++
		}
		return
	}
}

// seeSettled notes what the asked call has to wait for. The three classes of
// arguments have a requirement each, and settle alike.
func seeSettled(x *exchange) {
	t, ok := x.asked()
	if !ok {
		return
	}
	if x.dropped() {
		return
	}
	x.state.drop(t.ID)
	if x.stopped {
		// The settle is there, but not as it should be: that has a name already.
		return
	}
	if !slices.ContainsFunc(x.settles(), func(s settle) bool { return s.call == t.ID }) {
		x.judge.worker.letGo = true
	}
	id := settlesID(t.Input.Status)
	settled, excused := x.state.settledOutside(t)
	switch {
	case settled:
		x.held(id)
	case !excused:
		x.state.expect(openCall{
			call: t.ID, id: id, n: x.N, place: x.place(id, spec.Finding{Pointer: "/actions"}), twin: x.isTwin(),
		})
	}
}

// isTwin reports whether a plain result of the asked call is a twin of a
// refusal (R11).
func (x *exchange) isTwin() bool {
	t, ok := x.asked()
	_, undeclared := x.undeclared()
	_, offered := x.req.Agent.Tool(t.Name)
	return ok && t.Input.Status == spec.InputValid && !undeclared && offered
}

func settlesID(s spec.InputStatus) string {
	switch s {
	case spec.InputInvalid:
		return "execute.answers-invalid"
	case spec.InputMalformed:
		return "execute.answers-malformed"
	}
	return "execute.settles"
}
