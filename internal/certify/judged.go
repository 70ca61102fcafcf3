// Package certify puts the pipeline together: it judges recordings, and sums
// them up to a report. A live run and a later reading of its files go through
// the same functions, so both print the same.
package certify

import (
	"fmt"
	"iter"
	"time"

	"github.com/hallmarkdev/hallmark/internal/endings"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// Recording is one recording that can be read from its beginning as often as
// needed. Name is the file that holds it, "" when none does.
type Recording struct {
	Name   string
	Events func() iter.Seq2[spec.Event, error]
}

// InMemory returns a Recording over events that are held already.
func InMemory(name string, events []spec.Event) Recording {
	return Recording{Name: name, Events: func() iter.Seq2[spec.Event, error] {
		return func(yield func(spec.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}
	}}
}

// Judged is what one recording says.
type Judged struct {
	reports.Result
	header *spec.HeaderEvent
	facts  facts
	// void is why some expectations could not be judged, "" when all were.
	void string
	// ending is how the sessions ended, of a case that is run disturbed.
	ending *endings.Ending
}

// Judge reads a recording and judges it: every requirement, and the
// expectations of the scenario that its header holds. The error is that of
// reading, or of a scenario text that no longer reads.
func Judge(r Recording) (*Judged, error) {
	j := &Judged{}
	var verdicts *judge.Judge
	var expectations *scenarios.Expectations
	for e, err := range r.Events() {
		if err != nil {
			return nil, err
		}
		if h, ok := e.Data.(*spec.HeaderEvent); ok {
			j.header = h
			if expectations, err = expectationsOf(h); err != nil {
				return nil, err
			}
		}
		if verdicts == nil {
			var options judge.Options
			if expectations != nil {
				// Both read the same bodies. Without a scenario there is one reader,
				// which forgets what it has judged.
				options.Readings = spec.NewReadings()
				expectations.ShareReadings(options.Readings)
			}
			verdicts = judge.New(options)
		}
		verdicts.Add(e)
		j.facts.add(e)
		if expectations != nil {
			expectations.Add(e)
		}
	}
	if j.header == nil {
		return nil, fmt.Errorf("the recording has no header")
	}
	j.Observations = verdicts.Verdict().Observations
	var unmet []spec.Finding
	if expectations != nil {
		unmet, j.void = expectations.Findings(), expectations.Unobserved()
		if j.facts.bad {
			j.facts.policies = judge.Policies(expectations.Events(), expectations.Exchanges())
		}
	}
	if h := j.header.Case; h != nil && (h.Control > 0 || h.Disturbed != nil) && expectations != nil {
		j.ending = endings.Read(expectations.Events())
	}
	if !j.runsOnce() {
		// The calm run is held to what the scenario expects.
		unmet = nil
	}
	j.fill(r.Name, expectations, unmet)
	return j, j.addCurls(r)
}

// expectationsOf opens the scenario of a header, nil when there is none: the
// recordings of discovery and of production have no script.
func expectationsOf(h *spec.HeaderEvent) (*scenarios.Expectations, error) {
	if h.Case == nil || h.Case.Text == "" {
		return nil, nil
	}
	c, err := scenarios.Reopen(h)
	if err != nil {
		return nil, fmt.Errorf("read the scenario in the recording of %s: %w", h.ID, err)
	}
	if h.Case.Alone {
		c = c.Apart()
	}
	return scenarios.NewExpectations(c), nil
}

func (j *Judged) fill(name string, x *scenarios.Expectations, unmet []spec.Finding) {
	c := &j.Case
	c.ID, c.Recording = j.header.ID, name
	c.End, c.Reason = j.facts.end, j.facts.reason
	c.Exchanges = j.facts.exchanges
	c.Measured.Ms = j.facts.measured / 1000
	c.Repeat = repeatLine(j.header, j.facts.agentID)
	if h := j.header.Case; h != nil {
		c.Alone = h.Alone
		c.Own = h.Text != "" && !h.Built
	}
	if x != nil {
		c.Title, c.About = x.Title(), x.About()
	}
	for _, o := range j.Observations {
		for _, f := range o.Findings {
			c.Findings = append(c.Findings, reports.Finding{Finding: f, Status: o.Status})
		}
	}
	j.Unreachable = j.facts.end == spec.CloseUnreachable
	switch j.facts.end {
	case spec.CloseNotApplicable, spec.CloseNotRun, spec.CloseUnreachable:
		j.Observations = nil
		c.Status = spec.StatusNotObserved
		if j.facts.end == spec.CloseNotApplicable {
			c.Status = spec.StatusNotApplicable
		}
		return
	case spec.CloseHarness:
		c.Status = spec.StatusError
		return
	}
	for _, f := range unmet {
		c.Expectations = append(c.Expectations, reports.Finding{Finding: f, Status: spec.StatusFail})
	}
	c.Status = reports.CaseStatus(j.Observations, len(unmet))
	if x != nil && x.HasCompany() && !c.Alone && c.Status == spec.StatusPass {
		j.keptApart()
	}
	if c.Status == spec.StatusPass && j.void != "" && j.runsOnce() {
		c.Status, c.Reason = spec.StatusNotObserved, j.void
	}
	if c.Status == spec.StatusPass && x != nil && j.runsOnce() {
		j.unobserved(x)
	}
}

// unobserved applies "how a scenario runs", 5: a requirement that a scenario
// lists and that was not observed leaves the case without a verdict in the
// corpus, and fails a user's own.
func (j *Judged) unobserved(x *scenarios.Expectations) {
	for _, id := range x.Requirements() {
		for _, o := range j.Observations {
			if o.Requirement != id || (o.Status != spec.StatusNotObserved && o.Status != spec.StatusNotApplicable) {
				continue
			}
			c := &j.Case
			c.Reason = id + " was not observed: " + o.Reason
			if j.header.Case.Built {
				c.Status = spec.StatusNotObserved
				return
			}
			c.Status = spec.StatusFail
			c.Expectations = append(c.Expectations, reports.Finding{Status: spec.StatusFail, Finding: spec.Finding{
				Expectation: "requirements", Got: "not observed: " + o.Reason, Want: id + " to be observed",
			}})
			return
		}
	}
}

// addCurls gives each finding the line that sends its request again.
func (j *Judged) addCurls(r Recording) error {
	wanted := map[[2]string][]*reports.Finding{}
	for _, list := range [][]reports.Finding{j.Case.Findings, j.Case.Expectations} {
		for i := range list {
			if f := &list[i]; f.Exchange != "" {
				key := [2]string{f.Session, f.Exchange}
				wanted[key] = append(wanted[key], f)
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	var fault error
	events := func(yield func(spec.Event) bool) {
		for e, err := range r.Events() {
			if err != nil {
				fault = err
				return
			}
			if !yield(e) {
				return
			}
		}
	}
	for x := range spec.Exchanges(events) {
		for _, f := range wanted[[2]string{x.Session, x.D}] {
			f.Curl = curlLine(j.header, r.Name, x)
		}
	}
	return fault
}

// startedAt is when the recording was opened, for the measured length of a run.
func (j *Judged) startedAt() (time.Time, bool) {
	at, err := time.Parse(time.RFC3339Nano, j.header.Started)
	return at, err == nil
}
