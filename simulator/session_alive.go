package simulator

import (
	"context"
	"slices"
	"strconv"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// asksAlive reports whether a list of checks wants to know whether the worker is
// alive.
func asksAlive(checks []scenarios.Check) bool {
	return slices.ContainsFunc(checks, func(c scenarios.Check) bool { return c.State != nil && c.State.Alive })
}

// endWindow ends the window of the step that acted last: where that wants to
// know, it is seen whether the worker is alive.
func (s *session) endWindow(ctx context.Context) {
	n := s.acted
	s.acted = -1
	if n < 0 || !asksAlive(s.script.steps[n].Expect) {
		return
	}
	step := s.script.number(n)
	s.seeAlive(ctx, &step)
}

// seeAlive opens a fresh session and no more, in the recording of the same case.
// It is done with when its session.start has been answered, or never will be.
func (s *session) seeAlive(ctx context.Context, step *int) {
	in := s.in
	in.Case.Steps, in.Case.Given, in.Case.Variant = nil, scenarios.Given{}, scenarios.Variant{}
	in.Case.Engine.Signature, in.Case.Engine.Adds = scenarios.Signature{}, ""
	in.Process, in.Endpoint = nil, nil
	s.alives++
	r := role{alias: s.alias + "a" + strconv.Itoa(s.alives), said: spec.SessionEvent{Alive: &spec.AliveOf{Of: s.alias, Step: step}}}
	fresh, err := newSession(in, r, s.t, s.sink)
	if err != nil {
		s.broken(err)
		return
	}
	fresh.startOnly = true
	result := fresh.live(ctx)
	s.decisions += result.Decisions
	switch why, _ := spec.SplitCloseReason(result.Why); why {
	case spec.CloseGaveUp, spec.CloseHarness, spec.CloseBytes, spec.CloseNotRun:
		s.end(result.Why)
	}
}
