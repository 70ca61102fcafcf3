package arguments

import (
	"fmt"
	"math/big"
	"slices"
)

// view is what a schema demands of one value, with references, allOf and the
// chosen alternatives folded in.
type view struct {
	// layers are the schema objects that all must hold, outermost first.
	layers []*tree
	// alternatives is the product of the numbers of alternatives, bounded.
	alternatives int
}

// refused is the reason why no value can be made, and where.
type refused struct{ pointer, reason string }

// folder folds schemas for one place.
type folder struct {
	m    *maker
	view view
	at   place
	// turn picks the alternatives: its digits, in the mixed base that their
	// numbers are.
	turn int
	seen map[*tree]bool
}

// maxAlternatives bounds the turns that are tried at one place.
const maxAlternatives = 64

// fold folds schemas that all must hold.
func (m *maker) fold(schemas []*tree, at place, turn int) (*view, *refused) {
	f := &folder{m: m, at: at, turn: turn, seen: map[*tree]bool{}}
	f.view.alternatives = 1
	for _, schema := range schemas {
		if refusal := f.add(schema); refusal != nil {
			return &f.view, refusal
		}
	}
	return &f.view, nil
}

func (f *folder) refuse(format string, args ...any) *refused {
	return &refused{f.at.pointer, fmt.Sprintf(format, args...)}
}

func (f *folder) add(schema *tree) *refused {
	if f.m.spend() {
		return f.refuse("the schema demands too much")
	}
	if schema.is("false") {
		return f.refuse("the schema allows nothing")
	}
	// A schema that is met again, as in a circle of references, adds nothing.
	if !schema.isObject() || f.seen[schema] {
		return nil
	}
	f.seen[schema] = true
	f.view.layers = append(f.view.layers, schema)
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref := schema.member(key)
		if !ref.isText() {
			continue
		}
		target := f.m.run.doc.resolve(ref.text)
		if target == nil {
			// A reference into a metaschema builds; the check knows it.
			continue
		}
		if refusal := f.add(target); refusal != nil {
			return refusal
		}
	}
	if all := schema.member("allOf"); all.isList() {
		for _, part := range all.kids {
			if refusal := f.add(part); refusal != nil {
				return refusal
			}
		}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if list := schema.member(key); list.isList() && len(list.kids) > 0 {
			if refusal := f.add(f.choose(list.kids)); refusal != nil {
				return refusal
			}
		}
	}
	return nil
}

// choose takes one of several alternatives. Deep inside, those that need no
// further values come first, so that a schema that contains itself ends.
func (f *folder) choose(all []*tree) *tree {
	picked := f.turn % len(all)
	f.turn /= len(all)
	f.view.alternatives = min(maxAlternatives, f.view.alternatives*len(all))
	if f.at.depth < deep {
		return all[picked]
	}
	for _, simple := range []bool{true, false} {
		for _, schema := range all {
			if isSimple(schema) != simple {
				continue
			}
			if picked == 0 {
				return schema
			}
			picked--
		}
	}
	return all[0]
}

// deep is the depth from which on values are kept small.
const deep = 4

func isSimple(schema *tree) bool {
	if schema.member("const") != nil || schema.member("enum") != nil {
		return true
	}
	t := schema.member("type")
	return t.isText() && t.text != "object" && t.text != "array"
}

// keyword is the value of the first layer that has the keyword, or nil.
func (v *view) keyword(name string) *tree {
	for _, layer := range v.layers {
		if value := layer.member(name); value != nil {
			return value
		}
	}
	return nil
}

// each calls f for the values of a keyword in all layers.
func (v *view) each(name string, f func(*tree)) {
	for _, layer := range v.layers {
		if value := layer.member(name); value != nil {
			f(value)
		}
	}
}

// anyNumber is where a keyword that counts is cut.
const anyNumber = 1 << 30

// atLeast is the largest value of a keyword that counts, 0 without one.
func (v *view) atLeast(name string) int {
	most := 0
	v.each(name, func(t *tree) { most = max(most, count(t, 0)) })
	return most
}

// atMost is the smallest value of a keyword that counts, anyNumber without one.
func (v *view) atMost(name string) int {
	least := anyNumber
	v.each(name, func(t *tree) { least = min(least, count(t, anyNumber)) })
	return least
}

// count reads a keyword that counts; what is not whole is rounded down.
func count(t *tree, otherwise int) int {
	x := rational(t)
	if x == nil || x.Sign() < 0 {
		return otherwise
	}
	whole := new(big.Int).Quo(x.Num(), x.Denom())
	if !whole.IsInt64() || whole.Int64() > anyNumber {
		return anyNumber
	}
	return int(whole.Int64())
}

// allTypes are JSON's types, the plainest to make first.
var allTypes = []string{"string", "integer", "number", "boolean", "object", "array", "null"}

// types are those that all layers allow, in the order in which the first layer
// names them, null last; what the keywords speak of when none names any.
func (v *view) types(barred []string) []string {
	var allowed []string
	named := false
	v.each("type", func(t *tree) {
		all := []string{t.text}
		if t.isList() {
			all = mapped(t.kids, func(kid *tree) string { return kid.text })
		}
		if !named {
			allowed, named = all, true
			return
		}
		allowed = commonTypes(allowed, all)
	})
	if !named {
		allowed = v.implied()
	}
	allowed = slices.DeleteFunc(slices.Clone(allowed), func(t string) bool { return slices.Contains(barred, t) })
	if i := slices.Index(allowed, "null"); i >= 0 && len(allowed) > 1 {
		allowed = append(slices.Delete(allowed, i, i+1), "null")
	}
	return allowed
}

func commonTypes(a, b []string) []string {
	var both []string
	for _, t := range a {
		switch {
		case slices.Contains(b, t):
			both = append(both, t)
		case t == "integer" && slices.Contains(b, "number"):
			both = append(both, t)
		case t == "number" && slices.Contains(b, "integer"):
			both = append(both, "integer")
		}
	}
	return both
}

// implied are all types, the one that the keywords speak of first.
func (v *view) implied() []string {
	for _, sign := range []struct{ keyword, kind string }{
		{"properties", "object"}, {"required", "object"}, {"minProperties", "object"},
		{"patternProperties", "object"}, {"additionalProperties", "object"}, {"propertyNames", "object"},
		{"items", "array"}, {"prefixItems", "array"}, {"minItems", "array"}, {"maxItems", "array"},
		{"contains", "array"}, {"uniqueItems", "array"},
		{"minimum", "number"}, {"maximum", "number"}, {"exclusiveMinimum", "number"},
		{"exclusiveMaximum", "number"}, {"multipleOf", "number"},
	} {
		if v.keyword(sign.keyword) != nil {
			return append([]string{sign.kind}, slices.DeleteFunc(slices.Clone(allTypes),
				func(t string) bool { return t == sign.kind })...)
		}
	}
	return allTypes
}
