package reports

// What the text says, and how: lower case, no full stop at the end of a line
// of data; each problem once, the worst first; got above want; every line that
// can be pasted stands alone. What is left out is counted.

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// TextOptions say how [WriteText] writes. The zero value writes plain text and
// the first places of each problem.
type TextOptions struct {
	// Color marks statuses by ANSI colours.
	Color bool
	// All shows every place of a problem instead of the first few, and the
	// requirements that hold.
	All bool
}

// WriteText writes r for a person: what failed and why, with lines that repeat
// it, then what is known of each area, then the sums and the verdict. The same
// report gives the same bytes. The error is that of w.
func WriteText(w io.Writer, r *Report, opts TextOptions) error {
	t := &text{opts: opts}
	if r.Played {
		t.played(r)
		_, err := w.Write(t.b.Bytes())
		return err
	}
	t.head(r)
	for _, hint := range r.Hints {
		t.block("hint: ", hint)
		t.line("")
	}
	t.problems(r, spec.StatusFail)
	t.problems(r, spec.StatusKnownFailing)
	t.problems(r, spec.StatusWarn)
	t.expectations(r)
	t.advice(r)
	t.harness(r)
	t.stale(r)
	if r.Production {
		t.production(r)
	} else {
		t.areas(r)
		t.open(r)
	}
	t.sums(r)
	_, err := w.Write(t.b.Bytes())
	return err
}

type text struct {
	b    bytes.Buffer
	opts TextOptions
}

