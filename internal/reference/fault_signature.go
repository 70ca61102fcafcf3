package reference

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// signatureDefects break how a signature is checked (D10). They show only where
// the worker has a secret.
func signatureDefects() []defect {
	const (
		valid    = "signature.accepts-valid"
		covers   = "signature.covers-the-bytes"
		forged   = "signature.refuses-forged"
		changed  = "signature.refuses-changed-body"
		unsigned = "signature.refuses-unsigned"
		by401    = "signature.refuses-with-401"
		config   = "start.yields-a-config"
	)
	return []defect{
		{
			Fault:  named("checks-the-form-only", "Takes any signature of the right form.", changed, forged),
			trusts: func(_ *worker, s signed) bool { return formOfSignature.MatchString(s.header) },
		},
		{
			Fault:  named("accepts-unsigned", "Checks a signature only where there is one.", unsigned),
			trusts: func(_ *worker, s signed) bool { return s.header == "" || s.fits() },
		},
		{
			Fault:  named("signs-what-it-knows", "Checks the signature without the members of the identity that it has no use for.", changed),
			trusts: func(_ *worker, s signed) bool { return s.fits() || s.fitsOver(withoutMetadata(s.body)) },
		},
		{
			Fault:  named("signs-what-it-parsed", "Checks the signature over the request as its own encoder writes it.", covers),
			trusts: func(_ *worker, s signed) bool { return s.fitsOver(encodedAnew(s.body)) },
		},
		{
			Fault:  named("decodes-each-chunk", "Turns each piece of a body into text by itself, and checks the signature over that.", covers),
			trusts: func(_ *worker, s signed) bool { return s.fitsOver(decodedByPiece(s)) },
		},
		{
			Fault: named("expects-upper-case", "Compares the signature in capitals.", valid, config),
			trusts: func(_ *worker, s signed) bool {
				return s.header == "sha256="+strings.ToUpper(hex.EncodeToString(s.mac(s.body)))
			},
		},
		{
			Fault:  named("refuses-everything", "Takes no signature for a right one.", valid, config),
			trusts: func(*worker, signed) bool { return false },
		},
		{
			Fault:  named("checks-some-triggers", "Checks no signature when a call has ended.", changed, forged, unsigned),
			trusts: func(_ *worker, s signed) bool { return kindOf(s.body) == spec.OnToolFinished || s.fits() },
		},
		{
			Fault:  named("refuses-with-200", "Answers a wrong signature with status 200 and an error text.", by401),
			refuse: saying(http.StatusOK, "application/json", `{"error":"the signature does not fit"}`),
		},
		{
			Fault:  named("refuses-with-403", "Answers a wrong signature with status 403.", by401),
			refuse: saying(http.StatusForbidden, "text/plain; charset=utf-8", "forbidden"),
		},
		{
			Fault:  named("refuses-in-silence", "Answers a wrong signature with the empty decision.", by401),
			refuse: saying(http.StatusOK, "application/json", `{}`),
		},
		{
			Fault: named("chokes-on-a-bare-signature", "Answers a signature without its prefix with status 500.", by401),
			refuse: func(rw http.ResponseWriter, s signed) bool {
				if s.header == "" || strings.HasPrefix(s.header, "sha256=") {
					return false
				}
				http.Error(rw, "TypeError: cannot read properties of undefined (reading 'length')", http.StatusInternalServerError)
				return true
			},
		},
		{
			Fault:  named("acts-before-checking", "Makes a call before it checks the signature, and makes none a second time.", "signature.checks-first"),
			trusts: (*worker).actAndCheck,
			at: func(x *exchange) bool {
				return x.asked.kind == spec.OnToolExecute && x.worker.acted.has(callKey(x.asked))
			},
			answer: says(`{"actions":[{"type":"tool.error","error":"this call was made already"}]}`),
		},
	}
}

var formOfSignature = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)

// saying refuses with a status and a text.
func saying(status int, kind, text string) func(http.ResponseWriter, signed) bool {
	return func(rw http.ResponseWriter, _ signed) bool {
		write(rw, status, kind, []byte(text))
		return true
	}
}

// kindOf is the trigger of a body, "" where it does not read.
func kindOf(body []byte) spec.TriggerType {
	a, err := read(body)
	if err != nil {
		return ""
	}
	return a.kind
}

// withoutMetadata is a request whose identity has no metadata.
func withoutMetadata(body []byte) []byte {
	identity, ok := jsonv.Get(jsontext.Value(body), "/identity")
	if !ok || jsonv.Kind(identity) != '{' {
		return body
	}
	return with(jsontext.Value(body), "identity", with(identity, "metadata", jsontext.Value("{}")))
}

// encodedAnew is a body as an encoder writes it that escapes what could be
// markup.
func encodedAnew(body []byte) []byte {
	out, err := jsontext.AppendFormat(nil, body, jsontext.AllowDuplicateNames(true),
		jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true))
	if err != nil {
		return body
	}
	return out
}

// decodedByPiece is the text of a body whose pieces were decoded one by one: a
// letter that is cut in two becomes two marks for what cannot be read.
func decodedByPiece(s signed) []byte {
	var text []byte
	from := 0
	for _, to := range s.edges {
		text = append(text, bytes.ToValidUTF8(s.body[from:to], []byte("\ufffd"))...)
		from = to
	}
	return text
}

// actAndCheck remembers a call as made, whoever asked for it.
func (w *worker) actAndCheck(s signed) bool {
	fits := s.fits()
	if a, err := read(s.body); err == nil && !fits && a.kind == spec.OnToolExecute {
		w.acted.once(callKey(a), func() struct{} { return struct{}{} })
	}
	return fits
}

func callKey(a *asked) [32]byte { return fingerprint(a.session, a.text("id")) }
