package workertest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Execute opens a session, lets the model call one tool with the raw argument
// string, and returns the tool.execute exchange (E1) with its findings. The
// tool need not be declared and the arguments need not be JSON. Naming the tool
// is the consent to call it, wherever the target is (R3). Of several deliveries
// the first that was answered with a status is returned. The session goes on
// to its end, so that the judge sees what becomes of the answer. Execute fails
// t, and ends it, when no tool.execute was answered; t may be [GinkgoTB]'s, and
// its test may be in a [testing/synctest] bubble. Each use on one Target has
// ids of its own.
//
// [GinkgoTB]: https://pkg.go.dev/github.com/onsi/ginkgo/v2#GinkgoTB
func Execute(t testing.TB, target Target, tool, arguments string) *Exchange {
	t.Helper()
	return ExecuteWith(t, target, tool, arguments, Config{})
}

// ExecuteWith is [Execute] as cfg says: for the agent of AgentID and Agent,
// signed with Secret, with Header, Seed, Patience and Vars, after Reset, and with
// what File says of these. A tool that cfg or File forbids is not called, and
// fails t. The fields about scenarios, reports and recordings have no effect.
//
//	x := workertest.ExecuteWith(t, target, "find_part", `{"bin": 7}`, workertest.Config{AgentID: "billing"})
func ExecuteWith(t testing.TB, target Target, tool, arguments string, cfg Config) *Exchange {
	t.Helper()
	x, err := execute(t.Context(), target, tool, arguments, cfg)
	if err != nil {
		t.Fatalf("%s", err)
	}
	return x
}

func execute(ctx context.Context, target Target, tool, arguments string, cfg Config) (*Exchange, error) {
	cfg.Scenarios, cfg.Baseline, cfg.Record = nil, "", ""
	p, err := cfg.plan(&scenarios.Document{Name: "execute"})
	if err != nil {
		return nil, err
	}
	if p.forbids(tool) {
		return nil, problem(fmt.Sprintf("%s may not be called: Config.SkipTools, Config.OnlyTools or Config.File forbids it", tool), "")
	}
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
	if p.Reset != nil {
		if err := p.Reset(ctx); err != nil {
			return nil, err
		}
	}
	s := p.Settings
	s.Worker, s.Process = w.header, w.process
	found, err := discover(ctx, s, p, w)
	if err != nil {
		return nil, err
	}
	s.Agent, s.Worker.Form = found.Agent, found.Form
	tape := tape{redact: p.Redact.Begin()}
	began := time.Now()
	in := simulator.CaseInput{Settings: s, Case: callOf(tool, arguments, target.executed.Add(1)), Ordinal: 1}
	ended := simulator.Drive(ctx, in, w.post, func(e spec.Event) { tape.add(e, began) })
	j, err := tape.judge(ended)
	if err != nil {
		return nil, err
	}
	for x := range spec.Exchanges(slices.Values(tape.events)) {
		if x.Request.Trigger == spec.OnToolExecute && x.Answer().Status != 0 {
			return exchangeOf(x, j), nil
		}
	}
	return nil, problem(fmt.Sprintf("no tool.execute of %q was answered: %s%s%s",
		tool, endOf(ended.Why), failuresOf(j), afterLine(w.died())), "")
}

// discover finds out how the worker starts (R2).
func discover(ctx context.Context, s simulator.Settings, p *plan, w *worker) (simulator.Discovery, error) {
	tape := tape{redact: p.Redact.Begin()}
	began := time.Now()
	found := simulator.Discover(ctx, s, p.Form, w.post, func(e spec.Event) { tape.add(e, began) })
	switch {
	case ctx.Err() != nil:
		return found, context.Cause(ctx)
	case found.Unreachable():
		return found, problem("the worker cannot be reached: "+endOf(found.Why)+afterLine(w.died()), "")
	case found.Form != "":
		return found, nil
	}
	j, err := tape.judge(found.Result)
	if err != nil {
		return found, err
	}
	return found, problem("session.start yields no config: "+endOf(found.Why)+failuresOf(j)+afterLine(w.died()), "")
}

// callOf is a case in which the model calls one tool. Its id, on which all
// other ids depend (R20), is another for each use and each call: a worker may
// remember what it answered to an id (D5).
func callOf(tool, arguments string, use int64) scenarios.Case {
	text := func(s string) *scenarios.Text {
		return &scenarios.Text{Parts: []scenarios.TextPart{{Plain: s}}}
	}
	of := sha256.Sum256([]byte(tool + "\x00" + arguments))
	return scenarios.Case{
		ID:   fmt.Sprintf("execute#%d-%x", use, of[:6]),
		Name: fmt.Sprint(use), Doc: &scenarios.Document{Name: "execute"},
		Steps: []scenarios.Step{
			{User: &scenarios.UserStep{Text: text("Use " + tool + ".")}},
			{Model: &scenarios.ModelStep{Calls: []scenarios.Call{{As: "c1", Tool: *text(tool), Raw: text(arguments)}}}},
		},
		Engine: scenarios.Engine{SpareReplies: 3},
		Limits: scenarios.Limits{Decisions: 200, Real: time.Minute},
	}
}

// forbids reports whether cfg or its file says that a tool is not to be called.
func (p *plan) forbids(tool string) bool {
	only := p.Consent.OnlyTools
	return slices.Contains(p.Consent.SkipTools, tool) || len(only) > 0 && !slices.Contains(only, tool) ||
		p.Consent.Policies[tool] == simulator.CallNever
}

// tape holds the recording of one session, without secrets.
type tape struct {
	redact *recorder.Redaction
	events []spec.Event
}

func (t *tape) add(e spec.Event, began time.Time) {
	for _, part := range t.redact.Redact(e) {
		part.W = time.Since(began).Microseconds()
		t.events = append(t.events, part)
	}
}

// judge ends the recording and judges it.
func (t *tape) judge(r simulator.Result) (*certify.Judged, error) {
	t.events = append(t.events, t.redact.Redact(spec.Event{T: r.T, Data: &spec.CloseEvent{Why: r.Why}})...)
	return certify.Judge(certify.InMemory("", t.events))
}

// exchangeOf picks what the judge says of x.
func exchangeOf(x *spec.Exchange, j *certify.Judged) *Exchange {
	out := &Exchange{Exchange: x, observations: j.Observations}
	for _, f := range j.Case.Findings {
		if f.Session == x.Session && f.Exchange == x.D {
			out.findings = append(out.findings, f)
		}
	}
	return out
}

// failuresOf names what failed, one a line.
func failuresOf(j *certify.Judged) string {
	var b strings.Builder
	for _, f := range j.Case.Findings {
		if f.Status == spec.StatusFail {
			b.WriteString("\n" + f.Requirement + " does not hold")
			place(&b, f)
		}
	}
	return b.String()
}

// endOf is the reason of an end in words.
func endOf(why string) string {
	code, particulars := spec.SplitCloseReason(why)
	if particulars == "" {
		return code
	}
	return code + ": " + particulars
}
