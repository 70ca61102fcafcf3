package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
)

func replayCommand(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay PATH...",
		Short: "Drive recordings again with no worker and no model, byte for byte",
		Long: `Drive recordings of hallmark test again, from the first event to the last, with
no worker and no model: what the worker answered and when comes from the
recording, everything else is done anew, and every request must come out byte for
byte as it was sent. Nothing is sent and nothing is waited for. A folder stands for
the recordings in it. Exit 1 when one diverges; the first difference is shown.`,
		Example: `  hallmark replay hallmark-failures
  hallmark replay --json recordings/FILE.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := recordingFiles(args)
			if err != nil {
				return err
			}
			var all []replay.Report
			for _, name := range names {
				r, err := replay.File(cmd.Context(), name)
				if err != nil {
					return notReplayed(name, err)
				}
				if cmd.Context().Err() != nil {
					return failedIO(errors.New("replay: stopped"))
				}
				all = append(all, r)
			}
			if asJSON {
				if err := writeJSON(io, all); err != nil {
					return err
				}
			} else if err := printReplayed(io, all); err != nil {
				return err
			}
			return replayExit(all)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
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

func printReplayed(io streams, all []replay.Report) error {
	requests, same, diverged, skipped := 0, 0, 0, 0
	for _, r := range all {
		requests, same = requests+r.Requests, same+r.Reproduced
		switch {
		case r.Divergence != nil:
			diverged++
			text := fmt.Sprintf("%s: %s\n  %s", r.Recording, r.Divergence, r.ID)
			if r.MadeBy != version {
				text += fmt.Sprintf("\n  recorded by hallmark %s; this is %s, whose engine may do other things", r.MadeBy, version)
			}
			if _, err := fmt.Fprintln(io.out, reports.Clean(text)); err != nil {
				return err
			}
		case r.Skipped != "":
			skipped++
		}
	}
	text := fmt.Sprintf("reproduced %d of %s, no worker, no model", same, counted(requests, "request"))
	if len(all) > 1 {
		text = fmt.Sprintf("reproduced %d of %s in %s, no worker, no model", same, counted(requests, "request"), counted(len(all), "recording"))
	}
	if diverged > 0 {
		text += fmt.Sprintf("; %d diverged", diverged)
	}
	if skipped > 0 {
		text += fmt.Sprintf("; %d had not run", skipped)
	}
	_, err := fmt.Fprintln(io.out, text)
	return err
}

// replayExit is 1 when a replay diverged, and 2 when there was nothing to
// reproduce.
func replayExit(all []replay.Report) error {
	requests := 0
	for _, r := range all {
		if r.Divergence != nil {
			return &exitError{code: reports.ExitFailed}
		}
		requests += r.Requests
	}
	if requests == 0 {
		return &exitError{code: reports.ExitUsage, err: errors.New("the recordings hold no request: nothing was replayed")}
	}
	return nil
}
