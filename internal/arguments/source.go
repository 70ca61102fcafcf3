package arguments

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Class is what a text shall be. An engine knows valid, invalid and malformed
// (E1); boundary texts are valid ones at an edge.
type Class string

// The classes.
const (
	// Valid texts are objects that fit the schema.
	Valid Class = "valid"
	// Invalid texts are objects that break the schema in one place.
	Invalid Class = "invalid"
	// Boundary texts are valid by an engine's rules and stand at an edge of
	// them. Where the schema requires nothing some are blank (E1, step 1).
	Boundary Class = "boundary"
	// Malformed texts are no JSON object. Each is UTF-8, since it has to travel
	// inside a JSON string.
	Malformed Class = "malformed"
)

// Source is what texts are made from. It is only read, and may be shared.
type Source struct {
	// Schema is the declared input schema. None, null and one that does not
	// build leave the arguments unchecked (E1, E7).
	Schema jsontext.Value
	// Tool is the tool's name, for texts that repeat the whole call.
	Tool string
	// Description is the tool's; its quoted words are tried as values.
	Description string
	// Samples are arguments that are known to work. Those that are no objects
	// or break the schema are passed over.
	Samples []jsontext.Value
	// Kinds are the kinds of texts that are wanted, of those that [Kinds] tells;
	// none for all.
	Kinds []string
	// Seed and Key pick among what is equally good (R20). Key tells sources of
	// one seed apart, such as the case and the tool.
	Seed uint64
	Key  string
}

// Text is one argument text.
type Text struct {
	// Name says in a few words what the text is, such as "missing required
	// field city" or "cut after 7 bytes". Names are stable and, among the texts
	// of one call, distinct.
	Name string
	// Arguments is the raw text, as a model would have written it.
	Arguments string
}

// Unsatisfiable says that no value was found for a place of a schema.
type Unsatisfiable struct {
	// Pointer is the JSON pointer into the arguments, "" for their root.
	Pointer string
	// Reason says what stands in the way, lower case.
	Reason string
}

// Error returns "could not be satisfied at POINTER (REASON)"; the place is left
// out at the root.
func (e *Unsatisfiable) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("could not be satisfied (%s)", e.Reason)
	}
	return fmt.Sprintf("could not be satisfied at %s (%s)", e.Pointer, e.Reason)
}

// ErrUnbreakable is the answer to a wish for invalid texts where no text was
// found that breaks the schema, as without any schema (E7).
var ErrUnbreakable = errors.New("nothing that breaks the schema was found")

// Make returns at most n texts of the class, and at most MaxTexts, in an order
// that the source fixes. Fewer come where the schema offers no more. The first
// valid text is the most telling one and does not depend on the seed; which of
// the others are taken when n is less than there are does.
//
// The error is an *Unsatisfiable where no valid object was found, from which
// all but malformed texts are made; ErrUnbreakable; or says that the class or
// the number makes no sense. It is safe for concurrent use.
func Make(source Source, class Class, n int) ([]Text, error) {
	if n < 1 {
		return nil, fmt.Errorf("make arguments: want at least 1 text, got %d", n)
	}
	if err := checkKinds(class, source.Kinds); err != nil {
		return nil, err
	}
	n = min(n, MaxTexts)
	r := newRun(source)
	switch class {
	case Valid:
		return r.valid(n)
	case Invalid:
		return r.invalid(n)
	case Boundary:
		return r.boundary(n)
	case Malformed:
		return r.malformed(n), nil
	}
	return nil, fmt.Errorf("make arguments: the class %q is not known", string(class))
}
