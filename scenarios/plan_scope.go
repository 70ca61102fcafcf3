package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// scope holds what the references of one case name.
func (x *expander) scope(d *decoder, values *node, chosen []choice, bound []Binding, copied int) *scope {
	budget := maxCaseBytes
	s := &scope{budget: &budget}
	for _, binding := range bound {
		s.names = append(s.names, boundName(binding))
	}
	s.names = append(s.names,
		scopeName{name: "copy", value: finalNumber(strconv.Itoa(copied))},
		x.planner.variables(),
	)
	// Values of a case may speak of all names but the case itself.
	d.scope = s
	entry := scopeName{name: "case", hint: "add the key to the case"}
	if values != nil {
		for i, key := range values.keys {
			if key.name != "name" {
				entry.parts = append(entry.parts, scopePart{name: key.name, value: d.final(values.items[i])})
			}
		}
	}
	for _, one := range chosen {
		entry.parts = append(entry.parts, scopePart{name: one.name, value: d.final(one.value)})
	}
	s.names = append(s.names, entry)
	return s
}

func finalText(text string) *node   { return &node{kind: kindText, text: text, final: true} }
func finalNumber(text string) *node { return &node{kind: kindNumber, text: text, final: true} }

// boundName is the name of a bound tool with its parts.
func boundName(binding Binding) scopeName {
	name := scopeName{name: binding.Label, value: finalText(binding.Tool.Name)}
	part := func(key string, value jsontext.Value, missing string) {
		p := scopePart{name: key, missing: missing}
		if len(value) > 0 {
			if n, err := fromJSON(value, Pos{}); err == nil {
				p.value, p.missing = n, ""
			}
		}
		name.parts = append(name.parts, p)
	}
	tool := binding.Tool.Name
	part("sample", binding.Sample, fmt.Sprintf("the tool %s has no sample", tool))
	name.parts = append(name.parts, scopePart{name: "description", value: finalText(binding.Tool.Description)})
	input := binding.Tool.Input
	if len(input) > maxFileBytes || jsonDepth(input) > maxDepth {
		input = nil
	}
	part("input", input, fmt.Sprintf("the tool %s declares no input schema", tool))
	return name
}

// variables is the name var with the values of the command line.
func (p *planner) variables() scopeName {
	name := scopeName{name: "var", hint: "pass --var NAME=VALUE"}
	for _, key := range slices.Sorted(maps.Keys(p.options.Vars)) {
		text := p.options.Vars[key]
		kind := scalarKind(text)
		if kind == kindNothing {
			kind = kindText
		}
		value := &node{kind: kind, text: text, final: true, loose: true}
		name.parts = append(name.parts, scopePart{name: key, value: value})
	}
	return name
}

// final resolves a value of a case with everything in it. A text recipe is
// written out.
func (d *decoder) final(n *node) *node {
	n = d.value(n)
	if n.final && n.kind != kindList && n.kind != kindObject {
		return n
	}
	if isRecipe(n) {
		text := finalText(d.textRecipe(n).String())
		text.pos = n.pos
		return text
	}
	resolved := *n
	resolved.final = true
	resolved.items = make([]*node, len(n.items))
	for i, item := range n.items {
		resolved.items[i] = d.final(item)
	}
	return &resolved
}
