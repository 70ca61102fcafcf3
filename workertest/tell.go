package workertest

import (
	"slices"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// teller tells a test what a run found out.
type teller struct {
	t      tester
	report *reports.Report
	// kept says that recordings outlive the test.
	kept bool
	seed uint64
	// told counts the cases that had a subtest.
	told int
}

// all tells everything: the cases as subtests, and then what is wrong with the
// run as a whole.
func (w *teller) all(r *result, trouble error) {
	w.t.Helper()
	for i := range w.report.Cases {
		c := &w.report.Cases[i]
		// Discovery is no case of anybody's, and told when something is wrong.
		if isDiscovery(c) && c.Status == spec.StatusPass {
			continue
		}
		w.t.sub(c.ID, func(t tester) {
			t.Helper()
			w.told++
			w.oneCase(t, c)
		})
	}
	w.unpicked()
	for _, s := range w.report.Stale {
		w.t.Errorf("%s: %s: %s\n  hint   %s", s.Place, s.Entry, s.Got, s.Hint)
	}
	for _, q := range w.report.Requirements {
		if q.Status == spec.StatusFail && len(q.Cases) == 0 {
			w.t.Errorf("%s (%s) is not shown to hold: %s\n%s", q.ID, q.Level, q.Reason, q.Text)
		}
	}
	if w.report.Ended != "" {
		w.t.Errorf("the run ended early: %s", reports.Clean(w.report.Ended))
	}
	if trouble != nil {
		w.t.Errorf("%s", trouble)
	}
	if r.died != "" {
		w.t.Logf("%s", r.died)
	}
}

// unpicked fails a test of which go test -run left nothing to be told: a green
// that nobody earned.
func (w *teller) unpicked() {
	w.t.Helper()
	if w.told > 0 {
		return
	}
	for i := range w.report.Cases {
		if c := &w.report.Cases[i]; isDiscovery(c) && c.Status != spec.StatusPass && len(w.report.Cases) == 1 {
			w.oneCase(w.t, c)
			return
		}
	}
	w.t.Errorf("go test -run picks no case of this test")
}

func isDiscovery(c *reports.Case) bool { return c.ID == simulator.DiscoveryName+"#default" }

// oneCase tells a test about one case.
func (w *teller) oneCase(t tester, c *reports.Case) {
	t.Helper()
	switch c.Status {
	case spec.StatusFail:
		w.failed(t, c)
	case spec.StatusError:
		t.Errorf("the harness erred, which says nothing about the worker: %s", reports.Clean(c.Reason))
	case spec.StatusKnownFailing:
		w.log(t, c)
		t.Skipf("known failing%s", colon(c.Reason))
	case spec.StatusNotObserved:
		t.Skipf("not observed%s", colon(c.Reason))
	case spec.StatusNotApplicable:
		t.Skipf("not applicable%s", colon(c.Reason))
	default:
		w.log(t, c)
	}
}

// failed gives each failed requirement and expectation an error of its own.
func (w *teller) failed(t tester, c *reports.Case) {
	t.Helper()
	errors := 0
	for _, findings := range byRequirement(c.Findings) {
		text := w.requirement(t, c, findings)
		if findings[0].Status == spec.StatusFail {
			errors++
			t.Errorf("%s", text)
		} else {
			t.Logf("%s", text)
		}
	}
	for _, f := range c.Expectations {
		text := w.expectation(t, c, f)
		if f.Status == spec.StatusFail {
			errors++
			t.Errorf("%s", text)
		} else {
			t.Logf("%s", text)
		}
	}
	if errors == 0 {
		t.Errorf("failed%s", colon(c.Reason))
	}
}

// log tells what does not hold and fails nothing.
func (w *teller) log(t tester, c *reports.Case) {
	t.Helper()
	for _, findings := range byRequirement(c.Findings) {
		t.Logf("%s", w.requirement(t, c, findings))
	}
	for _, f := range c.Expectations {
		t.Logf("%s", w.expectation(t, c, f))
	}
}

// byRequirement groups findings, in the order in which the requirements come.
func byRequirement(findings []reports.Finding) [][]reports.Finding {
	var groups [][]reports.Finding
	for _, f := range findings {
		i := slices.IndexFunc(groups, func(g []reports.Finding) bool { return g[0].Requirement == f.Requirement })
		if i < 0 {
			groups = append(groups, []reports.Finding{f})
			continue
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

func colon(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reports.Clean(reason)
}
