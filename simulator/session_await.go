package simulator

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// ownGrace is how long the settle of a call is held while the answer to its own
// tool.execute has not come: a worker may settle before it answers (I2), and
// may not answer before it has settled. A machine that is busy needs some of it
// to hand the answer over.
const ownGrace = 2 * time.Second

// heldSettle is a settle that came over the endpoint and waits for its turn.
type heldSettle struct {
	arrival
	done chan<- engine.InputReply
	// stop ends the bound of the wait.
	stop func() bool
}

// arrivedForAwait holds a settle back while it is not its turn. It reports
// whether it did. What would be refused anyway is never held, but for a call that
// the next step settles: whoever is faster, that step comes first.
func (s *session) arrivedForAwait(ctx context.Context, a arrival, done chan<- engine.InputReply) bool {
	settle, ok := a.event.(engine.Settle)
	if !ok || s.isTurn(a.call) {
		return false
	}
	next := s.script.settling()
	if first := next != nil && s.labels[next.Call] == a.call; !first && !s.eng.CanSettle(settle.Action) {
		return false
	}
	bound := DefaultSettlePatience
	if step := s.script.awaiting(s.unsettled); step != nil {
		bound = step.Within
	}
	if x := s.executes[a.call]; x != nil && !x.answered {
		bound = min(bound, ownGrace)
	}
	h := &heldSettle{arrival: a, done: done}
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

// orderListed is the order of an await step that is forced.
const orderListed = "listed"

// unsettled reports whether the worker still owes the answer to an attempt of a
// call.
func (s *session) unsettled(label string) bool { return s.eng.Owed(s.labels[label]) }

// letTurns gives the engine what was held and whose turn has come.
func (s *session) letTurns(ctx context.Context) {
	if s.in.tape != nil {
		s.letTaped(ctx)
		return
	}
	for s.why == "" {
		i := slices.IndexFunc(s.settles, func(h *heldSettle) bool { return s.isTurn(h.call) })
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

// loseSettles drops what the worker sent and the engine had not taken when the
// worker went down: nobody is left to hear of it.
func (s *session) loseSettles() {
	if s.in.tape != nil {
		s.loseTaped()
		return
	}
	for _, h := range s.settles {
		h.stop()
		s.loseSettle(h.arrival, h.done)
	}
	s.settles = nil
}

// loseSettle records a settle that no engine has looked at. Where the worker is
// another one in the same process, its old self learns that nothing was taken.
func (s *session) loseSettle(a arrival, done chan<- engine.InputReply) {
	s.emit(s.now(), &spec.InputEvent{From: fromWorker, Body: spec.BodyOf(a.body), Call: a.call, Decision: a.decision})
	done <- engine.InputReply{Status: http.StatusServiceUnavailable, Error: "the worker went down"}
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
