package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/replayed"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

func replayCommand(io streams) *cobra.Command {
	var out output
	var how played
	var serving serveFlags
	var to resendFlags
	cmd := &cobra.Command{
		Use:   "replay PATH...",
		Short: "Play recordings again, with no worker and no model or against a worker",
		Long: `Play recordings again, with no worker and no model: nothing is sent and nothing is
waited for. Or, with --worker, send what was recorded to a worker and compare its
answers. A folder stands for the recordings in it.

Those of hallmark test are driven from the first event to the last: what the worker
answered and when comes from the recording, everything else is done anew, and every
request must come out byte for byte as it was sent.

Captures of a real engine are played step by step: each request is predicted from
the one before it in its session, the answer to that, and what its own trigger
tells of the world outside, and compared by meaning. A step agrees, differs, or is
unexplained where what led to it cannot be seen. Errors do not add up, so captures
that begin in the middle or have holes can be played too.
` + serveHelp + `
The report is that of hallmark test: a case is a recording, and --report and --json
write it. A recording that does not read is named, and the others are played.
--repeat N plays each N times: what comes of it depends on nothing but the file, so
anything but the same each time is an error of Hallmark (exit 5).

With --worker URL, or --start COMMAND, the recorded requests go to a worker, in the
order in which they were recorded, recordings side by side. Ids are new ones, so
that a worker which remembers its answers does not hide a change, and deadlines lie
ahead; with --secret-env they are signed again. The answers compare by what they
mean, but for ids that the worker makes up; the first that is not as recorded is
told for each session. Where an engine would have gone another way after it, the
rest of the session is not sent. What cannot be sent or compared is named, and is no
divergence.

Tools have side effects: at any address but loopback, and without --start, no
recorded call is sent that --only-tools, --all-tools or hallmark.yaml does not allow,
and nothing of its session from there on. --plan says what would be called.

--ignore lets a place of answers differ, and all below it. One where nothing differs,
or that covers more than what does, is refused (exit 2).

--repeat N sends everything N times, each time with other ids, and says how steady
the worker is: where its answers vary, whether that is a time, an id, the order of a
list, any other value, or the worker itself, and the narrowest --ignore that lets it.
Exit 1 then means that something varies which is not ignored, or is the same each time
and other than recorded.
` + acceptHelp + `
Exit 1 when a recording diverges or a step differs; else 4 when one does not read; 3
when the worker cannot be reached or started; 2 when nothing could be told.

Codes of divergences, which stay as they are:
` + codeLines(replay.DivergenceCodes()) + `
What is unexplained or was not compared has a code too; docs/divergences.md lists them all.`,
		Example: `  hallmark replay hallmark-failures
  hallmark replay captures
  hallmark replay --report replay.xml recordings
  hallmark replay --serve 127.0.0.1:4444 captures/FILE.jsonl.zst
  hallmark replay --worker http://127.0.0.1:4444 captures
  hallmark replay --start "node server.mjs {port}" --ignore /actions/0/result/content/0/text recordings
  hallmark replay --worker http://127.0.0.1:4444 --repeat 5 captures`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkRepeat(how.repeat); err != nil {
				return err
			}
			if err := out.check(); err != nil {
				return err
			}
			names, err := recordingFiles(args)
			if err != nil {
				return err
			}
			if serving.address != "" {
				return serving.run(cmd.Context(), io, cmd.Flags(), names, out)
			}
			if err := serving.without(cmd.Flags()); err != nil {
				return err
			}
			if against, err := to.wanted(cmd); err != nil {
				return err
			} else if against {
				to.repeat = how.repeat
				return to.run(cmd, io, &out, names)
			}
			results, err := playAll(cmd.Context(), io, names, how)
			if err != nil {
				return err
			}
			of := reports.Report{MadeBy: spec.MadeBy{Hallmark: version, Registry: spec.RegistryVersion}}
			return out.write(io, replayed.Sum(of, results))
		},
	}
	out.flags(cmd)
	cmd.Flags().Lookup("all").Usage = "print every place of every divergence, every step that is unexplained, and what was assumed"
	cmd.Flags().BoolVar(&how.steps, "steps", false, "play recordings of hallmark test step by step too")
	cmd.Flags().IntVar(&how.repeat, "repeat", 1, "play each recording `N` times, and want the same of each; with a worker, send each N times and say what varies")
	to.flags(cmd)
	serving.flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("worker", "serve")
	cmd.MarkFlagsMutuallyExclusive("start", "serve")
	return cmd
}

// codeLines lists codes for a help text.
func codeLines(codes []replay.Code) string {
	var b strings.Builder
	for _, c := range codes {
		fmt.Fprintf(&b, "  %-8s  %s\n", c.Name, c.Text)
	}
	return b.String()
}

// played is how recordings are played.
type played struct {
	steps  bool
	repeat int
}

// playAll plays recordings one by one. One that does not read is named and the
// others are played: who looks for one session among many has no use for less.
func playAll(ctx context.Context, io streams, names []string, how played) ([]reports.Result, error) {
	var results []reports.Result
	for _, name := range names {
		result, err := playOne(ctx, name, how)
		var unlike *replay.UnlikeError
		switch {
		case ctx.Err() != nil:
			return nil, failedIO(errors.New("replay: stopped"))
		case damaged(err):
			report(io.err, readError(name, err))
			result = replayed.Unreadable(name, result, err)
		case errors.As(err, &unlike):
			result = replayed.Unlike(result, unlike)
		case err != nil:
			return nil, notReplayed(name, err)
		}
		results = append(results, result)
	}
	return results, nil
}

// playOne plays a recording as its source allows. With an error the result is what
// was told of it until then.
func playOne(ctx context.Context, name string, how played) (reports.Result, error) {
	source, err := replay.SourceOf(name)
	if err != nil {
		return reports.Result{}, err
	}
	command := []string{"hallmark", "replay"}
	if how.repeat > 1 {
		command = append(command, "--repeat", strconv.Itoa(how.repeat))
	}
	if source == spec.SourceTest && !how.steps {
		r, err := replay.FileTimes(ctx, name, how.repeat)
		var unlike *replay.UnlikeError
		if err != nil && !errors.As(err, &unlike) {
			return reports.Result{}, err
		}
		return replayed.Times(replayed.Whole(r, append(command, name)...), how.repeat), err
	}
	if how.steps {
		command = append(command, "--steps")
	}
	s, err := replay.StepFileTimes(ctx, name, how.repeat)
	return replayed.Times(replayed.Steps(s, append(command, name)...), how.repeat), err
}

// notReplayed is the error of a recording that was not played: one that cannot
// be read is exit 4, one that is no case's exit 2.
func notReplayed(name string, err error) error {
	var cannot *simulator.NotReplayedError
	if errors.As(err, &cannot) {
		return usage("replay %s: %w", name, err).hinted(cannot.Fix)
	}
	return readError(name, err)
}
