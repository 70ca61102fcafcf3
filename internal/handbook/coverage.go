package handbook

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// Coverage is docs/coverage.md: what stands behind each requirement, fault,
// rule and field report, with all counts. Root is the project's folder, from
// which the golden vectors are counted. Safe for concurrent use.
func Coverage(docs []*scenarios.Document, root fs.FS) (string, error) {
	golden, err := goldenVectors(root)
	if err != nil {
		return "", err
	}
	var p page
	p.line("%s\n# What is covered", made)
	p.counts(docs, golden)
	p.matrix(docs)
	p.faultTable()
	p.rules()
	p.fieldReports(docs)
	p.vectorTable(golden)
	return p.String(), nil
}

func (p *page) counts(docs []*scenarios.Document, golden []vectorFile) {
	cases, vectors := 0, 0
	for _, d := range docs {
		cases += len(d.Cases)
	}
	for _, g := range golden {
		vectors += g.count
	}
	p.line("\n| what | how many |\n|---|---|")
	p.line("| requirements (registry %s) | %s |", spec.RegistryVersion, levelCounts(spec.Requirements()))
	p.line("| scenarios | %d, with %d cases as written; one that asks for any tool runs for each |", len(docs), cases)
	p.line("| faults of the built-in worker | %d |", len(reference.Faults()))
	p.line("| failures seen in public | %d |", len(spec.FieldReports()))
	p.line("| golden vectors of the simulated engine | %d |", vectors)
}

// matrix prints faults × requirements by its rows.
func (p *page) matrix(docs []*scenarios.Document) {
	p.line("\n## Requirements, and the faults that show each red")
	p.line("\nEach fault is run against every scenario: it turns red what it names, and nothing else.")
	for _, area := range spec.Areas() {
		p.line("\n### %s\n\n| requirement | level | scenarios | faults |\n|---|---|---|---|", area)
		for _, q := range spec.Requirements() {
			if q.Area() == area {
				p.line("| [%s](requirements.md#%s) | %s | %s | %s |", q.ID, anchor(q.ID), q.Level, scenarioCount(q, docs), inCode(faultsOf(q.ID)))
			}
		}
	}
}

// scenarioCount is how many scenarios bring a requirement about.
func scenarioCount(q spec.Requirement, docs []*scenarios.Document) string {
	if besideScenarios[q.ID] != "" {
		return "any"
	}
	return fmt.Sprint(len(naming(docs, q.ID)))
}

// anchor is the anchor of a heading as Markdown's renderers make it.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), ".", "")
}

// faultTable prints faults × requirements by its columns.
func (p *page) faultTable() {
	p.line("\n## Faults\n\nWhat a blunt fault makes unreachable cannot be observed any more; it is listed beside what turns red.")
	p.line("\n| fault | what the worker then does | turns red | no longer observed |\n|---|---|---|---|")
	for _, f := range reference.Faults() {
		p.line("| `%s` | %s | %s | %s |", f.Name, escaped(f.Text), inCode(f.Breaks), inCode(f.Hides))
	}
}

// rules prints for each rule of the protocol what comes from it.
func (p *page) rules() {
	from := map[string][]string{}
	for _, q := range spec.Requirements() {
		for _, s := range q.Source {
			if rule, ok := strings.CutPrefix(s, "rule:"); ok {
				from[rule] = append(from[rule], q.ID)
			}
		}
	}
	why := map[string]string{}
	for _, e := range spec.Exclusions() {
		why[e.Rule] = e.Reason
	}
	p.line("\n## Rules of the protocol\n\n| rule | requirements that come from it, or why none does |\n|---|---|")
	for _, rule := range ruleOrder(from, why) {
		if ids := from[rule]; len(ids) > 0 {
			p.line("| %s | %s |", rule, inCode(ids))
			continue
		}
		p.line("| %s | %s |", rule, escaped(why[rule]))
	}
}

// ruleOrder sorts rules by letter, then by number.
func ruleOrder(from map[string][]string, why map[string]string) []string {
	var all []string
	for rule := range from {
		all = append(all, rule)
	}
	for rule := range why {
		all = append(all, rule)
	}
	slices.SortFunc(all, func(a, b string) int {
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(all)
}

// vectorFile is a file of golden vectors.
type vectorFile struct {
	name  string
	count int
}

// vectorName is the line that begins a vector.
var vectorName = regexp.MustCompile(`(?m)^ *- name: `)

// vectorFolders hold the golden vectors, each beside the tests that run them.
var vectorFolders = []string{"simulator/engine/testdata/vectors", "spec/toolcall/testdata/vectors"}

// goldenVectors counts the vectors of each file.
func goldenVectors(root fs.FS) ([]vectorFile, error) {
	var all []vectorFile
	seen := map[string]bool{}
	for _, folder := range vectorFolders {
		names, err := fs.Glob(root, path.Join(folder, "*.yaml"))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: no vectors there; run from the project's folder", folder)
		}
		for _, name := range names {
			if seen[path.Base(name)] {
				continue // a copy: two packages run the same file
			}
			seen[path.Base(name)] = true
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return nil, err
			}
			all = append(all, vectorFile{name, len(vectorName.FindAll(text, -1))})
		}
	}
	return all, nil
}

func (p *page) vectorTable(golden []vectorFile) {
	p.line("\n## Golden vectors\n\n| file | vectors |\n|---|---|")
	for _, g := range golden {
		p.line("| [%s](../%s) | %d |", g.name, g.name, g.count)
	}
}
