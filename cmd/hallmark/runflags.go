package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// runFlags are the flags that say what is run and how, whatever the worker.
type runFlags struct {
	scenarioPaths []string
	noCorpus      bool
	runPatterns   []string
	skipPatterns  []string
	vars          []string
	dialects      []string
	seed          uint64
	clock         string
	jobs          int
	patience      string
	record        string
	maxFailures   int
	repeat        int
	disturb       []string
	progress      progress
}

// keepFolder is where recordings of failed cases go when not all are recorded.
const keepFolder = "hallmark-failures"

func (f *runFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.scenarioPaths, "scenarios", nil, "also run the scenarios of a `FOLDER` or file; may be repeated")
	fl.BoolVar(&f.noCorpus, "no-corpus", false, "leave the built-in scenarios out")
	fl.StringArrayVar(&f.runPatterns, "run", nil, "run only what fits `PATTERN`: case ids, scenario paths, tag:NAME or requirement ids, * for anything; may be repeated")
	fl.StringArrayVar(&f.skipPatterns, "skip", nil, "leave out what fits `PATTERN`; may be repeated")
	fl.StringArrayVar(&f.vars, "var", nil, "the value of $var.NAME in scenarios, `NAME=VALUE`; may be repeated")
	fl.StringArrayVar(&f.dialects, "dialect", nil, "what an engine may do in two ways, `LIST`: settings such as first-attempt=1,empty-proposed=short,failed-call=fail,identity=older make one dialect; default, each and all name several; may be repeated")
	fl.Uint64Var(&f.seed, "seed", 1, "picks ids and made-up values; the same seed sends the same requests")
	fl.StringVar(&f.clock, "clock", "live", "live, or fixed:TIME for a run whose requests do not depend on the wall clock")
	fl.IntVar(&f.jobs, "jobs", 0, "how many cases run side by side; 0 is one a processor")
	fl.IntVar(&f.maxFailures, "max-failures", 0, "end the run after so many failed cases; 0 is no bound")
	fl.IntVar(&f.repeat, "repeat", 1, "run everything so many times, each with the next seed, and stop at the first run that is not good")
	fl.StringSliceVar(&f.disturb, "disturb", nil, "run each case calm twice and once under each of `LIST`, and want the same end: "+strings.Join(scenarios.Disturbances(), ", ")+" or all; cases with trouble, exact moments or broken traffic of their own are run once")
	fl.StringVar(&f.patience, "patience", "", "how long one answer may take, a `DURATION` or none; without it the protocol's own deadline of 20s")
	fl.StringVar(&f.record, "record", "", "write a recording of every case to `FOLDER`; without it those of failed cases go to "+keepFolder)
}

// config reads the flags; everything is checked before anything is run.
func (f *testFlags) config(io streams) (certify.Config, error) {
	if err := f.output.check(); err != nil {
		return certify.Config{}, err
	}
	cfg := certify.Config{
		Run: f.runPatterns, Skip: f.skipPatterns, Jobs: f.jobs, Record: f.record, Keep: keepFolder,
		Announce: func(line string) { fmt.Fprintln(io.err, line) },
	}
	cfg.Seed = f.seed
	cfg.MadeBy = spec.MadeBy{Hallmark: version, Registry: spec.RegistryVersion}
	if f.jobs < 0 {
		return cfg, usage("--jobs %d: want 0 or more", f.jobs)
	}
	if f.maxFailures < 0 {
		return cfg, usage("--max-failures %d: want 0 or more", f.maxFailures)
	}
	if f.repeat < 1 {
		return cfg, usage("--repeat %d: want 1 or more", f.repeat)
	}
	cfg.MaxFailures = f.maxFailures
	if err := f.readClock(&cfg); err != nil {
		return cfg, err
	}
	if err := f.readPatience(&cfg); err != nil {
		return cfg, err
	}
	if err := f.readVars(&cfg); err != nil {
		return cfg, err
	}
	if err := f.readDisturb(&cfg); err != nil {
		return cfg, err
	}
	if err := f.readDialects(&cfg); err != nil {
		return cfg, err
	}
	if f.act != nil {
		return cfg, nil
	}
	if err := f.readScenarios(&cfg); err != nil {
		return cfg, err
	}
	if err := f.checkFolders(); err != nil {
		return cfg, err
	}
	f.progress = progress{out: io.err, on: isTerminal(io.err)}
	cfg.Progress = f.progress.show
	return cfg, nil
}

