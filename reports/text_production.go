package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// production shows what captures say of each requirement, the worst first: how
// often its moment came and how often it did not hold, with the place of an
// example; of what was never seen, which evidence it takes and why that is not
// there.
func (t *text) production(r *Report) {
	list := slices.Clone(r.Requirements)
	slices.SortStableFunc(list, func(a, b Requirement) int {
		return cmp.Or(
			cmp.Compare(rank(spec.Statuses(), a.Status), rank(spec.Statuses(), b.Status)),
			cmp.Compare(rank(levels, a.Level), rank(levels, b.Level)),
			cmp.Compare(b.Failed, a.Failed),
		)
	})
	name, place := len("requirement"), len("level")
	for _, q := range list {
		name = max(name, len(q.ID))
		place = max(place, len(q.Level))
	}
	t.line("what production showed, the worst first:")
	t.line("")
	t.line("%12s %8s  %-*s  %-*s  %s", "seen", "failed", name, "requirement", place, "level", "example")
	for _, q := range list {
		if q.Status == spec.StatusNotObserved || q.Status == spec.StatusNotApplicable {
			continue
		}
		line := fmt.Sprintf("%6d %8s  %-*s  %-*s  %s", q.Count, failedCount(q.Failed), name, Clean(q.ID), place, q.Level, exampleText(q.Example))
		t.line("%s%s", t.mark(q.Status), strings.TrimRight(line, " "))
	}
	t.line("")
	t.never(list, name)
	if r.Ended != "" {
		t.line("partial: %s", Clean(r.Ended))
		t.line("")
	}
}

// levels are the levels, the heaviest first.
var levels = []spec.Level{spec.Must, spec.Should, spec.Advice}

func rank[T comparable](order []T, v T) int {
	if i := slices.Index(order, v); i >= 0 {
		return i
	}
	return len(order)
}

func failedCount(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func exampleText(e *Example) string {
	if e == nil {
		return ""
	}
	place := Clean(e.Recording)
	if e.Line > 0 {
		place += ":" + strconv.FormatInt(e.Line, 10)
	}
	return strings.TrimSpace(place + "  " + Clean(e.Session) + "/" + Clean(e.Exchange))
}

// never lists what was not seen.
func (t *text) never(list []Requirement, name int) {
	for _, status := range []spec.Status{spec.StatusNotObserved, spec.StatusNotApplicable} {
		first := true
		for _, q := range list {
			if q.Status != status {
				continue
			}
			if first {
				t.line("%s, and what it takes:", strings.ReplaceAll(string(status), "-", " "))
				first = false
			}
			t.line("  %-*s  %-8s  %s", name, Clean(q.ID), q.Evidence, Clean(q.Reason))
		}
		if !first {
			t.line("")
		}
	}
}
