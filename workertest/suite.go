package workertest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// readScenarios reads the corpus, what the file names and cfg.Scenarios.
func (cfg Config) readScenarios(p *plan) error {
	without := cfg.WithoutCorpus || p.file.WithoutCorpus
	p.partial = p.partial || without
	if !without {
		docs, err := corpus()
		if err != nil {
			return err
		}
		p.Corpus = docs
		for _, d := range docs {
			p.origins[d.Name] = "the built-in corpus"
		}
	}
	for _, path := range p.file.Scenarios {
		path = beside(cfg.File, path)
		// A path may end in . or .., which no file system has beside others.
		folder, base := filepath.Dir(path), filepath.Base(path)
		if base == "." || base == ".." {
			folder, base = path, "."
		}
		if err := p.add(path, path, os.DirFS(folder), base); err != nil {
			return err
		}
	}
	if cfg.Scenarios != nil {
		if err := p.add("Config.Scenarios", "", cfg.Scenarios, "."); err != nil {
			return err
		}
	}
	if without && len(p.Own) == 0 {
		return misset("WithoutCorpus", "set Config.Scenarios", "nothing is left to run")
	}
	return nil
}

// add reads the scenarios below root. what names them in messages; folder is
// where a command line finds them, "" when it cannot.
func (p *plan) add(what, folder string, fsys fs.FS, root string) error {
	docs, err := scenarios.LoadWith(fsys, root, reading())
	if err != nil {
		return &fault{message: what + ": " + err.Error(), err: err}
	}
	for _, d := range docs {
		if other, twice := p.origins[d.Name]; twice {
			return problem(what+": "+d.Name+" stands in "+other+" too", "give one of them another name: cases are named by it")
		}
		p.origins[d.Name] = what
		p.Own = append(p.Own, certify.Own{Doc: d, Folder: folder})
	}
	return nil
}

// corpus is the built-in corpus, read once.
var corpus = sync.OnceValues(func() ([]*scenarios.Document, error) {
	return scenarios.LoadWith(scenarios.Corpus(), ".", reading())
})

// reading makes the readers of scenarios and baselines know the requirements.
func reading() scenarios.Options {
	var ids []string
	for _, q := range spec.Requirements() {
		ids = append(ids, q.ID)
	}
	return scenarios.Options{Requirements: ids}
}

// readBaseline reads the known failures, those of cfg or else of the file.
func (cfg Config) readBaseline(p *plan) error {
	name := cfg.Baseline
	if name == "" && p.file.Baseline != "" {
		name = beside(cfg.File, p.file.Baseline)
	}
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &fault{message: "Config.Baseline: " + err.Error(), hint: "write one with hallmark test --write-baseline", err: err}
	}
	if err != nil {
		return &fault{message: "Config.Baseline: " + err.Error(), err: err}
	}
	known, err := scenarios.ParseKnownFailures(name, text, reading())
	if err != nil {
		return &fault{message: "the baseline cannot be read:\n" + err.Error(), err: err}
	}
	p.baseline = &reports.Baseline{File: known.File, Registry: known.Registry}
	for _, k := range known.Entries {
		p.baseline.Entries = append(p.baseline.Entries, reports.BaselineEntry{
			Requirement: k.Requirement, Case: k.Case, Reason: k.Reason, Expires: k.Expires, Line: k.Line,
		})
	}
	return nil
}

// beside is path as seen from the folder of file.
func beside(file, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(file), path)
}
