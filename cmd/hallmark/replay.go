package main

import (
	"context"
	"errors"
	"fmt"
	stdio "io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

func replayCommand(io streams) *cobra.Command {
	var asJSON, steps, all bool
	cmd := &cobra.Command{
		Use:   "replay PATH...",
		Short: "Play recordings again with no worker and no model",
		Long: `Play recordings again, with no worker and no model. Nothing is sent and nothing is
waited for. A folder stands for the recordings in it.

Those of hallmark test are driven from the first event to the last: what the worker
answered and when comes from the recording, everything else is done anew, and every
request must come out byte for byte as it was sent.

Captures of a real engine are played step by step: each request is predicted from
the one before it in its session, the answer to that, and what its own trigger
tells of the world outside, and compared by meaning. A step agrees, differs, or is
unexplained where what led to it cannot be seen. Errors do not add up, so captures
that begin in the middle or have holes can be played too.

Exit 1 when a recording diverges or a step differs; exit 2 when nothing could be
told.`,
		Example: `  hallmark replay hallmark-failures
  hallmark replay captures
  hallmark replay --json recordings/FILE.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := recordingFiles(args)
			if err != nil {
				return err
			}
			played, err := playAll(cmd.Context(), names, steps)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(io, played.each)
			} else {
				err = played.print(io.out, all)
			}
			if err != nil {
				return err
			}
			return played.exit()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&steps, "steps", false, "play recordings of hallmark test step by step too")
	cmd.Flags().BoolVar(&all, "all", false, "also print every step that is unexplained, and what was assumed")
	return cmd
}

// played is what came of all recordings: whole ones, and those of which steps
// were played.
type played struct {
	whole []replay.Report
	steps []replay.Steps
	// each are the same, in the order in which they were named.
	each []any
}

func playAll(ctx context.Context, names []string, steps bool) (*played, error) {
	p := &played{}
	for _, name := range names {
		source, err := replay.SourceOf(name)
		if err != nil {
			return nil, notReplayed(name, err)
		}
		if source == spec.SourceTest && !steps {
			r, err := replay.File(ctx, name)
			if err != nil {
				return nil, notReplayed(name, err)
			}
			p.whole, p.each = append(p.whole, r), append(p.each, r)
		} else {
			s, err := replay.StepFile(ctx, name)
			if err != nil {
				return nil, notReplayed(name, err)
			}
			p.steps, p.each = append(p.steps, s), append(p.each, s)
		}
		if ctx.Err() != nil {
			return nil, failedIO(errors.New("replay: stopped"))
		}
	}
	return p, nil
}

// notReplayed is the error of a recording that was not played: one that cannot
// be trusted is exit 4, one that is no case's exit 2.
func notReplayed(name string, err error) error {
	var cannot *simulator.NotReplayedError
	if errors.As(err, &cannot) {
		return usage("replay %s: %w", name, err).hinted(cannot.Fix)
	}
	return readError(name, err)
}

// print tells what diverged and differed, and sums up.
func (p *played) print(w stdio.Writer, all bool) error {
	var b strings.Builder
	if len(p.whole) > 0 {
		tellWhole(&b, p.whole)
	}
	if len(p.steps) > 0 {
		tellSteps(&b, p.steps, all)
	}
	_, err := stdio.WriteString(w, reports.Clean(b.String()))
	return err
}

func tellWhole(b *strings.Builder, all []replay.Report) {
	requests, same, diverged, skipped := 0, 0, 0, 0
	for _, r := range all {
		requests, same = requests+r.Requests, same+r.Reproduced
		switch {
		case r.Divergence != nil:
			diverged++
			fmt.Fprintf(b, "%s: %s\n  %s\n", r.Recording, r.Divergence, r.ID)
			if r.MadeBy != version {
				fmt.Fprintf(b, "  recorded by hallmark %s; this is %s, whose engine may do other things\n", r.MadeBy, version)
			}
		case r.Skipped != "":
			skipped++
		}
	}
	fmt.Fprintf(b, "reproduced %d of %s%s, no worker, no model", same, counted(requests, "request"), inRecordings(len(all)))
	if diverged > 0 {
		fmt.Fprintf(b, "; %d diverged", diverged)
	}
	if skipped > 0 {
		fmt.Fprintf(b, "; %d had not run", skipped)
	}
	b.WriteString("\n")
}

func tellSteps(b *strings.Builder, list []replay.Steps, all bool) {
	var sum replay.Steps
	reasons := map[string]int{}
	for _, s := range list {
		sum.Agrees, sum.Differs, sum.Unexplained = sum.Agrees+s.Agrees, sum.Differs+s.Differs, sum.Unexplained+s.Unexplained
		for _, step := range s.Steps {
			if step.Verdict == replay.StepUnexplained && !all {
				reasons[step.Reason]++
				continue
			}
			tellStep(b, s.Recording, step, all)
		}
	}
	fmt.Fprintf(b, "%s%s: %d agree, %d differ, %d unexplained\n",
		counted(sum.Agrees+sum.Differs+sum.Unexplained, "step"), inRecordings(len(list)), sum.Agrees, sum.Differs, sum.Unexplained)
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(b, "  unexplained %s: %s\n", counted(reasons[reason], "time"), reason)
	}
}

func tellStep(b *strings.Builder, recording string, s replay.Step, assumed bool) {
	fmt.Fprintf(b, "%s: %s at %s/%s, line %d (%s), after %s\n", recording, s.Verdict, s.Session, s.Exchange, s.Line, s.About, s.After)
	if s.Reason != "" {
		fmt.Fprintf(b, "  %s\n", s.Reason)
	}
	if s.Pointer != "" {
		fmt.Fprintf(b, "  at       %s", s.Pointer)
		if s.Rules != "" {
			fmt.Fprintf(b, "  (%s)", s.Rules)
		}
		fmt.Fprintf(b, "\n  captured %s\n  expected %s\n", s.Got, s.Want)
	}
	if assumed {
		for _, a := range s.Assumed {
			fmt.Fprintf(b, "  assumed: %s\n", a)
		}
	}
}

func inRecordings(n int) string {
	if n == 1 {
		return ""
	}
	return " in " + counted(n, "recording")
}

// exit is 1 when something went another way, and 2 when there was nothing to
// tell.
func (p *played) exit() error {
	told := 0
	for _, r := range p.whole {
		if r.Divergence != nil {
			return &exitError{code: reports.ExitFailed}
		}
		told += r.Requests
	}
	for _, s := range p.steps {
		if s.Differs > 0 {
			return &exitError{code: reports.ExitFailed}
		}
		told += s.Agrees
	}
	if told == 0 {
		return &exitError{code: reports.ExitUsage, err: errors.New("the recordings hold no request that could be told: nothing was replayed")}
	}
	return nil
}
