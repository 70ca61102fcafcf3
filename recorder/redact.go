package recorder

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// minSecret is the shortest secret that is looked for inside bodies: a shorter
// one stands in too many places by chance. As a whole header value any is
// replaced.
const minSecret = 8

// Redactor replaces known secrets by stand-ins before anything is written or
// judged (R9). Make one with [NewRedactor]. It is safe for concurrent use.
type Redactor struct {
	secrets []secret
}

type secret struct{ value, standIn string }

// NewRedactor returns a Redactor of the values given; empty ones count for
// nothing. key keys the stand-ins, so that equal secrets can be seen to be
// equal within a run and nobody can try values against a file. It must be
// unknown to readers of the recordings.
func NewRedactor(values []string, key []byte) *Redactor {
	r := &Redactor{}
	for _, v := range values {
		if v != "" {
			r.secrets = append(r.secrets, secret{v, standIn(v, key)})
		}
	}
	return r
}

// standIn is recognisable and tells no more than that two secrets are equal.
func standIn(value string, key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(value))
	return "hm-red-secret-" + strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:8])
}

// Redact returns e with every known secret replaced in header values and in
// bodies. e is not changed; without a secret in it, it comes back as it is. A
// secret that is cut apart between two pieces of a stream is not found.
func (r *Redactor) Redact(e spec.Event) spec.Event {
	if r == nil || len(r.secrets) == 0 {
		return e
	}
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		c := *d
		var n, m int
		c.Headers, n = r.headers(d.Headers)
		c.Body, m = r.body(d.Body)
		if n+m == 0 {
			return e
		}
		c.Redacted += n + m
		e.Data = &c
	case *spec.ResponseEvent:
		c := *d
		var n, m int
		c.Headers, n = r.headers(d.Headers)
		c.Body, m = r.body(d.Body)
		if n+m == 0 {
			return e
		}
		c.Bytes += int64(length(c.Body) - length(d.Body))
		e.Data = &c
	case *spec.PieceEvent:
		c := *d
		var n int
		if c.Body, n = r.body(d.Body); n > 0 {
			e.Data = &c
		}
	case *spec.WorkerEvent:
		c := *d
		c.Stderr = r.text(d.Stderr)
		e.Data = &c
	}
	return e
}

func length(b spec.Body) int {
	bytes, err := b.Bytes()
	if err != nil {
		return 0
	}
	return len(bytes)
}

// headers replaces secrets in values. The list is copied where one is found.
func (r *Redactor) headers(list [][2]string) ([][2]string, int) {
	out, n := list, 0
	for i, h := range list {
		value := h[1]
		for _, s := range r.secrets {
			if value == s.value || len(s.value) >= minSecret {
				value = strings.ReplaceAll(value, s.value, s.standIn)
			}
		}
		if value == h[1] {
			continue
		}
		if n == 0 {
			out = append([][2]string(nil), list...)
		}
		out[i][1] = value
		n++
	}
	return out, n
}

func (r *Redactor) body(b spec.Body) (spec.Body, int) {
	text, err := b.Bytes()
	if err != nil || text == nil {
		return b, 0
	}
	n := 0
	for _, s := range r.secrets {
		if len(s.value) < minSecret {
			continue
		}
		if found := bytes.Count(text, []byte(s.value)); found > 0 {
			text = bytes.ReplaceAll(text, []byte(s.value), []byte(s.standIn))
			n += found
		}
	}
	if n == 0 {
		return b, 0
	}
	return spec.BodyOf(text), n
}

func (r *Redactor) text(t string) string {
	for _, s := range r.secrets {
		if len(s.value) >= minSecret {
			t = strings.ReplaceAll(t, s.value, s.standIn)
		}
	}
	return t
}
