package jsonv

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Compact returns v without white space between tokens, all else as spelled.
// Text that is not JSON is returned as it is.
func Compact(v jsontext.Value) jsontext.Value {
	out := make([]byte, 0, len(v))
	s := scanner{b: v, max: Deepest}
	for i := skipSpace(v, 0); i < len(v); i = skipSpace(v, i) {
		if v[i] != '"' {
			out = append(out, v[i])
			i++
			continue
		}
		end, err := s.text(i)
		if err != nil {
			return v
		}
		out = append(out, v[i:end]...)
		i = end
	}
	return out
}

// Sorted returns v as an engine prints a free value: compact, names sorted by
// their bytes, the last of equal names kept, strings with as few escapes as
// possible, numbers as spelled except that -0 becomes 0 (E5, C7, F6). Text that
// is not JSON is returned as it is.
func Sorted(v jsontext.Value) jsontext.Value {
	out, ok := appendSorted(make([]byte, 0, len(v)), v)
	if !ok {
		return v
	}
	return out
}

func appendSorted(dst []byte, v jsontext.Value) ([]byte, bool) {
	switch Kind(v) {
	case '{':
		ms, err := Members(v)
		if err != nil {
			return dst, false
		}
		dst = append(dst, '{')
		for i, m := range ordered(ms) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuote(dst, m.Name), ':')
			var ok bool
			if dst, ok = appendSorted(dst, m.Value); !ok {
				return dst, false
			}
		}
		return append(dst, '}'), true
	case '[':
		vs, err := Elements(v)
		if err != nil {
			return dst, false
		}
		dst = append(dst, '[')
		for i, e := range vs {
			if i > 0 {
				dst = append(dst, ',')
			}
			var ok bool
			if dst, ok = appendSorted(dst, e); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	case '"':
		s, ok := Text(v)
		return appendQuote(dst, s), ok
	case '0':
		if v = bytes.TrimSpace(v); string(v) == "-0" {
			v = v[1:]
		}
		return append(dst, v...), true
	case 'n', 't', 'f':
		return append(dst, bytes.TrimSpace(v)...), true
	}
	return dst, false
}

// ordered returns ms sorted by name, the last of equal names only.
func ordered(ms []Member) []Member {
	out := slices.Clone(ms)
	slices.SortStableFunc(out, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	n := 0
	for i, m := range out {
		if i+1 < len(out) && out[i+1].Name == m.Name {
			continue
		}
		out[n] = m
		n++
	}
	return out[:n]
}

// Short returns v for a line of a report: compact, and cut after max bytes (at
// a character) with a word on how much is missing. No value is "absent".
func Short(v jsontext.Value, max int) string {
	if v == nil {
		return "absent"
	}
	c := Compact(v)
	if len(c) <= max {
		return string(c)
	}
	n := max
	for n > 0 && !utf8.RuneStart(c[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d more bytes)", c[:n], len(c)-n)
}
