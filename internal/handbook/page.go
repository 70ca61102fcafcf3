package handbook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// Page is the page of one requirement for a terminal: what it asks and why, an
// exchange that keeps it and one that breaks it, and how to see either. Docs are
// the scenarios that may bring it about. Safe for concurrent use.
func Page(q spec.Requirement, docs []*scenarios.Document) string {
	var p page
	p.line("%s (%s, protocol %s, registry %s)", q.ID, q.Level, q.Since, q.Added)
	p.line("\n%s", q.Text)
	p.line("\nwhy it matters\n  %s", q.Why)
	p.example("good", q.Good)
	p.example("bad", q.Bad)
	p.line("\nusual cause of the bad one\n  %s", q.Cause)
	p.line("\nbrought about by")
	if why := besideScenarios[q.ID]; why != "" {
		p.line("  %s", why)
	}
	for _, d := range naming(docs, q.ID) {
		p.line("  %-36s %s", d.Name, d.Title)
	}
	p.faults(q.ID)
	p.line("\nsource    %s\nevidence  %s", strings.Join(q.Source, ", "), evidenceWords[q.Evidence])
	return p.String()
}

// evidenceWords say what a recording has to hold.
var evidenceWords = map[spec.Evidence]string{
	spec.EvidenceExchange: "one request and its answer",
	spec.EvidenceSession:  "the exchanges of a session, from its beginning",
	spec.EvidenceEngine:   "what only a simulated engine writes down",
	spec.EvidenceProvoked: "something that a run does on purpose",
}

// naming are the scenarios that list a requirement.
func naming(docs []*scenarios.Document, id string) []*scenarios.Document {
	var named []*scenarios.Document
	for _, d := range docs {
		if slices.ContainsFunc(d.Requirements, func(r scenarios.Requirement) bool { return r.ID == id }) {
			named = append(named, d)
		}
	}
	return named
}

// page is a page as it grows.
type page struct{ strings.Builder }

func (p *page) line(format string, values ...any) {
	_, _ = fmt.Fprintf(p, format+"\n", values...)
}

// example prints one exchange in the order in which it happens.
func (p *page) example(title string, e spec.Example) {
	p.line("\n%s", title)
	if e.Declares != "" {
		p.part("declared", "bad_arguments: "+e.Declares+" (in hallmark.yaml)")
	}
	again := "and asked again, since this may never have arrived:"
	if e.Signature != "" {
		p.part("signature", e.Signature)
		again = "and asked with the right signature:"
	}
	if e.Before != "" {
		p.part("asked", cmp.Or(e.BeforeTrigger, e.Trigger))
		if e.BeforeTrigger != "" {
			again = "and asked again:"
		}
		p.part("answered", e.Before+"\n"+again)
	}
	p.part("asked", e.Trigger)
	if given, err := jsonv.Members([]byte(e.Given)); err == nil {
		for _, m := range given {
			p.part("with", m.Name+" "+string(m.Value))
		}
	}
	p.part("answered", e.Answer)
	for _, s := range e.Settles {
		answer := fmt.Sprintf("\nto the settle endpoint, which answers %d", s.Status)
		if s.Reply != "" {
			answer += ": " + s.Reply
		}
		if s.From != "" {
			answer += "; it is not the worker that sends this"
		}
		p.part("settled", s.Body+answer)
	}
}

// part prints one part of an exchange; the lines of a response stand below each
// other, and bytes that are no text as escapes.
func (p *page) part(name, text string) {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	lines := strings.Split(reports.Clean(text), "\n")
	p.line("  %-9s %s", name, shortened(lines[0]))
	for _, l := range lines[1:] {
		p.line("%s", strings.TrimRight("            "+shortened(l), " "))
	}
}

// longLine is the length beyond which only the two ends of a line are printed.
const longLine = 1200

// shortened is a line of an example whose point is its length, cut in the
// middle.
func shortened(line string) string {
	runes := []rune(line)
	if len(runes) <= longLine {
		return line
	}
	const kept = longLine / 3
	return fmt.Sprintf("%s … %d characters … %s", string(runes[:kept]), len(runes)-2*kept, string(runes[len(runes)-kept:]))
}

// faults prints the faults of the reference worker that break a requirement.
func (p *page) faults(id string) {
	// The best to look at is the first that breaks nothing else.
	best, alone := "", false
	for _, f := range reference.Faults() {
		if !slices.Contains(f.Breaks, id) {
			continue
		}
		if best == "" {
			p.line("\nbroken by the built-in worker's faults")
			best = f.Name
		}
		if len(f.Breaks) == 1 && !alone {
			best, alone = f.Name, true
		}
		p.line("  %-28s %s", f.Name, f.Text)
		if policy := f.Claims[spec.AllTools]; policy != "" {
			p.line("  %-28s (with bad_arguments: %s in hallmark.yaml)", "", policy)
		}
	}
	if best != "" {
		p.line("  see it: hallmark demo --fault %s", best)
	}
}
