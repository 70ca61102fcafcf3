package recorder

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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
		for _, spelling := range spellings(v) {
			r.secrets = append(r.secrets, secret{spelling, standIn(v, key)})
		}
	}
	// A secret that is a part of another must not leave the rest of it behind.
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

// standIn is recognisable and tells no more than that two secrets are equal.
func standIn(value string, key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(value))
	return "hm-red-secret-" + strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:8])
}

// Redact returns e with every known secret replaced, wherever the event holds
// what a worker, a client or a model said. e is not changed. The header, a
// session's ids and the steps hold what Hallmark itself wrote. A secret that is
// cut apart between two pieces of a stream is not found.
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
		c.Redacted += n + m
		e.Data = &c
	case *spec.ResponseEvent:
		c := *d
		c.Headers, _ = r.headers(d.Headers)
		c.Body, _ = r.body(d.Body)
		c.Reason = r.text(d.Reason)
		c.Bytes += int64(length(c.Body) - length(d.Body))
		e.Data = &c
	case *spec.PieceEvent:
		c := *d
		c.Body, _ = r.body(d.Body)
		e.Data = &c
	case *spec.InputEvent:
		c := *d
		c.Body, _ = r.body(d.Body)
		c.Reply = r.text(d.Reply)
		e.Data = &c
	case *spec.AskEvent:
		c := *d
		c.Body, _ = r.body(d.Body)
		e.Data = &c
	case *spec.ReplyEvent:
		c := *d
		c.Body, _ = r.body(d.Body)
		c.Error = r.info(d.Error)
		e.Data = &c
	case *spec.OutcomeEvent:
		c := *d
		c.Param, c.Reason = r.text(d.Param), r.text(d.Reason)
		c.Settled = slices.Clone(d.Settled)
		for i := range c.Settled {
			c.Settled[i].Reason = r.text(c.Settled[i].Reason)
		}
		e.Data = &c
	case *spec.TurnEvent:
		c := *d
		c.Data, c.Error = r.value(d.Data), r.info(d.Error)
		e.Data = &c
	case *spec.WorkerEvent:
		c := *d
		c.Stderr, c.Exit = r.text(d.Stderr), r.text(d.Exit)
		e.Data = &c
	case *spec.CloseEvent:
		c := *d
		c.Why = r.text(d.Why)
		e.Data = &c
	}
	return e
}

// info is e without secrets; nil stays nil.
func (r *Redactor) info(e *spec.ErrorInfo) *spec.ErrorInfo {
	if e == nil {
		return nil
	}
	c := *e
	c.Message, c.Param, c.Detail = r.text(e.Message), r.text(e.Param), r.value(e.Detail)
	return &c
}

func (r *Redactor) value(v jsontext.Value) jsontext.Value {
	if v == nil {
		return nil
	}
	return jsontext.Value(r.text(string(v)))
}

func length(b spec.Body) int {
	bytes, err := b.Bytes()
	if err != nil {
		return 0
	}
	return len(bytes)
}

// headers replaces secrets in names and values. The list is copied where one is found.
func (r *Redactor) headers(list [][2]string) ([][2]string, int) {
	out, n := list, 0
	for i, h := range list {
		name, value := r.text(h[0]), h[1]
		for _, s := range r.secrets {
			if value == s.value || len(s.value) >= minSecret {
				value = strings.ReplaceAll(value, s.value, s.standIn)
			}
		}
		if name == h[0] && value == h[1] {
			continue
		}
		if n == 0 {
			out = append([][2]string(nil), list...)
		}
		out[i] = [2]string{name, value}
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
