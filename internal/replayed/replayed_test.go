package replayed_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/replayed"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// What comes of a recording says how its case stands, and why.
func TestStatusOfARecording(t *testing.T) {
	t.Parallel()
	diverged := replay.Divergence{Code: replay.CodeRequest, Pointer: "/a"}
	differs := replay.Step{Verdict: replay.StepDiffers, Code: replay.CodeStep}
	hidden := replay.Step{Verdict: replay.StepUnexplained, Code: replay.CodeGap, Reason: "two are missing"}
	for name, c := range map[string]struct {
		got    reports.Result
		status spec.Status
		reason string
	}{
		"driven, the same":     {replayed.Whole(replay.Report{Requests: 2, Reproduced: 2}), spec.StatusPass, ""},
		"driven, another way":  {replayed.Whole(replay.Report{Requests: 2, Reproduced: 1, Divergence: &diverged}), spec.StatusFail, ""},
		"never run":            {replayed.Whole(replay.Report{Skipped: "not applicable"}), spec.StatusNotObserved, "the case had not run: not applicable"},
		"driven, empty":        {replayed.Whole(replay.Report{}), spec.StatusNotObserved, "the recording holds no request"},
		"steps agree":          {replayed.Steps(replay.Steps{Requests: 3, Agrees: 1, Unexplained: 1, Steps: []replay.Step{hidden}}), spec.StatusPass, ""},
		"a step differs":       {replayed.Steps(replay.Steps{Requests: 3, Agrees: 1, Differs: 1, Steps: []replay.Step{differs}}), spec.StatusFail, ""},
		"nothing can be seen":  {replayed.Steps(replay.Steps{Requests: 3, Unexplained: 2}), spec.StatusNotObserved, "what led to its requests cannot be seen in the recording"},
		"one request alone":    {replayed.Steps(replay.Steps{Requests: 1}), spec.StatusNotObserved, "no session in it has a second request, to be told from the first"},
		"steps, empty":         {replayed.Steps(replay.Steps{}), spec.StatusNotObserved, "the recording holds no request"},
		"does not read":        {replayed.Unreadable("a/b.jsonl", reports.Result{}, errors.New("line 5")), spec.StatusError, "line 5"},
		"does not read on":     {replayed.Unreadable("a/b.jsonl", replayed.Steps(replay.Steps{Agrees: 1}), errors.New("line 5")), spec.StatusError, "line 5"},
		"differs, then is cut": {replayed.Unreadable("a/b.jsonl", replayed.Steps(replay.Steps{Differs: 1}), errors.New("line 5")), spec.StatusFail, "line 5"},
	} {
		if c.got.Case.Status != c.status || c.got.Case.Reason != c.reason {
			t.Errorf("%s: %s, %q", name, c.got.Case.Status, c.got.Case.Reason)
		}
	}
}

// Everything that a replay says of a place reaches the report, with the words of
// its code.
func TestPlaceInTheReport(t *testing.T) {
	t.Parallel()
	whole := replayed.Whole(replay.Report{
		Recording: "rec/a.jsonl", ID: "a.yaml#default", MadeBy: "1.0", Requests: 4, Reproduced: 1,
		Divergence: &replay.Divergence{
			Code: replay.CodeRequest, Session: "s1", Exchange: "d2", Line: 9, About: "client.messages", In: "body",
			Pointer: "/a", Got: "1", Want: "2", After: "s1/d1 session.start",
		},
	}, "hallmark", "replay", "rec/a.jsonl").Case
	want := reports.Case{
		ID: "a.yaml#default", Status: spec.StatusFail, Recording: "rec/a.jsonl", MadeBy: "1.0", Exchanges: 4,
		Repeat: "hallmark replay rec/a.jsonl",
		Replay: &reports.Replay{How: reports.PlayedWhole, Requests: 4, Reproduced: 1},
		Divergences: []reports.Divergence{{
			Code: "request", Text: "a request has another body", Session: "s1", Exchange: "d2", Line: 9,
			About: "client.messages", In: "body", Pointer: "/a", Got: "1", Want: "2", After: "s1/d1 session.start",
		}},
	}
	if diff := cmp.Diff(want, whole); diff != "" {
		t.Error(diff)
	}
	steps := replayed.Steps(replay.Steps{Recording: "cap/b.jsonl", Requests: 3, Agrees: 1, Differs: 1, Steps: []replay.Step{
		{Verdict: replay.StepDiffers, Code: replay.CodeStep, Session: "s1", Exchange: "d3", After: "d2", Pointer: "/state", Got: "1", Want: "2", Rules: "O1"},
		{Verdict: replay.StepUnexplained, Code: replay.CodeGap, Session: "s1", Exchange: "d4", After: "d3", Reason: "two are missing", Assumed: []string{"a plugin"}},
	}}).Case
	if diff := cmp.Diff([]reports.Divergence{{
		Code: "step", Text: "a request says something else than the simulated engine makes of the one before it",
		Session: "s1", Exchange: "d3", In: "body", Pointer: "/state", Got: "1", Want: "2", Rules: "O1", After: "s1/d2",
	}}, steps.Divergences); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]reports.Divergence{{
		Code: "gap", Text: "the recording says that something is missing before it", Session: "s1", Exchange: "d4",
		After: "s1/d3", Reason: "two are missing", Assumed: []string{"a plugin"},
	}}, steps.Unexplained); diff != "" {
		t.Error(diff)
	}
	if steps.ID != "b.jsonl" {
		t.Errorf("a recording without an id is called %q", steps.ID)
	}
}

// Every code has words of its own.
func TestWordsOfCodes(t *testing.T) {
	t.Parallel()
	for _, list := range [][]replay.Code{replay.DivergenceCodes(), replay.UnexplainedCodes(), replay.NoteCodes()} {
		for _, c := range list {
			if got := replayed.Divergence(replay.Divergence{Code: c.Name}).Text; got == c.Name || got == "" {
				t.Errorf("%s says %q", c.Name, got)
			}
		}
	}
}
