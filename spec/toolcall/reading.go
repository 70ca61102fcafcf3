package toolcall

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// AsToolResult reads the `result` of an action as a ToolResult (F6, wire 6). It
// returns the result and true, or why raw is none and false: an engine then
// takes raw as a plain value. Like an engine it takes an array by position.
func AsToolResult(raw jsontext.Value) (spec.ToolResult, string, bool) {
	var r spec.ToolResult
	var parts resultParts
	var why string
	switch jsonv.Kind(raw) {
	case '{':
		parts, why = partsOfObject(raw)
	case '[':
		parts, why = partsOfArray(raw)
	default:
		why = "it is " + kindWords(jsonv.Kind(raw)) + ", not an object"
	}
	if why != "" {
		return spec.ToolResult{}, why, false
	}
	r.Content, why = blocks(parts.content)
	if why != "" {
		return spec.ToolResult{}, why, false
	}
	if parts.structured != nil && jsonv.Kind(parts.structured) != 'n' {
		r.StructuredContent = jsonv.Sorted(parts.structured)
	}
	switch k := jsonv.Kind(parts.isError); {
	case parts.isError == nil:
	case k == 't' || k == 'f':
		r.IsError = k == 't'
	default:
		return spec.ToolResult{}, "/isError: want a boolean, got " + kindWords(k), false
	}
	if len(r.Content) == 0 && r.StructuredContent == nil {
		return spec.ToolResult{}, "it has neither content blocks nor structuredContent", false
	}
	return r, "", true
}

// resultParts are the members of a ToolResult as spelled; nil is absent.
type resultParts struct{ content, structured, isError jsontext.Value }

func partsOfObject(raw jsontext.Value) (p resultParts, why string) {
	ms, err := jsonv.Members(raw)
	if err != nil {
		return p, err.Error()
	}
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
		return p, err.Error()
	}
	if len(vs) > 3 {
		return p, "it is an array of more than three items"
	}
	for i, part := range []*jsontext.Value{&p.content, &p.structured, &p.isError} {
		if i < len(vs) {
			*part = vs[i]
		}
	}
	return p, ""
}

// blocks reads the content of a ToolResult; nil is absent.
func blocks(raw jsontext.Value) (bs []spec.ToolContent, why string) {
	if raw == nil {
		return nil, ""
	}
	if k := jsonv.Kind(raw); k != '[' {
		return nil, "/content: want an array of blocks, got " + kindWords(k)
	}
	vs, err := jsonv.Elements(raw)
	if err != nil {
		return nil, err.Error()
	}
	for i, v := range vs {
		b, why := block(v)
		if why != "" {
			return nil, fmt.Sprintf("/content/%d: %s", i, why)
		}
		bs = append(bs, b)
	}
	return bs, ""
}

// block reads one content block (wire 6). Keys it does not know are dropped,
// the last of equal keys counts, null is absent where a member is optional.
func block(raw jsontext.Value) (b spec.ToolContent, why string) {
	f, why := fieldsOf(raw)
	if why != "" {
		return b, why
	}
	kind := f.need("type")
	if f.why != "" {
		return b, f.why
	}
	b.Type = spec.BlockKind(*kind)
	switch b.Type {
	case spec.BlockText:
		b.Text = f.need("text")
	case spec.BlockImage, spec.BlockAudio:
		b.Data, b.MimeType = f.need("data"), f.need("mimeType")
	case spec.BlockResource:
		b.Resource, f.why = resource(f.ms)
	case spec.BlockResourceLink:
		b.URI, b.Name, b.MimeType = f.need("uri"), f.may("name"), f.may("mimeType")
	default:
		f.why = fmt.Sprintf("unknown block type %s", jsonv.Quote(*kind))
	}
	if f.why != "" {
		return spec.ToolContent{}, f.why
	}
	return b, ""
}

func resource(ms []jsonv.Member) (*spec.ResourceContents, string) {
	raw, ok := jsonv.Last(ms, "resource")
	if !ok {
		return nil, "the member \"resource\" is missing"
	}
	f, why := fieldsOf(raw)
	if why != "" {
		return nil, "resource: " + why
	}
	uri := f.need("uri")
	r := &spec.ResourceContents{MimeType: f.may("mimeType"), Text: f.may("text"), Blob: f.may("blob")}
	if f.why != "" {
		return nil, "resource: " + f.why
	}
	r.URI = *uri
	return r, ""
}

// fields reads string members of an object; why keeps the first fault.
type fields struct {
	ms  []jsonv.Member
	why string
}

func fieldsOf(raw jsontext.Value) (*fields, string) {
	if k := jsonv.Kind(raw); k != '{' {
		return nil, "want an object, got " + kindWords(k)
	}
	ms, err := jsonv.Members(raw)
	if err != nil {
		return nil, err.Error()
	}
	return &fields{ms: ms}, ""
}

// need returns a member that must be a string.
func (f *fields) need(name string) *string {
	v, ok := jsonv.Last(f.ms, name)
	if !ok {
		f.fault("the member %s is missing", jsonv.Quote(name))
		return nil
	}
	s, ok := jsonv.Text(v)
	if !ok {
		f.fault("the member %s must be a string, got %s", jsonv.Quote(name), kindWords(jsonv.Kind(v)))
		return nil
	}
	return &s
}

// may returns a member that is a string, or nil when it is absent or null.
func (f *fields) may(name string) *string {
	if v, ok := jsonv.Last(f.ms, name); !ok || jsonv.Kind(v) == 'n' {
		return nil
	}
	return f.need(name)
}

func (f *fields) fault(format string, args ...any) {
	if f.why == "" {
		f.why = fmt.Sprintf(format, args...)
	}
}
