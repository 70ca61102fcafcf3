package judge

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

func deltaChecks() []check {
	return []check{
		{id: "stream.deltas-fit-the-format", moment: "no stream in a provider's format held a delta", see: seeDeltaFormat},
		{id: "stream.deltas-add-up", moment: "no hosted model streamed an answer in pieces", see: seeDeltas},
	}
}

// take adds a piece that reads.
func (d *deltas) take(format string, data []byte) {
	d.count++
	v := jsontext.Value(data)
	ok := false
	switch format {
	case "":
		ok = d.own(data)
	case spec.FormatOpenAI:
		_, ok = jsonv.Get(v, "/choices")
		d.say(v, "/choices/0/delta/content")
	case spec.FormatAnthropic:
		kind, _ := jsonv.Get(v, "/type")
		_, ok = jsonv.Text(kind)
		d.say(v, "/delta/text")
	default:
		ok = true
	}
	if ok {
		d.known++
	} else if d.stray == "" {
		d.stray = show(v)
	}
}

func (d *deltas) say(v jsontext.Value, pointer string) {
	at, _ := jsonv.Get(v, pointer)
	if s, ok := jsonv.Text(at); ok {
		d.text.WriteString(s)
	}
}

// own adds a piece of the protocol's own shape.
func (d *deltas) own(data []byte) bool {
	piece, fault := spec.ParseStreamDelta(data)
	if fault != nil {
		return false
	}
	if piece.Text != nil {
		d.text.WriteString(*piece.Text)
	}
	for _, c := range piece.ToolCalls {
		i := slices.IndexFunc(d.calls, func(k spec.ToolCall) bool { return k.ID == c.ID })
		if i < 0 {
			i = len(d.calls)
			d.calls = append(d.calls, spec.ToolCall{ID: c.ID})
		}
		if c.Name != nil {
			d.calls[i].Function.Name = *c.Name
		}
		if c.Arguments != nil {
			d.calls[i].Function.Arguments += *c.Arguments
		}
	}
	return true
}

func seeDeltaFormat(x *exchange) {
	const id = "stream.deltas-fit-the-format"
	t, ok := x.req.Trigger.(spec.LlmExecuteTrigger)
	if !ok || t.Format == "" || x.deltas.count == 0 {
		return
	}
	if x.deltas.stray == "" {
		x.held(id)
		return
	}
	x.broke(id, spec.Finding{
		Got: x.deltas.stray, Want: "an event of a stream in format " + t.Format,
		Hint: "hand the provider's events on as they come",
	})
}

// seeDeltas holds the pieces against the answer that ends their stream: both
// are shown to people, and only one is recorded.
func seeDeltas(x *exchange) {
	const id = "stream.deltas-add-up"
	r, _, ok := x.hostedResponse()
	if !ok || x.deltas.known == 0 {
		return
	}
	content := ""
	if r.Content != nil {
		content = *r.Content
	}
	if said := x.deltas.text.String(); said != content {
		x.broke(id, spec.Finding{
			Pointer: "/actions", Got: "pieces that add up to " + quote(tail(said)) + ", and an answer of " + quote(tail(content)), Want: "the same text",
			Hint: "build the answer from the pieces that were sent",
		})
		return
	}
	for _, c := range x.deltas.calls {
		i := slices.IndexFunc(r.ToolCalls, func(k spec.ToolCall) bool { return k.ID == c.ID })
		got := "pieces of a call " + quote(c.ID) + " that the answer does not hold"
		if i >= 0 {
			if k := r.ToolCalls[i]; k.Function == c.Function {
				continue
			}
			got = "pieces of call " + quote(c.ID) + " that add up to " + c.Function.Name + " " + c.Function.Arguments +
				", and " + r.ToolCalls[i].Function.Name + " " + r.ToolCalls[i].Function.Arguments + " in the answer"
		}
		x.broke(id, spec.Finding{Pointer: "/actions", Got: got, Want: "the same call"})
		return
	}
	x.held(id)
}

// tail keeps the end of a long text, where two that differ by a lost piece
// differ most often.
func tail(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return "…" + strings.TrimLeft(string(r[len(r)-most:]), " ")
	}
	return s
}
