package main

import (
	"cmp"
	"errors"
	"fmt"
	stdio "io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
)

func recordingDiff(io streams) *cobra.Command {
	var accept []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two recordings by meaning, and show the first difference",
		Long: `Compare two recordings by meaning: which deliveries came in which order, session
by session, what was asked but for deadlines, and what was answered. Ids compare
by the order in which they appear, so that a session before and one after a
deploy can be held against each other without a worker. Exit 1 when they differ.

--accept lets a place differ, and all below it: a JSON pointer, in which * is any
one segment. One where nothing differs, or that covers more of an answer than
what does, is refused (exit 2), with what to give in its place.`,
		Example: `  hallmark recording diff before.jsonl after.jsonl
  hallmark recording diff --accept /actions/0/result --accept 'request:/messages/*/content' before.jsonl after.jsonl`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := recorder.ParseRules(accept)
			if err != nil {
				return usage("--accept %w", err)
			}
			c, err := diffFiles(args[0], args[1], recorder.DiffOptions{Accept: rules})
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(io, c)
			} else {
				err = printDiff(io.out, c, args)
			}
			switch {
			case err != nil:
				return err
			case c.First != nil:
				return &exitError{code: reports.ExitFailed}
			}
			return refusedRule("--accept", c.Refused)
		},
	}
	cmd.Flags().StringArrayVar(&accept, "accept", nil, "let the place at the JSON `POINTER` of answers differ, or of requests after request:; * is any segment; may be repeated")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// refusedRule is the error of the first rule, given by a flag, that is not to be
// given; nil when all are.
func refusedRule(flag string, refused []*recorder.RuleError) error {
	if len(refused) == 0 {
		return nil
	}
	hint := "leave it out"
	for i, p := range refused[0].Instead {
		if i == 0 {
			hint = "narrow it:"
		}
		hint += " " + flag + " " + reports.Quote(p)
	}
	return usage("%s %w", flag, refused[0]).hinted(hint)
}

func diffFiles(a, b string, opts recorder.DiffOptions) (c recorder.Comparison, err error) {
	var readers [2]stdio.ReadCloser
	for i, name := range []string{a, b} {
		if readers[i], err = openFile(name); err != nil {
			return c, err
		}
		defer readers[i].Close()
	}
	at := [2]error{}
	c, err = recorder.Diff(eventsOf(readers[0], &at[0]), eventsOf(readers[1], &at[1]), opts)
	if err != nil {
		name := a
		if at[1] != nil {
			name = b
		}
		return c, readError(name, cmp.Or(errors.Unwrap(err), err))
	}
	return c, nil
}

func printDiff(w stdio.Writer, c recorder.Comparison, names []string) error {
	agreed := counted(int(c.Exchanges), "exchange")
	f := c.First
	if f == nil {
		_, err := fmt.Fprintf(w, "the same: %s in %s agree\n", agreed, counted(c.Sessions, "session"))
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "different after %s: %s\n", agreed, f.What)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-8s %s\n", name, reports.Clean(value))
		}
	}
	where := f.Delivery
	field("where", strings.TrimSpace(f.Session+"  "+where))
	field("at", f.Pointer)
	field("a", f.A)
	field("b", f.B)
	flag := ""
	if f.What == recorder.WhatAnswer {
		flag = "--response "
	}
	for i, d := range []string{f.ExchangeA, f.ExchangeB} {
		if d != "" {
			field("see", "hallmark recording cat "+flag+reports.Quote(names[i])+" "+f.Session+"/"+d)
		}
	}
	_, err := stdio.WriteString(w, b.String())
	return err
}
