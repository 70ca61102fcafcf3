package jsonv

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Text returns the decoded string that v is; lone surrogates become U+FFFD. It
// is false when v is no string.
func Text(v jsontext.Value) (string, bool) {
	i := skipSpace(v, 0)
	if i >= len(v) || v[i] != '"' {
		return "", false
	}
	s := scanner{b: v, max: Deepest}
	end, err := s.text(i)
	if err != nil || skipSpace(v, end) != len(v) {
		return "", false
	}
	return unquote(v[i:end]), true
}

// unquote decodes a string token that the scanner has passed.
func unquote(b []byte) string {
	b = b[1 : len(b)-1]
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b))
	for i := 0; i < len(b); {
		if b[i] != '\\' {
			out.WriteByte(b[i])
			i++
			continue
		}
		if b[i+1] != 'u' {
			out.WriteByte(plainEscapes[b[i+1]])
			i += 2
			continue
		}
		r, _ := hex4(b[i:])
		i += 6
		if utf16.IsSurrogate(r) {
			low, ok := hex4(b[i:])
			if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
				r = pair
				i += 6
			} else {
				r = utf8.RuneError
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

var plainEscapes = ['u']byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// LoneSurrogate reports whether an escape in b is half of a surrogate pair,
// which is JSON by the grammar but stands for no text (gap 26). It looks at
// nothing but escapes, so b may be any valid JSON text.
func LoneSurrogate(b []byte) bool {
	for i := 0; i < len(b); {
		n := bytes.IndexByte(b[i:], '\\')
		if n < 0 {
			return false
		}
		i += n
		r, ok := hex4(b[i:])
		if !ok {
			i += 2
			continue
		}
		i += 6
		if !utf16.IsSurrogate(r) {
			continue
		}
		low, ok := hex4(b[i:])
		if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

// Quote returns s as a JSON string with as few escapes as the grammar allows.
// Invalid UTF-8 becomes U+FFFD.
func Quote(s string) jsontext.Value {
	return appendQuote(make([]byte, 0, len(s)+2), s)
}

func appendQuote(dst []byte, s string) []byte {
	// The only error is invalid UTF-8, which is mended first.
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(s, "\ufffd"))
	return dst
}
