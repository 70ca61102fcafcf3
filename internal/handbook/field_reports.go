package handbook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// fieldReports prints the failures that were seen in public, and what stands for
// each. Engine and harness are held by tests of their own, which name it.
func (p *page) fieldReports(docs []*scenarios.Document) {
	p.line("\n## Failures seen in public")
	p.line("\nEach stands for its kind. *Whose* says who can get it wrong: a worker, which scenarios")
	p.line("show; an engine, or whoever drives, records and compares, which tests of Hallmark's")
	p.line("own parts show.")
	p.line("\n| number | what went wrong | whose | scenarios | requirements | beyond reach |\n|---|---|---|---|---|---|")
	for _, r := range spec.FieldReports() {
		p.line("| %s | %s %s | %s | %s | %s | %s |", r.Number, escaped(r.Title), sources(r), sidesOf(r),
			inCode(scenariosOf(r, docs)), inCode(requirementsOf(r)), escaped(r.Limit))
	}
	for _, gap := range spec.FieldGaps() {
		p.line("\n%s is not covered for the %s: %s", gap.Number, gap.Side, escaped(gap.Reason))
	}
}

// sources are links to the pages that tell of a report.
func sources(r spec.FieldReport) string {
	links := make([]string, len(r.Sources))
	for i, url := range r.Sources {
		links[i] = fmt.Sprintf("[%d](%s)", i+1, url)
	}
	return strings.Join(links, " ")
}

func sidesOf(r spec.FieldReport) string {
	words := make([]string, len(r.Sides))
	for i, s := range r.Sides {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// scenariosOf are the scenarios whose refs name a report.
func scenariosOf(r spec.FieldReport, docs []*scenarios.Document) []string {
	var names []string
	for _, d := range docs {
		if slices.Contains(d.Refs, r.Ref()) {
			names = append(names, d.Name)
		}
	}
	return names
}

// requirementsOf are the requirements that come from a report.
func requirementsOf(r spec.FieldReport) []string {
	var ids []string
	for _, q := range spec.Requirements() {
		if slices.Contains(q.Source, r.Ref()) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}
