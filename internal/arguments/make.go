package arguments

import (
	"slices"
	"strconv"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// fullness says how many of the optional properties are made.
type fullness int

const (
	needed fullness = iota // none
	every                  // all, as long as it is not deep inside
	some                   // as drawn
)

// maker makes one value for the schema of a run.
type maker struct {
	run  *run
	full fullness
	// told takes values that the schema names (examples, default), words takes
	// quoted words of descriptions.
	told, words bool
	// choice picks among alternatives.
	choice int
	// with is an optional property of the root that is made in any case.
	with string
	// draws is nil where the plainest value is wanted everywhere.
	draws *draws
	// values and folds bound the work on one value.
	values, folds int
	mended
}

// place is where a value is made.
type place struct {
	pointer string
	depth   int
	// about is the description that holds for the place.
	about string
	// variety asks for another value than the first: that of item number
	// variety of an array of values unlike each other.
	variety int
}

func (p place) below(token string) place {
	return place{pointer: p.pointer + "/" + jsonv.Escape(token), depth: p.depth + 1, variety: p.variety}
}

const (
	reasonTooMuch = "the schema demands too much"
	reasonTooDeep = "the schema demands itself or is nested too deep"
	maxFolds      = 50_000
	// valueSteps is what a value takes of the steps of a run.
	valueSteps = 20
)

// spend takes a step of folding; true when there are none left.
func (m *maker) spend() bool {
	m.folds--
	m.run.steps--
	return m.folds < 0 || m.run.steps < 0
}

// drawn returns a number below n, 0 where nothing is drawn.
func (m *maker) drawn(at place, what string, n int) int {
	if m.draws == nil {
		return 0
	}
	return m.draws.at(at.pointer + "\x00" + what + strconv.Itoa(at.variety)).below(n)
}

// start makes a value for the whole schema.
func (m *maker) start() (*tree, *refused) {
	m.values, m.folds = MaxValues, maxFolds
	return m.value([]*tree{m.run.doc.root, objectsOnly}, place{about: m.run.source.Description})
}

var objectsOnly = objectTree("type", textTree("object"))

// value makes a value for schemas that all must hold.
func (m *maker) value(schemas []*tree, at place) (*tree, *refused) {
	if at.depth >= MaxDepth {
		return nil, &refused{at.pointer, reasonTooDeep}
	}
	m.run.steps -= valueSteps
	if m.values--; m.values < 0 || m.run.steps < 0 {
		return nil, &refused{at.pointer, reasonTooMuch}
	}
	schemas = append(slices.Clone(schemas), m.extra[at.pointer]...)
	first := m.choice + m.turns[at.pointer] + m.drawn(at, "turn", maxAlternatives)
	var refusal *refused
	const most = 8
	for turn := range most {
		v, no := m.fold(schemas, at, first+turn)
		if no == nil {
			var made *tree
			if made, no = m.fill(v, at); no == nil {
				return made, nil
			}
		}
		if refusal == nil {
			refusal = no
		}
		if turn+1 >= v.alternatives || m.values < 0 || m.folds < 0 {
			break
		}
	}
	return nil, refusal
}

// fill makes a value of one of the types that the view allows.
func (m *maker) fill(v *view, at place) (*tree, *refused) {
	types := v.types(m.notTypes[at.pointer])
	if len(types) == 0 {
		if at.pointer == "" {
			return nil, &refused{"", "arguments must be an object"}
		}
		return nil, &refused{at.pointer, "no type is allowed here"}
	}
	named, closed := m.named(v, at, types)
	if nth := m.shift[at.pointer] + at.variety; len(named) > 0 && (closed || nth < len(named)) {
		if closed {
			nth += m.drawn(at, "named", len(named))
		}
		return named[nth%len(named)], nil
	}
	if closed {
		return nil, &refused{at.pointer, "none of the values that the schema names is allowed here"}
	}
	switch types[m.drawn(at, "type", len(types))%m.firstTypes(v, types)] {
	case "object":
		return m.object(v, at)
	case "array":
		return m.array(v, at)
	case "integer":
		return m.number(v, at, true)
	case "number":
		return m.number(v, at, false)
	case "boolean":
		return m.boolean(at)
	case "null":
		return null, nil
	case "string":
		return m.text(v, at)
	}
	return nil, &refused{at.pointer, "the type is not one of JSON's"}
}

// firstTypes is how many of the types are drawn from: only the first where
// the schema names none itself.
func (m *maker) firstTypes(v *view, types []string) int {
	if v.keyword("type") == nil {
		return 1
	}
	return len(types)
}

func (m *maker) boolean(at place) (*tree, *refused) {
	odd := (at.variety + m.shift[at.pointer] + m.drawn(at, "boolean", 2)) % 2
	for _, b := range []*tree{boolTree(odd == 0), boolTree(odd == 1)} {
		if !m.isBarred(at.pointer, b) {
			return b, nil
		}
	}
	return nil, &refused{at.pointer, "neither true nor false is allowed here"}
}

// named are the values that the schema itself names for a place, in the order
// of R11, without those of another type. They are closed when no other value
// can be right.
func (m *maker) named(v *view, at place, types []string) (all []*tree, closed bool) {
	take := func(value *tree) {
		if isOf(value, types) && !m.isBarred(at.pointer, value) {
			all = append(all, value)
		}
	}
	if m.told {
		v.each("examples", func(list *tree) {
			if list.isList() {
				for _, value := range list.kids {
					take(value)
				}
			}
		})
		v.each("example", take)
		v.each("default", take)
	}
	told := len(all)
	var sets []map[string]bool
	v.each("enum", func(list *tree) {
		m.folds -= len(list.kids) / 16
		m.run.steps -= len(list.kids) / 16
		sets = append(sets, meanings(list.kids))
		if !closed {
			closed = true
			for _, value := range list.kids {
				take(value)
			}
		}
	})
	v.each("const", func(value *tree) {
		sets = append(sets, meanings([]*tree{value}))
		if !closed {
			closed = true
			take(value)
		}
	})
	if !closed {
		return all, false
	}
	if len(sets) == 1 && told == 0 {
		return all, true
	}
	return slices.DeleteFunc(all, func(value *tree) bool {
		meaning := jsonv.Sorted(value.value())
		for _, set := range sets {
			if !set[string(meaning)] {
				return true
			}
		}
		return false
	}), true
}

// meanings are the values in the form in which equal ones are spelled alike,
// but for numbers.
func meanings(values []*tree) map[string]bool {
	set := make(map[string]bool, len(values))
	for _, value := range values {
		set[string(jsonv.Sorted(value.value()))] = true
	}
	return set
}

// isOf says whether a value is of one of the types.
func isOf(value *tree, types []string) bool {
	for _, t := range types {
		switch value.kind {
		case '{':
			if t == "object" {
				return true
			}
		case '[':
			if t == "array" {
				return true
			}
		case '"':
			if t == "string" {
				return true
			}
		case 't', 'f':
			if t == "boolean" {
				return true
			}
		case 'n':
			if t == "null" {
				return true
			}
		case '0':
			if t == "number" || t == "integer" && isWhole(value) {
				return true
			}
		}
	}
	return false
}
