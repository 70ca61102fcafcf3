package main

import (
	"fmt"
	stdio "io"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
)

func recordingShow(io streams) *cobra.Command {
	var opts recorder.ShowOptions
	cmd := &cobra.Command{
		Use:   "show PATH...",
		Short: "Tell the story of recordings: turns, calls, answers, failures",
		Long: `Tell the story of recordings, one line an exchange in the order of the requests,
with what the client said, what the model answered and how turns ended between
them. Where a capture does not hold that, it is told from what the requests say.
The same file is always told in the same words. For a program: hallmark recording
find --json lists the same exchanges.`,
		Example: `  hallmark recording show captures/FILE.jsonl.zst
  hallmark recording show --exchanges-only --width 120 case.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if opts.Width < 0 {
				return usage("--width %d: is below 0", opts.Width)
			}
			names, err := recordingFiles(args)
			if err != nil {
				return err
			}
			bad := unread{io: io}
			for i, name := range names {
				if len(names) > 1 {
					if err := heading(io.out, i, name); err != nil {
						return err
					}
				}
				if err := bad.try(name, func(r stdio.Reader) error { return recorder.Show(io.out, recorder.NewReader(r).All(), opts) }); err != nil {
					return err
				}
			}
			if len(names) == 1 && bad.n == 1 {
				return &exitError{code: reports.ExitIO}
			}
			return bad.done()
		},
	}
	cmd.Flags().BoolVar(&opts.ExchangesOnly, "exchanges-only", false, "leave out what stands between the exchanges")
	cmd.Flags().IntVar(&opts.Width, "width", 0, "cut lines after `N` characters; 0 cuts none")
	return cmd
}

// heading names the recording whose story follows.
func heading(w stdio.Writer, i int, name string) error {
	if i > 0 {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "==> %s\n", reports.Clean(name))
	return err
}
