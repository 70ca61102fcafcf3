package simulator

import (
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// script decides what happens next in a case ("how a scenario runs", 1 to 5).
// It is pure but for its own position: it sees the session through a [scene]
// and answers with a [move]; the caller does what it says and asks again.
type script struct {
	steps []scenarios.Step
	// numbers are the places of the steps in the whole script, for a session
	// that acts in some of them only; nil for all.
	numbers []int
	// next is the step that acts next.
	next int
	// spare is how often the model may still answer without a step.
	spare int
	// goal is the engine time up to which a wait step still lets time pass;
	// nil when none does. Until then only model steps act.
	goal *time.Duration
	// await is the await step that acts, until what it names is settled or its
	// time is over. Until then only model steps act.
	await *scenarios.AwaitStep
	// waited says that the real wait for the worker was spent on this quiet
	// moment already.
	waited bool
}

// scene is what the script needs to know of a session at one moment.
type scene struct {
	now time.Duration
	// turn says that the next step may act: those before it, of whatever
	// session, have acted.
	turn bool
	// asked says that the model was asked and has not replied.
	asked bool
	// busy says that a request is out whose answer is still waited for.
	busy bool
	// turnOpen says that a turn runs, turnFailed that the last one failed.
	turnOpen, turnFailed bool
	// awaited says that the worker holds a call and something could still
	// come from it (R7).
	awaited bool
	// owed says by its label whether the worker still owes the answer to an
	// attempt of a call.
	owed func(label string) bool
	// timer is the engine's next timer, when there is one.
	timer    engine.Timer
	hasTimer bool
	// pressed says that the model was asked in another session of the family, which
	// waits for its own step.
	pressed bool
	// redelivery says that the timer delivers a failed decision again.
	redelivery bool
	// parked says that the session waits for an interrupt to be resumed.
	parked bool
	// requested says whether a call was asked for, by label.
	requested func(label string) bool
	// moment gives the engine time of a call's deadline or retry, by label.
	moment func(label, kind string) (time.Duration, bool)
}

// move is what happens next. Exactly one of its kinds is meant.
type move struct {
	kind moveKind
	// step is the step that acts or is passed over.
	step int
	// to, why and of describe a jump of engine time.
	to      time.Duration
	why, of string
	// end is the reason of the end.
	end string
}

type moveKind int

const (
	// moveListen: something is under way, wait for it.
	moveListen moveKind = iota
	// moveAct: a step acts.
	moveAct
	// movePass: a step is passed over, it did not happen.
	movePass
	// moveSpare: the model answers without a step.
	moveSpare
	// moveJump: engine time jumps.
	moveJump
	// movePatience: wait in real time for what the worker may still send.
	movePatience
	// moveAwait: wait in real time for what an await step names.
	moveAwait
	// moveEnd: the case is over.
	moveEnd
)

// The reasons of jumps that are not a timer's own (recording format, `time`).
const (
	whyWait     = "wait"
	whyPatience = "patience"
	whyDeadline = "deadline"
	whyRetry    = "retry"
)

// move returns what happens next. Each call but one that listens or waits for
// patience changes the script's position.
func (s *script) move(v scene) move {
	if v.turn && s.goal == nil && s.next < len(s.steps) && s.steps[s.next].Disturb != nil {
		return s.act()
	}
	if v.asked {
		if v.turn && s.goal == nil && s.next < len(s.steps) && s.steps[s.next].Until != nil {
			// The moment lies behind this reply, if it comes at all: nothing else
			// can go on.
			return s.passOver()
		}
		return s.reply(v)
	}
	if v.busy {
		return move{kind: moveListen}
	}
	if m, passing := s.pass(v); passing {
		return m
	}
	if m, waits := s.awaits(v); waits {
		return m
	}
	if v.turnFailed && !v.turnOpen && !s.userLeft() {
		return move{kind: moveEnd, end: spec.CloseTurnFailed}
	}
	if s.next == len(s.steps) {
		if v.redelivery {
			// A decision that failed goes out again whether or not a step
			// is left: the engine owes it to the turn (D3).
			return s.jump(v.timer)
		}
		return move{kind: moveEnd, end: spec.CloseScriptDone}
	}
	switch step := &s.steps[s.next]; {
	case !v.turn:
		return move{kind: moveListen}
	case v.redelivery && !allRequested(step, v):
		// What is answered comes about by a decision that goes out again.
		return s.jump(v.timer)
	case step.Client != nil && step.Client.Resume == scenarios.ResumeOpen && !v.parked:
		return s.unstick(v)
	case step.User != nil && (step.User.Now || !v.turnOpen), step.Client != nil, step.Settle != nil:
		return s.act()
	case step.Await != nil:
		s.await = step.Await
		return s.act()
	case step.Wait != nil:
		return s.wait(step.Wait, v)
	case step.Restart != nil, step.Send != nil:
		return s.act()
	default:
		return s.unstick(v)
	}
}

// reply answers the model's request: by the next step when that is a model
// step, by a spare reply when it is not, since nothing else could go on (4).
func (s *script) reply(v scene) move {
	s.waited = false
	if s.next < len(s.steps) && s.steps[s.next].Model != nil {
		if !v.turn {
			return move{kind: moveListen}
		}
		return s.act()
	}
	if s.spare == 0 {
		return move{kind: moveEnd, end: spec.CloseScriptDry}
	}
	s.spare--
	return move{kind: moveSpare}
}

// actsAnywhere reports whether the next step is one that a moment of an exchange
// can hold: what is said, done or disturbed from outside.
func (s *script) actsAnywhere() bool {
	if s.next == len(s.steps) {
		return false
	}
	switch s.steps[s.next].Verb() {
	case "user", "client", "settle", "disturb", "restart", "send":
		return true
	default:
		return false
	}
}

func (s *script) act() move {
	s.next, s.waited = s.next+1, false
	return move{kind: moveAct, step: s.next - 1}
}

func (s *script) passOver() move {
	s.next, s.waited = s.next+1, false
	return move{kind: movePass, step: s.next - 1}
}

// unstick lets something happen while a step waits for what does not come: the
// worker first, in real time, then the engine's timers, then the next step
// (3). It also serves a user step while a turn runs that nothing moves (N5).
func (s *script) unstick(v scene) move {
	switch {
	case v.pressed:
		return s.passOver()
	case v.awaited && !s.waited:
		s.waited = true
		return move{kind: movePatience}
	case v.hasTimer:
		return s.jump(v.timer)
	default:
		return s.passOver()
	}
}

// wait begins to let engine time pass. A moment that the call does not have
// passes the step over.
func (s *script) wait(w *scenarios.WaitStep, v scene) move {
	to := v.now + w.For
	if w.Until != "" {
		at, ok := v.moment(w.Call, w.Until)
		if !ok {
			return s.passOver()
		}
		to = at - w.Less + w.Plus
	}
	s.goal = &to
	return s.act()
}

// pass lets time pass up to the goal of a wait step, timer by timer.
func (s *script) pass(v scene) (move, bool) {
	switch {
	case s.goal == nil:
		return move{}, false
	case *s.goal <= v.now:
		s.goal = nil
		return move{}, false
	case v.hasTimer && v.timer.At <= *s.goal:
		return s.jump(v.timer), true
	default:
		return s.jump(engine.Timer{At: *s.goal, Why: whyWait}), true
	}
}

// awaits keeps an await step going while calls that it names are owed: the
// worker is waited for, and a decision that failed goes out again.
func (s *script) awaits(v scene) (move, bool) {
	switch {
	case s.await == nil:
		return move{}, false
	case !slices.ContainsFunc(s.await.Settled, v.owed):
		s.await = nil
		return move{}, false
	case v.redelivery:
		return s.jump(v.timer), true
	case v.awaited:
		return move{kind: moveAwait}, true
	default:
		s.await = nil
		return move{}, false
	}
}

// awaitOver ends an await step whose time has passed. The worker was waited for
// by then.
func (s *script) awaitOver() { s.await, s.waited = nil, true }

// awaiting is the await step that acts, else the next step if it is one. A step
// acts no longer once nothing that it names is owed, whether or not the script has
// come to see that.
func (s *script) awaiting(owed func(label string) bool) *scenarios.AwaitStep {
	switch {
	case s.await != nil && slices.ContainsFunc(s.await.Settled, owed):
		return s.await
	case s.next == len(s.steps):
		return nil
	}
	return s.steps[s.next].Await
}

func (s *script) jump(t engine.Timer) move {
	s.waited = false
	return move{kind: moveJump, to: t.At, why: t.Why, of: t.Of}
}

// heard says that something came from outside, so that a later wait for the
// worker is a wait of its own.
func (s *script) heard() { s.waited = false }

// number is the place of the n-th step in the whole script.
func (s *script) number(n int) int {
	if s.numbers == nil {
		return n
	}
	return s.numbers[n]
}

func (s *script) userLeft() bool {
	for i := s.next; i < len(s.steps); i++ {
		if s.steps[i].User != nil {
			return true
		}
	}
	return false
}
