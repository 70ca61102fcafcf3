package simulator

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// SignatureHeader is [spec.SignatureHeader].
const SignatureHeader = spec.SignatureHeader

// Sign is [spec.Sign].
func Sign(secret, body []byte) string { return spec.Sign(secret, body) }

// signature gives the value of the header for a body in the way that kind
// says, "" for none. Whatever is made up is H (R20), and nothing of the secret
// goes into it.
func (s *session) signature(kind string, body []byte) string {
	right := Sign(s.in.Secret, body)
	digits := strings.TrimPrefix(right, spec.SignaturePrefix)
	switch kind {
	case spec.SignatureAbsent:
		return ""
	case spec.SignatureForged:
		made := s.ids.sum("forged signature", s.exchanges)
		return spec.SignaturePrefix + hex.EncodeToString(made[:])
	case spec.SignatureOtherSecret:
		other := s.ids.sum("other secret", 0)
		return Sign(other[:], body)
	case spec.SignatureBareHex:
		return digits
	case spec.SignatureUpperHex:
		return spec.SignaturePrefix + strings.ToUpper(digits)
	default:
		return right
	}
}

// sign signs x, whose body is set, and says what goes out. Without a secret
// nothing is signed, and nothing is wrong with that.
func (s *session) sign(x *delivery) {
	x.wire = x.body
	if len(s.in.Secret) == 0 {
		return
	}
	x.signature = spec.SignatureValid
	value := s.signature(x.forgery, x.body)
	switch x.forgery {
	case "":
	case spec.SignatureAbsent:
		x.signature = spec.SignatureAbsent
	default:
		x.signature = spec.SignatureWrong
	}
	if x.forgery == spec.SignatureChangedBody {
		x.wire = changed(x.body)
	}
	if value != "" {
		x.headers = append(x.headers, [2]string{cmp.Or(s.in.SignatureHeader, SignatureHeader), value})
	}
}

// broken says in the recording what is wrong with x on purpose.
func (x *delivery) broken() string {
	switch {
	case x.forgery != "":
		return spec.BrokenSignature(x.forgery)
	case x.adds != "":
		return spec.BrokenAdds(x.adds)
	default:
		return ""
	}
}

// changed is a body that says another thing than the one that was signed: the
// identity, for which the engine vouches, has got a member more. The protocol's
// form is kept.
func changed(body []byte) []byte {
	const metadata, member = `"metadata":{`, `"hallmark":"changed"`
	// Before the identity stand ids only, in which a quotation mark is escaped.
	at := bytes.Index(body, []byte(metadata))
	if at < 0 {
		return append(bytes.Clone(body), ' ')
	}
	at += len(metadata)
	more := member
	if body[at] != '}' {
		more += ","
	}
	out := make([]byte, 0, len(body)+len(more))
	out = append(append(out, body[:at]...), more...)
	return append(out, body[at:]...)
}

// forgeryOf is how a delivery is signed on purpose in place of the right way,
// "" for the right way.
func (s *session) forgeryOf(trigger spec.TriggerType) string {
	kind := s.in.Case.Engine.Signature.Of(trigger)
	if kind == spec.SignatureValid || len(s.in.Secret) == 0 {
		return ""
	}
	return kind
}

// signing is the scheme that a recording's header names, nil for none.
func signing(in CaseInput) *string {
	if len(in.Secret) == 0 {
		return nil
	}
	scheme := "hmac-sha256"
	return &scheme
}
