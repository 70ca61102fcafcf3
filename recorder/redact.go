package recorder

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// minSecret is the shortest secret that is looked for inside bodies: a shorter
// one stands in too many places by chance. As a whole header value any is
// replaced.
const minSecret = 8

// Redactor replaces known secrets by stand-ins before anything is written or
// judged (R9). Make one with [NewRedactor]. It is safe for concurrent use.
type Redactor struct {
	// secrets are all spellings of all secrets, the longest first.
	secrets []secret
	// longest is the length of the longest that is looked for inside bodies.
	longest int
	// variables maps stand-ins to the variables that hold their secrets.
	variables map[string]string
}

// Secret is a value that nothing written may hold.
type Secret struct {
	Value string
	// Variable is the variable of the environment that holds it, "" for none.
	// It is written down, so that a line which sends a request again can take
	// the secret from there.
	Variable string
}

type secret struct{ value, standIn string }

// NewRedactor returns a Redactor of the secrets given; empty ones count for
// nothing. key keys the stand-ins, so that equal secrets can be seen to be
// equal within a run and nobody can try values against a file. It must be
// unknown to readers of the recordings.
func NewRedactor(secrets []Secret, key []byte) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		for _, spelling := range spellings(s.Value) {
			r.secrets = append(r.secrets, secret{spelling, standIn(s.Value, key)})
			if len(spelling) >= minSecret {
				r.longest = max(r.longest, len(spelling))
			}
		}
		if s.Value != "" && s.Variable != "" {
			if r.variables == nil {
				r.variables = map[string]string{}
			}
			r.variables[standIn(s.Value, key)] = s.Variable
		}
	}
	// Where two secrets begin alike, the longer one is meant.
	slices.SortStableFunc(r.secrets, func(a, b secret) int { return cmp.Compare(len(b.value), len(a.value)) })
	return r
}

// spellings are the forms in which a secret may stand in what is written: as
// it is, and inside a JSON string, with and without an escaped slash.
func spellings(v string) []string {
	if v == "" {
		return nil
	}
	all := []string{v}
	if quoted, err := jsontext.AppendQuote(nil, v); err == nil {
		inner := string(quoted[1 : len(quoted)-1])
		all = append(all, inner, strings.ReplaceAll(inner, "/", `\/`), strings.ReplaceAll(v, "/", `\/`))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// standIn is recognisable, and tells no more than that two secrets are equal
// and of which length class they are (R9).
func standIn(value string, key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(value))
	text := "hm-red-secret-" + strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:8])
	return text + strings.Repeat("-", lengthClass(len(value))-len(text))
}

// lengthClass is the length of the stand-in of a secret of n bytes: the next
// power of two, from 32 on. So a worker's bounds are met with a stand-in where
// they are met with the secret, or nearly, and the length itself stays unknown.
func lengthClass(n int) int {
	class := 32
	for class < n {
		class *= 2
	}
	return class
}
