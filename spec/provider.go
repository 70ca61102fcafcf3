package spec

import (
	"slices"
	"strings"
)

// The forms in which a worker may host a model (wire 4, wire 5). A provider's
// form stands as `format` in an llm.execute; the protocol's own has no format.
const (
	// HostedNative is the protocol's own form: LlmRequest and LlmResponse.
	HostedNative = "native"
	// FormatOpenAI is the form of chat completions.
	FormatOpenAI = "openai"
	// FormatAnthropic is the form of messages.
	FormatAnthropic = "anthropic"
)

// HostedForms lists the forms, the protocol's own first. The slice is the
// caller's own.
func HostedForms() []string { return []string{HostedNative, FormatOpenAI, FormatAnthropic} }

// FormatOf is the `format` of an llm.execute for a form: "" for the protocol's
// own, in which that member is absent.
func FormatOf(form string) string {
	if form == HostedNative {
		return ""
	}
	return form
}

// ParseResponseAs reads what a hosted model answered, in the format that its
// llm.execute named; "" is the protocol's own, [ParseLlmResponse] (wire 5, F3).
// Members that only the provider knows pass. A format that is not one of
// [HostedForms] is a fault of its own. It is safe for concurrent use.
func ParseResponseAs(format string, body []byte) (LlmResponse, *Fault) {
	switch format {
	case "":
		return ParseLlmResponse(body)
	case FormatOpenAI:
		r, fault := parse(body, of(completionShape), strict)
		if fault != nil {
			return LlmResponse{}, fault
		}
		return r.response()
	case FormatAnthropic:
		r, fault := parse(body, of(anthropicShape), strict)
		if fault != nil {
			return LlmResponse{}, fault
		}
		return r.response(), nil
	}
	return LlmResponse{}, &Fault{Message: "unknown format " + format + ", expected one of " +
		strings.Join(slices.DeleteFunc(HostedForms(), func(f string) bool { return f == HostedNative }), ", ")}
}
