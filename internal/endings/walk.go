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

// values finds the places where two JSON values differ, by the same function as
// a repeated replay finds those of answers ([jsonv.Places]). In the worker's state everything but the wording of a text is grave, and a list may
// come in another order, since the calls that filled it may (G11). A list with
// more elements than the other is one place.
func (w *walk) values(pointer string, r rank, got, want jsontext.Value) {
	resized := ""
	for p := range jsonv.Places(got, want) {
		at := slices.IndexFunc(p.Lists, func(l jsonv.List) bool { return !l.Reordered || r == data })
		switch {
		case at < 0:
			w.add(pointer+p.Pointer, r, grave(r, p.Got, p.Want), jsonv.Short(p.Got, valueWidth), jsonv.Short(p.Want, valueWidth))
		case p.Lists[at].Reordered:
		case pointer+p.Lists[at].Pointer != resized:
			resized = pointer + p.Lists[at].Pointer
			g, _ := jsonv.Get(got, p.Lists[at].Pointer)
			v, _ := jsonv.Get(want, p.Lists[at].Pointer)
			w.add(resized, r, grave(r, g, v), jsonv.Short(g, valueWidth), jsonv.Short(v, valueWidth))
		}
	}
}

// grave reports whether it is more than another text that two values differ.
func grave(r rank, got, want jsontext.Value) bool {
	return r == shape || r == data && !(jsonv.Kind(want) == '"' && jsonv.Kind(got) == '"')
}
