package arguments

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/schema"
)

// mended is what was learned from the violations of earlier values: what to
// make otherwise, by the pointer of the place.
type mended struct {
	// extra are schemas that hold as well.
	extra map[string][]*tree
	// omit are names of members to leave out.
	omit map[string][]string
	// barred are values, notTypes types that are not allowed.
	barred   map[string][]*tree
	notTypes map[string][]string
	// turns and shift ask for the next alternative, and for another value.
	turns, shift map[string]int
	// most is the largest number of items.
	most map[string]int
}

func newMended() mended {
	return mended{
		extra: map[string][]*tree{}, omit: map[string][]string{},
		barred: map[string][]*tree{}, notTypes: map[string][]string{},
		turns: map[string]int{}, shift: map[string]int{}, most: map[string]int{},
	}
}

func (d *mended) isBarred(pointer string, value *tree) bool {
	for _, other := range d.barred[pointer] {
		if other.kind == value.kind && jsonv.Equal(other.value(), value.value()) {
			return true
		}
	}
	return false
}

// bar takes a value out; false when it is out already.
func (d *mended) bar(pointer string, value *tree) bool {
	const most = 1000
	if d.isBarred(pointer, value) || len(d.barred[pointer]) >= most {
		return false
	}
	d.barred[pointer] = append(d.barred[pointer], value)
	return true
}

func (d *mended) demand(pointer string, schema *tree) bool {
	if schema == nil || slices.Contains(d.extra[pointer], schema) {
		return false
	}
	d.extra[pointer] = append(d.extra[pointer], schema)
	return true
}

func (d *mended) leaveOut(pointer, name string) bool {
	if slices.Contains(d.omit[pointer], name) {
		return false
	}
	d.omit[pointer] = append(d.omit[pointer], name)
	return true
}

// maxRounds bounds the mending of one value.
const maxRounds = 24

// satisfy makes a value and mends it until it fits.
func (m *maker) satisfy() (*tree, *refused) {
	m.mended = newMended()
	for range maxRounds {
		value, refusal := m.start()
		if refusal != nil {
			return nil, refusal
		}
		vs := placed(m.run.violations(value.value()), value)
		if len(vs) == 0 {
			return value, nil
		}
		first := &refused{vs[0].Pointer, vs[0].Message}
		if m.run.tired() != "" || !m.mend(value, vs) {
			return nil, first
		}
	}
	return nil, &refused{"", "no value was found within the bounds of the search"}
}

// mend learns from violations; false when there was nothing new.
func (m *maker) mend(value *tree, vs []schema.Violation) bool {
	const most = 20
	changed := false
	for _, v := range vs[:min(len(vs), most)] {
		changed = m.mendOne(value, v) || changed
	}
	return changed
}

func (m *maker) mendOne(value *tree, v schema.Violation) bool {
	path := tokens(v.Pointer)
	here := value.get(path)
	where := tokens(v.SchemaPointer)
	if here == nil || len(where) == 0 || strings.Contains(v.SchemaPointer, "#") {
		return m.another(v.Pointer)
	}
	keyword, above := where[len(where)-1], where[:len(where)-1]
	around := m.run.doc.root.get(above)
	subject := m.run.doc.root.get(where)
	if len(above) > 0 {
		switch above[len(above)-1] {
		case "dependentRequired", "dependencies":
			if subject.isList() {
				return m.demand(v.Pointer, m.requiring(v.Pointer, subject))
			}
		}
	}
	switch {
	case subject.is("false"):
		if len(above) > 0 && slices.Contains(namedSchemas, above[len(above)-1]) {
			keyword = ""
		}
		return m.mendFalse(value, path, keyword, around)
	case keyword == "not":
		return m.avoid(v.Pointer, here, subject, 0) || m.another(v.Pointer)
	case keyword == "additionalProperties" || keyword == "propertyNames":
		return m.mendNames(v.Pointer, here, keyword, around)
	case keyword == "anyOf" || keyword == "oneOf":
		return m.mendChoice(v.Pointer, here, subject)
	case around.isObject() && m.demand(v.Pointer, around):
		return true
	}
	return m.another(v.Pointer) || m.bar(v.Pointer, here)
}

// another asks for another value in a place.
func (m *maker) another(pointer string) bool {
	m.shift[pointer]++
	m.turns[pointer]++
	return m.shift[pointer] < maxRounds
}

