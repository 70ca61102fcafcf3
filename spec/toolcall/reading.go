package toolcall

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// AsToolResult reads the `result` of an action as a ToolResult (F6, wire 6). It
// returns the result and true, or why raw is none and false: an engine then
// takes raw as a plain value. Like an engine it takes the last of equal keys,
// and reads an array by position. A fault inside begins with its JSON pointer.
func AsToolResult(raw jsontext.Value) (spec.ToolResult, string, bool) {
	var p resultParts
	var why string
	switch k := jsonv.Kind(raw); k {
	case '{':
		p, why = partsOfObject(raw)
	case '[':
		p, why = partsOfArray(raw)
	default:
		why = "it is " + kindWords(k) + ", not an object"
	}
	if why != "" {
		return spec.ToolResult{}, why, false
	}
	r, why := p.read()
	if why != "" {
		return spec.ToolResult{}, why, false
	}
	return r, "", true
}

// resultParts are the members of a ToolResult as spelled, with their pointers;
// nil is absent.
type resultParts struct {
	content, structured, isError jsontext.Value
	contentAt, isErrorAt         string
}

func partsOfObject(raw jsontext.Value) (p resultParts, why string) {
	ms, err := jsonv.Members(raw)
	if err != nil {
		return p, "it is not JSON: " + err.Error()
	}
	p.contentAt, p.isErrorAt = "/content", "/isError"
	for _, m := range ms {
		switch m.Name {
		case "content":
			p.content = m.Value
		case "structuredContent":
			p.structured = m.Value
		case "isError":
			p.isError = m.Value
		default:
			return p, fmt.Sprintf("it has the key %s beside content, structuredContent and isError", jsonv.Quote(m.Name))
		}
	}
	return p, ""
}

func partsOfArray(raw jsontext.Value) (p resultParts, why string) {
	vs, err := jsonv.Elements(raw)
	if err != nil {
		return p, "it is not JSON: " + err.Error()
	}
	if len(vs) > 3 {
		return p, "it is an array of more than three items"
	}
	p.contentAt, p.isErrorAt = "/0", "/2"
	for i, part := range []*jsontext.Value{&p.content, &p.structured, &p.isError} {
		if i < len(vs) {
			*part = vs[i]
		}
	}
	return p, ""
}

func (p resultParts) read() (r spec.ToolResult, why string) {
	if r.Content, why = p.blocks(); why != "" {
		return r, why
	}
	r.StructuredContent = present(p.structured)
	if p.isError != nil {
		k := jsonv.Kind(p.isError)
		if k != 't' && k != 'f' {
			return r, p.isErrorAt + ": want a boolean, got " + kindWords(k)
		}
		r.IsError = k == 't'
	}
	if len(r.Content) == 0 && r.StructuredContent == nil {
		return r, "it has neither content blocks nor structuredContent"
	}
	return r, ""
}

// blocks reads the content; absent is empty, null is not.
func (p resultParts) blocks() (bs []spec.ToolContent, why string) {
	if p.content == nil {
		return nil, ""
	}
	if k := jsonv.Kind(p.content); k != '[' {
		return nil, p.contentAt + ": want an array of blocks, got " + kindWords(k)
	}
	vs, err := jsonv.Elements(p.content)
	if err != nil {
		return nil, p.contentAt + ": not JSON: " + err.Error()
	}
	for i, v := range vs {
		// Sorting also takes the last of equal keys: inside a free value they
		// are no fault, in a block of the action's own they are (wire 3).
		b, fault := spec.ParseBlock(jsonv.Sorted(v))
		if fault != nil {
			return nil, fmt.Sprintf("%s/%d%s: %s", p.contentAt, i, fault.Pointer, fault.Message)
		}
		bs = append(bs, b)
	}
	return bs, ""
}

// present returns a free value as an engine prints it, nil when it is absent or
// null.
func present(v jsontext.Value) jsontext.Value {
	if v == nil || jsonv.Kind(v) == 'n' {
		return nil
	}
	return jsonv.Sorted(v)
}
