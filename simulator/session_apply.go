package simulator

import (
	"context"
	"fmt"
	"time"

	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// apply does what the engine wants, in the order in which it wants it.
func (s *session) apply(ctx context.Context, effects []engine.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Deliver:
			s.deliver(ctx, e)
		case engine.AskModel:
			s.ask(e)
		case engine.Replied:
			s.replied(e)
		case engine.Outcome:
			s.outcome(e)
		case engine.Turn:
			s.turn(ctx, e)
		case engine.Spawn:
			s.spawn(ctx, e)
		case engine.Unsupported:
			s.end(spec.CloseReason(spec.CloseHarness, "not simulated: "+e.What))
		}
	}
	s.forgetVoided()
}

// ask records what the model is asked; the script replies, or the worker that
// hosts it.
func (s *session) ask(a engine.AskModel) {
	body, err := spec.Marshal(a.Request)
	if err != nil {
		s.broken(err)
		return
	}
	event := &spec.AskEvent{Call: a.Call, To: "script", Body: spec.BodyOf(body)}
	if a.Worker {
		event.To = "worker"
	} else {
		s.asked = append(s.asked, a)
	}
	s.emit(s.now(), event)
}

// replied records what a worker that hosts the model answered, as the engine
// reads it.
func (s *session) replied(r engine.Replied) {
	event := &spec.ReplyEvent{Call: r.Call, From: "worker", Error: r.Error}
	if r.Response != nil {
		body, err := spec.Marshal(r.Response)
		if err != nil {
			s.broken(err)
			return
		}
		event.Body = spec.BodyOf(body)
	}
	s.emit(s.now(), event)
}

// forgetVoided drops requests to the model that the engine has given up, since
// a turn that failed waits for no reply.
func (s *session) forgetVoided() {
	if _, waits := s.eng.Asked(); !waits {
		s.asked = nil
	}
}

func (s *session) turn(ctx context.Context, t engine.Turn) {
	event := t.Event
	s.turnFailed = event.Event == spec.TurnFailed
	s.emit(t.At.Milliseconds(), &event)
	s.tellParent(ctx, t)
}

// outcome records what the engine made of an answer, beside its exchange.
func (s *session) outcome(o engine.Outcome) {
	event := o.Event
	if x := s.sent[deliveryKey{o.Decision, o.Delivery}]; x != nil {
		// A delivery that the total ends at once is not even on its way yet.
		s.record(x)
		event.D = x.d
	}
	s.settledNow(event.Settled)
	s.emit(o.At.Milliseconds(), &event)
}

// deliver sends a decision out, for the first time or again.
func (s *session) deliver(ctx context.Context, d engine.Deliver) {
	if s.pausing || s.holding(d.Decision) {
		s.held = append(s.held, d)
		return
	}
	if d.Delivery == 1 {
		s.decisions++
		s.hung[d.Decision] = 0
		s.root.kin.decisions++
		if limit := s.in.Case.Limits.Decisions; limit > 0 && s.root.kin.decisions > limit {
			s.end(spec.CloseReason(spec.CloseDecisions, fmt.Sprint(limit)))
		}
	}
	if s.why != "" {
		// What the engine wants after the end of a case is not sent.
		return
	}
	if t, ok := d.Request.Trigger.(spec.ToolExecuteTrigger); ok && t.Deadline != nil {
		s.deadlines[t.ID] = t.Deadline.Sub(s.in.At)
		delete(s.retries, t.ID)
	}
	// What overlaps with a delivery that holds others back holds them too.
	x := &delivery{Deliver: d, disturbed: s.disturbing(d), holds: s.holding("")}
	s.latest = x
	if d.Request.Trigger.TriggerType() == spec.OnToolExecute {
		s.executes[d.Call] = x
	}
	s.reach(ctx, momentDue, d)
	if s.why != "" {
		return
	}
	if _, late := s.kept[d.Decision]; late {
		x.holds = true
		x.onSent = func() { s.handOver(ctx, x) }
	}
	if x.does(overlapIt) {
		x.holds = true
		x.onSent = func() { s.overlap(ctx, x) }
	}
	if s.awaits(momentSent, d) {
		// Nothing else goes out while the step behind it acts.
		then := x.onSent
		x.onSent = func() {
			if then != nil {
				then()
			}
			s.reach(ctx, momentSent, d)
		}
	}
	s.turnOver(func() { s.post(ctx, x) })
}

