package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/retell"
	"github.com/hallmarkdev/hallmark/internal/shrink"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
)

// minimizeFlags are the flags of scenario from that make a scenario small at a
// worker. Which one that is, and what it may be asked, is said as to test.
type minimizeFlags struct {
	minimize    bool
	worker      string
	maxRuns     int
	work        string
	requirement string
	plan        bool
	test        testFlags
	// only are the flags that mean nothing without --minimize.
	only []string
}

func (f *minimizeFlags) register(cmd *cobra.Command) {
	before := map[string]bool{}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { before[flag.Name] = true })
	fl := cmd.Flags()
	fl.StringVar(&f.worker, "worker", "", "run scenarios at the worker at this `URL`")
	fl.IntVar(&f.maxRuns, "max-runs", shrink.DefaultMaxRuns, "run scenarios `N` times at most")
	fl.StringVar(&f.work, "work", "", "keep what was learned in `FILE`, and go on from it; without it in the file of --out with .work behind")
	fl.StringVar(&f.requirement, "requirement", "", "keep the breaking of the requirement with this `ID`; without it of the first that the recording shows broken, or else of what fails first")
	f.test.workerFlags.flags(cmd)
	f.test.engineFlags.flags(cmd)
	fl.BoolVar(&f.plan, "plan", false, "print what one run would call and stop: only session.start is sent")
	fl.StringVar(&f.test.restartCmd, "restart-cmd", "", "restart a worker that runs already with `COMMAND`, which ends when that is done")
	fl.StringVar(&f.test.agentID, "agent", "agent", "the agent `ID` that requests name, where the scenario says none")
	fl.StringVar(&f.test.form, "form", "", "use one form of session.start only: agent or bare")
	fl.StringArrayVar(&f.test.vars, "var", nil, "the value of $var.NAME in scenarios, `NAME=VALUE`; may be repeated")
	fl.Uint64Var(&f.test.seed, "seed", 1, "picks ids and made-up values; the same seed sends the same requests")
	fl.StringVar(&f.test.patience, "patience", "", "how long one answer may take, a `DURATION` or none; without it the protocol's own deadline of 20s")
	f.test.clock, f.test.repeat, f.test.noCorpus = "live", 1, true
	fl.VisitAll(func(flag *pflag.Flag) {
		if !before[flag.Name] {
			f.only = append(f.only, flag.Name)
		}
	})
	fl.BoolVar(&f.minimize, "minimize", false, "make the scenario as small as it can be while it fails at a worker")
	cmd.MarkFlagsMutuallyExclusive("worker", "start")
}

// check refuses what cannot be done before anything is read or sent.
func (f *minimizeFlags) check(cmd *cobra.Command) error {
	if !f.minimize {
		for _, name := range f.only {
			if cmd.Flags().Changed(name) {
				return usage("--%s: nothing is run without --minimize", name).hinted("add --minimize, or leave it out")
			}
		}
		return nil
	}
	if f.maxRuns < shrink.MinRuns {
		return usage("--max-runs %d: want %d or more", f.maxRuns, shrink.MinRuns).hinted("what fails is run twice before and twice behind, and once with its twin")
	}
	if f.requirement != "" {
		known := requirementIDs()
		for _, id := range known {
			if id == f.requirement {
				return nil
			}
		}
		return usage("--requirement %s: no such requirement", f.requirement).hinted(didYouMean(f.requirement, known))
	}
	return nil
}

// smaller makes the scenario of a recording small at a worker, and writes it.
func (f *fromFlags) smaller(cmd *cobra.Command, io streams, told *retell.Retold) error {
	f.test.act = func(ctx context.Context, io streams, cfg certify.Config) error {
		return f.shrink(ctx, io, cfg, told)
	}
	return f.test.run(cmd, io, f.worker)
}

