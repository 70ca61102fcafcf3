package handbook

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// made is the first line of each page, for whoever would edit it.
const made = "<!-- Made by go generate ./internal/handbook. Change the registry, not this page. -->\n"

// Requirements is docs/requirements.md: every requirement of the registry with
// its text, level, source and evidence, an exchange that keeps it and one that
// breaks it, the scenarios that bring it about and the faults that show it red.
// Safe for concurrent use.
func Requirements(docs []*scenarios.Document) string {
	var p page
	p.line("%s\n# The requirements", made)
	p.line("\nRegistry %s. %s.", spec.RegistryVersion, levelCounts(spec.Requirements()))
	p.line("\nA *must* that does not hold fails a run: a turn fails or data is lost. A *should*")
	p.line("warns, and fails a run with `--strict`: it is tolerated, and harmful. *Advice* is")
	p.line("about tools that a model can use well, and never fails a run.")
	p.line("\nSources name the protocol's rules (`rule:F1`), its open places (`gap:17`), the")
	p.line("sections about its wire (`wire:3`), and failures seen in public (`field-report:080`),")
	p.line("which [coverage.md](coverage.md) lists.")
	for _, area := range spec.Areas() {
		p.line("\n## %s", area)
		for _, q := range spec.Requirements() {
			if q.Area() == area {
				p.requirement(q, docs)
			}
		}
	}
	return p.String()
}

// requirement prints one requirement for the page of all.
func (p *page) requirement(q spec.Requirement, docs []*scenarios.Document) {
	p.line("\n### %s", q.ID)
	p.line("\n**%s**, since protocol %s, registry %s. Source: %s. Evidence: %s.",
		q.Level, q.Since, q.Added, strings.Join(q.Source, ", "), evidenceWords[q.Evidence])
	p.line("\n%s", escaped(q.Text))
	p.line("\n*Why it matters.* %s", escaped(q.Why))
	p.line("\n```text")
	var example page
	example.example("good", q.Good)
	example.example("bad", q.Bad)
	p.line("%s\n```", strings.Trim(example.String(), "\n"))
	p.line("\n*Usual cause of the bad one.* %s", escaped(q.Cause))
	p.line("\nBrought about by %s.", broughtAboutBy(q, docs))
	p.line("\nBroken by the built-in worker with %s.", inCode(faultsOf(q.ID)))
}

// broughtAboutBy says in which scenarios a requirement is observed.
func broughtAboutBy(q spec.Requirement, docs []*scenarios.Document) string {
	if why := besideScenarios[q.ID]; why != "" {
		return escaped(why)
	}
	var links []string
	for _, d := range naming(docs, q.ID) {
		links = append(links, fmt.Sprintf("[%s](../scenarios/corpus/%s)", d.Name, d.Name))
	}
	return strings.Join(links, ", ")
}

// faultsOf are the names of the faults that break a requirement.
func faultsOf(id string) []string {
	var names []string
	for _, f := range reference.Faults() {
		if slices.Contains(f.Breaks, id) {
			names = append(names, f.Name)
		}
	}
	return names
}

// levelCounts says how many requirements there are, by level.
func levelCounts(all []spec.Requirement) string {
	n := map[spec.Level]int{}
	for _, q := range all {
		n[q.Level]++
	}
	return fmt.Sprintf("%d requirements: %d must, %d should, %d advice", len(all), n[spec.Must], n[spec.Should], n[spec.Advice])
}

// inCode joins names, each as code; a dash stands for none.
func inCode(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	return cmp.Or(strings.Join(quoted, ", "), "–")
}

// markup escapes what Markdown would take for markup. Text of the registry is
// plain; underscores inside words stay as they are.
var markup = strings.NewReplacer(`\`, `\\`, "<", "&lt;", "*", `\*`, "`", "\\`", "|", `\|`, "[", `\[`)

func escaped(text string) string { return markup.Replace(text) }
