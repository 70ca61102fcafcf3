package simulator

import (
	"context"
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// The disturbances of the language. Each is made on our side: the worker gets
// what an engine may send it at any time, and its answers are recorded as they
// came (R7).
const (
	loseAnswer  = "lose-answer"
	loseRequest = "lose-request"
	repeatIt    = "repeat"
	overlapIt   = "overlap"
	lateAnswer  = "late"
	slowAnswer  = "slow"
	restartIt   = "restart"
)

// lost is what the engine is told of a delivery that was lost: the connection
// ended without an answer, which is retried (D2, D4).
var lost = spec.Answer{End: spec.EndCut}

// disturbances are what a session has armed and what is still to come of it.
type disturbances struct {
	armed []*disturbance
	// soon is what is done before anything else happens.
	soon []func()
	// held are deliveries that wait until the disturbed ones are answered, so
	// that the worker never has two decisions open for our sake (G1).
	held []engine.Deliver
	// kept are answers that the engine gets at a later time, by decision.
	kept map[string]keptAnswer
}

// disturbance is a disturb step that was reached.
type disturbance struct {
	scenarios.DisturbStep
	left int
	// first says that it is about first deliveries only, skip how many that fit
	// are let through before.
	first bool
	skip  int
}

// keptAnswer is an answer that came and is given to the engine at a later
// engine time.
type keptAnswer struct {
	x  *delivery
	a  spec.Answer
	at time.Duration
}

// arm makes a disturbance wait for the next delivery that it is about.
func (s *session) arm(step *scenarios.DisturbStep) {
	s.armed = append(s.armed, &disturbance{DisturbStep: *step, left: step.Times})
}

// disturbing takes the first armed disturbance that is about a delivery, nil
// when none is.
func (s *session) disturbing(d engine.Deliver) *disturbance {
	for i, a := range s.armed {
		if a.Trigger != "" && a.Trigger != string(d.Request.Trigger.TriggerType()) ||
			a.Call != "" && s.labels[a.Call] != d.Call ||
			a.Try != nil && *a.Try != d.Try || a.first && d.Delivery > 1 {
			continue
		}
		if a.skip > 0 {
			a.skip--
			continue
		}
		if a.left--; a.left == 0 {
			s.armed = slices.Delete(s.armed, i, i+1)
		}
		return a
	}
	return nil
}

// does reports whether a delivery is disturbed in this way.
func (x *delivery) does(what string) bool { return x.disturbed != nil && x.disturbed.Do == what }

// disturb says in the recording what is done to a delivery, beside its request.
// Of a delivery that is repeated only the repetition is our doing, and one before
// which the worker was restarted goes its usual way.
func (s *session) disturb(x *delivery) {
	if x.disturbed == nil || x.does(restartIt) || x.does(repeatIt) && !x.redelivered {
		return
	}
	event := &spec.DisturbEvent{D: x.d, Do: x.disturbed.Do}
	if x.disturbed.By > 0 {
		event.By = x.disturbed.By.String()
	}
	s.emit(x.Sent.Milliseconds(), event)
}

// notSent records a delivery that is lost on its way, and loses it.
func (s *session) notSent(ctx context.Context, x *delivery) {
	s.name(x)
	s.record(x)
	s.soon = append(s.soon, func() { s.take(ctx, x, lost) })
}

// disturbAnswer gives what came for a disturbed delivery to the engine, in its
// own way.
func (s *session) disturbAnswer(ctx context.Context, x *delivery, a spec.Answer) {
	switch {
	case x.does(loseAnswer):
		s.take(ctx, x, lost)
	case x.does(repeatIt):
		s.repeat(ctx, x, a)
	case x.does(lateAnswer) && x.Deadline < longestDeadline:
		s.keep(ctx, keptAnswer{x, a, x.Deadline + x.disturbed.By})
	case x.does(slowAnswer):
		s.keep(ctx, keptAnswer{x, a, s.eng.Now() + x.disturbed.By})
	default:
		s.take(ctx, x, a)
	}
}

// repeat takes an answer and delivers the decision once more, as an engine does
// that went down before it knew of the answer: the same decision, attempts one
// higher (D5). An answer that failed is redelivered without our help.
func (s *session) repeat(ctx context.Context, x *delivery, a spec.Answer) {
	effects := s.eng.Step(engine.Answer{Decision: x.Decision, Delivery: x.Delivery, Answer: a})
	s.learn(x, a, effects)
	if !taken(effects) {
		s.apply(ctx, effects)
		return
	}
	again := x.Deliver
	again.Delivery++
	again.Request.Attempts++
	passed := s.eng.Now() - again.Sent
	again.Sent += passed
	again.Deadline += passed
	if d := again.Request.Deadline; d != nil {
		moved := spec.At(d.Add(passed))
		again.Request.Deadline = &moved
	}
	y := &delivery{Deliver: again, disturbed: x.disturbed, redelivered: true, holds: true}
	// What the answer brings about waits for the answer to the repetition.
	s.open = append(s.open, y)
	s.apply(ctx, effects)
	s.open = slices.DeleteFunc(s.open, func(o *delivery) bool { return o == y })
	if s.why == "" {
		s.post(ctx, y)
	}
}

// taken reports whether the engine took an answer.
func taken(effects []engine.Effect) bool {
	for _, e := range effects {
		if o, ok := e.(engine.Outcome); ok {
			return o.Event.As == spec.OutcomeAccepted || o.Event.As == spec.OutcomeLate
		}
	}
	return false
}

// overlap lets the deadline of a delivery pass while it is open, so that the
// redelivery goes out beside it (D6). Both answers go to the engine as they
// come.
func (s *session) overlap(ctx context.Context, x *delivery) {
	s.expire(ctx, x, x.Deadline)
	if t, ok := s.eng.NextTimer(); ok && t.Of == x.Decision && t.Why == whyRetry {
		s.jump(ctx, move{to: t.At, why: t.Why, of: t.Of})
	}
}

// expire fires the timers up to a moment as long as the engine waits for x.
func (s *session) expire(ctx context.Context, x *delivery, until time.Duration) {
	for s.isLive(x) {
		t, ok := s.eng.NextTimer()
		if !ok || t.At > until {
			return
		}
		s.jump(ctx, move{to: t.At, why: t.Why, of: t.Of})
	}
}

// keep holds an answer back until its engine time. When its delivery is given
// up before, it is handed over beside the redelivery; one that comes due while
// the decision waits for its retry is dropped by the engine (D6).
func (s *session) keep(ctx context.Context, k keptAnswer) {
	s.expire(ctx, k.x, k.at)
	if s.isLive(k.x) {
		s.passTo(ctx, k.at)
		s.take(ctx, k.x, k.a)
		return
	}
	t, waits := s.eng.NextTimer()
	if k.x.does(slowAnswer) && !s.eng.InFlight() && !(waits && t.At <= k.at) {
		s.passTo(ctx, k.at)
		s.take(ctx, k.x, k.a)
		return
	}
	s.kept[k.x.Decision] = k
}

// passTo lets engine time pass to a moment at which nothing is due.
func (s *session) passTo(ctx context.Context, to time.Duration) {
	if to > s.eng.Now() {
		s.jump(ctx, move{to: to, why: whyWait})
	}
}

// handOver gives the engine the answer that was kept, now that the redelivery x
// is out.
func (s *session) handOver(ctx context.Context, x *delivery) {
	k, ok := s.kept[x.Decision]
	if !ok {
		return
	}
	delete(s.kept, x.Decision)
	if k.at < x.Deadline {
		s.passTo(ctx, k.at)
	}
	s.take(ctx, k.x, k.a)
}

// holding reports whether a delivery of another decision has to wait for the
// answer to a disturbed one.
func (s *session) holding(decision string) bool {
	return slices.ContainsFunc(s.open, func(o *delivery) bool {
		return o.holds && !o.abandoned && o.Decision != decision
	})
}

// release sends what was held back, once nothing holds it any more.
func (s *session) release(ctx context.Context) {
	held := s.held
	s.held = nil
	for _, d := range held {
		s.deliver(ctx, d)
	}
}
