package reports

import (
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// Result is what one recording gave: the case, and what it says of each
// requirement.
type Result struct {
	Case         Case
	Observations []spec.Observation
	// Unreachable says that the worker could not be reached or started.
	Unreachable bool
	// Unreadable says that the recording could not be read, or not to its end.
	Unreadable bool
}

// Build sums results up to a report: statuses per requirement (R10), counts
// and the exit code. results must be in the order in which the report lists
// them; requirements is the registry. Build changes none of its arguments.
func Build(r Report, requirements []spec.Requirement, results []Result) *Report {
	r.Format, r.Version = Format, Version
	sums := make(map[string]*Requirement, len(requirements))
	r.Requirements = make([]Requirement, len(requirements))
	for i, q := range requirements {
		r.Requirements[i] = Requirement{ID: q.ID, Level: q.Level, Text: q.Text}
		sums[q.ID] = &r.Requirements[i]
	}
	r.Cases = make([]Case, 0, len(results))
	for _, res := range results {
		r.unreachable = r.unreachable || res.Unreachable
		if res.Unreadable {
			r.unreadable++
		}
		for _, o := range res.Observations {
			if sum := sums[o.Requirement]; sum != nil {
				sum.add(res.Case.ID, o)
				if r.Production {
					sum.show(res.Case.Recording, o)
				}
			}
		}
		r.Cases = append(r.Cases, res.Case)
	}
	for i := range r.Requirements {
		q := &r.Requirements[i]
		if r.Production {
			q.Evidence = requirements[i].Evidence
		}
		if q.Status == "" {
			q.Status, q.Reason = spec.StatusNotObserved, "no case brought the moment about"
		}
	}
	r.sum()
	return &r
}

// sum counts statuses and works out the exit code.
func (r *Report) sum() {
	r.Summary = Summary{}
	for _, c := range r.Cases {
		r.Summary.Cases.Add(c.Status)
		r.Summary.Exchanges += c.Exchanges
	}
	for _, q := range r.Requirements {
		r.Summary.Requirements.Add(q.Status)
	}
	r.Summary.Replay = replays(r.Cases)
	r.Exit = r.exitCode()
	if len(r.Stale) > 0 {
		r.Exit = ExitFailed
	}
}

// add takes one case's observation into the sum. The reason kept is that of
// the first observation with the status that the sum shows; a moment that came
// and proved nothing says more than one that never came.
func (q *Requirement) add(id string, o spec.Observation) {
	worse := spec.WorseStatus(q.Status, o.Status)
	if worse != q.Status || worse == o.Status && o.Weak && !q.weak {
		q.Status, q.Reason, q.weak = worse, o.Reason, o.Weak
	}
	q.Count += o.Count
	switch o.Status {
	case spec.StatusFail, spec.StatusKnownFailing, spec.StatusWarn:
		q.Cases = append(q.Cases, id)
	}
}

// show takes an example of an observation, one that failed before one that held.
func (q *Requirement) show(recording string, o spec.Observation) {
	failed := q.Failed
	q.Failed += len(o.Findings)
	if o.Example != nil && (q.Example == nil || failed == 0 && q.Failed > 0) {
		q.Example = &Example{Recording: recording, Place: *o.Example}
	}
}

// discoveryID begins the id of the case that finds out how a worker starts.
const discoveryID = "discovery#"

// idle reports whether cases were chosen and none of them ran: finding out how
// a worker starts is not what the run was for.
func (r *Report) idle() bool {
	chosen := 0
	for _, c := range r.Cases {
		if strings.HasPrefix(c.ID, discoveryID) {
			continue
		}
		if c.Status != spec.StatusNotApplicable {
			return false
		}
		chosen++
	}
	return chosen > 0
}

// exitCode follows R10: failures first, then the harness's own errors, then a
// recording that does not read, then a worker that is not there, then a run that
// observed nothing, or not all that it set out to: a green result must be earned.
func (r *Report) exitCode() int {
	q, c := r.Summary.Requirements, r.Summary.Cases
	seen := observed(q)
	if r.Played {
		seen = observed(c)
	}
	switch {
	case q.Fail > 0 || c.Fail > 0:
		return ExitFailed
	case q.Error > 0 || c.Error > r.unreadable:
		return ExitHarness
	case r.unreadable > 0:
		return ExitIO
	case r.unreachable:
		return ExitUnreachable
	case seen == 0 || r.Ended != "" || r.idle():
		return ExitUsage
	default:
		return ExitGood
	}
}

// observed is how many have a verdict.
func observed(q Counts) int { return q.Fail + q.Error + q.KnownFailing + q.Warn + q.Pass }

// CaseStatus returns the status of a case from what was found in it: a failed
// finding or expectation, then a warning that is no advice, then whether
// anything was observed.
func CaseStatus(observations []spec.Observation, expectations int) spec.Status {
	if expectations > 0 {
		return spec.StatusFail
	}
	var sum spec.Status
	for _, o := range observations {
		status := o.Status
		if q, ok := spec.LookupRequirement(o.Requirement); ok && q.Level == spec.Advice && status == spec.StatusWarn {
			// Advice says nothing against a case.
			status = spec.StatusPass
		}
		sum = spec.WorseStatus(sum, status)
	}
	if sum == "" {
		return spec.StatusNotObserved
	}
	return sum
}
