package judge

import (
	"cmp"
	"iter"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// PolicyUnknown is what is observed of a tool whose refusals prove nothing,
// since no call of it is known to run (R11).
const PolicyUnknown = "unknown"

// Policy is what a worker was seen to do with bad arguments of one tool. All of
// it is legal (E8); it is told, and never failed.
type Policy struct {
	Tool string
	// Class is invalid or malformed.
	Class spec.InputStatus
	// Refused counts refusals that prove something: the engine's own, handed
	// back, and those whose twin ran or was refused otherwise.
	Refused int
	// Unproven counts refusals in the worker's own words without such a twin.
	Unproven int
	// Repaired counts malformed arguments that ended in a plain result.
	Repaired int
	// Ran counts arguments that break the schema and ended in a plain result. A
	// worker that repairs them looks the same.
	Ran int
	// Proven says that some valid call of the tool ended in a plain result.
	Proven bool
}

// Is is the policy in a word: [spec.ArgumentsRefused], [spec.ArgumentsRepaired],
// [spec.ArgumentsRun] or [PolicyUnknown]. A tool that repairs or runs what it
// can and refuses the rest is one that repairs or runs.
func (p Policy) Is() string {
	switch {
	case p.Repaired > 0:
		return spec.ArgumentsRepaired
	case p.Ran > 0:
		return spec.ArgumentsRun
	case p.Refused > 0, p.Unproven > 0 && p.Proven:
		return spec.ArgumentsRefused
	default:
		return PolicyUnknown
	}
}

// Policies returns what the exchanges of one recording show of the policies for
// bad arguments, by tool and class in order (E8, R11). Calls of tools that were
// not offered tell nothing, nor do answers that the engine did not take. A call
// that was let go counts by what the worker settled it with later. The exchanges
// are those of the events.
func Policies(events iter.Seq[spec.Event], exchanges iter.Seq[*spec.Exchange]) []Policy {
	proved := map[[2]string]bool{}
	for _, t := range twinsOf(events) {
		if t.Outcome == TwinRan || t.Outcome == TwinRefusedOtherwise {
			proved[[2]string{t.Of, t.ID}] = true
		}
	}
	later := settledLater(events)
	var seen []Policy
	for x := range exchanges {
		if p, ok := policySeen(x, proved, later); ok {
			seen = append(seen, p...)
		}
	}
	return JoinPolicies(seen)
}

// twinsOf is [TwinOutcomes], at no cost where there is no twin.
func twinsOf(events iter.Seq[spec.Event]) []Twin {
	for e := range events {
		if s, ok := e.Data.(*spec.SessionEvent); ok && s.Twin != "" {
			return TwinOutcomes(events)
		}
	}
	return nil
}

// settledLater are the settles that the engine took of the worker outside of its
// answers, by session and call.
func settledLater(events iter.Seq[spec.Event]) map[[2]string]spec.Action {
	all := map[[2]string]spec.Action{}
	for e := range events {
		d, ok := e.Data.(*spec.InputEvent)
		if !ok || d.From != "worker" || d.Decision != "" || d.Status/100 != 2 {
			continue
		}
		body, err := d.Body.Bytes()
		if err != nil {
			continue
		}
		if a, fault := spec.ParseSettle(body); fault == nil {
			all[[2]string{e.Session, callOf(body)}] = a
		}
	}
	return all
}

// policySeen is what one exchange shows.
func policySeen(w *spec.Exchange, proved map[[2]string]bool, later map[[2]string]spec.Action) ([]Policy, bool) {
	if submitted := w.Submitted(); submitted != nil {
		w = submitted
	}
	if w.Outcome != nil && w.Outcome.As != spec.OutcomeAccepted && w.Outcome.As != spec.OutcomeLate {
		return nil, false
	}
	req, fault := w.Asked()
	if fault != nil {
		return nil, false
	}
	d, failure := w.Decided()
	if failure != nil {
		return nil, false
	}
	x := &exchange{wired: &wired{Exchange: w}, req: req, decision: *d}
	t, ok := x.asked()
	if !ok {
		return nil, false
	}
	_, offered := req.Agent.Tool(t.Name)
	if _, undeclared := x.undeclared(); undeclared || !offered {
		return nil, false
	}
	i := slices.IndexFunc(x.settles(), func(s settle) bool { return s.call == t.ID })
	if a := later[[2]string{w.Session, t.ID}]; i < 0 && a != nil {
		x.decision.Actions = append(slices.Clone(x.decision.Actions), a)
		i = slices.IndexFunc(x.settles(), func(s settle) bool { return s.call == t.ID })
	}
	if i < 0 {
		return nil, false
	}
	s := x.settles()[i]
	plain := x.plain(s)
	if t.Input.Status == spec.InputValid {
		// What is known of the tool holds for both classes.
		return []Policy{
			{Tool: t.Name, Class: spec.InputInvalid, Proven: plain},
			{Tool: t.Name, Class: spec.InputMalformed, Proven: plain},
		}, plain
	}
	p := Policy{Tool: t.Name, Class: t.Input.Status}
	switch {
	case plain && t.Input.Status == spec.InputMalformed:
		p.Repaired = 1
	case plain:
		p.Ran = 1
	case s.err != nil && s.err.Error == x.proposedError(t.ID), proved[[2]string{w.Session, t.ID}]:
		p.Refused = 1
	default:
		p.Unproven = 1
	}
	return []Policy{p}, true
}

// JoinPolicies adds up what several recordings show, by tool and class in
// order. Those that only tell that the tool runs are kept, for what is added
// later; see [Policy.Seen].
func JoinPolicies(lists ...[]Policy) []Policy {
	var all []Policy
	for _, p := range slices.Concat(lists...) {
		i := slices.IndexFunc(all, func(q Policy) bool { return q.Tool == p.Tool && q.Class == p.Class })
		if i < 0 {
			all = append(all, p)
			continue
		}
		q := &all[i]
		q.Refused += p.Refused
		q.Unproven += p.Unproven
		q.Repaired += p.Repaired
		q.Ran += p.Ran
		q.Proven = q.Proven || p.Proven
	}
	slices.SortFunc(all, func(a, b Policy) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Class, b.Class))
	})
	return all
}

// Seen reports whether any bad arguments of the class were answered.
func (p Policy) Seen() bool { return p.Refused+p.Unproven+p.Repaired+p.Ran > 0 }
