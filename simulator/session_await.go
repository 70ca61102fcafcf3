package simulator

import (
	"context"
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// ownGrace is how long the settle of a call is held while the answer to its own
// tool.execute has not come: a worker may settle before it answers (I2), and
// may not answer before it has settled.
const ownGrace = 500 * time.Millisecond

// heldSettle is a settle that came over the endpoint and waits for its turn.
type heldSettle struct {
	arrival
	label string
	done  chan<- engine.InputReply
	// stop ends the bound of the wait.
	stop func() bool
}

// arrivedForAwait holds a settle back when the await step that acts, or that
// acts next, names its call and it is not its turn yet: the step's window is to
// begin before what it waits for, and a listed order is to be kept (R7). It
// reports whether it did. What would be refused anyway is never held.
func (s *session) arrivedForAwait(ctx context.Context, a arrival, done chan<- engine.InputReply) bool {
	step := s.script.awaiting()
	settle, ok := a.event.(engine.Settle)
	if step == nil || !ok || !s.eng.CanSettle(settle.Action) {
		return false
	}
	i := slices.IndexFunc(step.Settled, func(label string) bool { return s.labels[label] == a.call })
	if i < 0 || s.isTurn(step, step.Settled[i]) {
		return false
	}
	bound := step.Within
	if !slices.Contains(s.eng.Held(), a.call) {
		bound = min(bound, ownGrace)
	}
	h := &heldSettle{arrival: a, label: step.Settled[i], done: done}
	h.stop = s.in.Clock.AfterFunc(bound, func() {
		s.send(func() { s.letThrough(ctx, h) })
	})
	s.settles = append(s.settles, h)
	return true
}

// isDue notes when the attempt of a call that x hands to the worker ends on the
// worker's own clock.
func (s *session) isDue(x *delivery) {
	var deadline *spec.Timestamp
	switch t := x.Request.Trigger.(type) {
	case spec.ToolExecuteTrigger:
		deadline = t.Deadline
	case spec.LlmExecuteTrigger:
		deadline = t.Deadline
	}
	if deadline != nil {
		s.due[x.Call] = s.in.Clock.Now().Add(deadline.Sub(s.in.At) - x.Sent)
	}
}

// isTurn reports whether a call may be settled now, as an await step has it:
// once the step has acted, and in a listed order once all before it have ended.
func (s *session) isTurn(step *scenarios.AwaitStep, label string) bool {
	if s.script.await != step {
		return false
	}
	for _, before := range step.Settled {
		switch {
		case step.Order != orderListed || before == label:
			return true
		case s.unsettled(before):
			return false
		}
	}
	return true
}

// orderListed is the order of an await step that is forced.
const orderListed = "listed"

// unsettled reports whether the worker still owes the answer to an attempt of a
// call.
func (s *session) unsettled(label string) bool { return s.eng.Owed(s.labels[label]) }

// letTurns gives the engine what was held and whose turn has come.
func (s *session) letTurns(ctx context.Context) {
	for s.why == "" {
		step := s.script.awaiting()
		i := slices.IndexFunc(s.settles, func(h *heldSettle) bool {
			return step == nil || s.isTurn(step, h.label)
		})
		if i < 0 {
			return
		}
		h := s.settles[i]
		s.settles = slices.Delete(s.settles, i, i+1)
		h.stop()
		h.done <- s.settle(ctx, fromWorker, h.arrival)
	}
}

// letThrough gives the engine a settle whose turn did not come in time, and says
// so: the worker may well wait for its reply before it settles the next (R7).
func (s *session) letThrough(ctx context.Context, h *heldSettle) {
	i := slices.Index(s.settles, h)
	if i < 0 || s.why != "" {
		return
	}
	s.settles = slices.Delete(s.settles, i, i+1)
	h.stop()
	s.emit(s.now(), &spec.TimeEvent{Why: whyPatience, Of: h.call})
	h.done <- s.settle(ctx, fromWorker, h.arrival)
	s.letTurns(ctx)
}

// dropSettles refuses what is still held when the session ends.
func (s *session) dropSettles() {
	for _, h := range s.settles {
		h.stop()
		s.refuseEnded(h.arrival, h.done)
	}
	s.settles = nil
}

// beginAwait lets an await step begin: its time runs from now.
func (s *session) beginAwait(ctx context.Context) {
	s.awaitBegan = s.in.Clock.Now()
	s.letTurns(ctx)
}

// awaitInReal waits in real time for what an await step names.
func (s *session) awaitInReal(ctx context.Context) bool {
	limit := s.script.await.Within - s.in.Clock.Now().Sub(s.awaitBegan)
	if s.in.Patience < 0 {
		limit = longestDeadline
	}
	s.waitInReal(limit, func() {
		s.script.awaitOver()
		for _, h := range slices.Clone(s.settles) {
			s.letThrough(ctx, h)
		}
	})
	return true
}
