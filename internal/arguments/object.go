package arguments

import (
	"slices"
	"strconv"
)

// object makes the required properties, the optional ones that are wished for,
// and more where the schema wants a number of them.
func (m *maker) object(v *view, at place) (*tree, *refused) {
	declared := v.declared()
	required := v.required()
	omitted := m.omit[at.pointer]
	most := v.atMost("maxProperties")
	wished := slices.Clone(required)
	for _, name := range declared {
		if slices.Contains(required, name) || slices.Contains(omitted, name) || len(wished) >= most {
			continue
		}
		if m.wants(at, name) {
			wished = append(wished, name)
		}
	}
	wished = v.dependents(wished)
	made := &tree{kind: '{'}
	put := func(name string) *refused {
		value, refusal := m.property(v, at, name)
		if refusal == nil {
			made.names, made.kids = append(made.names, name), append(made.kids, value)
		}
		return refusal
	}
	for _, name := range inOrder(declared, wished) {
		if refusal := put(name); refusal != nil && slices.Contains(required, name) {
			return nil, refusal
		}
	}
	least := v.atLeast("minProperties")
	for _, name := range declared {
		if len(made.names) < least && !slices.Contains(made.names, name) && !slices.Contains(omitted, name) {
			_ = put(name) // another one may do
		}
	}
	for i := 1; len(made.names) < least; i++ {
		name, refusal := m.newName(v, at, i)
		if refusal == nil && !slices.Contains(made.names, name) {
			refusal = put(name)
		}
		if refusal != nil && (i > least+20 || m.values < 0) {
			return nil, refusal
		}
		if i > least+100 {
			return nil, &refused{at.pointer, "no more names of members were found"}
		}
	}
	made.buildIndex()
	return made, nil
}

// maxOptional is the number of values after which optional properties are left
// out.
const maxOptional = 300

// wants says whether an optional property is made.
func (m *maker) wants(at place, name string) bool {
	switch {
	case at.pointer == "" && name == m.with && name != "":
		return true
	case m.full == every:
		return at.depth < deep-1 && m.values > MaxValues-maxOptional
	case m.full == some:
		return at.depth < deep && m.values > MaxValues-maxOptional && m.drawn(at, "with "+name, 2) == 1
	}
	return false
}

func (m *maker) property(v *view, at place, name string) (*tree, *refused) {
	schemas := v.property(m.run.texts, name)
	below := at.below(name)
	below.about = describe(schemas)
	return m.value(schemas, below)
}

// describe is the first description of several schemas.
func describe(schemas []*tree) string {
	for _, schema := range schemas {
		if about := schema.member("description"); about.isText() {
			return about.text
		}
	}
	return ""
}

// newName makes up the name of a member that the schema does not declare.
func (m *maker) newName(v *view, at place, nth int) (string, *refused) {
	var patterns []string
	v.each("patternProperties", func(t *tree) { patterns = append(patterns, t.names...) })
	var naming []*tree
	v.each("propertyNames", func(t *tree) { naming = append(naming, t) })
	if len(patterns) > 0 {
		naming = append(naming, objectTree("pattern", textTree(patterns[(nth-1)%len(patterns)])))
		nth = (nth-1)/len(patterns) + 1
	}
	if len(naming) == 0 {
		return "extra" + strconv.Itoa(nth), nil
	}
	name, refusal := m.value(append(naming, objectTree("type", textTree("string"))),
		place{pointer: at.pointer, depth: at.depth + 1, variety: nth - 1})
	if refusal != nil {
		return "", refusal
	}
	return name.text, nil
}

// declared are the properties that the layers describe, in order, each once.
func (v *view) declared() []string {
	var names []string
	seen := map[string]bool{}
	v.each("properties", func(t *tree) {
		if !t.isObject() {
			return
		}
		for _, name := range t.names {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	})
	return names
}

// required are the names that the layers require, in order, each once.
func (v *view) required() []string {
	var names []string
	seen := map[string]bool{}
	v.each("required", func(t *tree) {
		if t.isList() {
			names = appendNew(names, seen, t)
		}
	})
	return names
}

func appendNew(names []string, seen map[string]bool, list *tree) []string {
	for _, item := range list.kids {
		if item.isText() && !seen[item.text] {
			seen[item.text] = true
			names = append(names, item.text)
		}
	}
	return names
}

// dependents adds to names those that others of them need.
func (v *view) dependents(names []string) []string {
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	for i := 0; i < len(names); i++ {
		for _, key := range []string{"dependentRequired", "dependencies"} {
			v.each(key, func(t *tree) {
				if list := t.member(names[i]); list.isList() {
					names = appendNew(names, seen, list)
				}
			})
		}
	}
	return names
}

// inOrder are the wished names, those that are declared first and in the order
// of their declaration.
func inOrder(declared, wished []string) []string {
	wish := map[string]bool{}
	for _, name := range wished {
		wish[name] = true
	}
	out := make([]string, 0, len(wished))
	for _, name := range declared {
		if wish[name] {
			out = append(out, name)
			delete(wish, name)
		}
	}
	for _, name := range wished {
		if wish[name] {
			out = append(out, name)
		}
	}
	return out
}

// property are the schemas that hold for the member of that name.
func (v *view) property(texts *texts, name string) []*tree {
	var all []*tree
	evaluated := false
	for _, layer := range v.layers {
		known := false
		if schema := layer.member("properties").member(name); schema != nil {
			all, known = append(all, schema), true
		}
		if patterns := layer.member("patternProperties"); patterns.isObject() {
			for i, pattern := range patterns.names {
				if texts.matches(pattern, name) {
					all, known = append(all, patterns.kids[i]), true
				}
			}
		}
		if rest := layer.member("additionalProperties"); !known && rest != nil {
			all, known = append(all, rest), true
		}
		evaluated = evaluated || known
	}
	if !evaluated {
		v.each("unevaluatedProperties", func(t *tree) { all = append(all, t) })
	}
	return all
}
