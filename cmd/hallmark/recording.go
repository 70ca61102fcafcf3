package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

func recordingCommand(io streams) *cobra.Command {
	cmd := &cobra.Command{Use: "recording", Short: "Verify recordings, show them, take bodies out of them"}
	cmd.AddCommand(recordingVerify(io), recordingShow(io), recordingBody(io))
	return cmd
}

func recordingVerify(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that recordings are whole: checksums, order, counts, digests",
		Long: `Check that recordings are whole: every line's checksum, the order of the lines,
the counts and digests of the closing line, and that what stands beside a body
agrees with it. Exit 4 when a recording is cut or damaged.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var found []recorder.Report
			bad := 0
			for _, name := range args {
				r, err := verifyFile(name)
				if err != nil {
					return err
				}
				if r.State != recorder.StateWhole {
					bad++
				}
				found = append(found, r)
			}
			if asJSON {
				if err := writeJSON(io, found); err != nil {
					return err
				}
			} else if err := printVerified(io, found); err != nil {
				return err
			}
			if bad > 0 {
				return &exitError{code: reports.ExitIO, err: fmt.Errorf("%d of %s not whole", bad, counted(len(found), "recording"))}
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

func printVerified(io streams, found []recorder.Report) error {
	for _, r := range found {
		lines := []string{r.String()}
		for _, f := range r.Faults {
			lines = append(lines, fmt.Sprintf("  line %d: %s: %s\n    hint: %s", f.Line, f.Kind, f.Message, f.Hint))
		}
		if _, err := fmt.Fprintln(io.out, reports.Clean(strings.Join(lines, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

func recordingShow(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE...",
		Short: "Tell the story of recordings, one line an exchange",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, name := range args {
				if err := showFile(io, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func showFile(io streams, name string) error {
	f, err := openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return readError(name, recorder.Show(io.out, recorder.NewReader(f).All(), recorder.ShowOptions{}))
}

func recordingBody(io streams) *cobra.Command {
	var answer bool
	cmd := &cobra.Command{
		Use:   "body FILE SESSION/EXCHANGE",
		Short: "Print the exact bytes of a request, or of its answer",
		Example: `  hallmark recording body case.jsonl s1/d4 > request.json
  hallmark recording body --answer case.jsonl s1/d4`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			session, d, ok := strings.Cut(args[1], "/")
			if !ok {
				return usage("%q names no exchange", args[1]).hinted("write it as in the report: s1/d4")
			}
			x, err := findExchange(args[0], session, d)
			if err != nil {
				return err
			}
			body := x.RequestBody
			if answer {
				body = x.ResponseBody
			}
			_, err = io.out.Write(body)
			return err
		},
	}
	cmd.Flags().BoolVar(&answer, "answer", false, "print the body of the answer")
	return cmd
}

func findExchange(name, session, d string) (*spec.Exchange, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var fault error
	events := func(yield func(spec.Event) bool) {
		for e, err := range recorder.NewReader(f).All() {
			if err != nil {
				fault = err
				return
			}
			if !yield(e) {
				return
			}
		}
	}
	for x := range spec.Exchanges(events) {
		if x.Session == session && x.D == d {
			return x, nil
		}
	}
	if fault != nil {
		return nil, readError(name, fault)
	}
	return nil, usage("%s holds no exchange %s/%s", name, session, d).hinted("hallmark recording show " + reports.Quote(name))
}

// openFile opens a recording, plain or compressed.
func openFile(name string) (io.ReadCloser, error) {
	f, err := recorder.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usage("open %s: no such file", name)
	}
	if err != nil {
		return nil, failedIO(err)
	}
	return f, nil
}

// readError is an error of reading a recording: exit 4, with its hint.
func readError(name string, err error) error {
	if err == nil {
		return nil
	}
	e := failedIO(fmt.Errorf("read %s: %w", name, err))
	var hinter interface{ Hint() string }
	if errors.As(err, &hinter) {
		return e.hinted(hinter.Hint())
	}
	return e
}
