package workertest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Check does what [Run] does without package testing and returns every
// verdict. It works inside a [testing/synctest] bubble and is safe for
// concurrent use.
//
// The error is about the harness and never about the worker: a worker that
// fails requirements gives a report whose Exit is [reports.ExitFailed], and a
// nil error. A bad Config, a pattern that fits no case or a lack of consent
// (R3) gives an error alone. A worker that cannot be reached, a fault of the
// harness in some case, a recording that could not be written, a Reset that
// failed, or a run that observed nothing (R10) gives an error beside a report of what there was. Cancelling ctx ends the run early; the
// report then holds what was judged, and says in Ended that it is partial.
func Check(ctx context.Context, target Target, cfg Config) (*reports.Report, error) {
	p, err := cfg.plan(nil)
	if err != nil {
		return nil, err
	}
	r, err := p.run(ctx, target)
	if r == nil {
		return nil, err
	}
	return r.report, err
}

// result is what a run found out.
type result struct {
	report *reports.Report
	// died tells of a worker's process that ended by itself.
	died string
}

// debuggerSilence is how long nothing may come when no answer is bounded.
const debuggerSilence = 24 * time.Hour

// silence bounds how long nothing may come; 0 is the engine's own bound.
func (p *plan) silence() time.Duration {
	if p.Patience < 0 {
		return debuggerSilence
	}
	return 0
}

// run drives the worker and weighs what was found.
func (p *plan) run(ctx context.Context, target Target) (*result, error) {
	env, done, err := p.engineOf(target)
	if err != nil {
		return nil, err
	}
	defer done()
	w, err := target.open(ctx, opening{p.silence(), env})
	if err != nil {
		return nil, err
	}
	defer w.close()
	p.Worker, p.Process, p.Restart, p.Another, p.Consent.Started = w.header, w.process, w.restart, w.another, w.ours
	p.Worker.BadArguments = p.file.Policies()
	if c := p.file; c.WorkerName != "" {
		p.Worker.Name, p.Worker.Version = c.WorkerName, c.WorkerVersion
	}
	report, err := certify.Run(ctx, p.Config, w.post)
	if report == nil {
		return nil, runProblem(err)
	}
	p.forgetRepeats(report)
	r := &result{report: p.weigh(report), died: w.died()}
	if err != nil {
		return r, runProblem(err)
	}
	return r, p.trouble(r)
}

// forgetRepeats takes the command lines away that cannot work: those of
// scenarios that stand in no folder that a command could read.
func (p *plan) forgetRepeats(r *reports.Report) {
	if !slices.ContainsFunc(p.Own, func(o certify.Own) bool { return o.Folder == "" }) {
		return
	}
	for i := range r.Cases {
		r.Cases[i].Repeat = ""
	}
}

// weigh applies strictness and then the baseline, as the command line does.
func (p *plan) weigh(r *reports.Report) *reports.Report {
	if p.strict {
		wanted, _ := spec.Profile(p.file.Profile)
		r = reports.Strict(r, wanted)
	}
	if p.baseline != nil {
		added := map[string]string{}
		for _, q := range spec.Requirements() {
			added[q.ID] = q.Added
		}
		r = reports.ApplyBaseline(r, *p.baseline, reports.BaselineOptions{
			Today: time.Now().UTC().Format(time.DateOnly), Partial: p.partial, Added: added,
		})
	}
	return r
}

// trouble is what a report says about the harness and not about the worker.
func (p *plan) trouble(r *result) error {
	switch r.report.Exit {
	case reports.ExitUnreachable:
		return problem(fmt.Sprintf("the worker cannot be reached: %s%s", reasonOf(r.report), afterLine(r.died)), "")
	case reports.ExitHarness:
		return problem("the harness erred, which says nothing about the worker: "+reasonOf(r.report), "")
	case reports.ExitUsage:
		if r.report.Ended == "" {
			return problem("nothing was observed: no requirement was put to the test", "run cases that apply to this worker")
		}
	}
	if p.allForbidden(r.report) {
		return problem("none of the worker's tools may be called, so nothing about tool calls was tested",
			"allow one by Config.OnlyTools, Config.SkipTools or the tools section of Config.File")
	}
	return nil
}

// reasonOf is the reason of the first case that went wrong on our side.
func reasonOf(r *reports.Report) string {
	for _, c := range r.Cases {
		if c.End == spec.CloseUnreachable || c.Status == spec.StatusError {
			return c.Reason
		}
	}
	return r.Ended
}

// allForbidden reports whether the worker declares tools of its own of which
// none may be called (R10).
func (p *plan) allForbidden(r *reports.Report) bool {
	own, declared := 0, &spec.AgentConfig{}
	for _, t := range r.Worker.Tools {
		declared.Tools = append(declared.Tools, spec.AgentTool{Name: t.Name})
	}
	o := p.Consent
	o.Declared = declared
	agreed, err := simulator.Agree(p.Worker.URL, o)
	for _, t := range r.Worker.Tools {
		if t.Handler != spec.HandlerWorker {
			continue
		}
		own++
		if err == nil && agreed.Callable(t.Name) {
			return false
		}
	}
	return own > 0
}

// afterLine puts a text on a line of its own, behind what is said already.
func afterLine(text string) string {
	if text == "" {
		return ""
	}
	return "\n  " + text
}
