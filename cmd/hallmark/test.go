package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

func testCommand(io streams) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [URL]",
		Short: "Certify the worker at a URL",
		Long: `Certify the worker at a URL: find out how it starts and what it declares, drive
it through every scenario that applies, judge every exchange, and report.

Tools have side effects. A worker on loopback, or one that --start starts, has
all its tools called; any other only those that --only-tools or --all-tools
allow.`,
		Example: `  hallmark test http://127.0.0.1:4444
  hallmark test --start "node server.mjs {port}"
  hallmark test --run 'execute/*' --record recordings http://127.0.0.1:4444`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		url := ""
		if len(args) == 1 {
			url = args[0]
		}
		return f.run(cmd, io, url)
	}
	f.register(cmd)
	return cmd
}

// testFlags are the flags of test, and of demo as far as they apply.
type testFlags struct {
	output
	runFlags
	verdicts
	engineFlags
	workerFlags
	restartCmd string
	agentID    string
	form       string

	workerName, workerVersion string
	// badArguments is what the project's file says of them.
	badArguments map[string]string
	// act, when set, is what is done at the worker in place of certifying it: then
	// no scenarios are read, and no report is written.
	act func(ctx context.Context, io streams, cfg certify.Config) error
}

func (f *testFlags) register(cmd *cobra.Command) {
	f.output.flags(cmd)
	f.runFlags.flags(cmd)
	f.verdicts.flags(cmd)
	f.engineFlags.flags(cmd)
	f.workerFlags.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.restartCmd, "restart-cmd", "", "restart a worker that runs already with `COMMAND`, which ends when that is done; without it, and without --start, cases that restart the worker do not apply")
	fl.StringVar(&f.agentID, "agent", "agent", "the agent `ID` that requests name")
	fl.StringVar(&f.form, "form", "", "use one form of session.start only: agent or bare")
	fl.BoolVar(&f.planOnly, "plan", false, "print what would be called and stop: only session.start is sent")
	fl.StringVar(&f.workerName, "worker-name", "", "the `NAME` of what is certified, for the report")
	fl.StringVar(&f.workerVersion, "worker-version", "", "its `VERSION`")
	cmd.MarkFlagsMutuallyExclusive("start", "restart-cmd")
}

func (f *testFlags) run(cmd *cobra.Command, io streams, url string) error {
	project, err := readProject(io, f.project)
	if err != nil {
		return err
	}
	if project != nil {
		f.fill(cmd, project, &url)
	}
	cfg, err := f.config(io)
	if err != nil {
		return err
	}
	if err := f.verdicts.check(); err != nil {
		return err
	}
	if err := f.checkStartEnv(f.start); err != nil {
		return err
	}
	if url == "" && f.start == "" {
		if f.act != nil {
			return usage("--minimize: name the worker at which the scenario fails").hinted("--worker http://127.0.0.1:4444, or --start COMMAND")
		}
		return usage("test: name the worker's URL").hinted("hallmark test http://127.0.0.1:4444")
	}
	if url != "" {
		if _, err := simulator.ParseWorkerURL(strings.ReplaceAll(url, "{port}", "1")); err != nil {
			return usage("%w", err).hinted(urlHint(url))
		}
	}
	if f.form != "" && f.form != simulator.FormAgent && f.form != simulator.FormBare {
		return usage("--form %s: want agent or bare", f.form)
	}
	cfg.Form, cfg.AgentID, cfg.PlanOnly = f.form, f.agentID, f.planOnly
	cfg.Consent = f.consent()
	if err := f.dress(&cfg); err != nil {
		return err
	}
	if project != nil {
		if err := f.apply(project, url, &cfg); err != nil {
			return err
		}
	}
	if err := f.signedBy(&cfg); err != nil {
		return err
	}
	engine, err := f.openEngine(io, &cfg)
	if err != nil {
		return err
	}
	defer engine.close()
	cfg.Redact = recorder.NewRedactor(f.secrets, []byte(rand.Text()))
	cfg.Worker = spec.WorkerHeader{URL: url, Name: f.workerName, Version: f.workerVersion, BadArguments: f.badArguments, Args: f.repeatWords(project)}
	ctx := cmd.Context()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	if f.restartCmd != "" {
		if cfg.Restart, err = simulator.RestartBy(f.restartCmd, url, f.readyTimeout); err != nil {
			return usage("--restart-cmd: %w", err)
		}
	}
	if f.start == "" {
		return f.atWorker(ctx, io, cfg)
	}
	return f.withProcess(ctx, io, cfg, f.startEnvironment(engine))
}

// repeatWords are the flags that say how a worker is asked, for the lines that
// repeat a case. Values of --header stand in the command already.
func (f *testFlags) repeatWords(project *scenarios.Config) []string {
	var words []string
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, flag, v)
			}
		}
	}
	if project != nil {
		add("--config", project.File)
	} else {
		add("--config", f.project)
	}
	add("--form", f.form)
	add("--restart-cmd", f.restartCmd)
	add("--header", f.headers...)
	add("--header-env", f.headersEnv...)
	add("--secret-env", f.secretEnv)
	add("--signature-header", f.signatureHeader)
	add("--only-tools", f.onlyTools...)
	add("--skip-tools", f.skipTools...)
	add("--engine-listen", f.engineListen)
	add("--start-env", f.startEnv...)
	if f.allTools {
		words = append(words, "--all-tools")
	}
	add("--patience", f.patience)
	return words
}

