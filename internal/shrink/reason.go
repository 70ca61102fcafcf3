// Package shrink makes a scenario small that fails at a worker, by running it
// again and again with less in it (see package minimize), and gives it its twin:
// the same with the one thing put right (R11).
package shrink

import (
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/spec"
)

// Reason is why a run failed, as far as two runs of different scenarios can fail
// for the same: a requirement, or an expectation, at a place of one kind.
type Reason struct {
	// Requirement is its id, "" for an expectation of the scenario.
	Requirement string `json:"requirement,omitzero"`
	// Trigger is that of the exchange, Pointer the place in it with * for numbers.
	Trigger spec.TriggerType `json:"trigger,omitzero"`
	Pointer string           `json:"pointer"`
	// Want is what an expectation wanted, without what counts in it, and Got what
	// there was in its place where that is no exchange.
	Want string `json:"want,omitzero"`
	Got  string `json:"got,omitzero"`
}

// String names the reason in a line.
func (r Reason) String() string {
	name := r.Requirement
	if name == "" {
		name = "the expectation of " + r.Want
	}
	var words []string
	if r.Trigger != "" {
		words = append(words, "on "+string(r.Trigger))
	}
	if r.Pointer != "" {
		words = append(words, "at "+r.Pointer)
	}
	if len(words) == 0 {
		return name
	}
	return name + " (" + strings.Join(words, ", ") + ")"
}

// reasonOf is the reason that a finding gives.
func reasonOf(f spec.Finding) Reason {
	r := Reason{Requirement: f.Requirement, Trigger: f.Trigger, Pointer: general(f.Pointer)}
	if f.Requirement == "" {
		r.Want = uncounted(f.Want)
		if f.Exchange == "" {
			got, _, _ := strings.Cut(f.Got, ";")
			r.Got = uncounted(got)
		}
	}
	return r
}

// general is a pointer with * for each index.
func general(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if i > 0 && p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// uncounted is a text without its digits: labels are counted, and so is much else.
func uncounted(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

// reasons are why a run failed: requirements that are broken, those of level must
// first, then expectations of the scenario. Advice is none of them.
func reasons(j *certify.Judged) []found {
	var all []found
	for _, level := range []spec.Level{spec.Must, spec.Should} {
		for _, o := range j.Observations {
			if q, _ := spec.LookupRequirement(o.Requirement); q.Level != level {
				continue
			}
			for _, f := range o.Findings {
				all = append(all, found{reasonOf(f), f})
			}
		}
	}
	for _, f := range j.Case.Expectations {
		if f.Expectation == "requirements" {
			// That something was not observed is no failure to look for.
			continue
		}
		all = append(all, found{reasonOf(f.Finding), f.Finding})
	}
	return all
}

// found is a reason with the finding that gave it.
type found struct {
	Reason
	finding spec.Finding
}

func has(all []found, r Reason) bool {
	return slices.ContainsFunc(all, func(f found) bool { return f.Reason == r })
}
