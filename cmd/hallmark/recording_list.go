package main

import (
	"fmt"
	stdio "io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
)

// The states of a recording in a list.
const (
	stateWhole   = "whole"
	stateOpen    = "open"
	stateCut     = "cut"
	stateDamaged = "damaged"
)

// listed is one recording as `recording list` shows it.
type listed struct {
	// Path is where it is; File in the line is its name.
	Path  string `json:"path"`
	State string `json:"state"`
	// Fault says what is wrong with one that is cut or damaged.
	Fault string `json:"fault,omitzero"`
	recorder.IndexLine
}

func recordingList(io streams) *cobra.Command {
	var asJSON, noIndex bool
	cmd := &cobra.Command{
		Use:   "list PATH...",
		Short: "List recordings: when, what, how many exchanges and failures",
		Long: `List recordings, those in a folder by their paths. What the index.jsonl of a
proxy says is taken only where it is about the file as it is now; every other
file is read.`,
		Example: `  hallmark recording list captures
  hallmark recording list --json captures | jq '.[] | select(.failed > 0) | .path'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			names, err := recordingFiles(args)
			if err != nil {
				return err
			}
			index := indexes{off: noIndex}
			rows := []listed{}
			bad := 0
			for _, name := range names {
				row, err := index.list(name)
				if err != nil {
					return err
				}
				if row.Fault != "" {
					bad++
				}
				if asJSON {
					rows = append(rows, row)
				} else if err := row.print(io.out); err != nil {
					return err
				}
			}
			if asJSON {
				if err := writeJSON(io, rows); err != nil {
					return err
				}
			}
			if bad > 0 {
				return failedIO(fmt.Errorf("%d of %s not whole", bad, counted(len(names), "recording"))).
					hinted("hallmark recording verify names every place")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&noIndex, "no-index", false, "read every file, whatever an index says")
	return cmd
}

// print writes a row: what is of a fixed width first.
func (l listed) print(w stdio.Writer) error {
	what := fmt.Sprintf("%d sessions", len(l.Sessions))
	if len(l.Sessions) == 1 {
		what = l.Sessions[0]
	}
	_, err := fmt.Fprintf(w, "%-24s  %-7s  %-7s  %5d exchanges  %4d failed  %s  %s\n", reports.Clean(l.From), l.Source, l.State, l.Exchanges, l.Failed,
		reports.Clean(l.Path), reports.Clean(what))
	if err == nil && l.Fault != "" {
		_, err = fmt.Fprintf(w, "  %s\n", reports.Clean(l.Fault))
	}
	return err
}

// indexes are those beside the recordings that were asked for, each read once.
type indexes struct {
	off     bool
	byPlace map[string]map[string]recorder.IndexLine
}

// of is what the index beside a recording says of it, if it is about the file
// as it is now.
func (x *indexes) of(name string) (recorder.IndexLine, bool) {
	if x.off {
		return recorder.IndexLine{}, false
	}
	folder := filepath.Dir(name)
	lines, known := x.byPlace[folder]
	if !known {
		// One that cannot be read says nothing; the files do.
		lines, _ = recorder.ReadIndex(filepath.Join(folder, recorder.IndexName))
		if x.byPlace == nil {
			x.byPlace = map[string]map[string]recorder.IndexLine{}
		}
		x.byPlace[folder] = lines
	}
	l, ok := lines[filepath.Base(name)]
	return l, ok && l.Describes(name)
}

// list tells of one recording, from the index or else from the file.
func (x *indexes) list(name string) (listed, error) {
	row := listed{Path: name, State: stateWhole}
	if l, ok := x.of(name); ok {
		row.IndexLine = l
		return row, nil
	}
	f, err := openFile(name)
	if err != nil {
		return row, err
	}
	defer f.Close()
	row.IndexLine, err = recorder.Summarize(f, filepath.Base(name))
	switch {
	case err == nil:
		return row, readError(name, row.Stamp(name))
	case open(row.Source, err):
		row.State = stateOpen
	case damaged(err):
		row.State, row.Fault = stateDamaged, err.Error()
		if isCut(err) {
			row.State = stateCut
		}
	default:
		return row, readError(name, err)
	}
	return row, nil
}
