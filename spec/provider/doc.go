// Package provider writes what a model is asked in the form of a provider: the
// `request` of an llm.execute that names a format (wire 4, wire 12). Reading the
// answers is [spec.ParseResponseAs].
package provider

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// Request returns the body that a provider of that format takes for r, without
// a flag for streaming, which the trigger carries. The format "" is the
// protocol's own. Bytes that r refers to must have been put in already. The
// error names a format that is not one of [spec.HostedForms], or a message whose
// content does not read. The same request gives the same bytes. It is safe for
// concurrent use.
func Request(format string, r spec.LlmRequest) (jsontext.Value, error) {
	switch format {
	case "":
		return spec.Marshal(r)
	case spec.FormatOpenAI:
		return completion(r)
	case spec.FormatAnthropic:
		return message(r)
	}
	return nil, fmt.Errorf("model request: unknown format %q", format)
}