// line writes one line. A line feed in it, say in the name of a tool, does not
// begin a second one, which could pass for a line of the report.
func (t *text) line(format string, args ...any) {
	t.b.WriteString(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", `\n`))
	t.b.WriteByte('\n')
}

// block writes text of several lines, each behind indent.
func (t *text) block(indent, value string) {
	for line := range strings.SplitSeq(Clean(value), "\n") {
		t.line("%s%s", indent, line)
	}
}

// list writes items separated by commas, in lines of a width that fits a
// terminal. first stands before the first line, indent before the others.
func (t *text) list(first, indent string, items []string) {
	const width = 100
	line := first
	for i, item := range items {
		if i < len(items)-1 {
			item += ","
		}
		if i > 0 && len(line)+1+len(item) > width {
			t.line("%s", line)
			line = indent + item
			continue
		}
		if i > 0 {
			line += " "
		}
		line += item
	}
	t.line("%s", line)
}

func (t *text) head(r *Report) {
	w := r.Worker
	what := w.URL
	if w.Name != "" {
		what = strings.TrimSpace(w.Name+" "+w.Version) + " at " + what
	}
	t.line("hallmark %s, requirements %s", Clean(r.MadeBy.Hallmark), Clean(r.MadeBy.Registry))
	t.line("worker   %s", Clean(what))
	if w.Start != "" {
		t.line("started  %s", Clean(w.Start))
	}
	t.line("agent    %s", Clean(agentText(w)))
	switch {
	case len(w.Tools) > 0:
		t.list("tools    ", "         ", toolsText(w.Tools))
		t.policies(w.Tools)
	case w.Form != "":
		t.line("tools    none declared, so nothing about tool calls was tested")
	}
	t.line("")
}

func agentText(w Worker) string {
	parts := []string{fmt.Sprintf("%q", w.AgentID), "session.start with " + formText(w.Form), fmt.Sprintf("seed %d", w.Seed)}
	if w.Clock != "" {
		parts = append(parts, "clock "+w.Clock)
	}
	if w.Dialect != nil && *w.Dialect != spec.DefaultDialect() {
		parts = append(parts, "dialect "+dialectText(*w.Dialect))
	}
	return strings.Join(parts, ", ")
}

// dialectText says in what a dialect differs from the default.
func dialectText(d spec.Dialect) string {
	plain := spec.DefaultDialect()
	var parts []string
	for _, p := range []struct{ key, value, usual string }{
		{"first_attempt", fmt.Sprint(d.FirstAttempt), fmt.Sprint(plain.FirstAttempt)},
		{"empty_proposed", d.EmptyProposed, plain.EmptyProposed},
		{"failed_call", d.FailedCall, plain.FailedCall},
		{"identity", d.Identity, plain.Identity},
	} {
		if p.value != "" && p.value != p.usual {
			parts = append(parts, p.key+" "+p.value)
		}
	}
	return strings.Join(parts, " and ")
}

func formText(form string) string {
	switch form {
	case "agent":
		return "a proposed agent"
	case "bare":
		return "no proposed agent"
	case "":
		return "no usable form"
	default:
		return form
	}
}

// toolsText names each tool with how often it was called.
func toolsText(tools []Tool) []string {
	parts := make([]string, len(tools))
	for i, tool := range tools {
		did := "not called"
		switch {
		case tool.Handler == spec.HandlerClient:
			did = "on the client"
		case tool.Calls > 0:
			did = count(tool.Calls, "call")
		}
		parts[i] = toolName(tool.Name) + " (" + did + ")"
	}
	return parts
}

// toolName is the name of a tool, cut where nobody reads on, and in quotes where
// a reader would not see it.
func toolName(name string) string {
	const longest = 80
	if strings.TrimSpace(name) == "" {
		return strconv.Quote(name)
	}
	if runes := []rune(name); len(runes) > longest {
		return Clean(string(runes[:longest])) + "…"
	}
	return Clean(name)
}

func (t *text) harness(r *Report) {
	for _, c := range r.Cases {
		if c.Status == spec.StatusError {
			t.line("%s%s", t.mark(spec.StatusError), Clean(c.ID))
			t.block("      ", c.Reason)
			t.line("")
		}
	}
}

func (t *text) sums(r *Report) {
	t.line("%s: %s", count(r.Summary.Requirements.Total(), "requirement"), countsText(r.Summary.Requirements))
	t.line("%s: %s", count(r.Summary.Cases.Total(), "case"), countsText(r.Summary.Cases))
	t.line("%s in %s", count(r.Summary.Exchanges, "exchange"), durationText(r.Measured.Ms))
	t.line("%s", t.verdict(r))
}

func (t *text) verdict(r *Report) string {
	switch {
	case r.Exit == ExitGood && r.Summary.Requirements.KnownFailing+r.Summary.Cases.KnownFailing > 0:
		n := r.Summary.Requirements.KnownFailing
		if n == 0 {
			n = r.Summary.Cases.KnownFailing
		}
		return t.paint("good", green) + ", with " + count(n, "known failure") + ": nothing else failed"
	case r.Exit == ExitGood && r.Summary.Requirements.Warn > 0:
		return t.paint("good", green) + ", with " + warnedText(r) + ": nothing failed"
	case r.Exit == ExitGood:
		return t.paint("good", green) + ": every requirement that was observed holds"
	case r.Exit == ExitFailed:
		return t.paint("failed", red) + ": " + failedText(r)
	case r.Exit == ExitUnreachable:
		return t.paint("unreachable", red) + ": the worker could not be reached or started"
	case r.Exit == ExitIO:
		return t.paint("partial", yellow) + ": nothing failed in what could be read"
	case r.Exit == ExitUsage && r.Ended != "":
		return t.paint("not finished", yellow) + ": the run ended before every case had its turn"
	case r.Exit == ExitUsage:
		if r.idle() {
			return t.paint("nothing ran", yellow) + ": no chosen case applies to this worker"
		}
		return t.paint("nothing observed", yellow) + ": no requirement was put to the test"
	default:
		return t.paint("error", red) + ": the harness erred; this says nothing about the worker"
	}
}

// warnedText counts what warned and what was advised.
func warnedText(r *Report) string {
	advice := 0
	for _, q := range r.Requirements {
		if q.Status == spec.StatusWarn && q.Level == spec.Advice {
			advice++
		}
	}
	var parts []string
	if n := r.Summary.Requirements.Warn - advice; n > 0 {
		parts = append(parts, count(n, "warning"))
	}
	if advice > 0 {
		parts = append(parts, count(advice, "note"))
	}
	return strings.Join(parts, " and ")
}

// failedText names both kinds of failure; a case in which a requirement failed
// as well is counted there.
func failedText(r *Report) string {
	var parts []string
	if n := r.Summary.Requirements.Fail; n > 0 {
		parts = append(parts, count(n, "requirement")+" did not hold")
	}
	n := 0
	for i := range r.Cases {
		if c := &r.Cases[i]; c.Status == spec.StatusFail && !hasFailure(c) {
			n++
		}
	}
	switch {
	case n == 1:
		parts = append(parts, "1 case did not go as its scenario says")
	case n > 1:
		parts = append(parts, count(n, "case")+" did not go as the scenario says")
	}
	if n := len(r.Stale); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of the baseline no longer holds", n))
	}
	return strings.Join(parts, ", ")
}
