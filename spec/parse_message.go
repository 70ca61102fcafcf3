package spec

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

var readRole = oneOf("role", RoleSystem, RoleUser, RoleAssistant, RoleTool)

var toolFunctionShape = &shape[ToolFunction]{what: "function", fields: []field[ToolFunction]{
	must(set("name", readText, func(t *ToolFunction) *string { return &t.Name })),
	must(set("arguments", readText, func(t *ToolFunction) *string { return &t.Arguments })),
}}

var toolCallShape = &shape[ToolCall]{what: "tool call", fields: []field[ToolCall]{
	must(set("id", readText, func(t *ToolCall) *string { return &t.ID })),
	must(set("type", readText, func(t *ToolCall) *string { return &t.Type })),
	must(set("function", of(toolFunctionShape), func(t *ToolCall) *ToolFunction { return &t.Function })),
}}

var draftShape = &shape[DraftMessage]{what: "message", fields: []field[DraftMessage]{
	opt("id", readText, func(m *DraftMessage) *string { return &m.ID }),
	must(set("role", readRole, func(m *DraftMessage) *Role { return &m.Role })),
	opt("content", readContent, func(m *DraftMessage) *jsontext.Value { return &m.Content }),
	opt("tool_calls", list(of(toolCallShape)), func(m *DraftMessage) *[]ToolCall { return &m.ToolCalls }),
	opt("tool_call_id", readText, func(m *DraftMessage) *string { return &m.ToolCallID }),
	opt("name", readText, func(m *DraftMessage) *string { return &m.Name }),
	opt("reasoning", readAny, func(m *DraftMessage) *jsontext.Value { return &m.Reasoning }),
}}

var (
	readDraft  = remembered(of(draftShape), func(m *memo) *map[string]DraftMessage { return &m.drafts })
	readDrafts = list(readDraft)
)

// readMessage reads a recorded message, whose id is required.
func readMessage(p *place, v jsontext.Value) (Message, *Fault) {
	d, f := readDraft(p, v)
	if f == nil && d.ID == "" {
		if _, ok := jsonv.Last(jsonv.SoundMembers(v), "id"); !ok {
			f = p.fault("message lacks %q", "id")
		}
	}
	return Message(d), f
}

// readContent reads a string or a list of parts (wire 7). Which of the two it
// is decides the parser by trying, so a fault inside a part has no path of its
// own.
func readContent(p *place, v jsontext.Value) (jsontext.Value, *Fault) {
	switch jsonv.Kind(v) {
	case '"':
		return v, noLoneSurrogate(p, v)
	case '[':
		if p.lenient {
			return v, nil
		}
		for i, part := range jsonv.SoundElements(v) {
			if f := checkPart(p.element(i), part); f != nil {
				return nil, &Fault{Param: p.fault("").Param, Pointer: f.Pointer, Message: f.Message}
			}
		}
		return v, noLoneSurrogate(p, v)
	}
	return nil, p.wrongType(v, "a string or a list of parts")
}

// partMembers lists the text members that each kind of part must have; those
// with a dot are inside an object (wire 6 and 7).
var partMembers = map[string][]string{
	"text":        {"/text"},
	"blob":        {"/uri"},
	"link":        {"/uri"},
	"attachment":  {"/id", "/mime", "/uri"},
	"image_url":   {"/image_url/url"},
	"file":        {"/file/filename", "/file/file_data"},
	"input_audio": {"/input_audio/data", "/input_audio/format"},
	"video_url":   {"/video_url/url"},
}

func checkPart(p *place, v jsontext.Value) *Fault {
	if jsonv.Kind(v) != '{' {
		return p.wrongType(v, "a content part")
	}
	tag, _ := jsonv.Get(v, "/type")
	kind, ok := jsonv.Text(tag)
	if !ok {
		return p.fault("content part lacks a %q", "type")
	}
	needs, known := partMembers[kind]
	if !known {
		return p.member("type").fault("unknown content part %s", jsonv.Short(tag, 40))
	}
	for _, pointer := range needs {
		got, _ := jsonv.Get(v, pointer)
		if _, ok := jsonv.Text(got); !ok {
			f := p.fault("content part %q lacks the text %s", kind, pointer)
			f.Pointer += pointer
			return f
		}
	}
	return nil
}
