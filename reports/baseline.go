package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	case c.Status == spec.StatusPass || c.Status == spec.StatusWarn:
		a.stale(b, e, "goes as its scenario says now", "take the entry out, or write the baseline anew with --write-baseline")
	}
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

// WriteBaseline returns the smallest baseline that makes r good, as YAML with
// the reasons left to fill in: one entry for each requirement that failed, and
// one for each case that failed by its scenario alone, or by a scenario of the
// user's own. Reasons and days that old has for an entry are kept. The error
// says what cannot be known: a worker that does not start, a run that did not
// come to its end.
func WriteBaseline(r *Report, old Baseline) ([]byte, error) {
	if r.Ended != "" {
		return nil, fmt.Errorf("the run is partial: %s", r.Ended)
	}
	var b strings.Builder
	b.WriteString("# Known failures. Each entry needs a reason; expires: YYYY-MM-DD sets an end.\n")
	b.WriteString("# An entry that no longer holds fails the run: take it out, or write the file anew.\n")
	fmt.Fprintf(&b, "registry: %s\n", r.MadeBy.Registry)
	lines := []string{}
	for _, q := range r.Requirements {
		if q.Status != spec.StatusFail && q.Status != spec.StatusKnownFailing {
			continue
		}
		if !absorbable(q.ID) {
			return nil, fmt.Errorf("%s failed: a worker that does not start cannot be a known failure", q.ID)
		}
		lines = append(lines, "  - requirement: "+q.ID+"\n"+old.keep(BaselineEntry{Requirement: q.ID}))
	}
	for _, c := range r.Cases {
		if len(c.Expectations) > 0 && (c.Own || !slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Status != spec.StatusWarn })) {
			lines = append(lines, "  - case: "+yamlText(c.ID)+"\n"+old.keep(BaselineEntry{Case: c.ID}))
		}
	}
	if len(lines) == 0 {
		b.WriteString("entries: []\n")
	} else {
		b.WriteString("entries:\n" + strings.Join(lines, ""))
	}
	return []byte(b.String()), nil
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
