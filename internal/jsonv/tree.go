package jsonv

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// node is one value, split once and for all, so that walking a text costs its
// length and not its length times its depth.
type node struct {
	kind jsontext.Kind
	// raw is the value as spelled.
	raw jsontext.Value
	// name is the decoded name of a member; text the decoded text of a string.
	name, text string
	// kids are the members or the elements, in the order of the text.
	kids []node
}

// parseTree splits v; false when it is not exactly one JSON value.
func parseTree(v jsontext.Value) (node, bool) {
	s := scanner{b: v, max: Deepest}
	n, end, err := s.tree(skipSpace(v, 0), 0)
	return n, err == nil && skipSpace(v, end) == len(v)
}

func (s *scanner) tree(i, depth int) (node, int, *SyntaxError) {
	n := node{kind: Kind(s.b[min(i, len(s.b)):])}
	if n.kind != '{' && n.kind != '[' {
		end, err := s.value(i, depth)
		if err != nil {
			return n, end, err
		}
		n.raw = s.b[i:end:end]
		if n.kind == '"' {
			n.text = unquote(n.raw)
		}
		return n, end, nil
	}
	closing := byte(n.kind + 2) // '}' and ']' are two after '{' and '['.
	start := i
	if depth++; depth > s.max {
		return n, i, s.fault(i, "nested deeper than %d levels", s.max)
	}
	if i = skipSpace(s.b, i+1); i < len(s.b) && s.b[i] == closing {
		n.raw = s.b[start : i+1 : i+1]
		return n, i + 1, nil
	}
	for {
		var name string
		if n.kind == '{' {
			end, err := s.memberName(i)
			if err != nil {
				return n, end, err
			}
			name = unquote(s.b[i:end])
			if i, err = s.colon(end); err != nil {
				return n, i, err
			}
		}
		kid, end, err := s.tree(i, depth)
		if err != nil {
			return n, end, err
		}
		kid.name = name
		n.kids = append(n.kids, kid)
		var done bool
		if i, done, err = s.next(end, closing); err != nil {
			return n, i, err
		}
		if done {
			n.raw = s.b[start:i:i]
			return n, i, nil
		}
	}
}

// ordered returns the members of n sorted by name, the last of equal names
// only.
func (n node) ordered() []node {
	out := slices.Clone(n.kids)
	slices.SortStableFunc(out, func(a, b node) int { return cmp.Compare(a.name, b.name) })
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
