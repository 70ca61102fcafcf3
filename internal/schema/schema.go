package schema

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema. A nil Schema takes every value. It is safe
// for concurrent use; checks against one schema run one after the other.
type Schema struct {
	compiled *jsonschema.Schema

	mu  sync.Mutex
	run *run
}

// Violation is one place where a value breaks its schema.
type Violation struct {
	// Pointer is the JSON pointer into the value, "" for its root.
	Pointer string
	// SchemaPointer is the JSON pointer of the keyword in the schema; the whole
	// address when the keyword stands in a metaschema that the schema refers to.
	SchemaPointer string
	// Message says what is wrong, lower case, without the place.
	Message string
}

// base is the address of a schema that names none. Nothing can be read from it.
const base = "unfetched://schema/"

// Compile builds the schema that raw holds: an object, true or false, in JSON
// text of which the last of equal names counts. No raw gives a nil Schema. The
// error says why the schema does not build: it is not JSON, breaks its dialect,
// refers to a document that is not here (E6) or to itself without end, or passes a bound of this package.
func Compile(raw jsontext.Value) (s *Schema, err error) {
	if raw == nil {
		return nil, nil
	}
	// A schema is hostile until it has built, and a bug of the library must
	// not take the program down with it.
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("build schema: the schema cannot be built: %v", r)
		}
	}()
	doc, facts, err := decodeSchema(raw)
	if err != nil {
		return nil, fmt.Errorf("build schema: %w", err)
	}
	s = &Schema{}
	nodes := collector{}
	compiled, err := s.compile(doc, nil)
	if err == nil && facts.dynamic {
		// Dynamic references reach nodes that the compiled schema does not
		// show, so these schemas are compiled once more, by a compiler that does.
		compiled, err = s.compile(doc, &nodes)
	}
	if err != nil {
		return nil, fmt.Errorf("build schema: %w", whyNot(err))
	}
	if endless(compiled) {
		return nil, errors.New("build schema: the schema refers to itself without end")
	}
	s.compiled = compiled
	s.meter(append(slices.Clone(nodes.found), compiled), facts)
	return s, nil
}

func (s *Schema) compile(doc any, nodes *collector) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(s.pattern)
	if nodes != nil {
		c.RegisterVocabulary(nodes.vocabulary())
		c.AssertVocabs()
	}
	if err := c.AddResource(base, doc); err != nil {
		return nil, err
	}
	return c.Compile(base)
}

// nothing is a loader that refuses everything (E6).
type nothing struct{}

// Load implements the loader of the library.
func (nothing) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not fetched")
}

// whyNot returns a short form of the library's error, whose own text may be
// very long.
func whyNot(err error) error {
	var bad *jsonschema.SchemaValidationError
	var at *jsonschema.ValidationError
	if errors.As(err, &bad) && errors.As(bad.Err, &at) {
		if vs := flatten(at, nil); len(vs) > 0 {
			if vs[0].Pointer == "" {
				return errors.New(vs[0].Message)
			}
			return errors.New(vs[0].Pointer + ": " + vs[0].Message)
		}
	}
	return errors.New(cut(err.Error(), 300))
}

// Validate returns where value breaks the schema, ordered by place, at most
// [MaxViolations]; nil when it does not. A value that is not JSON, is nested
// deeper than [MaxValueDepth] or takes too long to check gives one violation at
// its root that says so, so that a check never passes for want of checking.
//
// A pattern that does not finish in time counts as not matched, and ends the
// check. A number whose exponent passes 1000 either way is compared by size and
// by being whole, exactly to some 1000 digits, but not held against multipleOf.
func (s *Schema) Validate(value jsontext.Value) (vs []Violation) {
	if s == nil {
		return nil
	}
	v, n, err := decodeValue(value)
	if err != nil {
		return []Violation{{Message: err.Error()}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = newRun(n)
	defer func() {
		if r := recover(); r != nil {
			stop, ok := r.(stopped)
			if !ok {
				stop = stopped{fmt.Sprintf("the value cannot be checked: %v", r)}
			}
			vs = []Violation{{Message: stop.why}}
		}
		s.run = nil
	}()
	var bad *jsonschema.ValidationError
	if errors.As(s.compiled.Validate(v), &bad) {
		return flatten(bad, v)
	}
	return nil
}