// post sends a delivery out under the bound of R16.
func (s *session) post(ctx context.Context, x *delivery) {
	x.at = s.in.At.Add(x.Sent)
	if !s.in.Fixed {
		x.at = s.wallTime()
	}
	body, err := x.Body(x.at)
	if err != nil {
		s.broken(fmt.Errorf("encode decision: %w", err))
		return
	}
	if s.in.Case.Engine.Adds == spec.AddsFields {
		x.adds, body = spec.AddsFields, withLater(body)
	}
	x.body = body
	s.isDue(x)
	switch {
	case s.engineDown:
		s.engineDown = false
		s.neverSent(ctx, x)
		return
	case x.does(loseRequest):
		s.notSent(ctx, x)
		return
	case x.does(restartIt):
		if s.restartWorker(ctx); s.why != "" {
			return
		}
	}
	kind := s.forgeryOf(x.Request.Trigger.TriggerType())
	if kind != "" && s.in.Case.Engine.Signature.Ahead {
		s.copyAhead(ctx, x, kind)
		return
	}
	x.forgery = kind
	if s.addsAhead(x) {
		s.laterAhead(ctx, x)
		return
	}
	s.goOut(ctx, x)
}

// goOut sends a delivery that is ready.
func (s *session) goOut(ctx context.Context, x *delivery) {
	s.start(ctx, x, false)
	s.boundAnswer(x, func(bound time.Duration) { s.overdue(ctx, x, bound) })
}

// boundAnswer has passed called when the answer to x has not come in time.
func (s *session) boundAnswer(x *delivery, passed func(bound time.Duration)) {
	if bound := s.in.bound(x.Deliver); bound > 0 {
		if s.in.tape != nil {
			x.passed = func() { passed(bound) }
			return
		}
		x.stop = s.in.Clock.AfterFunc(bound, func() { s.send(func() { passed(bound) }) })
	}
}

// copyAhead sends a copy of x that is not signed as it should be ahead of it.
func (s *session) copyAhead(ctx context.Context, x *delivery, kind string) {
	s.sendAhead(ctx, &delivery{Deliver: x.Deliver, at: x.at, body: x.body, forgery: kind, then: x})
}

// sendAhead sends y, and what it goes ahead of once it is answered or its time
// has passed.
func (s *session) sendAhead(ctx context.Context, y *delivery) {
	s.start(ctx, y, false)
	s.boundAnswer(y, func(time.Duration) {
		if !y.answered && !y.abandoned && s.why == "" {
			s.record(y)
			y.abandoned = true
			s.goOut(ctx, y.then)
		}
	})
}

// overdue gives up waiting for an answer whose time has passed: the engine is
// told, the request stays open beside the redelivery (D6). The second time for
// one decision ends the case (R16).
func (s *session) overdue(ctx context.Context, x *delivery, bound time.Duration) {
	if x.answered || s.why != "" {
		return
	}
	s.record(x)
	x.abandoned = true
	if x.holds {
		s.release(ctx)
	}
	if !s.isLive(x) {
		return
	}
	s.script.heard()
	s.expire(ctx, x, x.Deadline)
	s.hung[x.Decision]++
	// A delivery without a deadline of its own has no redelivery either.
	if s.hung[x.Decision] >= 2 || s.isLive(x) {
		s.end(spec.CloseReason(spec.CloseGaveUp, fmt.Sprintf("no answer to %s within %s", x.Request.Trigger.TriggerType(), bound)))
	}
}
