package judge

import (
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// bytesOf returns the base64 text of a block and its member, when the block
// carries bytes (wire 6).
func bytesOf(b spec.ToolContent) (text, member string, ok bool) {
	switch {
	case (b.Type == spec.BlockImage || b.Type == spec.BlockAudio) && b.Data != nil:
		return *b.Data, "/data", true
	case b.Type == spec.BlockResource && b.Resource != nil && b.Resource.Blob != nil:
		return *b.Resource.Blob, "/resource/blob", true
	}
	return "", "", false
}

func (r *resultView) bytes(b spec.ToolContent, at string) {
	const id = "result.bytes-are-base64"
	text, member, ok := bytesOf(b)
	if !ok {
		return
	}
	why, hint := notBase64(text)
	if why == "" {
		r.x.held(id)
		return
	}
	r.x.broke(id, spec.Finding{
		Pointer: at + member, Got: why + ": " + quote(text), Want: "plain base64 in the standard alphabet, padded, without white space", Hint: hint,
	})
}

var (
	link = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://`)
	uris = regexp.MustCompile(`^data:[^,]*,`)
)

// notBase64 says why an engine cannot decode a text (F8), and what to do; ""
// when it can.
func notBase64(text string) (why, hint string) {
	switch {
	case uris.MatchString(text):
		return "a data URI", "remove the prefix: send only what follows the comma"
	case link.MatchString(text):
		return "a link", "send a resource_link block with this uri"
	case strings.ContainsAny(text, " \t\r\n"):
		return "white space in base64", "write base64 in one line"
	case strings.ContainsAny(text, "-_"):
		return "the URL-safe alphabet", "use the standard alphabet, with + and /"
	}
	_, err := base64.StdEncoding.Strict().DecodeString(text)
	if err == nil {
		return "", ""
	}
	bare := strings.TrimRight(text, "=")
	if _, err := base64.RawStdEncoding.Strict().DecodeString(bare); err == nil {
		return "wrong padding", "pad with = to a multiple of four characters"
	}
	return "not base64", "encode the bytes as base64"
}
