package scenarios

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/schema"
)

// compileSchema returns the check of a JSON Schema: it gives the first thing
// that is wrong with a value, or nil.
func compileSchema(raw jsontext.Value) (func(jsontext.Value) *refused, error) {
	compiled, err := schema.Compile(raw)
	if err != nil {
		return nil, err
	}
	return func(value jsontext.Value) *refused {
		for _, violation := range compiled.Validate(value) {
			return &refused{violation.Pointer, violation.Message}
		}
		if value.Kind() != '{' {
			return &refused{"", "arguments must be an object"}
		}
		return nil
	}, nil
}
