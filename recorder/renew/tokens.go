package renew

import (
	"bytes"
	"fmt"
	"strconv"

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
	// way are the values around it, outermost first.
	way []around
}

// around is a list or an object on the way to a token: the index in it, or the
// name of the member as it is spelled, nil before there is one.
type around struct {
	list bool
	n    int
	name []byte
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
func (t token) pointer() string {
	var out []byte
	for _, a := range t.way {
		out = append(out, '/')
		if a.list {
			out = strconv.AppendInt(out, int64(a.n), 10)
			continue
		}
		name, _ := jsonv.SoundText(a.name)
		out = append(out, jsonv.Escape(name)...)
	}
	return string(out)
}

// mayBeWireTime says quickly that a string is no time of the wire: by the name of
// its member.
func (t token) mayBeWireTime() bool {
	if t.name || len(t.way) == 0 {
		return false
	}
	switch name := t.way[len(t.way)-1].name; string(name) {
	case `"deadline"`, `"expiresAt"`:
		return true
	default:
		return bytes.IndexByte(name, '\\') >= 0
	}
}

// tokens tells of every string of a JSON text. A token is good until the call
// returns. The error says that the text is not JSON, and tells nothing then.
func tokens(body []byte, take func(token)) error {
	if fault := jsonv.Valid(body, jsonv.Deepest); fault != nil {
		return fmt.Errorf("not JSON: %w", fault)
	}
	soundTokens(body, take)
	return nil
}

// soundTokens tells of every string of a text that is known to be JSON.
func soundTokens(body []byte, take func(token)) {
	var way []around
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			way = append(way, around{list: body[i] == '['})
		case '}', ']':
			way = way[:len(way)-1]
		case ',':
			in := &way[len(way)-1]
			in.n, in.name = in.n+1, nil
		case '"':
			end := textEnd(body, i)
			t := token{at: i, raw: body[i:end]}
			if len(way) > 0 {
				if in := &way[len(way)-1]; !in.list && in.name == nil {
					in.name, t.name = t.raw, true
				}
			}
			t.way = way
			take(t)
			i = end - 1
		}
	}
}

// textEnd is where the string ends that begins at i.
func textEnd(body []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(body[i:], '"')
		escapes := 0
		for body[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
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
