package certify

import "github.com/hallmarkdev/hallmark/spec"

// Slim keeps little of each capture of many, so that ten thousand of them are
// summed up in the memory of what they show: what was not seen is kept once for
// all, and so is the config of the worker. It changes nothing in their sum. The
// zero value is ready.
type Slim struct {
	agent  bool
	unseen map[unseen]bool
}

// unseen is a requirement that was not seen, and why.
type unseen struct {
	id, reason string
	status     spec.Status
	weak       bool
}

// Take makes a judged recording small, unless it is one of a run. Recordings
// must be summed up in the order in which they were taken, or with the first.
func (s *Slim) Take(j *Judged) {
	if !ofProduction(j.header.Source) {
		return
	}
	if s.agent {
		j.facts.agent = nil
	}
	s.agent = s.agent || j.facts.agent != nil
	if s.unseen == nil {
		s.unseen = map[unseen]bool{}
	}
	kept := make([]spec.Observation, 0, len(j.Observations)/2)
	for _, o := range j.Observations {
		if o.Status == spec.StatusNotObserved || o.Status == spec.StatusNotApplicable {
			key := unseen{o.Requirement, o.Reason, o.Status, o.Weak}
			if s.unseen[key] {
				continue
			}
			s.unseen[key] = true
		}
		kept = append(kept, o)
	}
	j.Observations = kept
}
