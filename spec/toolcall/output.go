package toolcall

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// CheckOutput holds a result against the tool's output schema (F11, F12). When
// the result breaks it, ok is false and message is the one with which the call
// fails for good; [OutputError] makes the error of it. No schema, null and a
// schema that does not build accept every result.
func CheckOutput(r spec.StoredResult, output jsontext.Value) (message string, ok bool) {
	vs := OutputViolations(r, output)
	if len(vs) == 0 {
		return "", true
	}
	return "tool output violated its declared schema: " + joined(vs), false
}

// OutputViolations returns where a result breaks the tool's output schema, all
// of them up to a bound of some hundred; nil when it does not (F11).
func OutputViolations(r spec.StoredResult, output jsontext.Value) []Violation {
	return violations(OutputValue(r), output)
}

// OutputValue returns the value that the output check looks at: the rendered
// text read as JSON, or as a string when it is none (F11).
func OutputValue(r spec.StoredResult) jsontext.Value {
	rendered := Rendered(r)
	if parse(rendered) != nil {
		return jsonv.Quote(rendered)
	}
	return jsonv.Sorted(jsontext.Value(rendered))
}

// OutputError returns the error of a call whose result broke the output schema,
// with the message of [CheckOutput] (F11).
func OutputError(message string) spec.ErrorInfo {
	return spec.ErrorInfo{Message: message, Code: spec.CodeInvalidResponse, Param: "output"}
}