// shrink shrinks the scenario at the worker that cfg names.
func (f *fromFlags) shrink(ctx context.Context, io streams, cfg certify.Config, told *retell.Retold) error {
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: cfg.Worker.URL})
	if err != nil {
		return usage("%w", err)
	}
	single, err := certify.NewSingle(ctx, cfg, t)
	if err != nil {
		return shrinkError(err)
	}
	doc, err := scenarios.Parse("scenario.yaml", told.Tree.YAML())
	if err != nil {
		return usage("%w", err)
	}
	cases, err := single.Plan(doc)
	if err != nil {
		return shrinkError(err)
	}
	if reason := cases[0].NotApplicable; reason != "" {
		return usage("the scenario does not apply to this worker: %s", reason)
	}
	fmt.Fprintf(io.err, "that is one run of the scenario; it is run at most %d times\n", f.maxRuns)
	if f.plan {
		return nil
	}
	journal, err := f.journal(io, cfg)
	if err != nil {
		return err
	}
	defer journal.Close()
	line := shrinkLine{out: io.err, on: isTerminal(io.err)}
	got, err := shrink.Run(ctx, single, told.Tree, shrink.Options{
		Requirement: f.requirement, Prefer: told.Broken, MaxRuns: f.maxRuns, Works: told.Works, Journal: journal, Progress: line.show,
	})
	line.clear()
	if err != nil {
		return shrinkError(err)
	}
	got.Tree.Comment = strings.Join(f.shrunkComment(told, got), "\n")
	fmt.Fprintf(io.err, "%s; %d values became %d in %s\n", reports.Clean("it fails by "+got.Reason.String()), told.Tree.Size(), got.Tree.Size(), counted(got.Runs, "run"))
	if got.Stopped != "" {
		fmt.Fprintln(io.err, got.Stopped)
	}
	if err := f.write(io, got.Tree.YAML()); err != nil {
		return err
	}
	if got.Stopped != "" {
		return nil
	}
	return journal.Remove()
}

// journal opens the file that keeps what was learned, nil where there is none.
func (f *fromFlags) journal(io streams, cfg certify.Config) (*shrink.Journal, error) {
	name := f.work
	if name == "" && f.out != "" {
		name = f.out + ".work"
	}
	if name == "" {
		return nil, nil
	}
	worker := cfg.Worker.URL
	if f.test.start != "" {
		// Its port is another one each time.
		worker = "--start " + f.test.start
	}
	j, err := shrink.OpenJournal(name, worker)
	var other *shrink.OtherJournalError
	switch {
	case errors.As(err, &other):
		return nil, usage("--work %w", err).hinted("name another file, or take that one away")
	case err != nil:
		return nil, failedIO(fmt.Errorf("open the journal: %w", err))
	}
	if n := j.Known(); n > 0 {
		fmt.Fprintf(io.err, "going on from %s, which holds %s\n", reports.Clean(name), counted(n, "answer"))
	}
	return j, nil
}

// shrunkComment says where the small scenario comes from and what it shows.
func (f *fromFlags) shrunkComment(told *retell.Retold, got *shrink.Shrunk) []string {
	from, _, _ := strings.Cut(told.Tree.Comment, "\n")
	lines := []string{from, fmt.Sprintf("Made smaller in %s at a worker: it fails by %s.", counted(got.Runs, "run"), got.Reason)}
	lines = append(lines, fmt.Sprintf("Got %s, want %s.", got.Got, got.Want))
	if got.Twin != "" {
		lines = append(lines, "Its twin puts right "+got.Twin+".")
	} else {
		lines = append(lines, "It has no twin: "+got.NoTwin+".")
	}
	if got.Stopped != "" {
		lines = append(lines, strings.ToUpper(got.Stopped[:1])+got.Stopped[1:]+".")
	}
	for i := range lines {
		lines[i] = retell.Line(lines[i])
	}
	return lines
}

// shrinkError gives an error of a minimisation its exit code and its hint.
func shrinkError(err error) error {
	var not *shrink.NotFailingError
	var flaky *shrink.FlakyError
	var died *shrink.DiedError
	var other *shrink.OtherJournalError
	var gone *certify.UnreachableError
	switch {
	case errors.As(err, &not):
		return usage("%w", err).hinted("without --minimize the scenario is written as the recording shows it")
	case errors.As(err, &flaky):
		return (&exitError{code: reports.ExitFailed, err: err}).hinted("find out what it depends on: hallmark test --repeat 20 with the scenario as the recording shows it")
	case errors.As(err, &died), errors.As(err, &gone), errors.Is(err, certify.ErrNoStart):
		return &exitError{code: reports.ExitUnreachable, err: err}
	case errors.As(err, &other):
		return usage("--work %w", err).hinted("name another file, or take that one away")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return failedIO(errors.New("minimize: stopped")).hinted("with --work FILE, or --out, the same command goes on from here")
	}
	return runError(err)
}

// shrinkLine is one line on a terminal that tells how far it is.
type shrinkLine struct {
	out interface{ Write([]byte) (int, error) }
	on  bool
}

func (p *shrinkLine) show(s shrink.Progress) {
	if p.on {
		fmt.Fprintf(p.out, "\r\x1b[Krun %d of at most %d, %d of %d values left", s.Runs, s.MaxRuns, s.Size, s.From)
	}
}

func (p *shrinkLine) clear() {
	if p.on {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