// urlHint completes what looks like an address without a scheme.
func urlHint(url string) string {
	with := "http://" + url
	if _, err := simulator.ParseWorkerURL(with); err != nil || strings.Contains(url, "://") {
		return "name it as in http://127.0.0.1:4444"
	}
	return "did you mean " + with + "?"
}

// withProcess starts the worker, certifies it and stops it.
func (f *testFlags) withProcess(ctx context.Context, io streams, cfg certify.Config, env []string) error {
	p, err := simulator.Start(ctx, simulator.ProcessConfig{Command: f.start, URL: cfg.Worker.URL, Env: env, ReadyTimeout: f.readyTimeout})
	if err != nil {
		return startError(io, err)
	}
	cfg.Worker.URL, cfg.Worker.Start, cfg.Worker.StartedBy = p.URL, f.start, "hallmark"
	cfg.Process, cfg.Restart, cfg.Another = p, p.Restart, saying(io, p.Another(simulator.TransportConfig{}))
	err = f.atWorker(ctx, io, cfg)
	if p.HasEnded() {
		fmt.Fprintf(io.err, "the worker's process ended by itself: %s\n%s", p.Ended().Exit, lastLines(p.Stderr()))
	}
	p.Stop()
	return err
}

// saying says once why no further worker can be started: then the cases that
// restart it run alone.
func saying(io streams, another func(context.Context) (*simulator.Instance, error)) func(context.Context) (*simulator.Instance, error) {
	if another == nil {
		return nil
	}
	var once sync.Once
	return func(ctx context.Context) (*simulator.Instance, error) {
		own, err := another(ctx)
		if err != nil && ctx.Err() == nil {
			once.Do(func() {
				fmt.Fprintf(io.err, "no second worker beside the first (%v): cases that restart it run alone\n", err)
			})
		}
		return own, err
	}
}

// startError is exit 3, with what the process said last.
func startError(io streams, err error) error {
	e := &exitError{code: reports.ExitUnreachable, err: err}
	var start *simulator.StartError
	if errors.As(err, &start) {
		fmt.Fprint(io.err, lastLines(start.Stderr))
		return e.hinted(start.Hint)
	}
	return e
}

func lastLines(text string) string {
	text = strings.TrimRight(reports.Clean(text), "\n")
	if text == "" {
		return ""
	}
	return "the last that it wrote to stderr:\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}

// atWorker does what is to be done at a worker that runs.
func (f *testFlags) atWorker(ctx context.Context, io streams, cfg certify.Config) error {
	if f.act != nil {
		return f.act(ctx, io, cfg)
	}
	return f.certify(ctx, io, cfg)
}

func (f *testFlags) certify(ctx context.Context, io streams, cfg certify.Config) error {
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: cfg.Worker.URL})
	if err != nil {
		return usage("%w", err)
	}
	partial := len(f.runPatterns)+len(f.skipPatterns) > 0 || f.noCorpus || !scenarios.SpeaksDefault(cfg.Dialects)
	var runs []*reports.Report
	for n := 1; ; n++ {
		if f.repeat > 1 {
			fmt.Fprintf(io.err, "run %d of %d, seed %d\n", n, f.repeat, cfg.Seed)
		}
		cfg.RunOf.ID = strings.ToLower(rand.Text()[:12])
		report, err := f.once(ctx, cfg, t)
		if report == nil {
			return err
		}
		report = f.verdicts.weigh(report, partial)
		if n > 1 {
			// An entry of the baseline is stale only where no run needed it.
			report = reports.KeepStale(report, runs[n-2].Stale)
		}
		runs = append(runs, report)
		if err != nil {
			return errors.Join(err, f.output.write(io, report))
		}
		if n < f.repeat && f.goesOn(report) {
			cfg.Seed++
			continue
		}
		report, err = f.verdicts.write(runs, partial)
		if err == nil && f.writeBaseline != "" && n > 1 {
			fmt.Fprintf(io.err, "%s holds what failed in any of %d runs\n", f.writeBaseline, n)
		}
		return errors.Join(err, f.output.write(io, report))
	}
}

// goesOn reports whether the next run is wanted after this one: it was good, or
// what fails is collected for a baseline. Whether an entry of a baseline is
// stale shows at the end only.
func (f *testFlags) goesOn(r *reports.Report) bool {
	return f.writeBaseline != "" && r.Exit == reports.ExitFailed || reports.KeepStale(r, nil).Exit == reports.ExitGood
}

// once runs everything one time. The report is nil when there is none to make.
func (f *testFlags) once(ctx context.Context, cfg certify.Config, t simulator.Poster) (*reports.Report, error) {
	report, err := certify.Run(ctx, cfg, t)
	f.progress.clear()
	if err != nil {
		return report, runError(err)
	}
	return report, nil
}

// runError gives an error of a run its exit code and its hint.
func runError(err error) error {
	var problems scenarios.Problems
	var consent *simulator.ConsentError
	var pattern *certify.PatternError
	switch {
	case errors.As(err, &problems):
		return usage("%s\n%w", counted(len(problems), "problem"), problems)
	case errors.As(err, &consent):
		return usage("%w", err).hinted(consent.Hint)
	case errors.As(err, &pattern):
		return usage("%w", err).hinted(pattern.Hint())
	case errors.Is(err, certify.ErrNothingLeft):
		return usage("%w", err)
	default:
		return failedIO(err)
	}
}
