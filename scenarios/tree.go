package scenarios

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Tree is a scenario, or a part of one, as it is written and before anything in
// it is understood: what tools need that write scenarios or change them. It
// keeps the order of keys and the spelling of numbers. Comments of a file are
// not kept. A Tree is not safe for use while it is changed.
type Tree struct {
	Kind TreeKind
	// Text is the value of a text as it is written, references and $$ included;
	// or the spelling of a number, true, false or null.
	Text string
	// Keys and Items run side by side in an object; a list has items only.
	Keys  []string
	Items []*Tree
	// Comment stands on lines of its own above the value, where [Tree.YAML]
	// gives it lines; each line is written behind "# ".
	Comment string
}

// TreeKind says what a Tree is.
type TreeKind int

// The kinds of trees.
const (
	TreeText TreeKind = iota
	// TreeWord is a number, true, false or null.
	TreeWord
	TreeList
	TreeObject
)

// TextTree returns a text that stands for s and nothing else: what would be read
// as a reference is escaped.
func TextTree(s string) *Tree {
	if hasReference(s) {
		s = strings.ReplaceAll(s, "$", "$$")
	}
	return &Tree{Kind: TreeText, Text: s}
}

// WordTree returns a number, true, false or null as spelled.
func WordTree(spelling string) *Tree { return &Tree{Kind: TreeWord, Text: spelling} }

// ListTree returns a list of these items.
func ListTree(items ...*Tree) *Tree { return &Tree{Kind: TreeList, Items: items} }

// ObjectTree returns an object without members; see [Tree.Add].
func ObjectTree() *Tree { return &Tree{Kind: TreeObject} }

// Add puts a member behind the others, where value is not nil, and returns t.
func (t *Tree) Add(key string, value *Tree) *Tree {
	if value != nil {
		t.Keys, t.Items = append(t.Keys, key), append(t.Items, value)
	}
	return t
}

// Member returns the value of the first key of that name, nil for none. A nil
// Tree has none.
func (t *Tree) Member(key string) *Tree {
	if t == nil || t.Kind != TreeObject {
		return nil
	}
	for i, k := range t.Keys {
		if k == key {
			return t.Items[i]
		}
	}
	return nil
}

// Set puts value in the place of the first member of that name, or behind the
// others where there is none.
func (t *Tree) Set(key string, value *Tree) {
	for i, k := range t.Keys {
		if k == key {
			t.Items[i] = value
			return
		}
	}
	t.Add(key, value)
}

// Delete takes the first member of that name out.
func (t *Tree) Delete(key string) {
	for i, k := range t.Keys {
		if k == key {
			t.Keys = append(t.Keys[:i:i], t.Keys[i+1:]...)
			t.Items = append(t.Items[:i:i], t.Items[i+1:]...)
			return
		}
	}
}

// Clone returns a copy that shares nothing with t.
func (t *Tree) Clone() *Tree {
	if t == nil {
		return nil
	}
	c := *t
	c.Keys = append([]string(nil), t.Keys...)
	c.Items = make([]*Tree, len(t.Items))
	for i, item := range t.Items {
		c.Items[i] = item.Clone()
	}
	return &c
}

// Size counts the values in t, itself included.
func (t *Tree) Size() int {
	n := 1
	for _, item := range t.Items {
		n += item.Size()
	}
	return n
}

// ReadTree reads a scenario file as it is written, by the rules of [Parse] for
// YAML and JSON. What its values mean is not looked at. The error is of type
// [Problems].
func ReadTree(file string, text []byte) (*Tree, error) {
	root, problems, _ := read(file, text)
	if err := problems.sorted().err(); err != nil {
		return nil, err
	}
	return treeOf(root), nil
}

func treeOf(n *node) *Tree {
	t := &Tree{Text: n.text}
	switch n.kind {
	case kindText:
		if n.final {
			return TextTree(n.text)
		}
	case kindList:
		t.Kind = TreeList
	case kindObject:
		t.Kind = TreeObject
	case kindNothing:
		t.Kind, t.Text = TreeWord, "null"
	default:
		t.Kind = TreeWord
	}
	for _, key := range n.keys {
		t.Keys = append(t.Keys, key.name)
	}
	for _, item := range n.items {
		t.Items = append(t.Items, treeOf(item))
	}
	return t
}

// ValueTree returns a JSON value as a scenario writes it. It is false where no
// scenario can hold it: a value nested too deep, with equal keys or one that is too
// long, or that is no JSON.
func ValueTree(v jsontext.Value) (*Tree, bool) {
	if jsonDepth(v) > maxDepth/2 {
		return nil, false
	}
	n, err := fromJSON(v, Pos{})
	if err != nil || twiceNamed(n) {
		return nil, false
	}
	return treeOf(n), true
}

// ArgumentsTree returns the arguments of a call as the object that is sent in
// that very spelling, and false where only the raw text is: arguments with
// spaces between their values, equal keys, half characters, or no object at all.
func ArgumentsTree(raw string) (*Tree, bool) {
	v := jsontext.Value(raw)
	if len(raw) == 0 || raw[0] != '{' || !v.IsValid(jsontext.AllowDuplicateNames(true)) || jsonDepth(v) > maxDepth/2 {
		return nil, false
	}
	n, err := fromJSON(v, Pos{})
	if err != nil || twiceNamed(n) || string(appendJSON(nil, n)) != raw {
		return nil, false
	}
	return treeOf(n), true
}

// longestKey is the longest key, as it is written, that YAML reads without a mark
// of its own.
const longestKey = 1000

func twiceNamed(n *node) bool {
	seen := make(map[string]bool, len(n.keys))
	for _, key := range n.keys {
		if seen[key.name] || len(key.name) > longestKey || len(keyText(key.name)) > longestKey {
			return true
		}
		seen[key.name] = true
	}
	for _, item := range n.items {
		if twiceNamed(item) {
			return true
		}
	}
	return false
}
