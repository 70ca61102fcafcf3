package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var requirementForm = regexp.MustCompile(`^[a-z-]+(\.[a-z0-9-]+)+$`)

// toolParts are the parts of a bound tool.
var toolParts = []string{"sample", "description", "input"}

// region says which names a part of a document may refer to. Command-line
// variables are known everywhere.
type region struct{ cases, tools, counter bool }

// checkReferences wants each reference of the file to name something. Prose
// (titles, notes) has none; needs are read before tools are bound.
func (d *decoder) checkReferences(doc *Document) {
	for i, key := range doc.root.keys {
		switch key.name {
		case "scenario", "about", "refs", "tags", "requirements":
		case "needs":
			d.walkReferences(doc, doc.root.items[i], region{})
		case "cases", "vary":
			d.walkReferences(doc, doc.root.items[i], region{tools: true})
		default:
			d.walkReferences(doc, doc.root.items[i], region{cases: true, tools: true})
		}
	}
}

func (d *decoder) walkReferences(doc *Document, n *node, in region) {
	if n.member("repeat") != nil {
		in.counter = true
	}
	for i, item := range n.items {
		if n.kind == kindObject && n.keys[i].name == "note" {
			continue
		}
		d.walkReferences(doc, item, in)
	}
	if n.kind != kindText {
		return
	}
	doc.warnOfBareNames(n, in)
	if !hasReference(n.text) {
		return
	}
	if ref, ok := whole(n.text); ok {
		d.checkReference(doc, n.pos, ref, in)
		return
	}
	all, err := pieces(n.text)
	if err != nil {
		d.problem(n.pos, "for a dollar sign write $$", "%s", err)
	}
	for _, piece := range all {
		if piece.ref != nil {
			d.checkReference(doc, n.pos, *piece.ref, in)
		}
	}
}

var bareName = regexp.MustCompile(`\$([a-z][a-z0-9_]*)(\.[A-Za-z0-9_-]*[A-Za-z0-9_])?`)

// warnOfBareNames remarks $name in the middle of a text: it stands for itself,
// and the writer may have meant ${name}.
func (doc *Document) warnOfBareNames(n *node, in region) {
	if _, ok := whole(n.text); ok {
		return
	}
	for _, found := range bareName.FindAllStringSubmatch(strings.ReplaceAll(n.text, "$$", ""), -1) {
		if slices.Contains(doc.referenceNames(in), found[1]) {
			doc.Warnings = append(doc.Warnings, Problem{n.pos,
				fmt.Sprintf("%s inside a text stands for itself", found[0]),
				fmt.Sprintf("write ${%s} for its value, or $%s", found[0][1:], found[0])})
		}
	}
}

func (d *decoder) checkReference(doc *Document, pos Pos, ref reference, in region) {
	report := func(p *Problem) { d.problem(pos, p.Hint, "%s", p.Message) }
	switch {
	case ref.name == "var":
		if ref.part == "" {
			report(&Problem{Message: "$var has no value of its own", Hint: "write $var.NAME and pass --var NAME=VALUE"})
		}
	case ref.name == "case" && in.cases:
		d.checkCaseReference(doc, pos, ref)
	case ref.name == "n" && in.counter, ref.name == "copy":
		if ref.part != "" {
			report(unknownPart(ref, nil, "write $"+ref.name))
		}
	case in.tools && toolNeed(doc.Needs, ref.name) != nil:
		if ref.part != "" && !slices.Contains(toolParts, ref.part) {
			report(unknownPart(ref, toolParts, ""))
		}
	case ref.name == "n":
		report(&Problem{Message: "$n is only known inside a repeat", Hint: "for a dollar sign write $$"})
	case ref.name == "case":
		report(&Problem{Message: "$case is not known here", Hint: "cases are made after needs and cases are read"})
	default:
		report(unknownName(ref, doc.referenceNames(in)))
	}
}

func (d *decoder) checkCaseReference(doc *Document, pos Pos, ref reference) {
	if ref.part == "" {
		d.problem(pos, "write $case.KEY", "$case has no value of its own")
		return
	}
	for _, variation := range doc.Vary {
		if variation.Name == ref.part {
			return
		}
	}
	var known []string
	for _, entry := range doc.Cases {
		for _, value := range entry.Values {
			if !slices.Contains(known, value.Name) {
				known = append(known, value.Name)
			}
		}
	}
	for _, entry := range doc.Cases {
		if entry.value(ref.part) != nil {
			continue
		}
		if slices.Contains(known, ref.part) {
			d.problem(pos, fmt.Sprintf("add %s to the case", ref.part), "%s is missing in case %q", ref, entry.Name)
			continue
		}
		problem := unknownPart(ref, known, "add the key to each case")
		d.problem(pos, problem.Hint, "%s", problem.Message)
		return
	}
}

// value returns the named value of the case, or nil.
func (c *CaseEntry) value(name string) *NamedValue {
	for i := range c.Values {
		if c.Values[i].Name == name {
			return &c.Values[i]
		}
	}
	return nil
}

// toolNeed returns the need that binds the label, or nil.
func toolNeed(needs Needs, label string) *ToolNeed {
	if label == "tool" {
		return needs.Tool
	}
	for i := range needs.Tools {
		if needs.Tools[i].Label == label {
			return &needs.Tools[i]
		}
	}
	return nil
}

// referenceNames are the names that may be referred to, for hints.
func (doc *Document) referenceNames(in region) []string {
	var all []string
	if in.cases {
		all = append(all, "case")
	}
	if in.tools {
		if doc.Needs.Tool != nil {
			all = append(all, "tool")
		}
		for _, need := range doc.Needs.Tools {
			all = append(all, need.Label)
		}
	}
	return append(all, "copy", "var")
}
