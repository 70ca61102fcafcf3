package reports

import (
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// areas shows one line an area: how many of its requirements stand where. A
// run that observed nothing has nothing to tell apart.
func (t *text) areas(r *Report) {
	if observed(r.Summary.Requirements) == 0 {
		return
	}
	var order []string
	sums := map[string]*Counts{}
	for _, q := range r.Requirements {
		area, _, _ := strings.Cut(q.ID, ".")
		if sums[area] == nil {
			sums[area] = &Counts{}
			order = append(order, area)
		}
		sums[area].Add(q.Status)
	}
	for _, area := range order {
		t.line("  %-12s %s", area, countsText(*sums[area]))
	}
	t.line("")
	if t.opts.All && r.Summary.Requirements.Pass > 0 {
		for _, q := range r.Requirements {
			if q.Status == spec.StatusPass {
				t.line("%s%-36s %-8s seen %s", t.mark(q.Status), q.ID, "("+string(q.Level)+")", count(q.Count, "time"))
			}
		}
		t.line("")
	}
}

// open shows what the run could not say anything about, and why.
func (t *text) open(r *Report) {
	for _, status := range []spec.Status{spec.StatusNotObserved, spec.StatusNotApplicable} {
		var why reasons
		for _, q := range r.Requirements {
			if q.Status == status {
				why.add(q.ID, q.Reason)
			}
		}
		t.reasons(strings.ReplaceAll(string(status), "-", " "), "requirement", why, len(r.Requirements))
	}
	var why reasons
	for _, c := range r.Cases {
		if c.Status == spec.StatusNotApplicable || c.Status == spec.StatusNotObserved {
			why.add(c.ID, c.Reason)
		}
	}
	t.reasons("cases without a verdict", "case", why, len(r.Cases))
	if r.Ended != "" {
		t.line("partial: %s", Clean(r.Ended))
		t.line("")
	}
}

// reasons groups what has the same reason, in the order of first mention.
type reasons struct {
	order []string
	ids   map[string][]string
}

func (r *reasons) add(id, reason string) {
	if r.ids == nil {
		r.ids = map[string][]string{}
	}
	if r.ids[reason] == nil {
		r.order = append(r.order, reason)
	}
	r.ids[reason] = append(r.ids[reason], Clean(id))
}

// maxNamed is how many ids with one reason are named.
const maxNamed = 6

// reasons shows each reason once: beside a single id, or above all that have
// it. everything is how many ids there are, those with a verdict included.
func (t *text) reasons(title, what string, why reasons, everything int) {
	if len(why.order) == 0 {
		return
	}
	t.line("%s:", title)
	for _, reason := range why.order {
		ids := why.ids[reason]
		if reason == "" {
			reason = "no reason given"
		}
		switch n := len(ids); {
		case n == 1:
			t.line("  %-36s %s", ids[0], Clean(reason))
		case n == everything:
			t.line("  %-36s %s", "all "+count(n, what), Clean(reason))
		default:
			t.line("  %s: %s", count(n, what), Clean(reason))
			if n > maxNamed && !t.opts.All {
				ids = append(ids[:maxNamed:maxNamed], "and "+count(n-maxNamed, "more "+what))
			}
			t.list("      ", "      ", ids)
		}
	}
	t.line("")
}
