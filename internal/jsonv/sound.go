package jsonv

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// A parser checks its whole text once with [Valid] and then walks it, level by
// level. What it meets below is sound, so these functions look for the ends of
// values and at nothing else. On text that is not sound they return something,
// and do not panic.

// SoundMembers is [Members] of an object inside a text that is [Valid]; none
// when v is no object.
func SoundMembers(v jsontext.Value) []Member {
	i := skipSpace(v, 0)
	if i >= len(v) || v[i] != '{' {
		return nil
	}
	ms := make([]Member, 0, 8)
	for i = skipSpace(v, i+1); i < len(v) && v[i] == '"'; i = afterComma(v, i) {
		end := textEnd(v, i)
		name := v[i:end]
		if i = skipSpace(v, end); i >= len(v) || v[i] != ':' || len(name) < 2 {
			return ms
		}
		i = skipSpace(v, i+1)
		end = valueEnd(v, i)
		ms = append(ms, Member{Name: soundUnquote(name), Value: v[i:end:end]})
		i = end
	}
	return ms
}

// SoundElements is [Elements] of an array inside a text that is [Valid]; none
// when v is no array.
func SoundElements(v jsontext.Value) []jsontext.Value {
	i := skipSpace(v, 0)
	if i >= len(v) || v[i] != '[' {
		return nil
	}
	vs := make([]jsontext.Value, 0, 4)
	for i = skipSpace(v, i+1); i < len(v) && v[i] != ']'; i = afterComma(v, i) {
		end := valueEnd(v, i)
		vs = append(vs, v[i:end:end])
		i = end
	}
	return vs
}

// SoundText is [Text] of a value inside a text that is [Valid].
func SoundText(v jsontext.Value) (string, bool) {
	i := skipSpace(v, 0)
	if i >= len(v) || v[i] != '"' {
		return "", false
	}
	end := textEnd(v, i)
	if end < i+2 {
		return "", false
	}
	return soundUnquote(v[i:end]), true
}

// soundUnquote decodes a string token. Escapes are looked at before they are
// undone, in case the text is not sound.
func soundUnquote(b []byte) string {
	if bytes.IndexByte(b, '\\') >= 0 {
		s := scanner{b: b, max: Deepest}
		if end, err := s.text(0); err == nil && end == len(b) {
			return unquote(b)
		}
	}
	return string(b[1 : len(b)-1])
}

// afterComma steps over the comma at i, if there is one.
func afterComma(v []byte, i int) int {
	i = skipSpace(v, i)
	if i < len(v) && v[i] == ',' {
		return skipSpace(v, i+1)
	}
	return len(v)
}

// textEnd returns the end of the string at i.
func textEnd(v []byte, i int) int {
	for at := i + 1; ; {
		n := bytes.IndexByte(v[min(at, len(v)):], '"')
		if n < 0 {
			return len(v)
		}
		at += n
		slashes := at
		for slashes > i+1 && v[slashes-1] == '\\' {
			slashes--
		}
		at++
		if (at-1-slashes)%2 == 0 {
			return at
		}
	}
}

// valueEnd returns the end of the value at i, which is after i unless the text
// ends there.
func valueEnd(v []byte, i int) int {
	depth := 0
	for i < len(v) {
		switch v[i] {
		case '"':
			i = textEnd(v, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
		default:
			for i++; i < len(v) && !isPunctuation[v[i]]; i++ {
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return len(v)
}

// isPunctuation are the bytes that end a number or a word.
var isPunctuation = [256]bool{',': true, ':': true, ' ': true, '\t': true, '\r': true, '\n': true, '{': true, '}': true, '[': true, ']': true, '"': true}
