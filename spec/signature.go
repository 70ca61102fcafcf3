package spec

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SignatureHeader is the header that carries the signature of a request where
// nobody names another (wire 1, D10).
const SignatureHeader = "X-Substructure-Signature"

// SignaturePrefix stands before the hex digits of a signature.
const SignaturePrefix = "sha256="

// Sign returns the value of [SignatureHeader] for a body: the prefix and the
// lower-case hex of the HMAC-SHA256 over the bytes as they are sent, keyed by the
// secret's bytes (D10).
func Sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return SignaturePrefix + hex.EncodeToString(mac.Sum(nil))
}

// What a recording says of the signature of a request (D10, R9): the secret is
// not kept, so nobody could tell from the bytes.
const (
	// SignatureValid is a right one.
	SignatureValid = "valid"
	// SignatureAbsent is none at all.
	SignatureAbsent = "absent"
	// SignatureWrong is one that does not fit the body.
	SignatureWrong = "wrong"
	// SignatureUnchecked is one that nobody could check.
	SignatureUnchecked = "unchecked"
)

// The kinds of signatures that a run sends on purpose in place of the right
// one; [SignatureAbsent] is one too. The last two hold the right code in a
// spelling that no engine uses.
const (
	SignatureForged      = "forged"
	SignatureOtherSecret = "other-secret"
	SignatureChangedBody = "changed-body"
	SignatureBareHex     = "bare-hex"
	SignatureUpperHex    = "upper-hex"
)

// SignatureKinds lists what a scenario may ask for, the right one first. The
// slice is the caller's own.
func SignatureKinds() []string {
	return []string{
		SignatureValid, SignatureAbsent, SignatureForged, SignatureOtherSecret, SignatureChangedBody,
		SignatureBareHex, SignatureUpperHex,
	}
}

// brokenSignature begins [RequestEvent.Broken] where the signature is what is
// wrong.
const brokenSignature = "signature: "

// BrokenSignature is what [RequestEvent.Broken] says of a kind of signature.
func BrokenSignature(kind string) string { return brokenSignature + kind }

// SignedWrong reports whether the request had a signature that is not right, or
// none on purpose: by a run, or as a proxy that knew the secret found it.
func (r *RequestEvent) SignedWrong() bool {
	return strings.HasPrefix(r.Broken, brokenSignature) || r.Signature == SignatureWrong
}

// SignatureKind returns how the request is signed, in the words of
// [SignatureKinds] where the run did it on purpose, else as recorded; "" when
// the recording does not say.
func (r *RequestEvent) SignatureKind() string {
	if kind, ok := strings.CutPrefix(r.Broken, brokenSignature); ok {
		return kind
	}
	return r.Signature
}
