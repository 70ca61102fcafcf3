package jsonv

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// diffWidth is how much of a value a difference shows.
const diffWidth = 200

// Diff finds the first place where got does not mean the same as want: its
// pointer and both values, short enough for a line, "absent" where there is
// none. Members are looked at in the order of want, then those that only got
// has. equal is true, and the rest empty, when [Equal] holds.
func Diff(got, want jsontext.Value) (pointer, gotText, wantText string, equal bool) {
	g, okG := parseTree(got)
	w, okW := parseTree(want)
	if !okG || !okW {
		if string(got) == string(want) {
			return "", "", "", true
		}
		return "", Short(got, diffWidth), Short(want, diffWidth), false
	}
	at, gn, wn, equal := g.diff("", &w)
	if equal {
		return "", "", "", true
	}
	return at, gn.short(), wn.short(), false
}

func (n *node) short() string {
	if n == nil {
		return "absent"
	}
	return Short(n.raw, diffWidth)
}

// diff returns the first difference below at; one of the nodes is nil where
// that side has nothing.
func (n *node) diff(at string, o *node) (string, *node, *node, bool) {
	if n.equal(*o) {
		return "", nil, nil, true
	}
	if n.kind != o.kind || n.kind != '{' && n.kind != '[' {
		return at, n, o, false
	}
	mine, theirs := n.byKey(), o.byKey()
	for i := range o.kids {
		key := o.key(i)
		m, there := mine[key], theirs[key]
		if m == nil {
			return at + "/" + Escape(key), nil, there, false
		}
		if !m.equal(*there) {
			return m.diff(at+"/"+Escape(key), there)
		}
	}
	for i := range n.kids {
		if key := n.key(i); theirs[key] == nil {
			return at + "/" + Escape(key), mine[key], nil, false
		}
	}
	return at, n, o, false
}

// key is the pointer token of the kid at i.
func (n *node) key(i int) string {
	if n.kind == '[' {
		return strconv.Itoa(i)
	}
	return n.kids[i].name
}

// byKey indexes the kids; the last of equal names counts.
func (n *node) byKey() map[string]*node {
	out := make(map[string]*node, len(n.kids))
	for i := range n.kids {
		out[n.key(i)] = &n.kids[i]
	}
	return out
}
