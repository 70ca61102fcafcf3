package reports

import (
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// Strict returns r with each warning raised to a failure, and each requirement
// of wanted (those of a claimed profile) that was not observed. r is not
// changed.
func Strict(r *Report, wanted []string) *Report {
	out := *r
	out.Requirements, out.Cases = slices.Clone(r.Requirements), slices.Clone(r.Cases)
	for i := range out.Requirements {
		q := &out.Requirements[i]
		switch {
		case q.Status == spec.StatusWarn && q.Level != spec.Advice && !strings.HasPrefix(q.Reason, "new: "):
			q.Status = spec.StatusFail
		case q.Status == spec.StatusNotObserved && slices.Contains(wanted, q.ID):
			q.Status, q.Reason = spec.StatusFail, "claimed, and not observed: "+q.Reason
		}
	}
	for i := range out.Cases {
		c := &out.Cases[i]
		if c.Status != spec.StatusWarn {
			continue
		}
		c.Findings = slices.Clone(c.Findings)
		for k := range c.Findings {
			if f := &c.Findings[k]; f.Status == spec.StatusWarn && failed(&out, f.Requirement) {
				f.Status, c.Status = spec.StatusFail, spec.StatusFail
			}
		}
	}
	out.sum()
	return &out
}

func failed(r *Report, id string) bool {
	return slices.ContainsFunc(r.Requirements, func(q Requirement) bool { return q.ID == id && q.Status == spec.StatusFail })
}