// requiring is a schema that requires the names of a list.
func (m *maker) requiring(pointer string, list *tree) *tree {
	for _, known := range m.extra[pointer] {
		if known.member("required") == list {
			return known
		}
	}
	return objectTree("required", list)
}

// namedSchemas are the keywords whose members are schemas under names that
// strangers chose.
var namedSchemas = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}

// mendFalse leaves out what is not allowed at all. A branch that is false says
// that its condition must not hold, or must.
func (m *maker) mendFalse(value *tree, path []string, keyword string, around *tree) bool {
	at := pointer(path)
	switch keyword {
	case "then":
		return m.avoid(at, nil, around.member("if"), 0) || m.another(at)
	case "else":
		return m.demand(at, around.member("if"))
	}
	if len(path) == 0 {
		return false
	}
	parent, name := pointer(path[:len(path)-1]), path[len(path)-1]
	if value.get(path[:len(path)-1]).isList() {
		i, err := strconv.Atoi(name)
		if err != nil {
			return false
		}
		known, set := m.most[parent]
		m.most[parent] = i
		return !set || known != i
	}
	return m.leaveOut(parent, name)
}

// mendNames leaves out the members whose names are not allowed.
func (m *maker) mendNames(at string, here *tree, keyword string, around *tree) bool {
	changed := false
	v := view{layers: []*tree{around}}
	for _, name := range here.names {
		closed := false
		if keyword == "additionalProperties" {
			schemas := v.property(m.run.texts, name)
			closed = len(schemas) == 1 && schemas[0].is("false")
		} else {
			check := around.member("propertyNames")
			closed = check.is("false") || !m.run.texts.fits(nameCheck(check), name)
		}
		if closed {
			changed = m.leaveOut(at, name) || changed
		}
	}
	return changed || m.another(at)
}

// nameCheck is what propertyNames asks of a text, without its references.
func nameCheck(check *tree) *tree {
	plain := emptyObject
	for _, key := range []string{"pattern", "enum", "const", "minLength", "maxLength"} {
		if value := check.member(key); value != nil {
			plain = plain.with(key, value)
		}
	}
	return plain
}

// mendChoice takes another alternative. Where several hold at once, that may
// be for members that only the others need.
func (m *maker) mendChoice(at string, here *tree, all *tree) bool {
	if here.isObject() && all.isList() && m.full != needed {
		wanted := map[string]int{}
		for _, schema := range all.kids {
			if list := schema.member("required"); list.isList() {
				for _, name := range list.kids {
					wanted[name.text]++
				}
			}
		}
		kept, changed := false, false
		for _, name := range here.names {
			if wanted[name] == 0 || wanted[name] == len(all.kids) {
				continue
			}
			if kept {
				changed = m.leaveOut(at, name) || changed
			}
			kept = true
		}
		if changed {
			return true
		}
	}
	m.turns[at]++
	return m.turns[at] < maxRounds
}

// maxAvoid bounds the depth to which a schema is read that must not hold.
const maxAvoid = 8

// avoid learns how a value breaks a schema, which it has to. here is the value
// that holds now, if it is known.
func (m *maker) avoid(at string, here, schema *tree, depth int) bool {
	if schema == nil || !schema.isObject() || depth > maxAvoid {
		return false
	}
	if ref := schema.member("$ref"); ref.isText() {
		return m.avoid(at, here, m.run.doc.resolve(ref.text), depth+1)
	}
	if all := schema.member("anyOf"); all.isList() {
		changed := false
		for _, part := range all.kids {
			changed = m.avoid(at, here, part, depth+1) || changed
		}
		return changed
	}
	if value := schema.member("const"); value != nil {
		return m.bar(at, value)
	}
	if values := schema.member("enum"); values.isList() {
		changed := false
		for _, value := range values.kids {
			changed = m.bar(at, value) || changed
		}
		return changed
	}
	// A member with another value breaks it, or one less.
	if properties := schema.member("properties"); properties.isObject() {
		for i, name := range properties.names {
			if m.avoid(at+"/"+jsonv.Escape(name), here.member(name), properties.kids[i], depth+1) {
				return true
			}
		}
	}
	if list := schema.member("required"); list.isList() {
		for _, name := range list.kids {
			if m.leaveOut(at, name.text) {
				return true
			}
		}
	}
	if t := schema.member("type"); t.isText() && !slices.Contains(m.notTypes[at], t.text) {
		m.notTypes[at] = append(m.notTypes[at], t.text)
		return true
	}
	if here != nil && depth > 0 {
		return m.bar(at, here)
	}
	return false
}
