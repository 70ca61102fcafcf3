package simulator

import (
	"context"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// The moments of a delivery that an until step can name.
const (
	// momentDue: the engine wants it delivered and nothing has gone out.
	momentDue = "due"
	// momentSent: its request is on its way.
	momentSent = "sent"
	// momentAnswered: its answer has come and was taken, and what follows from
	// it has not gone out yet.
	momentAnswered = "answered"
)

// reach tells the script of a moment of a delivery. When it waits for that one,
// the until step acts, and with it the step behind it, in the midst of whatever
// is under way.
func (s *session) reach(ctx context.Context, is string, d engine.Deliver) {
	if !s.awaits(is, d) || s.why != "" {
		return
	}
	s.midst = true
	defer func() { s.midst = false }()
	s.actNow(ctx, s.script.act().step)
	if s.script.actsAnywhere() && s.turnOf(s.script.next) {
		s.actNow(ctx, s.script.act().step)
	}
}

// awaits reports whether the next step waits for a moment of a delivery.
func (s *session) awaits(is string, d engine.Deliver) bool {
	if s.script.goal != nil || s.script.next == len(s.script.steps) || !s.turnOf(s.script.next) {
		return false
	}
	u := s.script.steps[s.script.next].Until
	return u != nil && u.Is == is && u.Trigger == string(d.Request.Trigger.TriggerType()) &&
		(u.Call == "" || s.labels[u.Call] == d.Call) && (u.Try == nil || *u.Try == d.Try)
}

// turnOf reports whether the steps before one have acted, those of other
// sessions included.
func (s *session) turnOf(step int) bool { return s.baton.has(s.script.number(step)) }

func (s *session) actNow(ctx context.Context, step int) {
	s.act(ctx, step)
	s.baton.acted(s.script.number(step))
}

// restart brings one side down and up again.
func (s *session) restart(ctx context.Context, r *scenarios.RestartStep) {
	if r.What == "engine" {
		s.restartEngine(ctx)
		return
	}
	s.restartWorker(ctx)
}

// noRestart is why a case ends that wants a restart nobody can make.
const noRestart = "nothing here can restart the worker"

// restartWorker restarts the worker and waits until it is back (R15). A request
// that is out then fails, as it does when a worker crashes.
func (s *session) restartWorker(ctx context.Context) {
	if s.in.Restart == nil {
		s.end(spec.CloseReason(spec.CloseHarness, noRestart))
		return
	}
	// The end of the old process is our doing, and what it sent is lost with it.
	s.root.exited = nil
	for _, m := range s.family() {
		m.loseSettles()
	}
	if err := s.in.Restart(ctx); err != nil {
		s.end(spec.CloseReason(spec.CloseUnreachable, "restart the worker: "+err.Error()))
		return
	}
	if c, ok := s.t.(idler); ok {
		// Those to the old worker lead nowhere.
		c.Close()
	}
	s.root.watchProcess()
	s.root.restarts++
	s.sink(spec.Event{T: s.now(), Data: &spec.WorkerEvent{Event: "restarted"}})
}

// watchProcess listens for the end of the worker's process.
func (s *session) watchProcess() {
	if s.in.Process != nil {
		s.exited = s.in.Process.Exited()
	}
}

// processEnded tells that the worker's process has ended by itself.
func (s *session) processEnded() {
	s.exited = nil
	event := s.in.Process.Ended()
	s.sink(spec.Event{T: s.now(), Data: &event})
}

// restartEngine lets the engine go down and come up again. It loses the
// delivery that is out, whose answer then finds nobody, and delivers it again
// (D8). One that has not gone out yet is lost as if it had never arrived.
func (s *session) restartEngine(ctx context.Context) {
	if x := s.latest; s.eng.InFlight() {
		if x == nil || x.answered || x.d == "" {
			s.engineDown = true
			return
		}
		x.lost = true
		s.emit(s.now(), &spec.DisturbEvent{D: x.d, Do: restartIt})
	}
	s.apply(ctx, s.eng.Step(engine.Restart{}))
}

// neverSent records a delivery that was lost with the engine before it went out.
func (s *session) neverSent(ctx context.Context, x *delivery) {
	s.name(x)
	s.record(x)
	s.emit(s.now(), &spec.DisturbEvent{D: x.d, Do: restartIt})
	s.soon = append(s.soon, func() { s.apply(ctx, s.eng.Step(engine.Restart{})) })
}
