package jsonv

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// diffWidth is how much of a value a difference shows.
const diffWidth = 200

// Diff finds the first place where got does not mean the same as want: its
// pointer and both values, short enough for a line. Members are looked at in
// the order of want, then those that only got has. equal is true, and the rest
// empty, when [Equal] holds.
func Diff(got, want jsontext.Value) (pointer, gotText, wantText string, equal bool) {
	return diff("", got, want)
}

func diff(at string, got, want jsontext.Value) (string, string, string, bool) {
	if Equal(got, want) {
		return "", "", "", true
	}
	here := func() (string, string, string, bool) {
		return at, Short(got, diffWidth), Short(want, diffWidth), false
	}
	if Kind(got) != Kind(want) {
		return here()
	}
	switch Kind(want) {
	case '{':
		gm, errG := Members(got)
		wm, errW := Members(want)
		if errG != nil || errW != nil {
			return here()
		}
		for _, m := range wm {
			g, _ := Last(gm, m.Name)
			w, _ := Last(wm, m.Name)
			if p, gs, ws, ok := diffMaybe(at+"/"+Escape(m.Name), g, w); !ok {
				return p, gs, ws, false
			}
		}
		for _, m := range gm {
			if _, ok := Last(wm, m.Name); !ok {
				g, _ := Last(gm, m.Name)
				return diffMaybe(at+"/"+Escape(m.Name), g, nil)
			}
		}
	case '[':
		gv, errG := Elements(got)
		wv, errW := Elements(want)
		if errG != nil || errW != nil {
			return here()
		}
		for i := range max(len(gv), len(wv)) {
			if p, gs, ws, ok := diffMaybe(at+"/"+strconv.Itoa(i), item(gv, i), item(wv, i)); !ok {
				return p, gs, ws, false
			}
		}
	}
	return here()
}

func item(vs []jsontext.Value, i int) jsontext.Value {
	if i < len(vs) {
		return vs[i]
	}
	return nil
}

// diffMaybe is diff where either side may be absent.
func diffMaybe(at string, got, want jsontext.Value) (string, string, string, bool) {
	if got == nil || want == nil {
		if got == nil && want == nil {
			return "", "", "", true
		}
		return at, Short(got, diffWidth), Short(want, diffWidth), false
	}
	return diff(at, got, want)
}
