package workertest

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// Run certifies target with one subtest per case, named by the case's id, so
// that go test -run picks one: cases that it does not pick are not driven.
// Each requirement that does not hold in a case is one t.Errorf with where, got
// and want, JSON pointer, the requirement's text, and the line that repeats the
// case. A case that does not apply, or in which nothing was observed, is
// skipped with its reason; so is one that fails as the baseline says.
//
// What concerns the whole run fails t itself: a bad Config, a worker that
// cannot be reached, a run in which nothing was observed or that ended early, a
// baseline that no longer holds. Run ends early, and says so, shortly before
// the deadline of go test -timeout. It returns when every subtest has ended.
// Not for use inside a [testing/synctest] bubble, which allows no subtests:
// see [Check].
func Run(t *testing.T, target Target, cfg Config) {
	t.Helper()
	runCases(onT{t}, target, cfg, nil)
}

// Scenario runs one scenario, given as YAML text, with a subtest of t for each
// of its cases. Faults in the text are reported with line and column. Of cfg,
// Scenarios and Baseline are refused; of cfg.File, its scenarios and baseline
// do not count. The subtests are named by the scenario's title in lower case,
// with dashes.
func Scenario(t *testing.T, target Target, yaml string, cfg Config) {
	t.Helper()
	runScenario(onT{t}, target, yaml, cfg)
}

func runScenario(t tester, target Target, yaml string, cfg Config) {
	t.Helper()
	doc, err := scenarios.ParseWith("scenario", []byte(yaml), reading())
	if err != nil {
		t.Fatalf("%s", &fault{message: "the scenario cannot be read:\n" + err.Error(), err: err})
		return
	}
	doc.Name = slug(doc.Title)
	runCases(t, target, cfg, doc)
}

// tester is what a run needs of a test.
type tester interface {
	Helper()
	Name() string
	Context() context.Context
	Deadline() (time.Time, bool)
	ArtifactDir() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
	// flag is the value of a flag of the test binary, "" when it has none.
	flag(name string) string
	// sub runs f as a subtest, unless the test's flags leave it out.
	sub(name string, f func(tester))
}

// onT is a tester over a real test.
type onT struct{ *testing.T }

func (t onT) sub(name string, f func(tester)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		f(onT{t})
	})
}

func (t onT) flag(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// deadlineGrace is how long before the test binary's deadline a run ends, so
// that there is a report and no panic.
const deadlineGrace = 10 * time.Second

// runCases is [Run], and with one [Scenario].
func runCases(t tester, target Target, cfg Config, one *scenarios.Document) {
	t.Helper()
	p, err := cfg.plan(one)
	if err != nil {
		t.Fatalf("%s", err)
		return
	}
	picked, err := newPicker(t.flag("test.run"), t.flag("test.skip"))
	if err != nil {
		// The testing package has refused such flags already.
		t.Fatalf("%s", err)
		return
	}
	p.Wanted = func(id string) bool { return picked.wants(t.Name(), id) }
	for _, warning := range p.file.Warnings {
		t.Logf("warning: %s", warning)
	}
	if p.Record == "" {
		p.Keep = t.ArtifactDir()
	}
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		early, cancel := context.WithDeadline(ctx, deadline.Add(-deadlineGrace))
		defer cancel()
		ctx = early
	}
	r, err := p.run(ctx, target)
	if r == nil {
		t.Fatalf("%s", err)
		return
	}
	tell := teller{t: t, report: r.report, kept: p.Record != "" || t.flag("test.artifacts") == "true", seed: p.Seed}
	tell.all(r, err)
}
