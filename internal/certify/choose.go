package certify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/internal/wild"
	"github.com/hallmarkdev/hallmark/scenarios"
)

// Choose returns the cases that a run keeps: those that a pattern of run fits
// (all when run is empty) and none of skip does. A pattern speaks of case ids,
// scenario paths, tag:NAME or the requirements that a scenario lists; * stands
// for anything. A pattern that fits no case is an error, since a list that
// rots must not look green.
func Choose(cases []scenarios.Case, run, skip []string) ([]scenarios.Case, error) {
	if err := allFit("run", run, cases); err != nil {
		return nil, err
	}
	if err := allFit("skip", skip, cases); err != nil {
		return nil, err
	}
	var kept []scenarios.Case
	for _, c := range cases {
		about := func(p string) bool { return fits(p, c) }
		if (len(run) == 0 || slices.ContainsFunc(run, about)) && !slices.ContainsFunc(skip, about) {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil, ErrNothingLeft
	}
	return kept, nil
}

// ErrNothingLeft says that everything chosen was left out again.
var ErrNothingLeft = errors.New("--skip leaves no case to run")

func allFit(flag string, patterns []string, cases []scenarios.Case) error {
	for _, p := range patterns {
		if !slices.ContainsFunc(cases, func(c scenarios.Case) bool { return fits(p, c) }) {
			return noCase(flag, p, cases)
		}
	}
	return nil
}

// A PatternError says that a pattern fits no case.
type PatternError struct {
	Flag, Pattern string
	// Near is a case or scenario that may have been meant, "" when none is.
	Near string
}

// Error returns the flag and the pattern.
func (e *PatternError) Error() string {
	return fmt.Sprintf("--%s %s: fits no case", e.Flag, e.Pattern)
}

// Hint returns what to do.
func (e *PatternError) Hint() string {
	if e.Near != "" {
		return "did you mean " + e.Near + "?"
	}
	return "hallmark scenario list prints the scenarios; * stands for anything"
}

func noCase(flag, pattern string, cases []scenarios.Case) error {
	var known []string
	for _, c := range cases {
		known = append(known, c.ID, c.Doc.Name)
	}
	near, _ := suggest.Nearest(pattern, known)
	return &PatternError{Flag: flag, Pattern: pattern, Near: near}
}

func fits(pattern string, c scenarios.Case) bool {
	if tag, ok := strings.CutPrefix(pattern, "tag:"); ok {
		return slices.ContainsFunc(c.Doc.Tags, func(t string) bool { return wild.Match(tag, t) })
	}
	return wild.Match(pattern, c.ID) || wild.Match(pattern, c.Doc.Name) ||
		slices.ContainsFunc(c.Doc.Requirements, func(r scenarios.Requirement) bool { return wild.Match(pattern, r.ID) })
}

// EscapePattern returns the pattern that fits exactly text.
func EscapePattern(text string) string { return strings.ReplaceAll(text, "*", `\*`) }
