package simulator

import (
	"slices"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// asking says how far the tool.execute of a call has come that the worker wants
// to settle.
type asking int

const (
	// letGo: it was answered, or nothing of ours keeps its answer away.
	letGo asking = iota
	// stillOut: its answer has not come, and will not reach the engine.
	stillOut
	// comesAgain: its answer has come and did not reach the engine, or not yet.
	comesAgain
)

// askingFor says how far the tool.execute of a call has come.
func (s *session) askingFor(call string) asking {
	if !s.eng.Owed(call) || slices.Contains(s.eng.Held(), call) {
		return letGo
	}
	x := s.executes[call]
	switch {
	case x == nil:
		return letGo
	case !s.isLive(x) || x.answered:
		return comesAgain
	case x.does(loseAnswer), x.does(lateAnswer), x.does(slowAnswer):
		return stillOut
	default:
		return letGo
	}
}

// isTurn reports whether a call may be settled now, as the script has it.
//
// An await step that acts, or that acts next, wants what it names in its own
// window, and a listed order kept (R7). A settle step that acts next is the first
// to settle its call. A wait step that outwaits the call's deadline makes
// its settle late, however quick the worker is. And where we lost the answer that lets a call go, or keep
// it, or the engine went down over it, the call is settled once its decision has
// been answered: such a script is about a worker that is asked again. A worker that
// is restarted next settles after it, however quick its work is.
func (s *session) isTurn(call string) bool {
	if s.askingFor(call) != letGo || s.script.restarting() {
		return false
	}
	if next := s.script.settling(); next != nil && s.labels[next.Call] == call {
		return false
	}
	if next := s.script.outwaiting(); next != nil && s.labels[next.Call] == call {
		return false
	}
	step := s.script.awaiting(s.unsettled)
	if step == nil {
		return true
	}
	i := slices.IndexFunc(step.Settled, func(label string) bool { return s.labels[label] == call })
	return i < 0 || s.isListed(step, step.Settled[i])
}

// isListed reports whether a call that an await step names may be settled now:
// once the step has acted, and in a listed order once all before it have ended.
func (s *session) isListed(step *scenarios.AwaitStep, label string) bool {
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

// restarting reports whether the next step restarts the worker, the moment of an
// exchange that it waits for included.
func (s *script) restarting() bool {
	at := s.next
	if at < len(s.steps) && s.steps[at].Until != nil {
		at++
	}
	return at < len(s.steps) && s.steps[at].Restart != nil && s.steps[at].Restart.What == "worker"
}

// settling is the next step if it settles a call on the worker's behalf, else
// nil.
func (s *script) settling() *scenarios.SettleStep {
	if s.next == len(s.steps) {
		return nil
	}
	return s.steps[s.next].Settle
}

// outwaiting is the wait step that acts, else the next step, if it waits until
// the deadline of a call has passed; else nil.
func (s *script) outwaiting() *scenarios.WaitStep {
	at := s.next
	if s.goal != nil {
		at--
	}
	if at < 0 || at == len(s.steps) {
		return nil
	}
	wait := s.steps[at].Wait
	if wait == nil || wait.Until != "deadline" || wait.Less > wait.Plus {
		return nil
	}
	return wait
}
