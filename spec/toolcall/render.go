package toolcall

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// Rendered returns the text of a result (F9): its structured content as compact
// JSON, else its text blocks and link uris, one to a line. Blobs add nothing.
func Rendered(r spec.StoredResult) string {
	if r.StructuredContent != nil {
		return string(jsonv.Sorted(r.StructuredContent))
	}
	var lines []string
	for _, b := range r.Content {
		switch b.Type {
		case spec.BlockText:
			lines = append(lines, value(b.Text))
		case spec.BlockLink:
			lines = append(lines, b.URI)
		}
	}
	return strings.Join(lines, "\n")
}

// MessageContent returns the content of the tool message that shows a result to
// the model (F10): the rendered text when all blocks are text, else an array of
// the rendered text, unless it is empty, and the other blocks.
func MessageContent(r spec.StoredResult) jsontext.Value {
	rendered := Rendered(r)
	var parts []spec.StoredContent
	for _, b := range r.Content {
		if b.Type != spec.BlockText {
			parts = append(parts, b)
		}
	}
	if parts == nil {
		return jsonv.Quote(rendered)
	}
	if rendered != "" {
		parts = append([]spec.StoredContent{text(rendered)}, parts...)
	}
	out, err := json.Marshal(parts)
	if err != nil {
		// Only text that is not UTF-8 fails, and no result of JSON holds any.
		return jsonv.Quote(rendered)
	}
	return out
}
