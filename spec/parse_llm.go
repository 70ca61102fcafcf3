package spec

import "github.com/go-json-experiment/json/jsontext"

var reasoningShape = &shape[ReasoningConfig]{what: "reasoning", fields: []field[ReasoningConfig]{
	opt("effort", readEffort, func(r *ReasoningConfig) *string { return &r.Effort }),
	opt("max_tokens", ptr(readU32), func(r *ReasoningConfig) **uint32 { return &r.MaxTokens }),
	opt("exclude", ptr(readBool), func(r *ReasoningConfig) **bool { return &r.Exclude }),
	opt("enabled", ptr(readBool), func(r *ReasoningConfig) **bool { return &r.Enabled }),
}}

var llmToolShape = &shape[LlmTool]{what: "tool", fields: []field[LlmTool]{
	must(set("name", readText, func(t *LlmTool) *string { return &t.Name })),
	must(set("description", readText, func(t *LlmTool) *string { return &t.Description })),
	opt("input", readAny, func(t *LlmTool) *jsontext.Value { return &t.Input }),
	opt("output", readAny, func(t *LlmTool) *jsontext.Value { return &t.Output }),
	opt("defer", ptr(readBool), func(t *LlmTool) **bool { return &t.Defer }),
}}

var usageShape = &shape[Usage]{what: "usage", fields: []field[Usage]{
	must(set("input", readU64, func(u *Usage) *uint64 { return &u.Input })),
	must(set("output", readU64, func(u *Usage) *uint64 { return &u.Output })),
	must(set("uncached_input", readU64, func(u *Usage) *uint64 { return &u.UncachedInput })),
	must(set("cache_read", readU64, func(u *Usage) *uint64 { return &u.CacheRead })),
	must(set("cache_write", readU64, func(u *Usage) *uint64 { return &u.CacheWrite })),
	must(set("total", readU64, func(u *Usage) *uint64 { return &u.Total })),
	opt("provider", readAny, func(u *Usage) *jsontext.Value { return &u.Provider }),
}}

var imageShape = &shape[LlmImage]{what: "image", fields: []field[LlmImage]{
	must(set("url", readText, func(i *LlmImage) *string { return &i.URL })),
}}

var llmRequestShape = &shape[LlmRequest]{what: "model request", fields: []field[LlmRequest]{
	must(set("model", readText, func(r *LlmRequest) *string { return &r.Model })),
	must(set("messages", readDrafts, func(r *LlmRequest) *[]DraftMessage { return &r.Messages })),
	opt("tools", list(of(llmToolShape)), func(r *LlmRequest) *[]LlmTool { return &r.Tools }),
	opt("temperature", readAnyNumber, func(r *LlmRequest) *jsontext.Value { return &r.Temperature }),
	opt("max_completion_tokens", ptr(readU64), func(r *LlmRequest) **uint64 { return &r.MaxCompletionTokens }),
	opt("reasoning", ptr(of(reasoningShape)), func(r *LlmRequest) **ReasoningConfig { return &r.Reasoning }),
}}

var llmResponseShape = &shape[LlmResponse]{what: "model response", fields: []field[LlmResponse]{
	must(set("model", readText, func(r *LlmResponse) *string { return &r.Model })),
	opt("content", ptr(readText), func(r *LlmResponse) **string { return &r.Content }),
	opt("tool_calls", list(of(toolCallShape)), func(r *LlmResponse) *[]ToolCall { return &r.ToolCalls }),
	opt("finish_reason", readText, func(r *LlmResponse) *string { return &r.FinishReason }),
	opt("usage", ptr(of(usageShape)), func(r *LlmResponse) **Usage { return &r.Usage }),
	opt("cost", readDecimalText, func(r *LlmResponse) *string { return &r.Cost }),
	opt("images", list(of(imageShape)), func(r *LlmResponse) *[]LlmImage { return &r.Images }),
	opt("reasoning", readAny, func(r *LlmResponse) *jsontext.Value { return &r.Reasoning }),
}}

// readAnyNumber reads a number of any spelling.
func readAnyNumber(p *place, v jsontext.Value) (jsontext.Value, *Fault) {
	return readNumber(&place{reading: &reading{lenient: true}, up: p.up, name: p.name, index: p.index}, v)
}

// readDecimalText reads an amount: -?digits(.digits)? (notation of the wire).
func readDecimalText(p *place, v jsontext.Value) (string, *Fault) {
	s, f := readText(p, v)
	if f == nil && !p.lenient && !isDecimal(s) {
		f = p.fault("expected a decimal amount as text, got %q", s)
	}
	return s, f
}

func isDecimal(s string) bool {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	digits, points := 0, 0
	for i := range len(s) {
		switch {
		case s[i] >= '0' && s[i] <= '9':
			digits++
		case s[i] == '.' && points == 0 && i > 0 && i < len(s)-1:
			points++
		default:
			return false
		}
	}
	return digits > 0
}

// ParseLlmRequest reads what a model is asked (wire 9). Unknown members pass.
// It is safe for concurrent use.
func ParseLlmRequest(body []byte) (LlmRequest, *Fault) {
	return parse(body, of(llmRequestShape), strict)
}

// ParseLlmResponse reads what a model answered (wire 9), as strictly as an
// engine reads the response of an llm.result. It is safe for concurrent use.
func ParseLlmResponse(body []byte) (LlmResponse, *Fault) {
	return parse(body, of(llmResponseShape), strict)
}
