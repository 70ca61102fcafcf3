// Package replayed puts what came of playing recordings again into the report that
// a run has too, one case a recording.
package replayed

import (
	"cmp"
	"path/filepath"

	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// Whole is the result of a recording that was driven from end to end. command are
// the words that play it again.
func Whole(r replay.Report, command ...string) reports.Result {
	c := newCase(r.Recording, r.ID, r.MadeBy, command)
	c.Exchanges = r.Requests
	c.Replay = &reports.Replay{How: reports.PlayedWhole, Requests: r.Requests, Reproduced: r.Reproduced}
	switch {
	case r.Divergence != nil:
		c.Status = spec.StatusFail
		c.Divergences = []reports.Divergence{Divergence(*r.Divergence)}
	case r.Skipped != "":
		c.Status, c.Reason = spec.StatusNotObserved, "the case had not run: "+r.Skipped
	case r.Requests == 0:
		c.Status, c.Reason = spec.StatusNotObserved, "the recording holds no request"
	}
	return reports.Result{Case: c}
}

// Steps is the result of a recording that was played step by step.
func Steps(s replay.Steps, command ...string) reports.Result {
	c := newCase(s.Recording, s.ID, s.MadeBy, command)
	c.Exchanges = s.Requests
	c.Replay = &reports.Replay{
		How: reports.PlayedSteps, Requests: s.Requests, Agree: s.Agrees, Differ: s.Differs, Unexplained: s.Unexplained,
	}
	for _, step := range s.Steps {
		d := ofStep(step)
		if step.Verdict == replay.StepDiffers {
			c.Divergences = append(c.Divergences, d)
		} else {
			c.Unexplained = append(c.Unexplained, d)
		}
	}
	switch {
	case s.Differs > 0:
		c.Status = spec.StatusFail
	case s.Agrees > 0:
	case s.Unexplained > 0:
		c.Status, c.Reason = spec.StatusNotObserved, "what led to its requests cannot be seen in the recording"
	case s.Requests > 0:
		c.Status, c.Reason = spec.StatusNotObserved, "no session in it has a second request, to be told from the first"
	default:
		c.Status, c.Reason = spec.StatusNotObserved, "the recording holds no request"
	}
	return reports.Result{Case: c}
}

// Times says of a result that the recording was played more than once.
func Times(r reports.Result, n int) reports.Result {
	if n > 1 && r.Case.Replay != nil {
		r.Case.Replay.Times = n
	}
	return r
}

// Unlike is the result of a recording of which not the same came each time.
func Unlike(told reports.Result, err *replay.UnlikeError) reports.Result {
	told.Case.Status, told.Case.Reason = spec.StatusError, err.Error()
	if told.Case.Replay != nil {
		told.Case.Replay.Times = 0
	}
	return told
}

// Unreadable is the result of a recording that could not be read to its end, as
// err says. What was told of it until then, if anything, stays.
func Unreadable(name string, told reports.Result, err error) reports.Result {
	c := &told.Case
	c.ID, c.Recording = cmp.Or(c.ID, filepath.Base(name)), name
	if c.Reason = err.Error(); c.Status != spec.StatusFail {
		c.Status = spec.StatusError
	}
	told.Unreadable = true
	return told
}

// Sum sums the results up to a report, in their order. r holds what is known of
// the whole: who made it, and which worker was asked, if any.
func Sum(r reports.Report, results []reports.Result) *reports.Report {
	r.Played = true
	return reports.Build(r, nil, results)
}

// newCase is a case that passed.
func newCase(recording, id, madeBy string, command []string) reports.Case {
	return reports.Case{
		ID: cmp.Or(id, filepath.Base(recording)), Status: spec.StatusPass, Recording: recording, MadeBy: madeBy,
		Repeat: reports.Command(command...),
	}
}

// Divergence puts a divergence into a report.
func Divergence(d replay.Divergence) reports.Divergence {
	return reports.Divergence{
		Code: d.Code, Text: textOf(d.Code), Session: d.Session, Exchange: d.Exchange, Line: d.Line, About: d.About,
		In: d.In, Pointer: d.Pointer, Got: d.Got, Want: d.Want, After: d.After,
	}
}

func ofStep(s replay.Step) reports.Divergence {
	d := reports.Divergence{
		Code: s.Code, Text: textOf(s.Code), Session: s.Session, Exchange: s.Exchange, Line: s.Line, About: s.About,
		Pointer: s.Pointer, Got: s.Got, Want: s.Want, Rules: s.Rules, After: s.Session + "/" + s.After, Reason: s.Reason, Assumed: s.Assumed,
	}
	if s.Pointer != "" {
		d.In = "body"
	}
	return d
}

// textOf says what a code means.
func textOf(code string) string {
	for _, list := range [][]replay.Code{replay.DivergenceCodes(), replay.UnexplainedCodes()} {
		for _, c := range list {
			if c.Name == code {
				return c.Text
			}
		}
	}
	return code
}