// checkFolders refuses folders for recordings that cannot be written to: the
// run would find out when it is over.
func (f *testFlags) checkFolders() error {
	if f.planOnly {
		return nil
	}
	if f.record != "" {
		if err := certify.ProbeFolder(f.record); err != nil {
			return usage("--record %s: %w", f.record, err).hinted("name another folder")
		}
		return nil
	}
	if err := certify.ProbeFolder(keepFolder); err != nil {
		return usage("recordings of failed cases go to %s: %w", keepFolder, err).hinted("name another folder with --record")
	}
	return nil
}

func (f *runFlags) readClock(cfg *certify.Config) error {
	if f.clock == "live" {
		return nil
	}
	text, ok := strings.CutPrefix(f.clock, "fixed:")
	at, err := time.Parse(time.RFC3339, text)
	if !ok || err != nil {
		return usage("--clock %s: want live or fixed:TIME", f.clock).hinted("for example fixed:2026-08-28T12:00:00Z")
	}
	cfg.Fixed, cfg.At = true, at
	return nil
}

func (f *runFlags) readPatience(cfg *certify.Config) error {
	switch f.patience {
	case "":
		return nil
	case "none":
		cfg.Patience = -1
		return nil
	}
	d, err := time.ParseDuration(f.patience)
	if err != nil || d <= 0 {
		return usage("--patience %s: want a duration or none", f.patience).hinted("for example 2s")
	}
	cfg.Patience = d
	return nil
}

func (f *runFlags) readDisturb(cfg *certify.Config) error {
	chosen, err := scenarios.ChooseDisturbances(f.disturb)
	if err != nil {
		var unknown *scenarios.DisturbanceError
		errors.As(err, &unknown)
		return usage("--disturb: %w", err).hinted(unknown.Hint)
	}
	cfg.Disturb = chosen
	return nil
}

func (f *runFlags) readVars(cfg *certify.Config) error {
	for _, text := range f.vars {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return usage("--var %q: want NAME=VALUE", text)
		}
		if cfg.Vars == nil {
			cfg.Vars = map[string]string{}
		}
		cfg.Vars[name] = value
	}
	return nil
}

func (f *runFlags) readDialects(cfg *certify.Config) error {
	dialects, err := scenarios.ParseDialects(f.dialects)
	var unknown *scenarios.DialectError
	if errors.As(err, &unknown) {
		return usage("--dialect %w", err).hinted(unknown.Hint)
	}
	cfg.Dialects = dialects
	return err
}

func (f *runFlags) readScenarios(cfg *certify.Config) error {
	if f.noCorpus && len(f.scenarioPaths) == 0 {
		return usage("--no-corpus leaves nothing to run").hinted("name your own by --scenarios FOLDER")
	}
	if !f.noCorpus {
		docs, err := loadAll(nil)
		if err != nil {
			return err
		}
		cfg.Corpus = docs
	}
	seen := map[string]string{}
	for _, d := range cfg.Corpus {
		seen[d.Name] = "the built-in corpus"
	}
	var problems scenarios.Problems
	for _, path := range f.scenarioPaths {
		docs, err := loadPath(path)
		var faults scenarios.Problems
		if errors.As(err, &faults) {
			problems = append(problems, faults...)
			continue
		}
		if err != nil {
			return err
		}
		for _, d := range docs {
			if other, twice := seen[d.Name]; twice {
				return usage("--scenarios %s: %s stands in %s too", path, d.Name, other).hinted("give one of them another name: cases are named by it")
			}
			seen[d.Name] = path
			cfg.Own = append(cfg.Own, certify.Own{Doc: d, Folder: path})
		}
	}
	if len(problems) > 0 {
		return usage("%s\n%w", counted(len(problems), "problem"), problems)
	}
	return nil
}

// progress is one line on a terminal that tells how far a run is.
type progress struct {
	out interface{ Write([]byte) (int, error) }
	on  bool
}

func (p *progress) show(s simulator.Progress) {
	if p.on {
		fmt.Fprintf(p.out, "\r\x1b[K%d of %d cases, %d failed  %s", s.Done, s.Total, s.Failed, short(s.Last))
	}
}

func (p *progress) clear() {
	if p.on {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// short keeps a case's name on the progress line.
func short(text string) string {
	const longest = 50
	runes := []rune(strings.ToValidUTF8(text, "?"))
	if len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return string(runes)
}
