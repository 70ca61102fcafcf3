package spec

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// anthropicReply is a message as far as an engine reads it.
type anthropicReply struct {
	model   string
	content []anthropicBlock
	stop    string
	usage   *anthropicUsage
	raw     jsontext.Value
}

type anthropicBlock struct {
	kind string
	text *string
	call ToolCall
}

type anthropicUsage struct{ input, output, written, read uint64 }

var anthropicShape = &shape[anthropicReply]{what: "message", fields: []field[anthropicReply]{
	must(set("model", readText, func(r *anthropicReply) *string { return &r.model })),
	must(set("content", list(readAnthropicBlock), func(r *anthropicReply) *[]anthropicBlock { return &r.content })),
	opt("stop_reason", readText, func(r *anthropicReply) *string { return &r.stop }),
	{name: "usage", read: func(p *place, v jsontext.Value, r *anthropicReply) *Fault {
		if isNull(v) {
			return nil
		}
		r.usage, r.raw = &anthropicUsage{}, v
		return anthropicUsageShape.read(p, v, r.usage)
	}},
}}

var anthropicUsageShape = &shape[anthropicUsage]{what: "usage of a message", fields: []field[anthropicUsage]{
	must(set("input_tokens", readU64, func(u *anthropicUsage) *uint64 { return &u.input })),
	must(set("output_tokens", readU64, func(u *anthropicUsage) *uint64 { return &u.output })),
	opt("cache_creation_input_tokens", readU64, func(u *anthropicUsage) *uint64 { return &u.written }),
	opt("cache_read_input_tokens", readU64, func(u *anthropicUsage) *uint64 { return &u.read }),
}}

var toolUseShape = &shape[ToolCall]{what: "tool_use block", fields: []field[ToolCall]{
	must(set("id", readText, func(c *ToolCall) *string { return &c.ID })),
	must(set("name", readText, func(c *ToolCall) *string { return &c.Function.Name })),
	must(field[ToolCall]{name: "input", read: func(p *place, v jsontext.Value, c *ToolCall) *Fault {
		input, f := readObject(p, v)
		c.Function.Arguments = string(jsonv.Compact(input))
		return f
	}}),
}}

var textBlockShape = &shape[anthropicBlock]{what: "text block", fields: []field[anthropicBlock]{
	must(set("text", ptr(readText), func(b *anthropicBlock) **string { return &b.text })),
}}

// readAnthropicBlock reads a text or tool_use block; other kinds, such as
// thinking, are of no concern to an engine and pass.
func readAnthropicBlock(p *place, v jsontext.Value) (anthropicBlock, *Fault) {
	kind, _, f := readTag(p, v, "content block")
	b := anthropicBlock{kind: kind}
	switch {
	case f != nil:
	case kind == "text":
		f = textBlockShape.read(p, v, &b)
	case kind == "tool_use":
		b.call.Type = "function"
		f = toolUseShape.read(p, v, &b.call)
	}
	return b, f
}

// stopReasons are the protocol's words for those of a message.
var stopReasons = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls", "refusal": "refusal",
}

// response turns a message into the protocol's own form: its texts joined, an
// input object as its compact JSON text (wire 12).
func (r anthropicReply) response() LlmResponse {
	out := LlmResponse{Model: r.model, FinishReason: r.stop}
	if own, ok := stopReasons[r.stop]; ok {
		out.FinishReason = own
	}
	var text strings.Builder
	said := false
	for _, b := range r.content {
		switch b.kind {
		case "text":
			text.WriteString(*b.text)
			said = true
		case "tool_use":
			out.ToolCalls = append(out.ToolCalls, b.call)
		}
	}
	if said {
		s := text.String()
		out.Content = &s
	}
	if u := r.usage; u != nil {
		out.Usage = &Usage{
			UncachedInput: u.input, CacheRead: u.read, CacheWrite: u.written, Input: u.input + u.read + u.written,
			Output: u.output, Total: u.input + u.read + u.written + u.output, Provider: r.raw,
		}
	}
	return out
}
