package reports_test

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// registry is a small one of its own, so that what these specs say does not
// depend on the requirements of the day.
func registry() []spec.Requirement {
	var all []spec.Requirement
	for _, id := range []string{
		"delivery.first", "delivery.second", "execute.first", "execute.second",
		"result.first", "result.second", "result.third", "turn.first",
	} {
		all = append(all, spec.Requirement{ID: id, Level: spec.Must, Text: "A worker keeps " + id + "."})
	}
	all[3].Level = spec.Should
	return all
}

func seen(id string, s spec.Status) spec.Observation {
	o := spec.Observation{Requirement: id, Status: s}
	switch s {
	case spec.StatusNotObserved, spec.StatusNotApplicable, spec.StatusError:
		o.Reason = "the reason of " + string(s)
	default:
		o.Count = 1
	}
	return o
}

// ran is a case with the given observations, its status worked out.
func ran(id string, observations ...spec.Observation) reports.Result {
	return reports.Result{
		Case:         reports.Case{ID: id, Status: reports.CaseStatus(observations, 0), Exchanges: 2},
		Observations: observations,
	}
}

func build(results ...reports.Result) *reports.Report {
	return reports.Build(reports.Report{}, registry(), results)
}

// broken is a case in which a requirement did not hold.
func broken(id string, status spec.Status, found ...spec.Finding) reports.Result {
	o := seen(found[0].Requirement, status)
	o.Findings = found
	r := ran(id, o)
	for _, f := range found {
		r.Case.Findings = append(r.Case.Findings, reports.Finding{Finding: f, Status: status, Curl: "curl -sS http://127.0.0.1:4444"})
	}
	r.Case.Repeat = reports.Command("hallmark", "test", "--run", id, "http://127.0.0.1:4444")
	return r
}

func number(n int) *int { return &n }

// everyBlock is a report that has each kind of block that a text may hold.
func everyBlock() *reports.Report {
	r := reports.Report{
		MadeBy: spec.MadeBy{Hallmark: "1.2.3", Registry: "2026-11/1"},
		Worker: reports.Worker{
			URL: "http://127.0.0.1:4444", Name: "kiln desk", Version: "7", Start: "node server.mjs {port}",
			AgentID: "agent", Form: "agent", Seed: 1, Clock: "live",
			Tools: []reports.Tool{
				{Name: "find_a_glaze_by_its_colour", Handler: spec.HandlerWorker, Calls: 12},
				{Name: "book_the_kiln_of_the_yard", Handler: spec.HandlerWorker, Calls: 1},
				{Name: "confirm", Handler: spec.HandlerClient},
				{Name: "open_the_kiln\x1b[31m", Handler: spec.HandlerWorker},
			},
		},
		Ended:    "3 of 14 cases were not run: the worker does not answer",
		Measured: reports.Measured{Ms: 1234},
	}
	found := func(got string) spec.Finding {
		return spec.Finding{
			Requirement: "execute.first", Session: "s1", Exchange: "d4", Step: number(1), Trigger: spec.OnToolExecute,
			Pointer: "/actions/0/error", Got: got, Want: "a text", Hint: "write one sentence\nfor the model",
		}
	}
	results := []reports.Result{
		{Case: reports.Case{ID: "discovery#default", Status: spec.StatusPass, Exchanges: 2}, Observations: []spec.Observation{
			seen("delivery.first", spec.StatusPass), seen("delivery.second", spec.StatusPass),
		}},
	}
	for _, name := range []string{"a", "b", "c"} {
		results = append(results, broken("execute/"+name+".yaml#one", spec.StatusFail, found("an empty text"), found("an empty text")))
	}
	for i := range 4 {
		results = append(results, broken(fmt.Sprintf("execute/d.yaml#%d", i), spec.StatusFail, found(fmt.Sprintf("text %d with \x1b[2J", i))))
	}
	results[1].Case.Recording = "recordings/a.jsonl"
	results[1].Case.Expectations = []reports.Finding{{Finding: spec.Finding{Expectation: "finally[0]", Line: 9, Got: "x", Want: "y"}, Status: spec.StatusFail}}
	warned := broken("turn/a.yaml#default", spec.StatusWarn, spec.Finding{Requirement: "execute.second", Got: "a", Want: "b"})
	known := seen("turn.first", spec.StatusKnownFailing)
	own := reports.Result{Case: reports.Case{
		ID: "own/refund.yaml#default", Title: "A refund note keeps its cents", About: "On 14 May notes\nlost a zero.\n",
		Status: spec.StatusFail, Exchanges: 4, Recording: "recordings/own.jsonl",
		Repeat: "hallmark test --run 'own/refund.yaml#default' http://127.0.0.1:4444",
		Expectations: []reports.Finding{
			{Status: spec.StatusFail, Curl: "curl -sS http://127.0.0.1:4444", Finding: spec.Finding{
				Expectation: "steps[1].expect[0]", Line: 12, Session: "s1", Exchange: "d3", Step: number(1),
				Trigger: spec.OnToolExecute, Got: `text "12.3"`, Want: `text like "12.30*"`,
			}},
			{Status: spec.StatusFail, Finding: spec.Finding{Expectation: "finally[0]", Line: 20, Got: "the turn is open", Want: "a turn that is completed"}},
		},
	}}
	harness := reports.Result{Case: reports.Case{ID: "model/a.yaml#default", Status: spec.StatusError, Reason: "harness error: two lines\nof it"}}
	results = append(results, warned, reports.Result{Case: reports.Case{ID: "turn/b.yaml#default", Status: spec.StatusPass, Exchanges: 1}, Observations: []spec.Observation{known}}, own, harness)
	without := func(id string, s spec.Status, why string) reports.Result {
		return reports.Result{Case: reports.Case{ID: id, Status: s, Reason: why}}
	}
	results = append(results,
		without("output/a.yaml#one", spec.StatusNotApplicable, "needs a tool with an output schema"),
		without("output/a.yaml#two", spec.StatusNotApplicable, "needs a tool with an output schema"),
		without("async/a.yaml#default", spec.StatusNotObserved, "the worker does not answer"),
	)
	results[0].Observations = append(results[0].Observations,
		spec.Observation{Requirement: "result.first", Status: spec.StatusNotObserved, Reason: "no call was answered with a result"},
		spec.Observation{Requirement: "result.second", Status: spec.StatusNotObserved, Reason: "no call was answered with a result"},
		spec.Observation{Requirement: "result.third", Status: spec.StatusNotApplicable, Reason: "no tool declares an output schema"},
	)
	return reports.Build(r, registry(), results)
}

func found(requirement string) spec.Finding {
	return spec.Finding{Requirement: requirement, Got: "a", Want: "b"}
}
