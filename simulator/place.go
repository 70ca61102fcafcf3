package simulator

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// How late and how slow an answer is that is disturbed without a scenario's
// word: beside its redelivery, which goes out 2 s after the deadline (D4, D6),
// and well within the deadline.
const (
	lateBy = 3 * time.Second
	slowBy = 10 * time.Second
)

// decided is one decision of a calm run, as a place for a disturbance.
type decided struct {
	session string
	trigger spec.TriggerType
	call    string
	try     int
}

// placed chooses the delivery of a calm run that is disturbed: which one is
// H(seed, case, session, kind, ordinal) and nothing else (R20). Every other
// choice is among the calls, where most can go wrong. It returns nil where
// there is nothing to disturb.
func placed(in CaseInput, calm []spec.Event) *spec.Disturbed {
	out := *in.Case.Variant.Disturbed
	var all, calls []int
	decisions := decisionsOf(calm)
	for i, d := range decisions {
		if out.Do == restartIt && d.trigger == spec.OnSessionStart {
			// Nothing has begun that a restart could end.
			continue
		}
		all = append(all, i)
		if d.trigger == spec.OnToolExecute {
			calls = append(calls, i)
		}
	}
	if len(all) == 0 {
		return nil
	}
	h := Ids{Seed: in.Seed, Case: in.Case.Variant.Of}.sum("disturb "+out.Do, 0)
	if h[0]&1 == 1 && len(calls) > 0 {
		all = calls
	}
	n := all[binary.BigEndian.Uint64(h[1:])%uint64(len(all))]
	chosen := decisions[n]
	out.Session, out.Trigger, out.Call, out.Try, out.Nth = chosen.session, chosen.trigger, chosen.call, chosen.try, 1
	for _, d := range decisions[:n] {
		if d == chosen {
			out.Nth++
		}
	}
	switch out.Do {
	case lateAnswer:
		out.By = lateBy.String()
	case slowAnswer:
		out.By = slowBy.String()
	}
	return &out
}

// decisionsOf lists the decisions of a recording, session by session. Twins are
// no part of a disturbed run.
func decisionsOf(events []spec.Event) []decided {
	var all []decided
	var sessions []string
	labels := map[string]map[string]string{}
	var first map[string]string
	for _, e := range events {
		switch d := e.Data.(type) {
		case *spec.HeaderEvent:
			if d.Case != nil {
				first = d.Case.Labels
			}
		case *spec.SessionEvent:
			if d.Twin != "" {
				continue
			}
			sessions = append(sessions, e.Session)
			own := d.Labels
			if own == nil {
				own = first
			}
			labels[e.Session] = spec.LabelsByID(own)
		case *spec.RequestEvent:
			if d.Delivery == 1 && slices.Contains(sessions, e.Session) {
				all = append(all, decided{e.Session, d.Trigger, labels[e.Session][d.Call], d.Try})
			}
		}
	}
	// Sessions side by side come in any order: which is first must not matter.
	slices.SortStableFunc(all, func(a, b decided) int {
		return slices.Index(sessions, a.session) - slices.Index(sessions, b.session)
	})
	return all
}

// armVariant arms the disturbance of a disturbed run in the session that it is
// about.
func (s *session) armVariant() {
	d := s.in.Case.Variant.Disturbed
	if d == nil || d.Session != s.alias {
		return
	}
	step := scenarios.DisturbStep{Do: d.Do, Trigger: string(d.Trigger), Call: d.Call, Times: 1}
	if d.Try > 0 {
		step.Try = &d.Try
	}
	// The text is our own.
	step.By, _ = time.ParseDuration(d.By)
	s.armed = append(s.armed, &disturbance{DisturbStep: step, left: 1, first: true, skip: d.Nth - 1})
}

// undisturbed is the reason why a disturbed run is not driven after its calm
// one, "" when it is. What is wrong in the calm run is told there.
func undisturbed(calm Ran) string {
	why, _ := spec.SplitCloseReason(calm.Why)
	switch {
	case calm.Failed:
		return "the calm run failed"
	case why != spec.CloseScriptDone && why != spec.CloseTurnFailed && why != spec.CloseScriptDry:
		return "the calm run ended because: " + calm.Why
	}
	return ""
}
