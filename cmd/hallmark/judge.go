package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/reports"
)

func judgeCommand(io streams) *cobra.Command {
	var out output
	var weigh verdicts
	var only string
	cmd := &cobra.Command{
		Use:   "judge FILE...",
		Short: "Judge recordings again: the same files always give the same verdicts",
		Long: `Judge recordings again, without a worker. A folder stands for the recordings in
it. The recordings of a run give the run's own report; a folder that lacks some
of them gives one that says so, and those of several runs are judged one by one.

Captures of production give a report of what they show: of each requirement how
often it was seen and how often it failed, the worst first, with the file and the
line of an example. Damaged captures are named and the others judged; exit 4.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := out.check(); err != nil {
			return err
		}
		if err := weigh.check(); err != nil {
			return err
		}
		names, err := recordingFiles(args)
		if err != nil {
			return err
		}
		judged, lacking, err := judgeFiles(io, names)
		if err != nil {
			return err
		}
		run, err := oneRun(judged, args, only)
		if err != nil {
			return err
		}
		summed := certify.Sum(run.Judged)
		switch {
		case lacking != "":
			summed = certify.SumPartial(run.Judged, lacking)
		case anyFolder(args):
			summed = run.Sum()
		}
		report, err := weigh.write([]*reports.Report{weigh.weigh(summed, true)}, true)
		if lacking != "" && report.Exit != reports.ExitFailed {
			report.Exit = reports.ExitIO
		}
		return errors.Join(err, out.write(io, report))
	}
	out.flags(cmd)
	weigh.flags(cmd)
	cmd.Flags().StringVar(&only, "only-run", "", "where the recordings are of several runs, judge those of the one whose `ID` begins so")
	return cmd
}

// judgeFiles judges recordings one by one. Of a run each must read. Captures of
// production may be many, and one that is damaged is no reason to say nothing of
// the others: it is named, and lacking says how many there are.
func judgeFiles(io streams, names []string) (judged []*certify.Judged, lacking string, err error) {
	type bad struct {
		name string
		err  error
	}
	var harmed []bad
	var slim certify.Slim
	for _, name := range names {
		j, err := certify.Judge(certify.FromFile(name))
		switch {
		case damaged(err):
			harmed = append(harmed, bad{name, err})
			continue
		case err != nil:
			return nil, "", readError(name, err)
		}
		slim.Take(j)
		judged = append(judged, j)
	}
	if len(harmed) == 0 {
		return judged, "", nil
	}
	if !certify.Production(judged) {
		return nil, "", readError(harmed[0].name, harmed[0].err)
	}
	for _, h := range harmed {
		report(io.err, readError(h.name, h.err))
	}
	return judged, fmt.Sprintf("%d of %s could not be read to the end", len(harmed), counted(len(names), "recording")), nil
}

// oneRun gives the run that the recordings are of. Those of several runs are
// never summed up together: a case that failed in one and passed in the other
// would count once.
func oneRun(judged []*certify.Judged, args []string, only string) (certify.RunOf, error) {
	runs := certify.Runs(judged)
	names := make([]string, len(runs))
	for i, r := range runs {
		names[i] = r.String()
	}
	if only != "" {
		runs = slices.DeleteFunc(slices.Clone(runs), func(r certify.RunOf) bool { return !strings.HasPrefix(r.ID, only) })
	}
	switch {
	case len(runs) == 1:
		return runs[0], nil
	case len(runs) == 0:
		return certify.RunOf{}, usage("--only-run %s: no run begins so; there are %s", only, strings.Join(names, " and "))
	default:
		last := ""
		for _, r := range runs {
			last = cmp.Or(r.ID, last)
		}
		words := append([]string{"hallmark", "judge", "--only-run", last}, args...)
		return certify.RunOf{}, usage("%d runs in %s: %s", len(runs), strings.Join(args, " "), strings.Join(names, " and ")).
			hinted("judge them one by one: " + reports.Command(words...))
	}
}

func anyFolder(args []string) bool {
	return slices.ContainsFunc(args, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	})
}

// output is how a command writes its report.
type output struct {
	json, all bool
	files     []string
}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print the report as JSON")
	cmd.Flags().BoolVar(&o.all, "all", false, "print every place of every problem, and what holds")
	cmd.Flags().StringArrayVar(&o.files, "report", nil, "also write the report to `FILE`, as text (.txt), JSON (.json) or JUnit (.xml); may be repeated")
}

// check refuses what cannot be written before anything is run.
func (o *output) check() error {
	for _, name := range o.files {
		if ext := filepath.Ext(name); ext != ".json" && ext != ".txt" && ext != ".xml" {
			return usage("--report %s: no form of report ends in %q", name, ext).hinted("end the name in .txt, .json, or .xml for JUnit")
		}
		if err := certify.ProbeFile(name); err != nil {
			return usage("--report %s: %w", name, err).hinted("name a file in a folder that can be written to")
		}
	}
	return nil
}

// write prints the report, and gives its exit code as an error without text.
func (o *output) write(io streams, r *reports.Report) error {
	var err error
	if o.json {
		err = reports.WriteJSON(io.out, r)
	} else {
		err = reports.WriteText(io.out, r, reports.TextOptions{All: o.all, Color: colored(io.out)})
	}
	if err != nil {
		return failedIO(fmt.Errorf("write the report: %w", err))
	}
	if err := o.writeFiles(r); err != nil {
		return err
	}
	if r.Exit != reports.ExitGood {
		return &exitError{code: r.Exit}
	}
	return nil
}

// writeFiles writes the report into the files that were named.
func (o *output) writeFiles(r *reports.Report) error {
	for _, name := range o.files {
		if err := writeFile(name, r); err != nil {
			return failedIO(fmt.Errorf("write the report: %w", err))
		}
	}
	return nil
}

func writeFile(name string, r *reports.Report) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	switch filepath.Ext(name) {
	case ".json":
		return reports.WriteJSON(f, r)
	case ".xml":
		return reports.WriteJUnit(f, r)
	}
	return reports.WriteText(f, r, reports.TextOptions{All: true})
}
