// Package jsonv holds pure helpers over JSON text that others wrote: comparing
// by meaning, looking up a pointer, splitting objects and arrays, printing for
// a report.
//
// Nothing here goes through a float or mends a string, so a number keeps its
// digits and a difference is never hidden. Every function is bounded: values
// nested deeper than [Deepest] are refused, and nothing panics on text that is
// not JSON. All functions are safe for concurrent use.
package jsonv

import "github.com/go-json-experiment/json/jsontext"

// MaxDepth is the deepest nesting that an engine's parser takes: 127 levels
// pass, 128 do not (E1, gap 26).
const MaxDepth = 127

// Deepest is the nesting that the helpers of this package take. It is more
// than [MaxDepth], since a request wraps values that already have that depth.
const Deepest = 1000

// Member is one member of an object, in the order of the text.
type Member struct {
	// Name is the decoded name; lone surrogates are U+FFFD.
	Name string
	// Value is the member's value as spelled, without white space around it.
	Value jsontext.Value
}

// Kind returns the kind of v by its first character: n f t " 0 { or [, and 0
// for text that begins like no JSON value.
func Kind(v jsontext.Value) jsontext.Kind {
	i := skipSpace(v, 0)
	if i >= len(v) {
		return 0
	}
	switch c := v[i]; {
	case c == '-' || c >= '0' && c <= '9':
		return '0'
	case c == 'n' || c == 't' || c == 'f' || c == '"' || c == '{' || c == '[':
		return jsontext.Kind(c)
	}
	return 0
}
