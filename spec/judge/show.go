package judge

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// The lengths to which values are cut in findings, in bytes.
const (
	shortValue = 160
	firstBytes = 48
	hexBytes   = 16
)

// show prints a JSON value for a line.
func show(v jsontext.Value) string { return jsonv.Short(v, shortValue) }

// quote prints a text for a line.
func quote(s string) string {
	if len(s) <= shortValue {
		return fmt.Sprintf("%q", s)
	}
	cut := shortValue
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%q… (%d bytes in all)", s[:cut], len(s))
}

// first prints the beginning of bytes that are not JSON, as text and in hex,
// so that a byte-order mark or a compressed body can be told.
func first(b []byte) string {
	if len(b) == 0 {
		return "an empty body"
	}
	head := b[:min(len(b), firstBytes)]
	text := strings.ToValidUTF8(string(head), "\ufffd")
	more := ""
	if len(b) > len(head) {
		more = fmt.Sprintf("… (%d bytes in all)", len(b))
	}
	return fmt.Sprintf("%q%s, bytes % x", text, more, head[:min(len(head), hexBytes)])
}

// header returns the value of the first header of that name, in any case.
func header(headers [][2]string, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h[0], name) {
			return strings.TrimSpace(h[1])
		}
	}
	return ""
}
