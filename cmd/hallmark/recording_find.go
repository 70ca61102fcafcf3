package main

import (
	"fmt"
	stdio "io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
)

// found is one recording that holds what was looked for.
type found struct {
	Path string `json:"path"`
	// Count is how many exchanges there are; Exchanges are the first of them.
	Count     int              `json:"count"`
	Exchanges []recorder.Match `json:"exchanges"`
}

// maxFound bounds the exchanges that are told of one recording.
const maxFound = 1000

// shownFound is how many of them a person is shown without --all.
const shownFound = 3

// findFlags are the flags of recording find.
type findFlags struct {
	recorder.Query
	since                string
	asJSON, noIndex, all bool
}

func recordingFind(io streams) *cobra.Command {
	var f findFlags
	cmd := &cobra.Command{
		Use:   "find PATH...",
		Short: "Find recordings by session, turn, trace, tool, text, status or time",
		Long: `Find the recordings that hold an exchange of which everything holds that is asked
for. The index.jsonl of a proxy spares the reading of files that cannot; it is
believed only where it is about the file as it is now. Exit 2 when nothing is
found.`,
		Example: `  hallmark recording find captures --trace 0af7651916cd43dd8448eb211c80319c
  hallmark recording find captures --tool refund --failed --since 2h
  hallmark recording find captures --text 'order 71204' --status 5xx`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(io, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.Session, "session", "", "of the session `ID`, or whose id begins so")
	fl.StringVar(&f.Turn, "turn", "", "of the turn `ID`")
	fl.StringVar(&f.Trace, "trace", "", "of the trace `ID`, or whose id begins so")
	fl.StringVar(&f.Tool, "tool", "", "calls of the tool `NAME`, and how they ended")
	fl.StringVar(&f.Text, "text", "", "with `TEXT` in the body of the request or of the answer")
	fl.StringVar(&f.Status, "status", "", "answered with `STATUS`: 500, 5xx, or cut, timeout, reset and the like")
	fl.StringVar(&f.since, "since", "", "sent since `TIME`: 2h ago, or 2026-11-30, or 2026-11-30T20:10:45Z")
	fl.BoolVar(&f.Failed, "failed", false, "where something failed: the delivery, the call, the turn")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON")
	fl.BoolVar(&f.noIndex, "no-index", false, "read every file, whatever an index says")
	fl.BoolVar(&f.all, "all", false, "print every exchange that was found")
	return cmd
}

func (f *findFlags) run(io streams, args []string) error {
	if err := recorder.CheckStatus(f.Status); err != nil {
		return usage("--%w", err)
	}
	var err error
	if f.Since, err = sinceOf(f.since, time.Now()); err != nil {
		return err
	}
	names, err := recordingFiles(args)
	if err != nil {
		return err
	}
	index := indexes{off: f.noIndex}
	bad := unread{io: io}
	rows := []found{}
	n := 0
	for _, name := range names {
		if l, ok := index.of(name); ok && !f.May(l) {
			continue
		}
		row := found{Path: name}
		if err := bad.try(name, func(r stdio.Reader) error { return f.in(r, &row) }); err != nil {
			return err
		}
		if row.Count == 0 {
			continue
		}
		n++
		if f.asJSON {
			rows = append(rows, row)
		} else if err := f.print(io.out, row); err != nil {
			return err
		}
	}
	if f.asJSON {
		if err := writeJSON(io, rows); err != nil {
			return err
		}
	}
	if err := bad.done(); err != nil {
		return err
	}
	if n == 0 {
		return usage("none of %s holds such an exchange", counted(len(names), "recording"))
	}
	return nil
}

// in looks into one recording.
func (f *findFlags) in(r stdio.Reader, row *found) error {
	var fault error
	for m, err := range recorder.Find(eventsOf(r, &fault), f.Query) {
		if err != nil {
			return err
		}
		row.Count++
		if len(row.Exchanges) < maxFound {
			row.Exchanges = append(row.Exchanges, m)
		}
	}
	return nil
}

func (f *findFlags) print(w stdio.Writer, row found) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", reports.Clean(row.Path))
	for i, m := range row.Exchanges {
		if i == shownFound && !f.all {
			break
		}
		status := "-"
		if m.Status != 0 {
			status = strconv.Itoa(m.Status)
		}
		line := fmt.Sprintf("  %s/%s  line %d  %s  %s  %s", m.Session, m.Exchange, m.Line, m.At, m.Trigger, status)
		for _, s := range []string{m.Tool, m.Failure} {
			if s != "" {
				line += "  " + s
			}
		}
		fmt.Fprintf(&b, "%s\n", reports.Clean(line))
	}
	shown := len(row.Exchanges)
	if !f.all {
		shown = min(shown, shownFound)
	}
	if more := row.Count - shown; more > 0 {
		fmt.Fprintf(&b, "  … and %s\n", counted(more, "more exchange"))
	}
	_, err := stdio.WriteString(w, b.String())
	return err
}

// sinceOf reads a time, or how long ago it was.
func sinceOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		if d < 0 {
			return time.Time{}, usage("--since %s: is in the future", text)
		}
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since %s: is no time", text).hinted("write 90m, 2h, 2026-11-30 or 2026-11-30T20:10:45Z (UTC where no zone is said)")
}
