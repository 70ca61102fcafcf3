package scenarios

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/internal/suggest"
)

// labels gathers the call labels of a scenario from top to bottom.
type labels struct {
	d     *decoder
	first map[string]Pos
	order []string
	// open is set when a label is a reference that is not resolved yet: then
	// an unknown label may be that one.
	open bool
}

// checkLabels wants each call label to be declared once, and before it is
// spoken of. Steps that arm something for later (disturb, until) and twins may
// name a call of any step.
func (d *decoder) checkLabels(given Given, steps []Step, finally []Check, twins []Twin) {
	all := labels{d: d, first: map[string]Pos{}}
	for _, step := range steps {
		all.declareStep(step, false)
	}
	all.declareMessages(given.Messages, false)
	l := labels{d: d, first: map[string]Pos{}, open: all.open}
	l.declareMessages(given.Messages, true)
	for i := range steps {
		l.declareStep(steps[i], true)
		l.step(&steps[i], &all)
		l.child(&steps[i], &all)
		l.checks(steps[i].Expect)
	}
	l.checks(finally)
	for _, twin := range twins {
		l.use(twin.Pos, twin.Call)
	}
}

func (l *labels) declareStep(step Step, report bool) {
	if step.Model != nil {
		l.declare(step.Model.Calls, report)
	}
	if step.User != nil {
		l.declareMessages(step.User.Append, report)
		l.declareMessages(step.User.View, report)
	}
}

func (l *labels) declareMessages(messages []Message, report bool) {
	for _, message := range messages {
		l.declare(message.Calls, report)
		if report {
			l.use(message.Pos, message.Call)
		}
	}
}

func (l *labels) declare(calls []Call, report bool) {
	for _, call := range calls {
		if call.As == "" {
			l.open = true
			continue
		}
		if call.Repeat == 0 {
			l.add(call.As, call.Pos, report)
			continue
		}
		for i := 1; i <= call.Repeat; i++ {
			l.add(repeatedLabel(call.As, i), call.Pos, report)
		}
	}
}

func (l *labels) add(label string, pos Pos, report bool) {
	first, twice := l.first[label]
	if !twice {
		l.first[label] = pos
		l.order = append(l.order, label)
		return
	}
	if report {
		l.d.problem(pos, "give each call a label of its own", "the label %q stands twice, first at line %d", label, first.Line)
	}
}

// use wants a label to be declared; the empty one is none.
func (l *labels) use(pos Pos, label string) {
	if _, known := l.first[label]; known || label == "" || l.open {
		return
	}
	hint := suggest.Hint(label, l.order)
	if _, repeated := l.first[repeatedLabel(label, 1)]; repeated {
		hint = fmt.Sprintf("the call is repeated: its labels are %s, %s …", repeatedLabel(label, 1), repeatedLabel(label, 2))
	}
	if hint == "" {
		hint = "no call is labelled before this place: as: " + label
	}
	l.d.problem(pos, hint, "unknown call %q", label)
}

// child checks a step in the session of a subagent, which is labelled like the
// call that it answers: the call is made first, and no user speaks there.
func (l *labels) child(step *Step, all *labels) {
	label := step.sessionLabel()
	if _, call := all.first[label]; !call || label == "" {
		return
	}
	switch {
	case step.User != nil:
		l.d.problem(step.Pos, "write the message into the arguments of the call", "no user speaks in the session of the subagent of %q", label)
	case step.Disturb == nil:
		l.use(step.Pos, label)
	}
}

// step checks the labels in a step's verb.
func (l *labels) step(step *Step, all *labels) {
	switch {
	case step.Client != nil:
		l.use(step.Client.Pos, step.Client.Call)
	case step.Settle != nil:
		l.use(step.Settle.Pos, step.Settle.Call)
	case step.Wait != nil:
		l.use(step.Wait.Pos, step.Wait.Call)
	case step.Await != nil:
		for _, label := range step.Await.Settled {
			l.use(step.Await.Pos, label)
		}
	case step.Until != nil:
		all.use(step.Until.Pos, step.Until.Call)
	case step.Disturb != nil:
		all.use(step.Disturb.Pos, step.Disturb.Call)
	}
}

func (l *labels) checks(checks []Check) {
	for _, check := range checks {
		if e := check.Exchange; e != nil {
			l.use(check.Pos, e.Call)
			l.callChecks(e.Calls)
		}
		if s := check.State; s != nil {
			l.callChecks(s.Calls)
			for _, message := range s.Transcript {
				l.use(message.Pos, message.Call)
				for _, label := range message.Calls {
					l.use(message.Pos, label)
				}
			}
		}
	}
}

func (l *labels) callChecks(checks []CallCheck) {
	for _, check := range checks {
		l.use(check.Pos, check.Label)
	}
}
