package judge

import (
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// maxTurnedDown bounds the refused calls of one session that are kept.
const maxTurnedDown = 64

// turnedDown is a call that was refused for what it is: its name is not declared,
// or its arguments are bad.
type turnedDown struct {
	tool, arguments, call string
	// d names the exchange.
	d string
	toldSettle
}

// seeUnknownRetried wants no retry of a name that nobody declared (H4). Where its
// arguments are bad as well, that has a name of its own.
func seeUnknownRetried(x *exchange) {
	const id = "execute.undeclared-not-retryable"
	t, ok := x.asked()
	if _, undeclared := x.undeclared(); !ok || !undeclared || t.Input.Status != spec.InputValid {
		return
	}
	seeNoRetry(x, id, t.ID, "true, for the tool "+quote(t.Name), "a retry would bring the same name again; the model sends another when it reads the error")
}

// seeNoRetry wants the errors that settle a call not to ask for a retry of it.
// Got is what one that does says, hint what is right.
func seeNoRetry(x *exchange, id, call, got, hint string) {
	for _, s := range x.settles() {
		if s.err == nil || s.call != call {
			continue
		}
		if s.err.Retryable == nil || !*s.err.Retryable {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{Pointer: s.pointer("/retryable"), Got: got, Want: "false, or no retryable", Hint: hint})
	}
}

// seeRefusedAgain compares the refusal of a call with that of the same call
// earlier in the session, under another id. A call that was not refused both
// times has no two texts to compare.
func seeRefusedAgain(x *exchange) {
	const id = "execute.refuses-alike"
	t, ok := x.asked()
	if _, undeclared := x.undeclared(); !ok || x.stopped || t.Input.Status == spec.InputValid && !undeclared {
		return
	}
	i := slices.IndexFunc(x.settles(), func(s settle) bool { return s.call == t.ID })
	if i < 0 {
		return
	}
	now := turnedDown{tool: t.Name, arguments: t.Arguments, call: t.ID, d: x.D, toldSettle: x.tell(x.settles()[i])}
	if now.kind == kindResult {
		return
	}
	i = slices.IndexFunc(x.state.turnedDown, func(r turnedDown) bool { return r.tool == now.tool && r.arguments == now.arguments })
	if i < 0 {
		if len(x.state.turnedDown) == maxTurnedDown {
			x.state.turnedDown = slices.Delete(x.state.turnedDown, 0, 1)
		}
		x.state.turnedDown = append(x.state.turnedDown, now)
		return
	}
	before := x.state.turnedDown[i]
	switch {
	case before.call == now.call:
	case before.words == now.words:
		x.held(id)
	default:
		x.broke(id, spec.Finding{
			Pointer: now.pointer, Got: now.text, Want: fmt.Sprintf("the words of the refusal in %s: %s", before.d, before.text),
			Hint: "make the text from the call alone",
		})
	}
}
