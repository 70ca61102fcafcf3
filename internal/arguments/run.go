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
	// compiled is nil when the schema leaves the arguments unchecked; doc is
	// the schema to make values for, true in that case.
	compiled *schema.Schema
	doc      *document
	texts    *texts
	clock    *clock
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
	// fullChecks is the number of checks for a schema that is cheap to check.
	// A costly one gets fewer, at least fewChecks.
	fullChecks, fewChecks = 4000, 30
	// cheap is the weight of a schema up to which it counts as cheap.
	cheap    = 300
	maxSteps = 600_000
)

func newRun(source Source) *run {
	r := &run{source: source, doc: newDocument(anything), checks: fullChecks, steps: maxSteps}
	r.clock = &clock{}
	r.texts = newTexts(r.clock)
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
	r.compiled, r.doc = compiled, newDocument(root)
	r.clock.runs = backtracks(root)
	r.checks = max(fewChecks, fullChecks*cheap/max(cheap, r.doc.weight()))
	return r
}

// violations are where a value breaks the schema. A value that could not be
// checked breaks it at its root.
func (r *run) violations(value jsontext.Value) []schema.Violation {
	if r.compiled == nil {
		return nil
	}
	const large = 4 << 10
	if r.checks -= 1 + len(value)/large; r.checks < 0 || r.costly != "" {
		return []schema.Violation{{Message: r.tired()}}
	}
	vs := r.clock.measure(func() []schema.Violation { return r.compiled.Validate(value) })
	switch {
	case isStopped(vs) && !r.doc.root.is("false"):
		r.costly = vs[0].Message
	case r.clock.late():
		r.costly = "the patterns of the schema take too long to match"
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

func (r *run) isTired() bool { return r.tired() != "" }

// fits says whether a value is an object that the schema takes.
func (r *run) fits(value *tree) bool {
	return value.isObject() && len(r.violations(value.value())) == 0
}

// class is how an engine reads a text (E1). It is not known, and empty, when
// the bounds are reached.
func (r *run) class(text string) spec.InputStatus {
	in := toolcall.Classify(text, nil)
	if in.Status != spec.InputValid || r.compiled == nil {
		return in.Status
	}
	vs := r.violations(in.Value)
	switch {
	case r.costly != "" || r.checks < 0:
		return ""
	case len(vs) > 0:
		return spec.InputInvalid
	}
	return spec.InputValid
}

// draws is the stream of one kind of choice.
func (r *run) draws(kind string, ordinal int) *draws {
	return newDraws(r.source.Seed, r.source.Key, kind, ordinal)
}
