package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// hostedResponse is what a hosted model answered to the llm.execute of this
// exchange, in the protocol's own form, and its settle.
func (x *exchange) hostedResponse() (spec.LlmResponse, modelSettle, bool) {
	t, ok := x.req.Trigger.(spec.LlmExecuteTrigger)
	if !ok {
		return spec.LlmResponse{}, modelSettle{}, false
	}
	for _, s := range x.modelSettles() {
		if s.result == nil || s.call != t.ID {
			continue
		}
		r, fault := spec.ParseResponseAs(t.Format, s.result.Response)
		return r, s, fault == nil
	}
	return spec.LlmResponse{}, modelSettle{}, false
}

// seeModelResponse looks at a response that reads.
func seeModelResponse(x *exchange) {
	r, s, ok := x.hostedResponse()
	if !ok {
		return
	}
	x.held("model.response-reads")
	x.answeredCalls(r, s)
	x.finishReason(r, s)
	x.usage(r, s)
}

func (x *exchange) answeredCalls(r spec.LlmResponse, s modelSettle) {
	const (
		fresh     = "model.tool-call-ids-are-new"
		functions = "model.tool-calls-are-functions"
	)
	if len(r.ToolCalls) == 0 {
		return
	}
	at := s.pointer("/response")
	used := map[string]bool{}
	for _, m := range x.req.Messages {
		for _, c := range m.ToolCalls {
			used[c.ID] = true
		}
	}
	for _, c := range r.ToolCalls {
		if used[c.ID] {
			x.broke(fresh, spec.Finding{Pointer: at, Got: "a call with the id " + quote(c.ID) + ", which the conversation has already",
				Want: "an id that no call of the session had", Hint: "make ids from something that is new each time, such as the id of the model call"})
			return
		}
		used[c.ID] = true
	}
	x.held(fresh)
	for i, c := range r.ToolCalls {
		got := ""
		switch {
		case c.Type != "function":
			got = "type " + quote(c.Type)
		case blank(c.ID):
			got = "an empty id"
		case blank(c.Function.Name):
			got = "no name of a tool"
		default:
			continue
		}
		x.broke(functions, spec.Finding{Pointer: at, Got: fmt.Sprintf("call %d with %s", i+1, got), Want: `an id, type "function", and the name of a tool`})
		return
	}
	x.held(functions)
}

// cutShort are the reasons why a model stopped early, with or without calls.
var cutShort = []string{"length", "refusal", "content_filter"}

func (x *exchange) finishReason(r spec.LlmResponse, s modelSettle) {
	const id = "model.finish-reason-fits"
	calls := len(r.ToolCalls) > 0
	f := spec.Finding{Pointer: s.pointer("/response"), Got: "finish reason " + quote(r.FinishReason)}
	switch {
	case r.FinishReason == "":
		return
	case slices.Contains(cutShort, r.FinishReason), calls == (r.FinishReason == "tool_calls"):
		x.held(id)
		return
	case calls:
		f.Got += " beside calls"
		f.Want = "tool_calls, or " + strings.Join(cutShort, ", ") + " where the answer was cut"
	default:
		f.Got += " without a call"
		f.Want = "stop, or " + strings.Join(cutShort, ", ") + " where the answer was cut"
	}
	x.broke(id, f)
}

// usage checks the sums of wire 9. A provider's form has none to get wrong.
func (x *exchange) usage(r spec.LlmResponse, s modelSettle) {
	const id = "model.usage-adds-up"
	u := r.Usage
	if u == nil {
		return
	}
	f := spec.Finding{Pointer: s.pointer("/response/usage"), Hint: "input counts what was read from and written to a cache as well"}
	switch {
	case u.Input != u.UncachedInput+u.CacheRead+u.CacheWrite:
		f.Got = fmt.Sprintf("input %d, with uncached_input %d, cache_read %d and cache_write %d", u.Input, u.UncachedInput, u.CacheRead, u.CacheWrite)
		f.Want = fmt.Sprintf("input %d, the sum of the three", u.UncachedInput+u.CacheRead+u.CacheWrite)
	case u.Total != u.Input+u.Output:
		f.Got = fmt.Sprintf("total %d, with input %d and output %d", u.Total, u.Input, u.Output)
		f.Want = fmt.Sprintf("total %d, the sum of the two", u.Input+u.Output)
	default:
		x.held(id)
		return
	}
	x.broke(id, f)
}
