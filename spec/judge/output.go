package judge

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func outputChecks() []check {
	const moment = "no call of a tool with an output schema was answered with "
	return []check{
		{id: "output.matches-schema", moment: moment + "a result", see: seeOutput},
		{id: "output.failure-keeps-its-reason", moment: moment + "a failure"},
	}
}

// seeOutput holds results against the schema that their tool declares in the
// request's config (F11, F12). A result whose form is broken has its name.
func seeOutput(x *exchange) {
	const (
		matches = "output.matches-schema"
		reason  = "output.failure-keeps-its-reason"
	)
	if x.stopped {
		return
	}
	for _, s := range x.settles() {
		tool, has, declared := outputOf(x, s.call)
		if !has {
			continue
		}
		if s.result == nil {
			x.held(reason)
			continue
		}
		stored := toolcall.ReadResult(*s.result, keeper{})
		id := matches
		if stored.IsError {
			id = reason
		}
		broken := toolcall.OutputViolations(stored, declared.Output)
		value := toolcall.OutputValue(stored)
		if broken = visible(broken, value); len(broken) == 0 {
			x.held(id)
			continue
		}
		f := spec.Finding{
			Pointer: s.pointer(""),
			Got:     show(value) + ": " + placed(broken[0]),
			Want:    "a result that matches the output schema of " + quote(tool),
			Hint:    "put the value into structuredContent",
		}
		if stored.IsError {
			f.Want = "a tool.error, whose text the model reads as it is"
			f.Hint = "the schema is applied to flagged results too, and its complaint replaces the reason"
		}
		x.broke(id, f)
	}
}

// visible leaves out what a schema says of a stand-in: nobody knows whether the
// secret that stood there would have fitted (R9).
func visible(broken []toolcall.Violation, value jsontext.Value) []toolcall.Violation {
	return slices.DeleteFunc(broken, func(v toolcall.Violation) bool {
		at, _ := jsonv.Get(value, v.Pointer)
		text, ok := jsonv.Text(at)
		return ok && strings.HasPrefix(text, spec.StandInPrefix)
	})
}

// placed prints a violation with its place.
func placed(v toolcall.Violation) string {
	if v.Pointer == "" {
		return v.Message
	}
	return v.Pointer + ": " + v.Message
}
