package workertest

// What a failure says: the requirement and its text, each place with got above
// want, then the lines that lead back to it. Lower case, no full stop.

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// maxPlaces is how many places of one requirement in one case are shown.
const maxPlaces = 3

// requirement words the findings of one requirement in one case.
func (w *teller) requirement(t tester, c *reports.Case, findings []reports.Finding) string {
	var b strings.Builder
	id := findings[0].Requirement
	q, _ := spec.LookupRequirement(id)
	b.WriteString(verdict(findings[0].Status) + id)
	if q.Level != "" {
		fmt.Fprintf(&b, " (%s)", q.Level)
	}
	b.WriteString(" does not hold")
	if q.Text != "" {
		b.WriteString("\n" + q.Text)
	}
	for i, f := range findings {
		if i == maxPlaces {
			fmt.Fprintf(&b, "\n  … and %d more", len(findings)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		place(&b, f)
	}
	w.back(&b, t, c)
	return b.String()
}

// expectation words an expectation of a scenario that does not hold.
func (w *teller) expectation(t tester, c *reports.Case, f reports.Finding) string {
	var b strings.Builder
	b.WriteString(verdict(f.Status) + f.Expectation)
	if f.Line > 0 {
		fmt.Fprintf(&b, " (line %d)", f.Line)
	}
	b.WriteString(" of the scenario does not hold")
	for _, text := range []string{c.Title, c.About} {
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString("\n" + reports.Clean(text))
		}
	}
	place(&b, f)
	w.back(&b, t, c)
	return b.String()
}

// verdict marks what does not fail the test.
func verdict(s spec.Status) string {
	switch s {
	case spec.StatusWarn:
		return "warning: "
	case spec.StatusKnownFailing:
		return "known failing: "
	default:
		return ""
	}
}

// place writes what one finding says.
func place(b *strings.Builder, f reports.Finding) {
	field(b, "where", where(f.Finding))
	field(b, "at", f.Pointer)
	field(b, "got", f.Got)
	field(b, "want", f.Want)
	field(b, "hint", f.Hint)
	field(b, "curl", f.Curl)
}

// back writes the lines that lead back to the case.
func (w *teller) back(b *strings.Builder, t tester, c *reports.Case) {
	switch {
	case c.Recording == "":
	case w.kept:
		field(b, "file", c.Recording)
	default:
		field(b, "file", c.Recording+" (until the test ends; go test -artifacts keeps it)")
	}
	field(b, "repeat", repeatLine(t.Name()))
	field(b, "or", c.Repeat)
	field(b, "seed", strconv.FormatUint(w.seed, 10))
}

// field writes one value behind its name; further lines of it are indented
// alike.
func field(b *strings.Builder, name, value string) {
	if value == "" {
		return
	}
	for i, line := range strings.Split(reports.Clean(value), "\n") {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "\n  %-6s %s", name, line)
	}
}

// where names the exchange of a finding.
func where(f spec.Finding) string {
	var parts []string
	if f.Exchange != "" {
		parts = append(parts, f.Session+"/"+f.Exchange)
	}
	if f.Trigger != "" {
		parts = append(parts, string(f.Trigger))
	}
	if f.Step != nil && f.Expectation == "" {
		parts = append(parts, fmt.Sprintf("steps[%d]", *f.Step))
	}
	return strings.Join(parts, " ")
}
