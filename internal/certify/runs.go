package certify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// RunOf is the recordings of one run.
type RunOf struct {
	// ID is that of the run, "" for recordings that name none.
	ID string
	// Started is when the first of them was opened, as its header says it.
	Started string
	Judged  []*Judged
}

// Runs parts recordings by the runs that they are of, the oldest first.
func Runs(judged []*Judged) []RunOf {
	var runs []RunOf
	for _, j := range judged {
		id := j.header.Run.ID
		i := slices.IndexFunc(runs, func(r RunOf) bool { return r.ID == id })
		if i < 0 {
			i = len(runs)
			runs = append(runs, RunOf{ID: id, Started: j.header.Started})
		}
		r := &runs[i]
		r.Started = min(r.Started, j.header.Started)
		r.Judged = append(r.Judged, j)
	}
	slices.SortStableFunc(runs, func(a, b RunOf) int {
		return cmp.Or(strings.Compare(a.Started, b.Started), strings.Compare(a.ID, b.ID))
	})
	return runs
}

// Missing says how many of the run's cases have no recording here, "" when all
// have one, or when nobody knows how many there were.
func (r RunOf) Missing() string {
	cases := 0
	here := map[int]bool{}
	for _, j := range r.Judged {
		cases = max(cases, j.header.Run.Cases)
		if n := j.ordinal(); n > 0 {
			here[n] = true
		}
	}
	if len(here) >= cases {
		return ""
	}
	return fmt.Sprintf("%d of the %d cases of the run have no recording here", cases-len(here), cases)
}

// String names the run for a person.
func (r RunOf) String() string {
	files := "recordings"
	if len(r.Judged) == 1 {
		files = "recording"
	}
	return fmt.Sprintf("%s (%d %s, begun %s)", cmp.Or(r.ID, "one without an id"), len(r.Judged), files, r.Started)
}
