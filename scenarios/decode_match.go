package scenarios

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/schema"
)

// match reads a demand on a value. A scalar or a list means equality, an
// object holds operators.
func (d *decoder) match(n *node) *Match {
	m := &Match{Pos: n.pos}
	n = d.value(n)
	if n.kind != kindObject {
		m.Equals = d.json(n)
		return m
	}
	_, has := d.object(n, "a match",
		field{"equals", func(n *node) { m.Equals = d.json(n) }},
		field{"contains", func(n *node) { m.Contains = d.json(n) }},
		field{"matches", func(n *node) { m.Matches = d.expression(n) }},
		field{"like", func(n *node) { m.Like = d.optionalText(n) }},
		field{"one_of", func(n *node) { m.OneOf = list(d, n, "a list of values", d.json) }},
		field{"not", func(n *node) { m.Not = d.match(n) }},
		field{"subset", func(n *node) { m.Subset = d.json(n) }},
		field{"schema", func(n *node) { m.Schema = d.schema(n) }},
		field{"length", func(n *node) { m.Length = d.length(n) }},
		field{"under", func(n *node) { m.Under = d.integer(n, 0, anyNumber) }},
		field{"type", func(n *node) {
			m.Type = d.word(n, "a type", "string", "number", "boolean", "null", "array", "object")
		}},
		field{"absent", func(n *node) { m.Absent = d.onlyTrue(n, "absent") }},
		field{"present", func(n *node) { m.Present = d.onlyTrue(n, "present") }},
	)
	if len(has) == 0 {
		d.problem(n.pos, "to compare with an empty object write {equals: {}}", "the match has no operator")
	}
	d.exclude(n.pos, has, "absent", "present")
	return m
}

// expression reads an RE2 expression.
func (d *decoder) expression(n *node) *string {
	text := d.text(n)
	if d.open(n) {
		return &text
	}
	if _, err := regexp.Compile(text); err != nil {
		d.problem(n.pos, "the form is RE2: https://github.com/google/re2/wiki/Syntax", "bad expression: %s", plainRegexpError(err))
	}
	return &text
}

func plainRegexpError(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// schema reads a JSON Schema and compiles it, once its references are known.
func (d *decoder) schema(n *node) jsontext.Value {
	raw := d.json(n)
	n = d.value(n)
	if d.scope == nil && holdsReference(n) {
		return raw
	}
	if _, err := schema.Compile(raw); err != nil {
		d.problem(n.pos, "", "bad JSON Schema: %s", strings.TrimPrefix(err.Error(), "build schema: "))
	}
	return raw
}

func (d *decoder) length(n *node) *Length {
	l := &Length{Pos: n.pos}
	n = d.value(n)
	if n.kind != kindObject {
		l.Min = d.integer(n, 0, anyNumber)
		l.Max = l.Min
		return l
	}
	_, has := d.object(n, "a length",
		field{"min", func(n *node) { l.Min = d.integer(n, 0, anyNumber) }},
		field{"max", func(n *node) { l.Max = d.integer(n, 0, anyNumber) }},
	)
	if len(has) == 0 {
		d.problem(n.pos, "write a number or {min: N, max: N}", "the length has no bounds")
	}
	if l.Min != nil && l.Max != nil && *l.Min > *l.Max {
		d.problem(n.pos, "", "the smallest length %d is above the largest %d", *l.Min, *l.Max)
	}
	return l
}
