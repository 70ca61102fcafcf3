package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

// Disturbances lists the disturbances of the language, as --disturb takes them.
func Disturbances() []string {
	return []string{"lose-answer", "lose-request", "repeat", "overlap", "late", "slow", "restart"}
}

// A DisturbanceError names a disturbance that does not exist.
type DisturbanceError struct {
	Name string
	// Hint says which was meant, or which there are.
	Hint string
}

// Error returns the message without the hint.
func (e *DisturbanceError) Error() string { return fmt.Sprintf("unknown disturbance %q", e.Name) }

// allDisturbances stands for every disturbance.
const allDisturbances = "all"

// ChooseDisturbances returns the named disturbances, each once and in the order of
// [Disturbances]; "all" stands for every one. The error is a [*DisturbanceError].
func ChooseDisturbances(names []string) ([]string, error) {
	known := Disturbances()
	for _, name := range names {
		if name == allDisturbances {
			return known, nil
		}
		if !slices.Contains(known, name) {
			hint := "one of: " + strings.Join(known, ", ") + ", all"
			if near, ok := suggest.Nearest(name, append(known, allDisturbances)); ok {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return nil, &DisturbanceError{Name: name, Hint: hint}
		}
	}
	return slices.DeleteFunc(known, func(d string) bool { return !slices.Contains(names, d) }), nil
}

// Variant says which of the runs of one case a case is (R6). The zero Variant is
// that of a case which is run once.
type Variant struct {
	// Of is the id of the case, without what tells its runs apart.
	Of string
	// Control numbers the calm runs, from 1; 0 is none of them.
	Control int
	// Disturbed is what is done to the run, nil for nothing.
	Disturbed *spec.Disturbed
}

// suffix tells the runs of one case apart. The first calm run is the case itself.
func (v Variant) suffix() string {
	switch {
	case v.Disturbed != nil:
		return " under " + v.Disturbed.Do
	case v.Control > 1:
		return " calm again"
	default:
		return ""
	}
}

// Vary gives c as one of the runs of its case: with an id of its own, since ids
// and with them all requests depend on it, and a worker may remember what it
// answered to those of another run (D5). Twins are left to the first.
func (c Case) Vary(v Variant) Case {
	v.Of = c.ID
	c.Variant, c.ID = v, c.ID+v.suffix()
	if v.suffix() != "" {
		c.Twins = nil
	}
	return c
}

// Runs gives the runs of c that disturbances ask for: the calm one, one under
// each disturbance, and the calm one again. The two calm runs stand at both
// ends, so that a clock which goes on from one to the other is seen to. A case
// that cannot be disturbed is run once. canRestart says whether the worker can
// be restarted.
func (c Case) Runs(disturbances []string, canRestart bool) []Case {
	if len(disturbances) == 0 || c.Undisturbed() != "" {
		return []Case{c}
	}
	runs := []Case{c.Vary(Variant{Control: 1})}
	for _, do := range disturbances {
		run := c.Vary(Variant{Disturbed: &spec.Disturbed{Do: do}})
		if do == FeatureRestart && !canRestart {
			run.NotApplicable, run.Steps, run.Copies = cannotRestart, nil, nil
		}
		runs = append(runs, run)
	}
	return append(runs, c.Vary(Variant{Control: 2}))
}

// Undisturbed is the reason why c is not run disturbed, "" when it may be: it
// brings trouble or exact moments of its own, or traffic that no engine sends,
// so that a disturbance would change what it is about.
func (c Case) Undisturbed() string {
	switch {
	case c.NotApplicable != "":
		return "it is not run at all"
	case c.Engine.Broken() || c.Given.Agent != nil:
		return "its traffic is broken on purpose"
	case slices.ContainsFunc(c.Engine.Retry, func(l RetryLayer) bool { return l.Kind == "decision" }):
		return "it sets how decisions are delivered again"
	}
	for i := range c.Steps {
		switch verb := c.Steps[i].Verb(); verb {
		case "disturb", "restart", "until", "wait", "send", "settle":
			return "it has " + verb + " steps of its own"
		}
	}
	return ""
}

// variantOf is the variant that a header tells of.
func variantOf(h *spec.CaseHeader) Variant {
	return Variant{Control: h.Control, Disturbed: h.Disturbed}
}

// IsFirst reports whether c is the run of its case by which the scenario is
// judged: the only one, or the first calm one.
func (v Variant) IsFirst() bool { return v.suffix() == "" }

// BaseID is the id of a case without what tells its runs apart.
func BaseID(h *spec.HeaderEvent) string {
	if h.Case == nil {
		return h.ID
	}
	return strings.TrimSuffix(h.ID, variantOf(h.Case).suffix())
}
