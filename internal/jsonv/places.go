package jsonv

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Place is one place where two values do not mean the same, as narrow as it can
// be named: below it nothing is common to both.
type Place struct {
	// Pointer is the place as a JSON pointer (RFC 6901).
	Pointer string
	// Got and Want are what stands there, nil for nothing.
	Got, Want jsontext.Value
	// Lists are the lists around the place, outermost first, that changed as lists.
	Lists []List
}

// List is a list that changed as a list: one value has more elements than the
// other, or both have the same ones in another order.
type List struct {
	Pointer   string
	Reordered bool
}

// Places lists all places where got does not mean the same as want: none when
// [Equal] holds. Elements are compared by their index. Members are looked at in
// the order of want, then those that only got has. Text that is not JSON is one
// place with the pointer "". The cost is bounded by the length of the texts.
func Places(got, want jsontext.Value) iter.Seq[Place] {
	return func(yield func(Place) bool) {
		if bytes.Equal(got, want) {
			return
		}
		g, okG := parseTree(got)
		w, okW := parseTree(want)
		if !okG || !okW {
			yield(Place{Got: got, Want: want})
			return
		}
		if g.equal(w) {
			return
		}
		p := placer{yield: yield}
		p.walk("", summed(&g), summed(&w))
	}
}

// sum stands for what a value means: equal values have equal sums.
type sum [16]byte

// sums is a value with its sum and those of its kids.
type sums struct {
	*node
	sum  sum
	kids []sums
}

// summed sums a value up from its leaves, so that comparing two values at each
// level costs their length once, and not once a level.
func summed(n *node) sums {
	s := sums{node: n}
	text := []byte{byte(n.kind)}
	switch n.kind {
	case '{':
		s.kids = make([]sums, 0, len(n.kids))
		for i := range n.kids {
			s.kids = append(s.kids, summed(&n.kids[i]))
		}
		for _, k := range s.ordered() {
			text = append(appendCounted(text, k.name), k.sum[:]...)
		}
	case '[':
		s.kids = make([]sums, 0, len(n.kids))
		for i := range n.kids {
			k := summed(&n.kids[i])
			text = append(text, k.sum[:]...)
			s.kids = append(s.kids, k)
		}
	case '"':
		text = append(text, n.text...)
	case '0':
		d := parseDecimal(string(n.raw))
		if d.negative {
			text = append(text, '-')
		}
		text = appendCounted(text, d.digits)
		text = appendCounted(text, d.exp.String())
		text = append(text, d.endless...)
	}
	full := sha256.Sum256(text)
	s.sum = sum(full[:len(s.sum)])
	return s
}

// ordered are the kids of an object by name, the last of equal names only.
func (s sums) ordered() []sums {
	out := slices.Clone(s.kids)
	slices.SortStableFunc(out, func(a, b sums) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	k := 0
	for i, m := range out {
		if i+1 < len(out) && out[i+1].name == m.name {
			continue
		}
		out[k] = m
		k++
	}
	return out[:k]
}

func appendCounted(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// key is the pointer token of the kid at i.
func (s sums) key(i int) string {
	if s.kind == '[' {
		return strconv.Itoa(i)
	}
	return s.kids[i].name
}

// byKey indexes the kids; the last of equal names counts.
func (s sums) byKey() map[string]*sums {
	out := make(map[string]*sums, len(s.kids))
	for i := range s.kids {
		out[s.key(i)] = &s.kids[i]
	}
	return out
}

// reordered reports whether two lists hold the same elements, in whatever order.
func (s sums) reordered(o sums) bool {
	count := make(map[sum]int, len(s.kids))
	for _, k := range s.kids {
		count[k.sum]++
	}
	for _, k := range o.kids {
		if count[k.sum]--; count[k.sum] < 0 {
			return false
		}
	}
	return true
}

// placer hands out places until nobody wants more.
type placer struct {
	yield func(Place) bool
	lists []List
}

// walk reports whether to go on. Both values are there, and differ.
func (p *placer) walk(at string, got, want sums) bool {
	if got.kind != want.kind || got.kind != '{' && got.kind != '[' {
		return p.give(at, got.raw, want.raw)
	}
	if got.kind == '[' {
		resized := len(got.kids) != len(want.kids)
		if resized || got.reordered(want) {
			p.lists = append(p.lists, List{Pointer: at, Reordered: !resized})
			defer func() { p.lists = p.lists[:len(p.lists)-1] }()
		}
	}
	mine, theirs := got.byKey(), want.byKey()
	for i := range want.kids {
		key := want.key(i)
		m, there := mine[key], theirs[key]
		below := at + "/" + Escape(key)
		switch {
		case there != &want.kids[i]:
			// Another of the same name counts.
		case m == nil:
			if !p.give(below, nil, there.raw) {
				return false
			}
		case m.sum != there.sum:
			if !p.walk(below, *m, *there) {
				return false
			}
		}
	}
	for i := range got.kids {
		key := got.key(i)
		if theirs[key] == nil && mine[key] == &got.kids[i] && !p.give(at+"/"+Escape(key), mine[key].raw, nil) {
			return false
		}
	}
	return true
}

func (p *placer) give(at string, got, want jsontext.Value) bool {
	return p.yield(Place{Pointer: at, Got: got, Want: want, Lists: slices.Clone(p.lists)})
}
