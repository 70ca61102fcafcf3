package reports

// What the text says, and how: lower case, no full stop at the end of a line
// of data; each problem once, the worst first; got above want; every line that
// can be pasted stands alone. Nothing is cut without saying so.

import (
	"bytes"
	"fmt"
	"io"
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

// maxPlaces is how many places of one problem are shown; one flaw of a worker
// often shows in every case.
const maxPlaces = 3

// WriteText writes r for a person: what failed and why, with lines that repeat
// it, then what is known of each area, then one line of sums. The same report
// gives the same bytes. The error is that of w.
func WriteText(w io.Writer, r *Report, opts TextOptions) error {
	t := &text{opts: opts}
	t.head(r)
	t.problems(r, spec.StatusFail)
	t.problems(r, spec.StatusWarn)
	t.expectations(r)
	t.harness(r)
	t.areas(r)
	t.open(r)
	t.sums(r)
	_, err := w.Write(t.b.Bytes())
	return err
}

type text struct {
	b    bytes.Buffer
	opts TextOptions
}

func (t *text) line(format string, args ...any) {
	fmt.Fprintf(&t.b, format, args...)
	t.b.WriteByte('\n')
}

func (t *text) head(r *Report) {
	what := r.Worker.URL
	if r.Worker.Name != "" {
		what = strings.TrimSpace(r.Worker.Name+" "+r.Worker.Version) + " at " + what
	}
	t.line("hallmark %s, requirements %s", r.MadeBy.Hallmark, r.MadeBy.Registry)
	t.line("worker   %s", Clean(what))
	if r.Worker.Start != "" {
		t.line("started  %s", Clean(r.Worker.Start))
	}
	t.line("agent    %q, session.start with %s, seed %d, clock %s", r.Worker.AgentID, formText(r.Worker.Form), r.Worker.Seed, r.Worker.Clock)
	if len(r.Worker.Tools) > 0 {
		t.line("tools    %s", toolsText(r.Worker.Tools))
	}
	t.line("")
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

func toolsText(tools []Tool) string {
	parts := make([]string, len(tools))
	for i, tool := range tools {
		parts[i] = fmt.Sprintf("%s (%d)", Clean(tool.Name), tool.Calls)
		if tool.Handler == spec.HandlerClient {
			parts[i] = Clean(tool.Name) + " (client)"
		}
	}
	return strings.Join(parts, ", ") + " — calls delivered in brackets"
}

// place is one finding with the case that it was found in.
type place struct {
	c *Case
	f Finding
}

// problems shows each requirement of the given status with its places.
func (t *text) problems(r *Report, status spec.Status) {
	for _, q := range r.Requirements {
		if q.Status != status && !(status == spec.StatusWarn && q.Status == spec.StatusKnownFailing) {
			continue
		}
		t.line("%s  %s (%s)", t.mark(q.Status), q.ID, q.Level)
		t.line("      %s", q.Text)
		places := placesOf(r, q.ID)
		t.line("      %s in %s", count(len(places), "place"), count(len(q.Cases), "case"))
		t.places(r, places)
		t.line("")
	}
}

func placesOf(r *Report, id string) []place {
	var out []place
	for i := range r.Cases {
		for _, f := range r.Cases[i].Findings {
			if f.Requirement == id {
				out = append(out, place{&r.Cases[i], f})
			}
		}
	}
	return out
}

func (t *text) places(r *Report, places []place) {
	for i, p := range places {
		if i == maxPlaces && !t.opts.All {
			t.line("      … and %s; --all shows them", count(len(places)-i, "more place"))
			return
		}
		t.place(p)
	}
}

func (t *text) place(p place) {
	t.line("")
	t.line("      %s", Clean(p.c.ID))
	if where := whereText(p.f); where != "" {
		t.field("where", where)
	}
	if p.f.Pointer != "" {
		t.field("at", p.f.Pointer)
	}
	t.field("got", p.f.Got)
	t.field("want", p.f.Want)
	if p.f.Hint != "" {
		t.field("hint", p.f.Hint)
	}
	if p.c.Recording != "" {
		t.field("file", p.c.Recording)
	}
	t.field("repeat", p.c.Repeat)
	t.field("curl", p.f.Curl)
}

func (t *text) field(name, value string) {
	if value == "" {
		return
	}
	for i, line := range strings.Split(Clean(value), "\n") {
		if i > 0 {
			name = ""
		}
		t.line("        %-7s %s", name, line)
	}
}

func whereText(f Finding) string {
	var parts []string
	if f.Exchange != "" {
		parts = append(parts, f.Session+"/"+f.Exchange)
	}
	if f.Trigger != "" {
		parts = append(parts, string(f.Trigger))
	}
	if f.Step != nil {
		parts = append(parts, fmt.Sprintf("step %d", *f.Step))
	}
	if f.Expectation != "" {
		at := f.Expectation
		if f.Line > 0 {
			at += fmt.Sprintf(", line %d", f.Line)
		}
		parts = append(parts, at)
	}
	return strings.Join(parts, "  ")
}

// expectations shows what scenarios wanted and did not get. Where a requirement
// failed in the same case, that is the cause and stands above, so one line is
// enough.
func (t *text) expectations(r *Report) {
	var shadowed []*Case
	for i := range r.Cases {
		c := &r.Cases[i]
		if len(c.Expectations) == 0 {
			continue
		}
		if len(c.Findings) > 0 && hasFailure(c) && !t.opts.All {
			shadowed = append(shadowed, c)
			continue
		}
		t.line("%s  %s", t.mark(spec.StatusFail), Clean(c.ID))
		if c.Title != "" {
			t.line("      %s", Clean(c.Title))
		}
		if c.About != "" {
			t.line("      %s", Clean(strings.TrimSpace(c.About)))
		}
		t.line("      %s of the scenario did not hold", count(len(c.Expectations), "expectation"))
		for _, f := range c.Expectations {
			t.place(place{c, f})
		}
		t.line("")
	}
	if len(shadowed) == 0 {
		return
	}
	t.line("also not met, in cases where a requirement above failed (--all shows them):")
	for _, c := range shadowed {
		t.line("      %s  %s", Clean(c.ID), count(len(c.Expectations), "expectation"))
	}
	t.line("")
}

func hasFailure(c *Case) bool {
	for _, f := range c.Findings {
		if f.Status == spec.StatusFail {
			return true
		}
	}
	return false
}

func (t *text) harness(r *Report) {
	for _, c := range r.Cases {
		if c.Status == spec.StatusError {
			t.line("%s  %s", t.mark(spec.StatusError), Clean(c.ID))
			t.line("      %s", Clean(c.Reason))
			t.line("")
		}
	}
}

// areas shows one line an area: how many of its requirements stand where.
func (t *text) areas(r *Report) {
	var order []string
	sums := map[string]*Counts{}
	for _, q := range r.Requirements {
		area, _, _ := strings.Cut(q.ID, ".")
		if sums[area] == nil {
			sums[area] = &Counts{}
			order = append(order, area)
		}
		sums[area].Add(q.Status)
	}
	for _, area := range order {
		t.line("  %-12s %s", area, countsText(*sums[area]))
	}
	t.line("")
	if t.opts.All {
		for _, q := range r.Requirements {
			if q.Status == spec.StatusPass {
				t.line("  %s  %s (%s), seen %s", t.mark(q.Status), q.ID, q.Level, count(q.Count, "time"))
			}
		}
		t.line("")
	}
}

// open shows what the run could not say anything about, and why.
func (t *text) open(r *Report) {
	for _, status := range []spec.Status{spec.StatusNotObserved, spec.StatusNotApplicable} {
		var lines []string
		for _, q := range r.Requirements {
			if q.Status == status {
				lines = append(lines, fmt.Sprintf("  %-36s %s", q.ID, Clean(q.Reason)))
			}
		}
		if len(lines) > 0 {
			t.line("%s:", strings.ReplaceAll(string(status), "-", " "))
			t.line("%s", strings.Join(lines, "\n"))
			t.line("")
		}
	}
	var lines []string
	for _, c := range r.Cases {
		if c.Status == spec.StatusNotApplicable || c.Status == spec.StatusNotObserved {
			lines = append(lines, fmt.Sprintf("  %s  %s", Clean(c.ID), Clean(c.Reason)))
		}
	}
	if len(lines) > 0 {
		t.line("cases without a verdict:")
		t.line("%s", strings.Join(lines, "\n"))
		t.line("")
	}
	if r.Ended != "" {
		t.line("partial: %s", Clean(r.Ended))
		t.line("")
	}
}

func (t *text) sums(r *Report) {
	t.line("%s: %s", count(r.Summary.Requirements.Total(), "requirement"), countsText(r.Summary.Requirements))
	t.line("%s: %s", count(r.Summary.Cases.Total(), "case"), countsText(r.Summary.Cases))
	t.line("%s in %s", count(r.Summary.Exchanges, "exchange"), durationText(r.Measured.Ms))
	t.line("%s", t.verdict(r))
}

func (t *text) verdict(r *Report) string {
	switch r.Exit {
	case ExitGood:
		return t.paint("good", green) + ": every requirement that was observed holds"
	case ExitFailed:
		return t.paint("failed", red) + ": " + failedText(r.Summary)
	case ExitUsage:
		return t.paint("nothing observed", yellow) + ": no requirement was put to the test"
	case ExitUnreachable:
		return t.paint("unreachable", red) + ": the worker could not be reached or started"
	default:
		return t.paint("error", red) + ": the harness erred; this says nothing about the worker"
	}
}

func failedText(s Summary) string {
	if s.Requirements.Fail == 0 {
		return count(s.Cases.Fail, "case") + " did not go as its scenario says"
	}
	return count(s.Requirements.Fail, "requirement") + " did not hold"
}
