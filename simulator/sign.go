package simulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// SignatureHeader is the header that carries the signature of a request (wire
// 1, D10).
const SignatureHeader = "X-Substructure-Signature"

// Sign returns the value of [SignatureHeader] for a body: "sha256=" and the
// lower-case hex of the HMAC-SHA256 over the bytes as they are sent, keyed by
// the secret's bytes (D10).
func Sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// signed returns headers with the signature of body added; without a secret
// none is sent.
func signed(headers [][2]string, secret, body []byte) [][2]string {
	if len(secret) == 0 {
		return headers
	}
	return append(headers, [2]string{SignatureHeader, Sign(secret, body)})
}

// signature says how a request is signed, for its recording: the secret is not
// kept, so nobody can tell from the bytes.
func (s *session) signature() string {
	if len(s.in.Secret) == 0 {
		return ""
	}
	return "valid"
}

// signing is the scheme that a recording's header names, nil for none.
func signing(in CaseInput) *string {
	if len(in.Secret) == 0 {
		return nil
	}
	scheme := "hmac-sha256"
	return &scheme
}
