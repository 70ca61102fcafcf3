package scenarios

import (
	"slices"

	"github.com/hallmarkdev/hallmark/internal/suggest"
)

// Parse reads one scenario with the checks that need nothing but the text.
// file is the slash path that the document is named by and that problems
// quote. The error is of type [Problems] and holds every fault of the file:
// what the YAML reader refuses (R14), unknown and repeated keys, values of the
// wrong kind, unknown words, labels and references, bad durations, pointers and
// expressions. The document is nil when there is an error.
//
// A file is at most 1 MiB, 100 levels deep and 100,000 values long.
func Parse(file string, text []byte) (*Document, error) {
	return ParseWith(file, text, Options{})
}

// ParseWith is [Parse] with the checks that the options add.
func ParseWith(file string, text []byte, options Options) (*Document, error) {
	root, problems, warnings := read(file, text)
	if root == nil {
		return nil, problems.sorted().err()
	}
	d := &decoder{options: options, problems: problems}
	doc := d.document(root)
	doc.Source = slices.Clone(text)
	doc.Warnings = warnings
	d.checkReferences(doc)
	doc.Warnings = append(doc.Warnings, hostedWarnings(doc)...).sorted()
	d.checkLabels(doc.Given, doc.Steps, doc.Finally, doc.Twins)
	d.checkNames(doc)
	if err := d.err(file); err != nil {
		return nil, err
	}
	return doc, nil
}

// checkNames wants the names of a document to be unique and its requirements
// to exist.
func (d *decoder) checkNames(doc *Document) {
	cases := map[string]Pos{}
	for _, entry := range doc.Cases {
		if first, twice := cases[entry.Name]; twice && entry.Name != "" {
			d.problem(entry.Pos, "give each case a name of its own", "the case name %q stands twice, first at line %d",
				entry.Name, first.Line)
			continue
		}
		cases[entry.Name] = entry.Pos
	}
	for _, variation := range doc.Vary {
		for _, entry := range doc.Cases {
			for _, value := range entry.Values {
				if value.Name == variation.Name {
					d.problem(variation.Pos, "take another name", "$case.%s is a key of case %q already",
						variation.Name, entry.Name)
				}
			}
		}
	}
	d.checkRequirements(doc)
}

func (d *decoder) checkRequirements(doc *Document) {
	known := make(map[string]bool, len(d.options.Requirements))
	for _, id := range d.options.Requirements {
		known[id] = true
	}
	for _, requirement := range doc.Requirements {
		switch {
		case requirement.ID == "":
			// not a text, and reported as such
		case !requirementForm.MatchString(requirement.ID):
			d.problem(requirement.Pos, "ids look like execute.settles-once", "%q is no requirement id", requirement.ID)
		case d.options.Requirements != nil && !known[requirement.ID]:
			hint := suggest.Hint(requirement.ID, d.options.Requirements)
			if hint == "" {
				hint = "`hallmark requirements list` prints them all"
			}
			d.problem(requirement.Pos, hint, "unknown requirement %q", requirement.ID)
		}
	}
}
