package recorder

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// delta is a frame of a stream that carries a part of a text, held back until
// the text has come to a place where no secret can be cut apart.
type delta struct {
	frame []byte
	// member is text, reasoning or tool_calls; from and to are where its value
	// stands in the frame, and text is what it adds.
	member   string
	from, to int
	text     string
}

// readDelta says what a frame adds to a text; false when it is of another kind.
func readDelta(frame []byte) (delta, bool) {
	if !bytes.Contains(frame, []byte("llm.token.delta")) {
		return delta{}, false
	}
	at := bytes.Index(frame, []byte("data:"))
	if at < 0 {
		return delta{}, false
	}
	at += len("data:")
	dec := newDecoder(frame[at:])
	if dec.PeekKind() != jsontext.KindBeginObject {
		return delta{}, false
	}
	d := delta{frame: frame}
	members(dec, func(name string) bool {
		v, err := dec.ReadValue()
		if err != nil {
			return false
		}
		end := at + int(dec.InputOffset())
		switch name {
		case "text", "reasoning":
			if text, ok := jsonv.Text(v); ok && text != "" {
				d.member, d.text = name, text
			}
		case "tool_calls":
			d.member, d.text = name, arguments(v)
		default:
			return true
		}
		d.from, d.to = end-len(v), end
		return d.member == ""
	})
	return d, d.member != ""
}

// arguments joins the arguments of the calls in a frame.
func arguments(calls jsontext.Value) string {
	list, err := jsonv.Elements(calls)
	if err != nil {
		return ""
	}
	var all strings.Builder
	for _, c := range list {
		v, _ := jsonv.Get(c, "/arguments")
		text, _ := jsonv.Text(v)
		all.WriteString(text)
	}
	return all.String()
}

// hold takes a whole frame that is redacted by itself, and returns what may be
// written: a text that a model streams is cut into tokens, and so is a secret
// in it. Words are held until they end, the arguments of calls until all of
// them are there.
func (t *StreamScope) hold(frame []byte) []byte {
	d, ok := readDelta(frame)
	if !ok {
		return append(t.release(), frame...)
	}
	var out []byte
	if n := len(t.deltas); n > 0 {
		last := t.deltas[n-1]
		apart := d.member != "tool_calls" && (strings.TrimLeft(d.text, " \t\n") != d.text || strings.TrimRight(last.text, " \t\n") != last.text)
		if d.member != last.member || apart || t.size > maxFrame {
			out = t.release()
		}
	}
	d.frame = bytes.Clone(frame)
	t.deltas = append(t.deltas, d)
	t.size += len(frame)
	return out
}

// release gives the frames that are held, with what is secret in the whole of
// their text replaced: by a stand-in in the first and nothing in the others.
func (t *StreamScope) release() []byte {
	if len(t.deltas) == 0 {
		return nil
	}
	var whole strings.Builder
	for _, d := range t.deltas {
		whole.WriteString(d.text)
	}
	text, n := whole.String(), 0
	if t.deltas[0].member == "tool_calls" && looksJSON([]byte(text)) {
		var redacted []byte
		redacted, n = t.s.json([]byte(text), 1, true)
		text = string(redacted)
	} else {
		text, n = t.s.Text(text)
	}
	var out []byte
	for i, d := range t.deltas {
		if n == 0 {
			out = append(out, d.frame...)
			continue
		}
		by := `""`
		switch {
		case d.member == "tool_calls":
			by = "[]"
		case i == 0:
			by = string(jsonv.Quote(text))
		}
		out = append(append(append(out, d.frame[:d.from]...), by...), d.frame[d.to:]...)
	}
	t.n += n
	t.deltas, t.size = nil, 0
	return out
}
