package workertest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
)

// fault is an error of the harness with what to do about it.
type fault struct {
	message, hint string
	err           error
}

// Error returns the message and, on a line of its own, the hint.
func (f *fault) Error() string {
	text := "workertest: " + f.message
	if f.hint != "" {
		text += "\n  hint: " + f.hint
	}
	return text
}

// Unwrap returns the cause, if there is one.
func (f *fault) Unwrap() error { return f.err }

func problem(message, hint string) error { return &fault{message: message, hint: hint} }

// misset says what is wrong with a field of Config.
func misset(field, hint, format string, args ...any) error {
	return problem("Config."+field+": "+fmt.Sprintf(format, args...), hint)
}

// startProblem tells why a command did not become a worker.
func startProblem(err error) error {
	f := &fault{message: err.Error(), err: err}
	if start, ok := errors.AsType[*simulator.StartError](err); ok {
		f.message += lastWords(start.Stderr)
		f.hint = fmt.Sprintf("the worker must listen at the port in PORT, or that stands for {port}, within %s",
			simulator.DefaultReadyTimeout)
	}
	return f
}

// lastWords is the end of what a process wrote, for the end of a message.
func lastWords(text string) string {
	text = strings.TrimRight(reports.Clean(text), "\n")
	if text == "" {
		return ""
	}
	return "\n  the last that it wrote:\n    " + strings.ReplaceAll(text, "\n", "\n    ")
}

// runProblem words an error of a run for somebody who writes Go and no command
// line.
func runProblem(err error) error {
	var consent *simulator.ConsentError
	var pattern *certify.PatternError
	var problems scenarios.Problems
	f := &fault{message: err.Error(), err: err}
	switch {
	case errors.As(err, &consent) && errors.Is(err, simulator.ErrNoConsent):
		f.hint = "allow it by Config.AllTools, by Config.OnlyTools, or by a tools section in Config.File"
	case errors.As(err, &consent):
		f.hint = consent.Hint
	case errors.As(err, &pattern):
		field := "Run"
		if pattern.Flag == "skip" {
			field = "Skip"
		}
		f.message = fmt.Sprintf("Config.%s: %q fits no case", field, pattern.Pattern)
		if f.hint = "a pattern is a case's id, a scenario's path, tag:NAME or a requirement's id; * stands for anything"; pattern.Near != "" {
			f.hint = "did you mean " + pattern.Near + "?"
		}
	case errors.Is(err, certify.ErrNothingLeft):
		f.message = "Config.Skip: leaves no case to run"
	case errors.As(err, &problems):
		f.message = "the scenarios cannot be run:\n" + problems.Error()
	}
	return f
}
