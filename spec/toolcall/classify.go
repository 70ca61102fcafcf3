package toolcall

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/schema"
	"github.com/hallmarkdev/hallmark/spec"
)

// schemas keeps compiled schemas: a session sends the same few again and again.
var schemas = schema.NewCache(1024)

// Classify reads the raw arguments of a call as an engine does (E1). Input is
// the tool's schema as the model saw it; nil, null and a schema that does not
// build leave the object unchecked (E6, E7). Value comes out as an engine
// prints it: names sorted, the last of equal names, numbers as spelled (E5).
func Classify(arguments string, input jsontext.Value) spec.ToolInput {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	if err := parse(arguments); err != nil {
		return malformed(err.Error())
	}
	raw := jsontext.Value(arguments)
	if kind := jsonv.Kind(raw); kind != '{' {
		return malformed("arguments must be a JSON object, got " + kindWords(kind))
	}
	in := spec.ToolInput{Status: spec.InputValid, Value: jsonv.Sorted(raw)}
	if vs := violations(in.Value, input); len(vs) > 0 {
		text := joined(vs)
		in.Status, in.Error = spec.InputInvalid, &text
	}
	return in
}

func malformed(why string) spec.ToolInput {
	return spec.ToolInput{Status: spec.InputMalformed, Error: &why}
}

func kindWords(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '0':
		return "a number"
	case '"':
		return "a string"
	case '[':
		return "an array"
	}
	return "an object"
}

// Violation is one place where a value breaks a declared schema.
type Violation = schema.Violation

// violations checks value against raw, a schema of a tool. No schema, null and
// a schema that does not build find nothing (E1, E6, F11).
func violations(value, raw jsontext.Value) []Violation {
	if raw == nil || jsonv.Kind(raw) == 'n' {
		return nil
	}
	s, err := schemas.Compile(raw)
	if err != nil {
		return nil
	}
	return s.Validate(value)
}

// mostShown is how many violations an engine names (E1).
const mostShown = 3

// joined prints violations as an engine does: "POINTER: MESSAGE", or the
// message alone at the root, joined by "; " (E1).
func joined(vs []Violation) string {
	var pieces []string
	for _, v := range vs[:min(len(vs), mostShown)] {
		if v.Pointer == "" {
			pieces = append(pieces, v.Message)
		} else {
			pieces = append(pieces, v.Pointer+": "+v.Message)
		}
	}
	return strings.Join(pieces, "; ")
}
