package arguments

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/schema"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// run is the making of texts from one source.
type run struct {
	source Source
	// declared is the schema as it was given, nil when it leaves the arguments
	// unchecked; doc is the schema to make values for, true in that case.
	declared jsontext.Value
	compiled *schema.Schema
	doc      *document
	texts    *texts
	// checks bounds the checks that are left. Their number is not limited by
	// time, so that a slow machine gives the same texts.
	checks int
	// steps bounds the steps that are left of folding and making.
	steps int
	// costly is set when a check did not come to an end; the source is then
	// given up, since the next check would take as long.
	costly string
}

const (
	// fullChecks is the number of checks for a small schema. A large one gets
	// fewer, at least fewChecks.
	fullChecks, fewChecks = 4000, 100
	// smallSchema is the length of a schema that counts as small, in bytes.
	smallSchema = 8 << 10
	maxSteps    = 1_000_000
)

func newRun(source Source) *run {
	r := &run{source: source, doc: newDocument(anything), checks: fullChecks, steps: maxSteps}
	r.texts = &texts{checks: map[string]*schema.Schema{}, left: maxTextChecks}
	raw := source.Schema
	if len(raw) == 0 || raw.Kind() == 'n' || len(raw) > schema.MaxSchemaBytes {
		return r
	}
	compiled, err := schema.Compile(raw)
	if err != nil {
		return r // the engine leaves such a tool unchecked (E1, step 4)
	}
	root, err := parseTree(raw)
	if err != nil {
		return r
	}
	r.declared, r.compiled, r.doc = raw, compiled, newDocument(root)
	r.checks = max(fewChecks, fullChecks*smallSchema/max(smallSchema, len(raw)))
	return r
}

// violations are where a value breaks the schema. A value that could not be
// checked breaks it at its root.
func (r *run) violations(value *tree) []schema.Violation {
	if r.compiled == nil {
		return nil
	}
	if r.checks--; r.checks < 0 || r.costly != "" {
		return []schema.Violation{{Message: r.tired()}}
	}
	vs := r.compiled.Validate(value.value())
	if len(vs) == 1 && vs[0].Pointer == "" && vs[0].SchemaPointer == "" && !r.doc.root.is("false") {
		r.costly = vs[0].Message
	}
	return vs
}

// tired is the reason to go no further, "" when there is none.
func (r *run) tired() string {
	switch {
	case r.costly != "":
		return r.costly
	case r.checks <= 0 || r.steps <= 0:
		return "no value was found within the bounds of the search"
	}
	return ""
}

// fits says whether a value is an object that the schema takes.
func (r *run) fits(value *tree) bool { return value.isObject() && len(r.violations(value)) == 0 }

// class is how an engine reads a text (E1).
func (r *run) class(text string) spec.InputStatus {
	return toolcall.Classify(text, r.declared).Status
}

// draws is the stream of one kind of choice.
func (r *run) draws(kind string, ordinal int) *draws {
	return newDraws(r.source.Seed, r.source.Key, kind, ordinal)
}
