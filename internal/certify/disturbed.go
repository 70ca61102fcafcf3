package certify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/endings"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// The requirements that a disturbed run is held to, against its calm runs.
const (
	endsTheSame  = "disturbed.ends-the-same"
	readsTheSame = "disturbed.reads-the-same"
	keepsGoing   = "restart.keeps-going"
	keepsWork    = "restart.keeps-its-work"
)

// compareRuns holds each disturbed run against the calm runs of its case (R6),
// and returns recordings in the same order with what that showed.
func compareRuns(all []*Judged) []*Judged {
	calm := map[string][]*endings.Ending{}
	for _, control := range []int{1, 2} {
		for _, j := range all {
			if h := j.header.Case; h != nil && h.Control == control && h.Disturbed == nil && !h.Alone && j.ending != nil {
				id := scenarios.BaseID(j.header)
				calm[id] = append(calm[id], j.ending)
			}
		}
	}
	out := slices.Clone(all)
	for i, j := range all {
		if j.isDisturbed() {
			out[i] = j.against(calm[scenarios.BaseID(j.header)])
		}
	}
	return out
}

func (j *Judged) isDisturbed() bool { return j.header.Case != nil && j.header.Case.Disturbed != nil }

// runsOnce reports whether a recording is of the run by which a scenario is
// judged, and no other run of its case.
func (j *Judged) runsOnce() bool {
	h := j.header.Case
	return h == nil || h.Disturbed == nil && h.Control <= 1
}

// against is a disturbed run with what comparing it with its calm runs showed.
func (j *Judged) against(calm []*endings.Ending) *Judged {
	if j.ending == nil || j.Observations == nil {
		return j
	}
	held := *j
	held.Case.Findings = slices.Clone(j.Case.Findings)
	ends := endsTheSame
	restarted := j.header.Case.Disturbed.Do == scenarios.FeatureRestart
	if restarted {
		ends = keepsGoing
	}
	if len(calm) < 2 {
		held.unseen("the two calm runs of the case are not here", ends, readsTheSame)
		return &held
	}
	c := endings.Compare(calm, j.ending)
	switch {
	case c.Unsteady != "":
		held.unseen("the worker is not steady here: "+c.Unsteady, ends, readsTheSame)
		return &held
	case c.Skipped != "":
		held.unseen(c.Skipped, ends, readsTheSame)
		return &held
	}
	status := spec.StatusFail
	if restarted && calm[0].Async && len(c.Grave()) > 0 {
		// A worker may lose a job that it held in memory.
		ends, status = keepsWork, spec.StatusWarn
	}
	held.weigh(ends, status, j.findings(ends, c.Grave()))
	held.weigh(readsTheSame, spec.StatusWarn, j.findings(readsTheSame, c.Words()))
	return &held
}

// findings puts differences in words.
func (j *Judged) findings(id string, all []endings.Difference) []spec.Finding {
	d := j.header.Case.Disturbed
	var found []spec.Finding
	for _, f := range all {
		found = append(found, spec.Finding{
			Requirement: id, Session: f.Session, Pointer: f.Pointer,
			Got: f.Got, Want: f.Want + ", as in the calm run",
			Hint: "the run was disturbed by " + d.Do + " at " + placeOf(d),
		})
	}
	return found
}

// placeOf says which delivery was disturbed.
func placeOf(d *spec.Disturbed) string {
	place := d.Session + " " + string(d.Trigger)
	if d.Call != "" {
		place += " of " + d.Call
	}
	return place
}

// weigh enters what was found of a requirement, or that it held.
func (j *Judged) weigh(id string, status spec.Status, found []spec.Finding) {
	if len(found) == 0 {
		if o, known := j.observation(id); known && o.Status != spec.StatusFail && o.Status != spec.StatusWarn {
			j.observeAs(id, spec.StatusPass)
		}
		return
	}
	for _, f := range found {
		j.Case.Findings = append(j.Case.Findings, reports.Finding{Finding: f, Status: status})
	}
	if o, known := j.observation(id); known && o.Status == spec.StatusFail {
		found, status = slices.Concat(o.Findings, found), spec.StatusFail
	}
	j.observeAs(id, status, found...)
	j.Case.Status = reports.CaseStatus(j.Observations, len(j.Case.Expectations))
}

// unseen says why requirements were not observed.
func (j *Judged) unseen(reason string, ids ...string) {
	j.Observations = slices.Clone(j.Observations)
	for i, o := range j.Observations {
		if slices.Contains(ids, o.Requirement) && o.Count == 0 {
			o.Status, o.Reason, o.Weak = spec.StatusNotObserved, reason, true
			j.Observations[i] = o
		}
	}
}

func (j *Judged) observation(id string) (spec.Observation, bool) {
	i := slices.IndexFunc(j.Observations, func(o spec.Observation) bool { return o.Requirement == id })
	if i < 0 {
		return spec.Observation{}, false
	}
	return j.Observations[i], true
}

// allRuns gives each case the runs that the disturbances ask for, and says how
// many that are, "" when there are none.
func allRuns(cases []scenarios.Case, cfg Config) (runs []scenarios.Case, said string) {
	disturbed := 0
	for _, c := range cases {
		own := c.Runs(cfg.Disturb, cfg.Restart != nil)
		if len(own) > 1 {
			disturbed++
		}
		runs = append(runs, own...)
	}
	if len(cfg.Disturb) == 0 {
		return runs, ""
	}
	return runs, fmt.Sprintf("; %d of %d cases are run calm twice and once each under %s", disturbed, len(cases), strings.Join(cfg.Disturb, ", "))
}

// strays reports whether a disturbed run ended otherwise than the first calm run
// of its case, as far as is known before the second. Then all runs of the case
// are kept where failed cases are, since one tells nothing without the others.
func (r *run) strays(t *tape, of string) bool {
	if !t.judged.isDisturbed() || t.judged.ending == nil {
		return false
	}
	calm := r.calmOf(of)
	if calm == nil || calm.judged.ending == nil {
		return false
	}
	if len(endings.Compare([]*endings.Ending{calm.judged.ending}, t.judged.ending).Grave()) == 0 {
		return false
	}
	r.mu.Lock()
	r.kept[of] = true
	r.mu.Unlock()
	for _, one := range []*tape{calm, t} {
		r.save(one)
	}
	return true
}

// calmOf is the tape of the first calm run of a case, nil when there is none.
func (r *run) calmOf(of string) *tape {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calm[of]
}
