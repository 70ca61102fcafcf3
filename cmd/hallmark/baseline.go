package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// verdicts are the flags that weigh what was found.
type verdicts struct {
	baseline, writeBaseline string
	strict                  bool
	profile                 string
	known                   *scenarios.KnownFailures
}

func (v *verdicts) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&v.baseline, "baseline", "", "known failures are in `FILE`: fail on anything else, and on an entry that no longer holds")
	fl.StringVar(&v.writeBaseline, "write-baseline", "", "write what failed to `FILE` as known failures, with reasons to fill in")
	fl.BoolVar(&v.strict, "strict", false, "fail on warnings, and on what a claimed profile names and nobody observed")
	fl.StringVar(&v.profile, "profile", "", "the `PROFILE` that the worker claims: "+strings.Join(spec.ProfileNames(), " or "))
	cmd.MarkFlagsMutuallyExclusive("baseline", "write-baseline")
}

// check reads the baseline, also the one that is to be written anew, for its
// reasons, and refuses a profile that does not exist, before
// anything is run.
func (v *verdicts) check() error {
	if _, ok := spec.Profile(v.profile); v.profile != "" && !ok {
		return usage("no profile is called %q", v.profile).hinted(suggest.Hint(v.profile, spec.ProfileNames()))
	}
	if v.writeBaseline != "" {
		if err := certify.ProbeFile(v.writeBaseline); err != nil {
			return usage("--write-baseline %s: %w", v.writeBaseline, err).hinted("name a file in a folder that can be written to")
		}
	}
	name := v.baseline
	if name == "" {
		name = v.writeBaseline
	}
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) && v.baseline == "" {
		return nil
	}
	if errors.Is(err, os.ErrNotExist) {
		return usage("open %s: no such file", v.baseline).hinted("write one with --write-baseline " + reports.Quote(v.baseline))
	}
	if err != nil {
		return failedIO(err)
	}
	if v.baseline == "" && scenarios.SaysNothing(text) {
		return nil
	}
	known, err := scenarios.ParseKnownFailures(name, text, reading())
	if err != nil {
		return usage("%w", err)
	}
	v.known = known
	return nil
}

// weigh gives a report its strictness and its known failures. partial says that
// cases were left out on purpose. A baseline that is to be written counts only
// once it is.
func (v *verdicts) weigh(r *reports.Report, partial bool) *reports.Report {
	if v.strict {
		wanted, _ := spec.Profile(v.profile)
		r = reports.Strict(r, wanted)
	}
	if v.known == nil || v.writeBaseline != "" {
		return r
	}
	return v.absorb(r, partial)
}

func (v *verdicts) absorb(r *reports.Report, partial bool) *reports.Report {
	return reports.ApplyBaseline(r, v.entries(), reports.BaselineOptions{
		Today: time.Now().UTC().Format(time.DateOnly), Partial: partial, Added: added(),
	})
}

// write writes the baseline, once, of all that the runs failed, and returns the
// report to print: the first that is not good with it, or the last.
func (v *verdicts) write(runs []*reports.Report, partial bool) (*reports.Report, error) {
	last := runs[len(runs)-1]
	if v.writeBaseline == "" {
		return last, nil
	}
	var old reports.Baseline
	if v.known != nil {
		old = v.entries()
	}
	text, err := reports.WriteBaseline(old, runs...)
	if err != nil {
		return last, &exitError{code: cmp.Or(last.Exit, reports.ExitFailed), err: fmt.Errorf("write the baseline: %w", err)}
	}
	if err := os.WriteFile(v.writeBaseline, text, 0o666); err != nil {
		return last, failedIO(fmt.Errorf("write the baseline: %w", err))
	}
	if v.known, err = scenarios.ParseKnownFailures(v.writeBaseline, text, reading()); err != nil {
		return last, &exitError{code: reports.ExitHarness, err: fmt.Errorf("write the baseline: %w", err)}
	}
	for _, r := range runs {
		last = reports.KeepStale(v.absorb(r, partial), nil)
		if last.Exit != reports.ExitGood {
			break
		}
	}
	return last, nil
}

// entries is the baseline that was read, as a report wants it.
func (v *verdicts) entries() reports.Baseline {
	b := reports.Baseline{File: v.known.File, Registry: v.known.Registry}
	for _, k := range v.known.Entries {
		b.Entries = append(b.Entries, reports.BaselineEntry{
			Requirement: k.Requirement, Case: k.Case, Reason: k.Reason, Expires: k.Expires, Line: k.Line,
		})
	}
	return b
}

// added gives the registry version of each requirement.
func added() map[string]string {
	all := map[string]string{}
	for _, q := range spec.Requirements() {
		all[q.ID] = q.Added
	}
	return all
}
