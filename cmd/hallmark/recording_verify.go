package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
)

func recordingVerify(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify PATH...",
		Short: "Check that recordings are whole: checksums, order, counts, digests",
		Long: `Check that recordings are whole: every line's checksum, the order of the lines,
the counts and digests of the closing line, and that what stands beside a body
agrees with it. A folder stands for the recordings in it. Exit 4 when a recording
is cut or damaged.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			names, err := recordingFiles(args)
			if err != nil {
				return err
			}
			var found []recorder.Report
			bad := 0
			for _, name := range names {
				r, err := verifyFile(name)
				if err != nil {
					return err
				}
				if r.State != recorder.StateWhole {
					bad++
				}
				if asJSON {
					found = append(found, r)
				} else if err := printVerified(io, r); err != nil {
					return err
				}
			}
			if asJSON {
				if err := writeJSON(io, found); err != nil {
					return err
				}
			}
			if bad > 0 {
				return failedIO(fmt.Errorf("%d of %s not whole", bad, counted(len(names), "recording")))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func verifyFile(name string) (recorder.Report, error) {
	f, err := openFile(name)
	if err != nil {
		return recorder.Report{}, err
	}
	defer f.Close()
	r, err := recorder.Verify(f, name)
	if err != nil {
		return r, failedIO(err)
	}
	return r, nil
}

func printVerified(io streams, r recorder.Report) error {
	lines := []string{r.String()}
	for _, f := range r.Faults {
		lines = append(lines, fmt.Sprintf("  line %d: %s: %s\n    hint: %s", f.Line, f.Kind, f.Message, f.Hint))
	}
	_, err := fmt.Fprintln(io.out, reports.Clean(strings.Join(lines, "\n")))
	return err
}
