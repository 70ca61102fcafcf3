package spec

import "github.com/go-json-experiment/json/jsontext"

// completion is a chat completion as far as an engine reads it.
type completion struct {
	model   string
	choices []completionChoice
	usage   *completionUsage
	raw     jsontext.Value
}

type completionChoice struct {
	message completionMessage
	finish  string
}

type completionMessage struct {
	content, refusal *string
	calls            []ToolCall
}

type completionUsage struct {
	prompt, completion uint64
	details            completionDetails
}

type completionDetails struct{ cached uint64 }

var completionShape = &shape[completion]{what: "chat completion", fields: []field[completion]{
	must(set("model", readText, func(r *completion) *string { return &r.model })),
	must(set("choices", list(of(choiceShape)), func(r *completion) *[]completionChoice { return &r.choices })),
	{name: "usage", read: func(p *place, v jsontext.Value, r *completion) *Fault {
		if isNull(v) {
			return nil
		}
		r.usage, r.raw = &completionUsage{}, v
		return completionUsageShape.read(p, v, r.usage)
	}},
}}

var choiceShape = &shape[completionChoice]{what: "choice", fields: []field[completionChoice]{
	must(set("message", of(completionMessageShape), func(c *completionChoice) *completionMessage { return &c.message })),
	opt("finish_reason", readText, func(c *completionChoice) *string { return &c.finish }),
}}

var completionMessageShape = &shape[completionMessage]{what: "message of a choice", fields: []field[completionMessage]{
	opt("content", ptr(readText), func(m *completionMessage) **string { return &m.content }),
	opt("refusal", ptr(readText), func(m *completionMessage) **string { return &m.refusal }),
	opt("tool_calls", list(of(toolCallShape)), func(m *completionMessage) *[]ToolCall { return &m.calls }),
}}

var completionUsageShape = &shape[completionUsage]{what: "usage of a chat completion", fields: []field[completionUsage]{
	must(set("prompt_tokens", readU64, func(u *completionUsage) *uint64 { return &u.prompt })),
	must(set("completion_tokens", readU64, func(u *completionUsage) *uint64 { return &u.completion })),
	opt("prompt_tokens_details", of(&shape[completionDetails]{what: "details of the prompt", fields: []field[completionDetails]{
		opt("cached_tokens", readU64, func(d *completionDetails) *uint64 { return &d.cached }),
	}}), func(u *completionUsage) *completionDetails { return &u.details }),
}}

// response turns a chat completion into the protocol's own form. Its first
// choice counts.
func (r completion) response() (LlmResponse, *Fault) {
	if len(r.choices) == 0 {
		return LlmResponse{}, &Fault{Param: "choices", Pointer: "/choices", Message: "a chat completion needs a choice"}
	}
	c := r.choices[0]
	out := LlmResponse{Model: r.model, Content: c.message.content, FinishReason: c.finish}
	if len(c.message.calls) > 0 {
		out.ToolCalls = c.message.calls
	}
	if c.message.refusal != nil {
		out.FinishReason = "refusal"
		if out.Content == nil {
			out.Content = c.message.refusal
		}
	}
	if u := r.usage; u != nil {
		cached := min(u.details.cached, u.prompt)
		out.Usage = &Usage{
			Input: u.prompt, UncachedInput: u.prompt - cached, CacheRead: cached,
			Output: u.completion, Total: u.prompt + u.completion, Provider: r.raw,
		}
	}
	return out, nil
}
