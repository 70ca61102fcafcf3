package proxy

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// decoded is a body without its content coding, so that it can be redacted.
type decoded struct {
	body []byte
	// was names the coding that was undone, "" for none.
	was string
	// fault says why the body cannot be written, "" when it can.
	fault string
}

// packedReason is why a body is left out that is packed and does not say so.
const packedReason = "the body is packed, so it could not be redacted"

// isPacked reports whether bytes begin like gzip or zstd.
func isPacked(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0x1f, 0x8b}) || bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd})
}

// decode undoes gzip, up to limit bytes. Another coding cannot be looked into,
// so the body must be left out (R9).
func decode(b []byte, coding string, limit int64) decoded {
	switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
	case "", "identity":
		if !isPacked(b) {
			return decoded{body: b}
		}
		// A worker that compresses and does not say so.
		if d := gunzip(b, limit); d.fault == "" {
			return d
		}
		return decoded{fault: packedReason}
	case "gzip", "x-gzip":
		if len(b) == 0 {
			return decoded{body: b}
		}
		return gunzip(b, limit)
	}
	return decoded{fault: fmt.Sprintf("content coding %q is not undone, so it could not be redacted", coding)}
}

func gunzip(b []byte, limit int64) decoded {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return decoded{fault: "the gzip does not read, so it could not be redacted"}
	}
	text, err := io.ReadAll(io.LimitReader(z, limit+1))
	switch {
	case int64(len(text)) > limit:
		return decoded{fault: fmt.Sprintf("unpacked, the gzip is over the limit of %d bytes", limit)}
	case err != nil:
		return decoded{fault: "the gzip does not read to its end, so it could not be redacted"}
	}
	return decoded{body: text, was: "gzip"}
}
