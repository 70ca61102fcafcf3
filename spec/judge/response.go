package judge

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

func bodyChecks() []check {
	return []check{
		{id: "response.has-a-body", moment: noAnswer + " with a 2xx status", see: seeBody},
	}
}

func seeBody(x *exchange) {
	const id = "response.has-a-body"
	if x.streams() {
		x.readStream()
		return
	}
	x.text = jsontext.Value(x.ResponseBody)
	if len(bytes.TrimSpace(x.ResponseBody)) > 0 {
		x.held(id)
		return
	}
	got := fmt.Sprintf("status %d with an empty body", x.Response.Status)
	if len(x.ResponseBody) > 0 {
		got = fmt.Sprintf("status %d with a body of white space", x.Response.Status)
	}
	x.broke(id, spec.Finding{Got: got, Want: "a JSON object, or null", Hint: "an empty decision is {}"})
}

func jsonChecks() []check {
	return []check{
		{id: "response.is-json", moment: "no answer came with a body", see: seeJSON},
	}
}

func seeJSON(x *exchange) {
	const id = "response.is-json"
	fault := jsonv.Valid(x.text, jsonv.MaxDepth)
	if fault == nil {
		x.held(id)
		return
	}
	x.broke(id, spec.Finding{Got: fault.Error() + ": " + first(x.text), Want: "exactly one JSON value in UTF-8, fewer than 128 levels deep"})
}

func shapeChecks() []check {
	return []check{
		{id: "response.is-an-object", moment: "no answer came with JSON", see: seeObject},
	}
}

func seeObject(x *exchange) {
	const id = "response.is-an-object"
	switch jsonv.Kind(x.text) {
	case '{', 'n':
		x.held(id)
		return
	case '[':
		x.broke(id, spec.Finding{Got: "an array: " + show(x.text), Want: "an object, or null", Hint: `put the list of actions under "actions"`})
	default:
		x.broke(id, spec.Finding{Got: show(x.text), Want: "an object, or null"})
	}
}

func decisionChecks() []check {
	const moment = "no answer came with a JSON object"
	return []check{
		{id: "response.carries-no-error-text", moment: moment, see: seeDecision},
		{id: "response.fits-the-protocol", moment: moment},
	}
}

// seeDecision reads the answer as an engine does. A body with an error text
// that does not read, or that decides nothing, is a reported failure (D2).
func seeDecision(x *exchange) {
	const (
		noError = "response.carries-no-error-text"
		fits    = "response.fits-the-protocol"
	)
	d, fault := x.readDecision()
	key, text := errorText(x)
	if text != "" && (fault != nil || d.IsEmpty()) {
		x.broke(noError, spec.Finding{
			Pointer: "/" + key, Got: quote(text), Want: "no error, message or detail beside nothing else",
			Hint: "an engine reads this as a failure of the worker and ends the turn; a failed tool is a tool.error, an empty decision is {}",
		})
		return
	}
	x.held(noError)
	if fault == nil {
		x.decision = d
		x.held(fits)
		return
	}
	x.broke(nameOfFault(fault), spec.Finding{Pointer: fault.Pointer, Got: x.at(fault.Pointer) + fault.Message, Want: wantOfFault(fault)})
}

// readDecision reads the text of the decision. A whole body that is one needs no
// second look.
func (x *exchange) readDecision() (spec.Decision, *spec.Fault) {
	if a := x.Answer(); !a.Streams() {
		if d, failure := x.Decided(); failure == nil {
			return *d, nil
		}
	}
	return spec.ParseDecision(x.text)
}

// at prints the value at a pointer into the answer, to stand before a message.
func (x *exchange) at(pointer string) string {
	v, ok := jsonv.Get(x.text, pointer)
	if !ok || pointer == "" {
		return ""
	}
	return show(v) + ": "
}

// errorText is the error text of a body (D2): the first of three keys that
// holds a text that is not blank, or an object with one.
func errorText(x *exchange) (key, text string) {
	members, err := jsonv.Members(x.text)
	if err != nil {
		return "", ""
	}
	for _, key := range []string{"error", "message", "detail"} {
		v, ok := jsonv.Last(members, key)
		if !ok {
			continue
		}
		for _, inside := range []string{"", "/message", "/error"} {
			if at, ok := jsonv.Get(v, inside); ok {
				if s, ok := jsonv.Text(at); ok && !blank(s) {
					return key + inside, s
				}
			}
		}
	}
	return "", ""
}

func resolveChecks() []check {
	return []check{
		{id: "response.actions-resolve", moment: "no answer came with a decision", see: seeResolve},
	}
}
