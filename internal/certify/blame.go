package certify

import (
	"slices"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// sharing is the requirement that a case breaks when it fails in company only.
const sharing = "sessions.do-not-share"

// moveBlame applies R18 to recordings in order. Where a case ran once more
// alone, the two are one case of the report: if it failed alone too, its
// findings stand and the second run is left out; if it held, what it broke in
// company is the sharing between sessions, with both recordings named. One that
// held after all, since what differed is unsteady, needs no second run.
//
// Trouble that other cases have alone does not move: a worker that does wrong
// now and then does not share for that.
func moveBlame(all []*Judged) []*Judged {
	alone := brokenAlone(all)
	out := make([]*Judged, 0, len(all))
	for _, j := range all {
		n := len(out)
		if !j.Case.Alone || n == 0 || out[n-1].Case.ID != j.Case.ID {
			out = append(out, j)
			continue
		}
		if !held(j) || held(out[n-1]) || isOf(alone, out[n-1]) {
			continue
		}
		out[n-1] = blamed(out[n-1], j)
	}
	return out
}

// brokenAlone are the requirements that cases broke when they ran alone.
func brokenAlone(all []*Judged) map[string]bool {
	broken := map[string]bool{}
	for _, j := range all {
		if j.Case.Alone {
			for _, id := range brokenBy(j) {
				broken[id] = true
			}
		}
	}
	return broken
}

// isOf reports whether all that a case broke is among the ids given.
func isOf(ids map[string]bool, j *Judged) bool {
	broken := brokenBy(j)
	return len(broken) > 0 && !slices.ContainsFunc(broken, func(id string) bool { return !ids[id] })
}

// brokenBy are the requirements that failed in a case.
func brokenBy(j *Judged) []string {
	var ids []string
	for _, f := range j.Case.Findings {
		if f.Status == spec.StatusFail {
			ids = append(ids, f.Requirement)
		}
	}
	return ids
}

// held reports whether a case ran to its end and held. One that was not run, or
// found nobody there, says nothing about the one in company.
func held(j *Judged) bool {
	return j.Case.Status == spec.StatusPass || j.Case.Status == spec.StatusWarn
}

// blamed is the case as it held alone, with one finding that tells how it went
// in company.
func blamed(company, alone *Judged) *Judged {
	moved := *alone
	f := reports.Finding{Status: spec.StatusFail, Finding: spec.Finding{
		Requirement: sharing,
		Got:         "in company: " + firstTrouble(company),
		Want:        "the same as alone, where the case held",
		Hint:        "look for a variable that two sessions share; the recordings are " + nameOf(company) + " and " + nameOf(alone),
	}}
	moved.Case.Findings = append(slices.Clone(alone.Case.Findings), f)
	moved.Case.Status = spec.StatusFail
	moved.observe(spec.StatusFail, f.Finding)
	return &moved
}

// keptApart says that a case in which several sessions were under way at once
// held.
func (j *Judged) keptApart() { j.observe(spec.StatusPass) }

// observe sets what a recording says of the sharing between sessions.
func (j *Judged) observe(status spec.Status, findings ...spec.Finding) {
	j.observeAs(sharing, status, findings...)
}

// observeAs sets what a recording says of a requirement that one recording
// alone does not show.
func (j *Judged) observeAs(id string, status spec.Status, findings ...spec.Finding) {
	j.Observations = slices.Clone(j.Observations)
	for i, o := range j.Observations {
		if o.Requirement == id {
			o.Status, o.Count, o.Reason, o.Findings = status, max(o.Count, 1), "", findings
			j.Observations[i] = o
		}
	}
}

func firstTrouble(j *Judged) string {
	for _, list := range [][]reports.Finding{j.Case.Findings, j.Case.Expectations} {
		for _, f := range list {
			if f.Status == spec.StatusFail {
				return f.Requirement + f.Expectation + " got " + f.Got
			}
		}
	}
	return j.Case.Reason
}

func nameOf(j *Judged) string {
	if j.Case.Recording == "" {
		return "not kept"
	}
	return j.Case.Recording
}
