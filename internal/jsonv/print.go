package jsonv

import (
	"fmt"
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
	n, ok := parseTree(v)
	if !ok {
		return v
	}
	return n.appendSorted(make([]byte, 0, len(v)))
}

func (n node) appendSorted(dst []byte) []byte {
	switch n.kind {
	case '{':
		dst = append(dst, '{')
		for i, m := range n.ordered() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = m.appendSorted(append(appendQuote(dst, m.name), ':'))
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, e := range n.kids {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.appendSorted(dst)
		}
		return append(dst, ']')
	case '"':
		return appendQuote(dst, n.text)
	}
	if string(n.raw) == "-0" {
		return append(dst, '0')
	}
	return append(dst, n.raw...)
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
