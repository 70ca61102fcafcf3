package spec_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

var fieldReportRef = regexp.MustCompile(`field-report:[0-9]+`)

// Each report is covered on each side that can get it wrong, or a gap says why
// not. Which these are is fixed by what names the report: a scenario for the
// worker, a test of its own parts for the engine and for the harness.
func TestEveryFieldReportIsCovered(t *testing.T) {
	t.Parallel()
	covered := coveredSides(t)
	gaps := map[string]bool{}
	for _, g := range spec.FieldGaps() {
		key := "field-report:" + g.Number + " " + string(g.Side)
		if gaps[key] {
			t.Errorf("%s: two gaps", key)
		}
		gaps[key] = true
		if g.Reason == "" {
			t.Errorf("%s: the gap has no reason", key)
		}
		if r, ok := spec.LookupFieldReport("field-report:" + g.Number); !ok || !slices.Contains(r.Sides, g.Side) {
			t.Errorf("%s: a gap of a report or side that does not exist", key)
		}
	}
	for _, r := range spec.FieldReports() {
		for _, side := range r.Sides {
			key := r.Ref() + " " + string(side)
			switch {
			case covered[key] && gaps[key]:
				t.Errorf("%s: covered, and yet a gap; take the gap out", key)
			case !covered[key] && !gaps[key]:
				t.Errorf("%s: nothing names it, and no gap says why", key)
			}
		}
	}
}

// What names a report names one that exists: a misspelled number would count
// for nothing.
func TestNamedFieldReportsExist(t *testing.T) {
	t.Parallel()
	for _, q := range spec.Requirements() {
		for _, source := range q.Source {
			if _, ok := spec.LookupFieldReport(source); !ok && strings.HasPrefix(source, "field-report:") {
				t.Errorf("%s: there is no %s", q.ID, source)
			}
		}
	}
	for key := range coveredSides(t) {
		ref, side, _ := strings.Cut(key, " ")
		if _, ok := spec.LookupFieldReport(ref); !ok {
			t.Errorf("a file that speaks for the %s names %s, which does not exist", side, ref)
		}
	}
}

// coveredSides are the sides that something covers, as "field-report:041
// worker".
func coveredSides(t *testing.T) map[string]bool {
	t.Helper()
	covered := map[string]bool{}
	projectFiles(t, func(name string) bool { return sideOf(name) != "" }, func(name, text string) {
		for _, ref := range fieldReportRef.FindAllString(text, -1) {
			covered[ref+" "+string(sideOf(name))] = true
		}
	})
	return covered
}

// engineParts are the folders whose tests speak for the simulated engine and
// model; those of all others speak for the harness.
var engineParts = []string{"simulator/engine/", "simulator/model/", "spec/toolcall/", "internal/schema/"}

// sideOf is the side that a file speaks for, "" when it shows nothing.
func sideOf(name string) spec.Side {
	switch {
	case strings.HasPrefix(name, "scenarios/corpus/"):
		return spec.WorkerSide
	case !strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "spec/field_"):
		return ""
	case slices.ContainsFunc(engineParts, func(part string) bool { return strings.HasPrefix(name, part) }):
		return spec.EngineSide
	}
	return spec.HarnessSide
}
