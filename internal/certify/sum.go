package certify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// Sum makes the report of judged recordings. Their order does not matter: it
// is that of the run, which the headers hold.
func Sum(judged []*Judged) *reports.Report { return sum(judged, "") }

// Sum makes the report of a run of which all recordings should be here: one
// that has lost some is partial.
func (r RunOf) Sum() *reports.Report { return sum(r.Judged, r.Missing()) }

func sum(judged []*Judged, missing string) *reports.Report {
	all := slices.Clone(judged)
	slices.SortStableFunc(all, func(a, b *Judged) int {
		return cmp.Or(
			cmp.Compare(a.ordinal(), b.ordinal()),
			strings.Compare(a.Case.ID, b.Case.ID),
			compareBool(a.Case.Alone, b.Case.Alone),
		)
	})
	all = moveBlame(compareRuns(all))
	r := reports.Report{Production: Production(all), Ended: cmp.Or(ended(all), missing), Measured: reports.Measured{Ms: measured(all)}}
	calls := map[string]int{}
	results := make([]reports.Result, 0, len(all))
	var agent *spec.AgentConfig
	var policies [][]judge.Policy
	for _, j := range all {
		policies = append(policies, j.facts.policies)
		describe(&r, j)
		if agent == nil {
			agent = j.facts.agent
		}
		for name, n := range j.facts.calls {
			calls[name] += n
		}
		results = append(results, j.Result)
	}
	r.Worker.Tools = toolsOf(agent, calls, judge.JoinPolicies(policies...))
	report := reports.Build(r, spec.Requirements(), results)
	report.Hints = hints(all, report)
	return report
}

// SumPartial is [Sum] for recordings of which some are missing; missing says so.
func SumPartial(judged []*Judged, missing string) *reports.Report { return sum(judged, missing) }

// Production reports whether recordings show production and no run.
func Production(judged []*Judged) bool {
	return len(judged) > 0 && !slices.ContainsFunc(judged, func(j *Judged) bool { return !ofProduction(j.header.Source) })
}

func (j *Judged) ordinal() int {
	if j.header.Case == nil {
		return 0
	}
	return j.header.Case.Ordinal
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// describe fills in what the first recordings say of the worker and the run.
func describe(r *reports.Report, j *Judged) {
	h, w := j.header, &r.Worker
	if r.MadeBy.Hallmark == "" {
		r.MadeBy = h.MadeBy
		r.MadeBy.Registry = spec.RegistryVersion
		w.Seed, w.Clock = h.Seed, h.Clock
	}
	w.URL = cmp.Or(w.URL, h.Worker.URL)
	w.Name = cmp.Or(w.Name, h.Worker.Name)
	w.Version = cmp.Or(w.Version, h.Worker.Version)
	w.Start = cmp.Or(w.Start, h.Worker.Start)
	w.Form = cmp.Or(w.Form, h.Worker.Form)
	if ofProduction(h.Source) {
		w.Form = cmp.Or(w.Form, "what its engine proposed")
	}
	w.AgentID = cmp.Or(w.AgentID, j.facts.agentID)
	w.Dialect = cmp.Or(w.Dialect, h.Dialect)
}

// ofProduction reports whether a recording shows what a real engine asked.
func ofProduction(s spec.Source) bool { return s == spec.SourceCapture || s == spec.SourceImport }

// ended says why a run stopped early, "" when every case had its turn.
func ended(all []*Judged) string {
	n, why := 0, ""
	for _, j := range all {
		if j.facts.end == spec.CloseGaveUp && j.header.Case != nil && j.header.Case.Scenario == simulator.DiscoveryName {
			// No case could be planned: what is left open is not good news.
			return "nothing was run after the discovery: " + j.facts.reason
		}
		if j.facts.end == spec.CloseNotRun {
			n++
			why = cmp.Or(why, j.facts.reason)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d cases were not run: %s", n, len(all), why)
}

// measured is the length of the run: from the first recording's beginning to
// the last one's end, in milliseconds.
func measured(all []*Judged) int64 {
	var first, last time.Time
	for _, j := range all {
		at, ok := j.startedAt()
		if !ok {
			continue
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if end := at.Add(time.Duration(j.facts.measured) * time.Microsecond); end.After(last) {
			last = end
		}
	}
	return last.Sub(first).Milliseconds()
}
