package recorder

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// Unpacked is a body without its content coding, so that it can be redacted.
type Unpacked struct {
	Body []byte
	// Was names the coding that was undone, "" for none.
	Was string
	// Fault says why the body cannot be written, "" when it can.
	Fault string
}

// PackedReason is why a body is left out that is packed and does not say so.
const PackedReason = "the body is packed, so it could not be redacted"

// IsPacked reports whether bytes begin like gzip or zstd.
func IsPacked(b []byte) bool {
	return bytes.HasPrefix(b, []byte{0x1f, 0x8b}) || bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd})
}

// Unpack undoes gzip, up to limit bytes. Another coding cannot be looked into,
// so the body must be left out (R9).
func Unpack(b []byte, coding string, limit int64) Unpacked {
	switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
	case "", "identity":
		if !IsPacked(b) {
			return Unpacked{Body: b}
		}
		// A worker that compresses and does not say so.
		if d := gunzip(b, limit); d.Fault == "" {
			return d
		}
		return Unpacked{Fault: PackedReason}
	case "gzip", "x-gzip":
		if len(b) == 0 {
			return Unpacked{Body: b}
		}
		return gunzip(b, limit)
	}
	return Unpacked{Fault: fmt.Sprintf("content coding %q is not undone, so it could not be redacted", coding)}
}

func gunzip(b []byte, limit int64) Unpacked {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return Unpacked{Fault: "the gzip does not read, so it could not be redacted"}
	}
	text, err := io.ReadAll(io.LimitReader(z, limit+1))
	switch {
	case int64(len(text)) > limit:
		return Unpacked{Fault: fmt.Sprintf("unpacked, the gzip is over the limit of %d bytes", limit)}
	case err != nil:
		return Unpacked{Fault: "the gzip does not read to its end, so it could not be redacted"}
	}
	return Unpacked{Body: text, Was: "gzip"}
}
