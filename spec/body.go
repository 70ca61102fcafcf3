package spec

import (
	"encoding/base64"
	"unicode/utf8"
)

// Body holds bytes exactly, in the form in which a recording keeps them: valid
// UTF-8 as text, anything else as base64. At most one of the two is set. Make
// one with [BodyOf].
type Body struct {
	Text   *string `json:"body,omitzero"`
	Base64 string  `json:"base64,omitzero"`
}

// BodyOf returns the Body that holds b; nil gives a Body that holds nothing.
func BodyOf(b []byte) Body {
	if b == nil {
		return Body{}
	}
	if utf8.Valid(b) {
		s := string(b)
		return Body{Text: &s}
	}
	return Body{Base64: base64.StdEncoding.EncodeToString(b)}
}

// Bytes returns the bytes that the Body holds, nil when it holds nothing. The
// error is that of damaged base64.
func (b Body) Bytes() ([]byte, error) {
	if b.Text != nil {
		return []byte(*b.Text), nil
	}
	if b.Base64 == "" {
		return nil, nil
	}
	return base64.StdEncoding.DecodeString(b.Base64)
}
