package jsonv

import "github.com/go-json-experiment/json/jsontext"

// diffWidth is how much of a value a difference shows.
const diffWidth = 200

// Diff finds the first place where got does not mean the same as want, as
// [Places] lists them: its pointer and both values, short enough for a line,
// "absent" where there is none. equal is true, and the rest empty, when [Equal]
// holds.
func Diff(got, want jsontext.Value) (pointer, gotText, wantText string, equal bool) {
	for p := range Places(got, want) {
		return p.Pointer, Short(p.Got, diffWidth), Short(p.Want, diffWidth), false
	}
	return "", "", "", true
}
