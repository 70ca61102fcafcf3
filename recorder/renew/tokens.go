package renew

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// token is one JSON string as it stands in a text.
type token struct {
	// at and raw are where it begins and how it is spelled, quotes included.
	at  int
	raw []byte
	// name says that it is the name of a member.
	name bool
	dec  *jsontext.Decoder
}

// text is what the string stands for.
func (t token) text() string {
	if bytes.IndexByte(t.raw, '\\') < 0 {
		return string(t.raw[1 : len(t.raw)-1])
	}
	text, _ := jsonv.SoundText(t.raw)
	return text
}

// pointer is the place of the string; that of a name is the place of its member.
func (t token) pointer() string { return string(t.dec.StackPointer()) }

// tokens tells of every string of a JSON text. The error says that the text is
// not JSON, and tells nothing more then.
func tokens(body []byte, take func(token)) error {
	if fault := jsonv.Valid(body, jsonv.Deepest); fault != nil {
		return fmt.Errorf("not JSON: %w", fault)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		switch dec.PeekKind() {
		case '"':
			raw, err := dec.ReadValue()
			if err != nil {
				return fmt.Errorf("not JSON: %w", err)
			}
			in, n := dec.StackIndex(dec.StackDepth())
			take(token{
				at: int(dec.InputOffset()) - len(raw), raw: raw, dec: dec,
				name: in == '{' && n%2 == 1,
			})
		case 0:
			return nil
		default:
			if _, err := dec.ReadToken(); err != nil {
				return fmt.Errorf("not JSON: %w", err)
			}
		}
	}
}

// streamTokens tells of every string in the data of a stream of events. A frame
// whose data is not JSON is left alone; faults counts them.
func streamTokens(body []byte, take func(token)) (faults int) {
	spec.ReadStream(body, func(f spec.StreamFrame) bool {
		data, parts := dataOf(body, f.Offset, f.End)
		err := tokens(data, func(t token) {
			// No string holds a line feed, so each stands in one line.
			for _, p := range parts {
				if t.at >= p.from && t.at < p.from+p.size {
					t.at += p.at - p.from
					break
				}
			}
			take(t)
		})
		if err != nil {
			faults++
		}
		return true
	})
	return faults
}

// dataPart is one line of the data of a frame: where it stands in the data and
// in the stream.
type dataPart struct{ from, size, at int }

// dataOf is the data of a frame, and where its lines come from.
func dataOf(body []byte, at, end int) (data []byte, parts []dataPart) {
	for at < end {
		size := bytes.IndexAny(body[at:end], "\r\n")
		if size < 0 {
			size = end - at
		}
		if value, is := bytes.CutPrefix(body[at:at+size], []byte("data:")); is {
			value = bytes.TrimPrefix(value, []byte{' '})
			if len(parts) > 0 {
				data = append(data, '\n')
			}
			parts = append(parts, dataPart{from: len(data), size: len(value), at: at + size - len(value)})
			data = append(data, value...)
		}
		at += size + 1
	}
	return data, parts
}
