// Package replayed puts what came of playing recordings again into the report that
// a run has too, one case a recording.
package replayed

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

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

// Sent are the results of recordings that were sent to a worker, one for each of
// files, in their order; command are the words that send one again, without its
// name.
func Sent(r replay.Resent, files []string, command ...string) []reports.Result {
	byFile := map[string][]replay.ResentSession{}
	for _, s := range r.Sessions {
		byFile[s.Recording] = append(byFile[s.Recording], s)
	}
	results := make([]reports.Result, 0, len(files))
	for _, name := range files {
		results = append(results, sent(name, byFile[name], append(slices.Clip(command), name)))
	}
	if r.Ended == replay.EndedUnreachable && len(results) > 0 {
		results[0].Unreachable = true
	}
	return results
}

// sent is the result of one recording.
func sent(name string, sessions []replay.ResentSession, command []string) reports.Result {
	id := ""
	if len(sessions) > 0 {
		id = sessions[0].Of
	}
	c := newCase(name, id, "", command)
	c.Replay = &reports.Replay{How: reports.PlayedWorker}
	// doubt is what may well be the worker's fault, and is not proven.
	doubt := ""
	for _, s := range sessions {
		c.Exchanges += s.Requests
		c.Replay.Requests += s.Requests
		c.Replay.Sent += s.Sent
		c.Replay.Agree += s.Agree
		c.Replay.Unexplained += s.Uncompared()
		c.Replay.Differ += s.AfterDiffer
		if s.Divergence != nil {
			c.Replay.Differ++
			d := Divergence(*s.Divergence)
			if s.After > 0 {
				d.Reason = fmt.Sprintf("after it %d more were compared, %d of them not as recorded", s.After, s.AfterDiffer)
			}
			c.Divergences = append(c.Divergences, d)
		}
		for _, n := range s.Notes {
			u := reports.Divergence{Code: n.Code, Text: textOf(n.Code), Session: s.Session, Exchange: n.Exchange, Reason: n.Text}
			if n.Code == replay.NoteHung || n.Code == replay.NoteUnsure {
				doubt = cmp.Or(doubt, u.Text)
			}
			if n.Count > 1 {
				u.Reason += fmt.Sprintf(" (%d times)", n.Count)
			}
			c.Unexplained = append(c.Unexplained, u)
		}
	}
	switch {
	case c.Divergences != nil:
		c.Status = spec.StatusFail
	case doubt != "":
		c.Status, c.Reason = spec.StatusWarn, doubt
	case c.Replay.Agree > 0:
	case len(c.Unexplained) > 0:
		c.Status, c.Reason = spec.StatusNotObserved, "nothing could be compared: "+c.Unexplained[0].Text
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
	for _, list := range [][]replay.Code{replay.DivergenceCodes(), replay.UnexplainedCodes(), replay.NoteCodes()} {
		for _, c := range list {
			if c.Name == code {
				return c.Text
			}
		}
	}
	return code
}
