package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// WriteBaseline returns the smallest baseline that makes the runs good, as YAML
// with the reasons left to fill in: one entry for each requirement that failed
// in any of them, and one for each case that failed by its scenario alone, or by
// a scenario of the user's own. Reasons and days that old has for an entry are
// kept. The runs are of the same worker and registry. The error says what cannot
// be known: a worker that was not reached or does not start, a run that did not
// come to its end.
func WriteBaseline(old Baseline, runs ...*Report) ([]byte, error) {
	var b strings.Builder
	b.WriteString("# Known failures. Each entry needs a reason; expires: YYYY-MM-DD sets an end.\n")
	b.WriteString("# An entry that no longer holds fails the run: take it out, or write the file anew.\n")
	var requirements, cases []string
	for i, r := range runs {
		if r.unreachable {
			return nil, fmt.Errorf("the worker could not be reached, so nothing is known of it")
		}
		if r.Ended != "" {
			return nil, fmt.Errorf("the run is partial: %s", r.Ended)
		}
		if i == 0 {
			fmt.Fprintf(&b, "registry: %s\n", r.MadeBy.Registry)
			requirements = make([]string, len(r.Requirements))
		}
		for k, q := range r.Requirements {
			if q.Status != spec.StatusFail && q.Status != spec.StatusKnownFailing {
				continue
			}
			if !absorbable(q.ID) {
				return nil, fmt.Errorf("%s failed: a worker that does not start cannot be a known failure", q.ID)
			}
			// The registry gives the order, in every run the same.
			requirements[k] = "  - requirement: " + q.ID + "\n" + old.keep(BaselineEntry{Requirement: q.ID})
		}
		for _, c := range r.Cases {
			line := "  - case: " + yamlText(c.ID) + "\n" + old.keep(BaselineEntry{Case: c.ID})
			if failsByScenario(c) && !slices.Contains(cases, line) {
				cases = append(cases, line)
			}
		}
	}
	if entries := strings.Join(requirements, "") + strings.Join(cases, ""); entries != "" {
		b.WriteString("entries:\n" + entries)
	} else {
		b.WriteString("entries: []\n")
	}
	return []byte(b.String()), nil
}

// failsByScenario reports whether a case needs an entry of its own: no known
// requirement explains what its scenario says.
func failsByScenario(c Case) bool {
	return len(c.Expectations) > 0 && (c.Own || !slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Status != spec.StatusWarn }))
}

// keep is what an old baseline says of an entry beside its name.
func (b Baseline) keep(like BaselineEntry) string {
	reason, expires := "", ""
	for _, e := range b.Entries {
		if e.Requirement == like.Requirement && e.Case == like.Case {
			reason, expires = e.Reason, e.Expires
		}
	}
	text := "    reason: " + yamlText(reason) + "\n"
	if expires != "" {
		text += "    expires: " + expires + "\n"
	}
	return text
}

// yamlText writes text as a quoted scalar that both YAML and JSON read.
func yamlText(text string) string {
	quoted, err := spec.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(quoted)
}
