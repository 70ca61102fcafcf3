package scenarios

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON reads text as JSON. The second result is false when text is no
// JSON; it is then read as YAML, which tells more about what is wrong.
func readJSON(file string, text []byte) (*node, bool) {
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, false
	}
	if jsonDepth(trimmed) > maxDepth {
		return nil, false
	}
	r := jsonReader{
		text:    string(text),
		at:      Pos{File: file, Line: 1, Column: 1},
		decoder: newJSONDecoder(text),
		track:   true,
	}
	root, err := r.value()
	if err != nil {
		return nil, false
	}
	rest := text[r.decoder.InputOffset():]
	if len(bytes.Trim(rest, " \t\r\n")) > 0 {
		return nil, false
	}
	return root, true
}

// fromJSON makes nodes of a JSON value. All of them stand at pos and are
// final: what comes from a worker or a case holds no references.
func fromJSON(value jsontext.Value, pos Pos) (*node, error) {
	r := jsonReader{at: pos, decoder: newJSONDecoder(value), final: true}
	return r.value()
}

func newJSONDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
}

// jsonDepth is the deepest nesting of brackets outside of strings.
func jsonDepth(text []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

var errTooMany = fmt.Errorf("more than %d values", maxNodes)

// jsonReader turns the tokens of a decoder into nodes.
type jsonReader struct {
	decoder *jsontext.Decoder
	final   bool
	// track follows the place of each token in text; done says up to where.
	track bool
	nodes int
	text  string
	at    Pos
	done  int64
}

// place returns where the token begins that the decoder has just read and that
// is raw bytes long in the text.
func (r *jsonReader) place(raw int) Pos {
	if !r.track {
		return r.at
	}
	begin := r.decoder.InputOffset() - int64(raw)
	r.at = r.at.advance(r.text[r.done:begin])
	r.done = begin
	return r.at
}

func (r *jsonReader) value() (*node, error) {
	if r.nodes++; r.nodes > 2*maxNodes { // names count as well
		return nil, errTooMany
	}
	switch r.decoder.PeekKind() {
	case '{', '[':
		return r.container()
	default:
		raw, err := r.decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		n := &node{pos: r.place(len(raw)), text: string(raw), final: r.final}
		switch raw.Kind() {
		case '"':
			n.kind = kindText
			decoded, err := jsontext.AppendUnquote(nil, raw)
			if err != nil {
				return nil, err
			}
			n.text = string(decoded)
		case '0':
			n.kind = kindNumber
		case 'n':
			n.kind = kindNull
		default:
			n.kind = kindBool
		}
		return n, nil
	}
}

func (r *jsonReader) container() (*node, error) {
	open, err := r.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{pos: r.place(1), kind: kindList, final: r.final}
	closing := jsontext.Kind(']')
	if open.Kind() == '{' {
		n.kind, closing = kindObject, '}'
	}
	for r.decoder.PeekKind() != closing {
		if n.kind == kindObject {
			name, err := r.value()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, nodeKey{strings.Clone(name.text), name.pos})
		}
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err = r.decoder.ReadToken()
	return n, err
}
