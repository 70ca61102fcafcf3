package simulator

import (
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// A settle waits for the wait step that acts, or acts next, when that lets the
// call's deadline pass, and for no other.
func TestTheWaitThatASettleWaitsFor(t *testing.T) {
	t.Parallel()
	until := func(what string, less, plus time.Duration) scenarios.Step {
		return scenarios.Step{Wait: &scenarios.WaitStep{Until: what, Call: "c1", Less: less, Plus: plus}}
	}
	user := scenarios.Step{User: &scenarios.UserStep{}}
	goal := time.Duration(0)
	for name, c := range map[string]struct {
		steps []scenarios.Step
		next  int
		acts  bool
		want  int
	}{
		"no step at all":                   {nil, 0, false, -1},
		"the next step":                    {[]scenarios.Step{user, until("deadline", 0, 0)}, 1, false, 1},
		"the next step, and then some":     {[]scenarios.Step{until("deadline", 0, time.Second)}, 0, false, 0},
		"the step that acts":               {[]scenarios.Step{until("deadline", 0, 0), user}, 1, true, 0},
		"the step that acts, as the last":  {[]scenarios.Step{until("deadline", 0, 0)}, 1, true, 0},
		"one that has acted":               {[]scenarios.Step{until("deadline", 0, 0), user}, 1, false, -1},
		"one after the next":               {[]scenarios.Step{user, until("deadline", 0, 0)}, 0, false, -1},
		"the next while another one acts":  {[]scenarios.Step{until("retry", 0, 0), until("deadline", 0, 0)}, 1, true, -1},
		"one that ends before":             {[]scenarios.Step{until("deadline", time.Second, 0)}, 0, false, -1},
		"less and more that come to none":  {[]scenarios.Step{until("deadline", time.Second, time.Second)}, 0, false, 0},
		"one until a retry":                {[]scenarios.Step{until("retry", 0, 0)}, 0, false, -1},
		"one for so long, whatever passes": {[]scenarios.Step{{Wait: &scenarios.WaitStep{For: time.Hour}}}, 0, false, -1},
		"a user's":                         {[]scenarios.Step{user}, 0, false, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := script{steps: c.steps, next: c.next}
			if c.acts {
				s.goal = &goal
			}
			var want *scenarios.WaitStep
			if c.want >= 0 {
				want = c.steps[c.want].Wait
			}
			if got := s.outwaiting(); got != want {
				t.Errorf("waits for %+v, want %+v", got, want)
			}
		})
	}
}

// A settle waits for a restart of the worker that comes next, and for no other.
func TestTheRestartThatASettleWaitsFor(t *testing.T) {
	t.Parallel()
	worker := scenarios.Step{Restart: &scenarios.RestartStep{What: "worker"}}
	engine := scenarios.Step{Restart: &scenarios.RestartStep{What: "engine"}}
	until := scenarios.Step{Until: &scenarios.UntilStep{}}
	user := scenarios.Step{User: &scenarios.UserStep{}}
	for name, c := range map[string]struct {
		steps []scenarios.Step
		next  int
		want  bool
	}{
		"the next step":         {[]scenarios.Step{worker}, 0, true},
		"behind a moment":       {[]scenarios.Step{until, worker}, 0, true},
		"a moment that is last": {[]scenarios.Step{until}, 0, false},
		"of the engine":         {[]scenarios.Step{until, engine}, 0, false},
		"behind another step":   {[]scenarios.Step{user, worker}, 0, false},
		"one that was":          {[]scenarios.Step{worker}, 1, false},
	} {
		s := script{steps: c.steps, next: c.next}
		if got := s.restarting(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
