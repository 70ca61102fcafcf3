package recorder

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// other replaces in what is no part of an exchange.
func (x *rewriter) other(data spec.EventData) spec.EventData {
	switch d := data.(type) {
	case *spec.InputEvent:
		c := *d
		c.Body, c.Reply, c.Dropped = x.content(d.Body), x.text(d.Reply), x.text(d.Dropped)
		c.Settled = x.settled(d.Settled)
		return &c
	case *spec.AskEvent:
		c := *d
		c.Body = x.content(d.Body)
		return &c
	case *spec.ReplyEvent:
		c := *d
		c.Body, c.Error = x.content(d.Body), x.info(d.Error)
		return &c
	case *spec.OutcomeEvent:
		c := *d
		c.Reason, c.Settled = x.text(d.Reason), x.settled(d.Settled)
		return &c
	case *spec.TurnEvent:
		c := *d
		c.Data, c.Error = x.json(d.Data), x.info(d.Error)
		return &c
	case *spec.WorkerEvent:
		c := *d
		c.Stderr, c.Exit = x.text(d.Stderr), x.text(d.Exit)
		return &c
	case *spec.GapEvent:
		c := *d
		c.Reason = x.text(d.Reason)
		return &c
	case *spec.CloseEvent:
		c := *d
		c.Why = x.text(d.Why)
		return &c
	case *spec.UnknownEvent:
		return &spec.UnknownEvent{Kind: d.Kind, Raw: x.json(d.Raw)}
	}
	return data
}

func (x *rewriter) text(s string) string {
	out, n := x.s.Text(s)
	x.n += n
	return out
}

func (x *rewriter) texts(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = x.text(out[i])
	}
	return out
}

func (x *rewriter) headers(list [][2]string) [][2]string {
	out, n := x.s.Headers(list)
	x.n += n
	return out
}

// json replaces in a JSON value; nil stays nil.
func (x *rewriter) json(v jsontext.Value) jsontext.Value {
	if v == nil {
		return nil
	}
	out, n := x.s.Body(v, "application/json", true)
	x.n += n
	return out
}

// content replaces in a body that is no part of an exchange.
func (x *rewriter) content(b spec.Body) spec.Body {
	text, err := b.Bytes()
	if err != nil || text == nil {
		return b
	}
	out, n := x.s.Body(text, "application/json", true)
	x.n += n
	return spec.BodyOf(out)
}

func (x *rewriter) info(e *spec.ErrorInfo) *spec.ErrorInfo {
	if e == nil {
		return nil
	}
	c := *e
	c.Message, c.Detail = x.text(e.Message), x.json(e.Detail)
	return &c
}

func (x *rewriter) settled(list []spec.Settled) []spec.Settled {
	out := slices.Clone(list)
	for i := range out {
		out[i].Reason = x.text(out[i].Reason)
	}
	return out
}

// values replaces in values by the names that they have.
func (x *rewriter) values(vars map[string]string) map[string]string {
	if vars == nil {
		return nil
	}
	out := make(map[string]string, len(vars))
	for name, v := range vars {
		out[name] = x.text(v)
		if x.p.keys.secret(name) && !strings.HasPrefix(v, StandInPrefix) {
			var n int
			out[name], n = x.s.whole("key", v)
			x.n += n
		}
	}
	return out
}

func (x *rewriter) samples(all map[string]jsontext.Value) map[string]jsontext.Value {
	if all == nil {
		return nil
	}
	out := make(map[string]jsontext.Value, len(all))
	for label, v := range all {
		out[label] = x.json(v)
	}
	return out
}

// rebuilt replaces in a value by way of its JSON.
func rebuilt[T any](x *rewriter, v *T) *T {
	if v == nil {
		return nil
	}
	text, err := spec.Marshal(*v)
	if err != nil {
		return v
	}
	var c T
	if json.Unmarshal(x.json(text), &c) != nil {
		return new(T)
	}
	return &c
}
