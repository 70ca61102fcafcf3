package endings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// walk gathers the places where two trees differ.
type walk struct {
	session string
	found   []Difference
}

func (w *walk) add(pointer string, r rank, grave bool, got, want string) {
	w.found = append(w.found, Difference{Session: w.session, Pointer: pointer, Got: got, Want: want, Grave: grave, shape: r == shape})
}

func (w *walk) trees(pointer string, got, want tree) {
	if got.leaf != nil || want.leaf != nil {
		w.values(pointer, want.rank, got.leaf, want.leaf)
		return
	}
	if want.names == nil && got.names == nil {
		if len(got.kids) != len(want.kids) {
			w.add(pointer, want.rank, true, counted(got), counted(want))
			return
		}
		for i := range want.kids {
			w.trees(pointer+"/"+strconv.Itoa(i), got.kids[i], want.kids[i])
		}
		return
	}
	for i, name := range want.names {
		k := slices.Index(got.names, name)
		if k < 0 {
			w.add(pointer+"/"+jsonv.Escape(name), want.rank, true, "absent", want.kids[i].short())
			continue
		}
		w.trees(pointer+"/"+jsonv.Escape(name), got.kids[k], want.kids[i])
	}
	for k, name := range got.names {
		if !slices.Contains(want.names, name) {
			w.add(pointer+"/"+jsonv.Escape(name), want.rank, true, got.kids[k].short(), "absent")
		}
	}
}

func counted(t tree) string { return strconv.Itoa(len(t.kids)) + " of them: " + t.short() }

// short is a tree in few words: its first leaf but for the rest.
func (t tree) short() string {
	if t.leaf != nil {
		return jsonv.Short(t.leaf, valueWidth)
	}
	var parts []string
	for _, k := range t.kids {
		if len(parts) == 4 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, k.short())
	}
	if t.names == nil {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return strings.Join(parts, " ")
}

// values walks two JSON values to the places where they differ. In the worker's
// state everything but the wording of a text is grave, and a list may come in
// another order, since the calls that filled it may (G11).
func (w *walk) values(pointer string, r rank, got, want jsontext.Value) {
	if jsonv.Equal(got, want) {
		return
	}
	kind := jsonv.Kind(want)
	if kind == jsonv.Kind(got) && kind == '{' {
		w.members(pointer, r, got, want)
		return
	}
	if kind == jsonv.Kind(got) && kind == '[' {
		g, errG := jsonv.Elements(got)
		v, errV := jsonv.Elements(want)
		if errG == nil && errV == nil && len(g) == len(v) {
			if r == data && reordered(g, v) {
				return
			}
			for i := range v {
				w.values(pointer+"/"+strconv.Itoa(i), r, g[i], v[i])
			}
			return
		}
	}
	w.add(pointer, r, r == shape || r == data && !(kind == '"' && jsonv.Kind(got) == '"'), jsonv.Short(got, valueWidth), jsonv.Short(want, valueWidth))
}

func (w *walk) members(pointer string, r rank, got, want jsontext.Value) {
	g, errG := jsonv.Members(got)
	v, errV := jsonv.Members(want)
	if errG != nil || errV != nil {
		w.add(pointer, r, r != words, jsonv.Short(got, valueWidth), jsonv.Short(want, valueWidth))
		return
	}
	mine, theirs := byName(g), byName(v)
	for _, m := range v {
		at := pointer + "/" + jsonv.Escape(m.Name)
		if other, ok := mine[m.Name]; ok {
			w.values(at, r, other, theirs[m.Name])
		} else {
			w.add(at, r, r != words, "absent", jsonv.Short(m.Value, valueWidth))
		}
	}
	for _, m := range g {
		if _, ok := theirs[m.Name]; !ok {
			w.add(pointer+"/"+jsonv.Escape(m.Name), r, r != words, jsonv.Short(m.Value, valueWidth), "absent")
		}
	}
}

// byName indexes members; the last of equal names counts.
func byName(members []jsonv.Member) map[string]jsontext.Value {
	index := make(map[string]jsontext.Value, len(members))
	for _, m := range members {
		index[m.Name] = m.Value
	}
	return index
}

// maxReordered bounds the lists that are looked through for another order.
const maxReordered = 500

// reordered reports whether two lists hold the same values in another order.
func reordered(a, b []jsontext.Value) bool {
	if len(a) > maxReordered {
		return false
	}
	rest := slices.Clone(b)
	for _, v := range a {
		i := slices.IndexFunc(rest, func(o jsontext.Value) bool { return jsonv.Equal(v, o) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}
