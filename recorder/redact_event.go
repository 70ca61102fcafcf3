package recorder

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// policy is what a header says of how secrets are replaced.
const policy = "known-values"

// Redact returns e with every known secret replaced, wherever the event holds
// what a worker, a client or a model said. e is not changed. A session's ids and
// the steps hold what Hallmark itself wrote; a header is told how secrets were
// replaced. A secret that is cut apart between two pieces of a stream is found
// by a [Redaction] only.
func (r *Redactor) Redact(e spec.Event) spec.Event {
	if r == nil || len(r.secrets) == 0 {
		return e
	}
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		c := *d
		c.Redaction = &spec.Redaction{Policy: policy, Variables: r.variables}
		e.Data = &c
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
		c.Reply, c.Call, c.Decision = r.text(d.Reply), r.text(d.Call), r.text(d.Decision)
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
		name, value := r.text(h[0]), r.text(h[1])
		for _, s := range r.secrets {
			if value == s.value {
				value = s.standIn
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
	if err != nil || !r.holds(text) {
		return b, 0
	}
	var scan scan
	return spec.BodyOf(scan.next(r, text, len(text))), scan.found
}

func (r *Redactor) text(t string) string {
	if !r.holds([]byte(t)) {
		return t
	}
	var scan scan
	return string(scan.next(r, []byte(t), len(t)))
}
