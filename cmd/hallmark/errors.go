package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hallmarkdev/hallmark/reports"
)

// exitError is an error with the exit code that it asks for, and a hint for a
// line of its own. Without text nothing is printed: the command has said it.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// hinted returns e with a hint; an empty one changes nothing.
func (e *exitError) hinted(hint string) *exitError {
	if hint != "" {
		e.hint = hint
	}
	return e
}

func usage(format string, args ...any) *exitError {
	return &exitError{code: reports.ExitUsage, err: fmt.Errorf(format, args...)}
}

func failedIO(err error) *exitError { return &exitError{code: reports.ExitIO, err: err} }

// report prints err as the command line prints errors, and returns the exit
// code.
func report(w io.Writer, err error) int {
	code := exitCode(err)
	if err == nil || err.Error() == "" {
		return code
	}
	fmt.Fprintf(w, "hallmark: %s\n", reports.Clean(strings.TrimRight(err.Error(), "\n")))
	var e *exitError
	if errors.As(err, &e) && e.hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", e.hint)
	}
	return code
}
