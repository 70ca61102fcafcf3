package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// Baseline is a list of known failures, so that a CI fails on a regression
// only.
type Baseline struct {
	// File is where it was read from, for messages.
	File string
	// Registry is the version of the registry that it was written under: a
	// requirement that is younger warns until the file is written anew.
	Registry string
	Entries  []BaselineEntry
}

// BaselineEntry is one known failure: a requirement, or a case whose scenario
// does not go as it says. Exactly one of the two is set.
type BaselineEntry struct {
	Requirement, Case string
	// Reason is why it is known and not mended.
	Reason string
	// Expires is the last day on which it counts, YYYY-MM-DD, "" for no end.
	Expires string
	// Line is where it stands in the file, 0 when unknown.
	Line int
}

// BaselineOptions say how a baseline is applied.
type BaselineOptions struct {
	// Today is the day of the run, YYYY-MM-DD.
	Today string
	// Partial says that the run left cases out on purpose, so that an entry
	// which met nothing is no fault.
	Partial bool
	// Added gives the registry version in which a requirement was added.
	Added map[string]string
}

// absorbable reports whether a failure may be known: that a worker does not
// start never is, since nothing else was looked at then.
func absorbable(id string) bool { return id != "start.yields-a-config" }

// ApplyBaseline returns r with the failures of b marked as known. An entry
// that no longer holds becomes a fault of the list (Report.Stale) and fails the
// run: what it names passes now, or was never met, or the entry has expired.
// r is not changed.
func ApplyBaseline(r *Report, b Baseline, o BaselineOptions) *Report {
	out := *r
	out.Requirements, out.Cases = slices.Clone(r.Requirements), slices.Clone(r.Cases)
	a := &applied{report: &out, o: o, known: map[string]bool{}}
	for _, e := range b.Entries {
		switch {
		case e.Expires != "" && e.Expires < o.Today:
			a.stale(b, e, "expired on "+e.Expires, "mend it, or set another day")
		case e.Requirement != "":
			a.requirement(b, e)
		default:
			a.scenario(b, e)
		}
	}
	a.younger(b)
	a.cases()
	out.sum()
	return &out
}

type applied struct {
	report *Report
	o      BaselineOptions
	// known are the requirements whose failures are known.
	known map[string]bool
}

func (a *applied) stale(b Baseline, e BaselineEntry, what, hint string) {
	place := b.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d", b.File, e.Line)
	}
	a.report.Stale = append(a.report.Stale, Stale{Place: place, Entry: cmp.Or(e.Requirement, e.Case), Got: what, Hint: hint})
}

func (a *applied) requirement(b Baseline, e BaselineEntry) {
	i := slices.IndexFunc(a.report.Requirements, func(q Requirement) bool { return q.ID == e.Requirement })
	if i < 0 {
		a.stale(b, e, "no requirement is called that", "hallmark requirements list prints them all")
		return
	}
	q := &a.report.Requirements[i]
	switch {
	case !absorbable(q.ID):
		a.stale(b, e, "a worker that does not start is never known", "take the entry out")
	case q.Status == spec.StatusFail:
		q.Status, q.Reason = spec.StatusKnownFailing, cmp.Or(e.Reason, "in the baseline")
		a.known[q.ID] = true
	case q.Status == spec.StatusPass || q.Status == spec.StatusWarn:
		a.stale(b, e, "holds now", "take the entry out, or write the baseline anew with --write-baseline")
	case !a.o.Partial:
		a.stale(b, e, "was not observed: "+q.Reason, "take the entry out, or write the baseline anew with --write-baseline")
	}
}

func (a *applied) scenario(b Baseline, e BaselineEntry) {
	i := slices.IndexFunc(a.report.Cases, func(c Case) bool { return c.ID == e.Case })
	if i < 0 {
		if !a.o.Partial {
			a.stale(b, e, "no case is called that", "take the entry out, or write the baseline anew with --write-baseline")
		}
		return
	}
	c := &a.report.Cases[i]
	switch {
	case c.Status == spec.StatusFail && len(c.Expectations) > 0:
		c.Expectations = relabel(c.Expectations, func(Finding) bool { return true })
		c.Reason = cmp.Or(e.Reason, "in the baseline")
	case c.Status == spec.StatusFail || c.Status == spec.StatusPass || c.Status == spec.StatusWarn:
		// What fails here are requirements, which have entries of their own.
		a.stale(b, e, "goes as its scenario says now", "take the entry out, or write the baseline anew with --write-baseline")
	case c.Status == spec.StatusNotApplicable:
		a.stale(b, e, "does not apply to this worker now: "+c.Reason, "take the entry out, or write the baseline anew with --write-baseline")
	case c.Status == spec.StatusNotObserved && !a.o.Partial && a.report.Ended == "":
		a.stale(b, e, "was not observed: "+c.Reason, "take the entry out, or write the baseline anew with --write-baseline")
	}
}

// KeepStale returns r with those of its stale entries only that stand in also.
// Runs are joined by it: an entry that failed in any of them still holds. r is
// not changed.
func KeepStale(r *Report, also []Stale) *Report {
	out := *r
	out.Stale = slices.DeleteFunc(slices.Clone(r.Stale), func(s Stale) bool {
		return !slices.ContainsFunc(also, func(o Stale) bool { return o.Place == s.Place && o.Entry == s.Entry })
	})
	out.sum()
	return &out
}

// younger makes failures of requirements that the baseline cannot know warn.
func (a *applied) younger(b Baseline) {
	for i := range a.report.Requirements {
		q := &a.report.Requirements[i]
		if added := a.o.Added[q.ID]; q.Status == spec.StatusFail && absorbable(q.ID) && spec.RegistryYounger(added, b.Registry) {
			q.Status = spec.StatusWarn
			q.Reason = "new: added in " + added + ", after the baseline was written"
			a.known[q.ID] = true
		}
	}
}

// cases sums each case up again. Where all that failed in a built-in case is
// known, what its scenario says besides is a consequence of that; what a user's
// own scenario says is known by an entry of its own only.
func (a *applied) cases() {
	for i := range a.report.Cases {
		c := &a.report.Cases[i]
		if c.Status != spec.StatusFail {
			continue
		}
		c.Findings = relabel(c.Findings, func(f Finding) bool { return a.known[f.Requirement] })
		if !c.Own && !fails(c.Findings) && slices.ContainsFunc(c.Findings, isKnown) {
			c.Expectations = relabel(c.Expectations, func(Finding) bool { return true })
		}
		if !fails(c.Findings) && !fails(c.Expectations) {
			c.Status = spec.StatusKnownFailing
		}
	}
}

// relabel returns findings with those that known picks marked as known.
func relabel(findings []Finding, known func(Finding) bool) []Finding {
	out := slices.Clone(findings)
	for i := range out {
		if out[i].Status == spec.StatusFail && known(out[i]) {
			out[i].Status = spec.StatusKnownFailing
		}
	}
	return out
}

func isKnown(f Finding) bool { return f.Status == spec.StatusKnownFailing }

func fails(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Status == spec.StatusFail })
}
