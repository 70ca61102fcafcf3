package main

import (
	"errors"
	"fmt"
	stdio "io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
)

func recordingRedact(io streams) *cobra.Command {
	var flags policyFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "redact IN OUT",
		Short: "Copy a recording without its secrets, for a file that leaves the house",
		Long: `Copy a recording, or a folder of them, with every secret replaced by a stand-in,
as hallmark record does before anything is written: by the names of headers and
members, by their form, and the values of the variables named. The copy verifies,
and is judged and played again as the original is. Where --redact-key or a pattern
takes out an argument that the schema of its tool holds to a form, a stand-in does
not fit it, and hallmark replay says so. Stand-ins that are there already stay.

OUT must not be there yet; it is packed when its name ends in .zst.`,
		Example: `  hallmark recording redact captures/FILE.jsonl.zst for-the-vendor.jsonl --redact-key customer_name
  hallmark recording redact hallmark-failures redacted --redact-env CARD`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			policy, err := flags.policy(nil)
			if err != nil {
				return err
			}
			names, err := recordingFiles(args[:1])
			if err != nil {
				return err
			}
			if _, err := os.Lstat(args[1]); err == nil {
				return usage("%s is there already", args[1]).hinted("name a file or folder that is not, so that nothing is lost")
			}
			var sum recorder.Rewritten
			folder := anyFolder(args[:1])
			for _, name := range names {
				out := args[1]
				if folder {
					rel, err := filepath.Rel(args[0], name)
					if err != nil {
						return failedIO(err)
					}
					out = filepath.Join(out, rel)
				}
				done, err := redactFile(policy, name, out)
				if err != nil {
					return err
				}
				sum.Replaced += done.Replaced
				sum.Withheld += done.Withheld
			}
			if asJSON {
				return writeJSON(io, redactedRow{Out: args[1], Recordings: len(names), Replaced: sum.Replaced, Withheld: sum.Withheld})
			}
			return printRedacted(io.out, args[1], len(names), sum)
		},
	}
	flags.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was replaced as JSON")
	return cmd
}

// redactedRow is what redact --json prints.
type redactedRow struct {
	Out        string `json:"out"`
	Recordings int    `json:"recordings"`
	Replaced   int    `json:"replaced"`
	Withheld   int    `json:"withheld"`
}

func printRedacted(w stdio.Writer, out string, files int, sum recorder.Rewritten) error {
	text := fmt.Sprintf("%s: %s, %s replaced", out, counted(files, "recording"), counted(sum.Replaced, "place"))
	if sum.Withheld > 0 {
		text += fmt.Sprintf(", %s kept but for what it holds", counted(sum.Withheld, "line"))
	}
	_, err := fmt.Fprintln(w, reports.Clean(text))
	return err
}

// redactFile writes the copy of one recording, whole or not at all.
func redactFile(policy *recorder.Policy, name, out string) (done recorder.Rewritten, err error) {
	if err := os.MkdirAll(filepath.Dir(out), 0o700); err != nil {
		return done, failedIO(err)
	}
	part := out + ".tmp"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return done, failedIO(err)
	}
	done, err = redactTo(policy, name, f, strings.HasSuffix(out, ".zst"))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(part, out)
	}
	if err == nil {
		return done, nil
	}
	_ = os.Remove(part)
	var said *exitError
	if errors.As(err, &said) {
		return done, said
	}
	return done, readError(name, err)
}

func redactTo(policy *recorder.Policy, name string, f stdio.Writer, packed bool) (recorder.Rewritten, error) {
	open := func() (stdio.ReadCloser, error) { return openFile(name) }
	if !packed {
		return policy.Rewrite(open, f)
	}
	in, out := stdio.Pipe()
	type result struct {
		done recorder.Rewritten
		err  error
	}
	wrote := make(chan result, 1)
	go func() {
		done, err := policy.Rewrite(open, out)
		_ = out.CloseWithError(err) // nil gives io.EOF
		wrote <- result{done, err}
	}()
	err := recorder.Compress(f, in)
	_ = in.CloseWithError(err)
	r := <-wrote
	if r.err != nil {
		return r.done, r.err
	}
	return r.done, err
}
