package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// What came over the settle endpoint, and what the steps that are about it want.

// heard takes in what came from outside during a step.
func (v *view) heard(e spec.Event, step int) {
	switch d := e.Data.(type) {
	case *spec.InputEvent:
		if w := v.windows[step]; w != nil {
			w.inputs = append(w.inputs, d)
		}
		if d.From == "worker" {
			v.settledBy(d.Settled)
		}
	case *spec.OutcomeEvent:
		v.settledBy(d.Settled)
	case *spec.TimeEvent:
		if d.Why == "patience" && d.Of != "" {
			v.hasty = append(v.hasty, d.Of)
		}
	}
}

// settledBy notes what the worker settled.
func (v *view) settledBy(all []spec.Settled) {
	for _, s := range all {
		if s.Then != "dropped" {
			v.settles = append(v.settles, s.Call)
		}
	}
}

// passed takes in that engine time passed: an attempt that ended without an
// answer makes the call wait for its retry, or is its end (H4, H8).
func (s *snapshot) passed(d *spec.TimeEvent) {
	call, known := s.calls[d.Of]
	if d.Why != "deadline" || !known || call.is != "open" {
		return
	}
	if call.is = "failed"; d.Then == "retry" {
		call.is = "waiting"
	}
	s.calls[d.Of] = call
}

// verb judges what a step itself wants, once it has acted. A reason instead
// says that it cannot be seen here: nothing that follows shows anything then.
func (v *view) verb(i int, s *Step) (unmet []spec.Finding, unobserved string) {
	switch {
	case v.windows[i] == nil:
		return nil, ""
	case s.Settle != nil:
		return v.settleUnmet(i, s), ""
	case s.Send != nil:
		return v.sendUnmet(i, s)
	case s.Await != nil:
		return v.awaitUnmet(i, s)
	case s.Disturb != nil && v.submittedInTrouble():
		return nil, nothingLost
	default:
		return nil, ""
	}
}

// settleUnmet judges a settle step: the endpoint answered with the status that
// the step wants (F4).
func (v *view) settleUnmet(i int, s *Step) []spec.Finding {
	want := "status " + strconv.Itoa(s.Settle.Status)
	for _, in := range v.windows[i].inputs {
		switch {
		case in.From != "machine":
			continue
		case in.Status == s.Settle.Status:
			return nil
		case in.Reply != "":
			return []spec.Finding{v.stepFinding(i, s, fmt.Sprintf("status %d: %s", in.Status, in.Reply), want)}
		default:
			return []spec.Finding{v.stepFinding(i, s, fmt.Sprintf("status %d", in.Status), want)}
		}
	}
	return []spec.Finding{v.stepFinding(i, s, "nothing was sent", want)}
}

func (v *view) stepFinding(i int, s *Step, got, want string) spec.Finding {
	return spec.Finding{
		Expectation: fmt.Sprintf("steps[%d].%s", i, s.Verb()), Session: v.session, Line: s.Line, Step: &i,
		Got: got, Want: want,
	}
}

// The reasons why a step shows nothing.
const (
	nowhereToSettle = "the worker has nowhere to settle a call: --engine-listen gives it an endpoint, --start has one, and workertest.Config.Engine is one"
	nothingLost     = "the worker submitted its answer, which no trouble with the one to the request could reach"
	oneByOne        = "the worker settles one after the other"
)

// submittedInTrouble reports whether the decision of a delivery that was disturbed
// had been answered by a submission: nobody asks again then (I2, D6).
func (v *view) submittedInTrouble() bool {
	return slices.ContainsFunc(v.exchanges, func(e *spec.Exchange) bool { return e.Submission != nil && len(e.Disturbed) > 0 })
}

// awaitUnmet judges an await step: the worker settled what it names by the end
// of its window, and in the order that is listed (R7, R19).
func (v *view) awaitUnmet(i int, s *Step) (unmet []spec.Finding, unobserved string) {
	w := v.windows[i]
	var order []string
	for _, id := range v.settles[:w.settled] {
		label := v.labelOf[id]
		if slices.Contains(s.Await.Settled, label) && !slices.Contains(order, label) {
			order = append(order, label)
		}
	}
	for _, label := range s.Await.Settled {
		if slices.Contains(order, label) {
			continue
		}
		got := "the worker did not settle " + label + " within " + s.Await.Within.String()
		if _, known := w.end.calls[v.idOf[label]]; !known {
			got = "the call " + label + " was never started"
		} else if !v.endpoint {
			return nil, nowhereToSettle
		}
		unmet = append(unmet, v.stepFinding(i, s, got, "the worker to settle "+label))
	}
	if len(unmet) > 0 || s.Await.Order != "listed" || slices.Equal(order, s.Await.Settled) {
		return unmet, ""
	}
	if slices.ContainsFunc(order, func(label string) bool { return slices.Contains(v.hasty, v.idOf[label]) }) {
		return nil, oneByOne
	}
	got, want := strings.Join(order, ", "), strings.Join(s.Await.Settled, ", ")
	return []spec.Finding{v.stepFinding(i, s, "settled in the order "+got, "the order "+want)}, ""
}
