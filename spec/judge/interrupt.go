package judge

import (
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

const (
	goesOnResumed = "interrupt.goes-on-when-resumed"
	settlesParked = "interrupt.settles-what-it-parked"
	namesParked   = "interrupt.names-the-call"
)

func interruptChecks() []check {
	const noQuestion = "no call was answered with an interrupt"
	return []check{
		{id: goesOnResumed, moment: "nobody resumed an interrupt", see: seeResumed},
		{id: settlesParked, moment: noQuestion + " that was resumed", see: seeParkedSettled},
		{id: namesParked, moment: "no answer to interrupt.resumed settled a call", see: seeNamed},
		{id: "interrupt.says-why", moment: "the worker raised no interrupt of its own", see: seeReason},
	}
}

func seeResumed(x *exchange) {
	if x.trigger() != spec.OnInterruptResumed {
		return
	}
	if _, proposed := asksModel(x.req.Proposed.Actions); proposed {
		x.goesOn(goesOnResumed, "the proposed llm.call, or another action")
	}
}

// seeParkedSettled wants the calls that the worker answered with an interrupt
// settled before the model is asked again. A worker that records the tool message
// itself, or that goes on asking people, is free to.
func seeParkedSettled(x *exchange) {
	if x.trigger() != spec.OnInterruptResumed || x.stopped {
		return
	}
	settles := x.settles()
	for _, call := range x.state.parked {
		i := slices.IndexFunc(x.req.Calls, func(c spec.Call) bool { return c.ID == call && c.Status == spec.CallPending })
		at, asks := asksModel(x.decision.Actions)
		switch {
		case i < 0:
		case slices.ContainsFunc(settles, func(s settle) bool { return s.call == call }):
			x.held(settlesParked)
		case asks && !hasTool(x.decision.Messages, call):
			x.broke(settlesParked, spec.Finding{
				Pointer: fmt.Sprintf("/actions/%d", at), Got: "an llm.call while call " + quote(call) + " of " + quote(x.req.Calls[i].Name) + " waits for its result",
				Want: "a tool.result or tool.error with the id " + quote(call),
				Hint: "the call was answered with an interrupt, so it is still open: settle it, and the engine asks the model",
			})
			return
		}
	}
}

// seeNamed notes the settles that name their call. One without an id spoils the
// response, which is told where that is seen.
func seeNamed(x *exchange) {
	if x.trigger() == spec.OnInterruptResumed && len(x.settles()) > 0 && !x.stopped {
		x.held(namesParked)
	}
}

// seeReason looks at the interrupts that the engine did not propose.
func seeReason(x *exchange) {
	const id = "interrupt.says-why"
	for i, a := range x.decision.Actions {
		t, ok := a.(spec.InterruptAction)
		if !ok || proposesInterrupt(x, t) {
			continue
		}
		if !blank(t.Reason) {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{
			Pointer: fmt.Sprintf("/actions/%d/reason", i), Got: quote(t.Reason), Want: "words that say what the person is to decide",
		})
	}
}

func proposesInterrupt(x *exchange, t spec.InterruptAction) bool {
	return slices.ContainsFunc(x.req.Proposed.Actions, func(a spec.Action) bool {
		p, ok := a.(spec.InterruptAction)
		return ok && p.Reason == t.Reason && jsonv.Equal(p.Payload, t.Payload)
	})
}

// park remembers which calls the worker has answered with an interrupt, until
// they are settled.
func (s *session) park(x *exchange) {
	for _, settle := range x.settles() {
		s.parked = slices.DeleteFunc(s.parked, func(call string) bool { return call == settle.call })
	}
	t, ok := x.req.Trigger.(spec.ToolExecuteTrigger)
	if !ok || len(s.parked) >= maxOpen || slices.Contains(s.parked, t.ID) {
		return
	}
	settled := slices.ContainsFunc(x.settles(), func(s settle) bool { return s.call == t.ID })
	asks := slices.ContainsFunc(x.decision.Actions, func(a spec.Action) bool { return a.ActionType() == spec.DoInterrupt })
	if asks && !settled {
		s.parked = append(s.parked, t.ID)
		x.judge.worker.asks = true
	}
}
