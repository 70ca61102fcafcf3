package arguments

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// tree is one JSON value, a schema or an instance. It is never changed once it
// is made: edits return new trees that share what is the same.
type tree struct {
	kind jsontext.Kind // n t f 0 " { [, or verbatim
	// text is the decoded text of a string, and the spelling of any other
	// value that is neither object nor array.
	text string
	// names and kids run side by side in an object; an array has kids only.
	names []string
	kids  []*tree
	// index finds the last member of a name in an object of many.
	index map[string]int
}

// verbatim is the kind of a value that is written as it is spelled, JSON or
// not.
const verbatim jsontext.Kind = 'v'

var (
	emptyObject = &tree{kind: '{'}
	anything    = &tree{kind: 't', text: "true"}
	null        = &tree{kind: 'n', text: "null"}
)

func textTree(text string) *tree    { return &tree{kind: '"', text: text} }
func numberTree(text string) *tree  { return &tree{kind: '0', text: text} }
func spelled(text string) *tree     { return &tree{kind: verbatim, text: text} }
func listTree(kids ...*tree) *tree  { return &tree{kind: '[', kids: kids} }
func (t *tree) isObject() bool      { return t != nil && t.kind == '{' }
func (t *tree) isText() bool        { return t != nil && t.kind == '"' }
func (t *tree) isList() bool        { return t != nil && t.kind == '[' }
func (t *tree) is(text string) bool { return t != nil && t.kind != '"' && t.text == text }

func boolTree(b bool) *tree {
	if b {
		return &tree{kind: 't', text: "true"}
	}
	return &tree{kind: 'f', text: "false"}
}

func objectTree(name string, value *tree) *tree { return emptyObject.with(name, value) }

func mapped[A, B any](all []A, f func(A) B) []B {
	out := make([]B, len(all))
	for i, a := range all {
		out[i] = f(a)
	}
	return out
}

// maxTreeDepth bounds what is read.
const maxTreeDepth = 200

var errTooDeep = errors.New("nested too deep")

// parseTree reads one JSON value. Of equal names all are kept, and the last
// counts.
func parseTree(raw jsontext.Value) (*tree, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	t, err := readTree(d, 0)
	if err == nil && len(bytes.Trim(raw[d.InputOffset():], " \t\r\n")) > 0 {
		err = errors.New("more text follows")
	}
	return t, err
}

func readTree(d *jsontext.Decoder, depth int) (*tree, error) {
	if depth > maxTreeDepth {
		return nil, errTooDeep
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	t := &tree{kind: token.Kind()}
	switch t.kind {
	case '{', '[':
	default:
		t.text = token.String()
		return t, nil
	}
	for closing := t.kind + 2; d.PeekKind() != closing; {
		if t.kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			t.names = append(t.names, name.String())
		}
		kid, err := readTree(d, depth+1)
		if err != nil {
			return nil, err
		}
		t.kids = append(t.kids, kid)
	}
	t.buildIndex()
	_, err = d.ReadToken()
	return t, err
}

func (t *tree) buildIndex() {
	const few = 12
	if len(t.names) <= few {
		return
	}
	t.index = make(map[string]int, len(t.names))
	for i, name := range t.names {
		t.index[name] = i
	}
}

// place is the index of the last member of that name, or -1.
func (t *tree) place(name string) int {
	if t == nil || t.kind != '{' {
		return -1
	}
	if t.index != nil {
		if i, ok := t.index[name]; ok {
			return i
		}
		return -1
	}
	for i := len(t.names) - 1; i >= 0; i-- {
		if t.names[i] == name {
			return i
		}
	}
	return -1
}

// member returns the last member of that name, or nil.
func (t *tree) member(name string) *tree {
	if i := t.place(name); i >= 0 {
		return t.kids[i]
	}
	return nil
}

// members are the names of an object, none of anything else.
func (t *tree) members() []string {
	if t == nil {
		return nil
	}
	return t.names
}

// child returns a member by name or an item by its index, or nil.
func (t *tree) child(token string) *tree {
	if !t.isList() {
		return t.member(token)
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(t.kids) {
		return nil
	}
	return t.kids[i]
}

func (t *tree) get(path []string) *tree {
	for _, token := range path {
		if t = t.child(token); t == nil {
			return nil
		}
	}
	return t
}

// copied is a copy that may be changed on its first level.
func (t *tree) copied() *tree {
	return &tree{kind: t.kind, text: t.text,
		names: append([]string(nil), t.names...), kids: append([]*tree(nil), t.kids...)}
}

// with is the object with a member set, at its place or at the end.
func (t *tree) with(name string, value *tree) *tree {
	c := t.copied()
	if i := t.place(name); i >= 0 {
		c.kids[i] = value
	} else {
		c.names, c.kids = append(c.names, name), append(c.kids, value)
	}
	c.buildIndex()
	return c
}

// without is the object without the members of that name.
func (t *tree) without(name string) *tree {
	c := &tree{kind: '{'}
	for i, other := range t.names {
		if other != name {
			c.names, c.kids = append(c.names, other), append(c.kids, t.kids[i])
		}
	}
	c.buildIndex()
	return c
}

// edit replaces the value at a path whose parents are there; the member itself
// may be new. It is nil when there is no such place.
func (t *tree) edit(path []string, value *tree) *tree {
	if len(path) == 0 {
		return value
	}
	name := path[0]
	kid := t.child(name)
	if kid == nil && (len(path) > 1 || !t.isObject()) {
		return nil
	}
	changed := value
	if len(path) > 1 {
		if changed = kid.edit(path[1:], value); changed == nil {
			return nil
		}
	}
	if t.isObject() {
		return t.with(name, changed)
	}
	c := t.copied()
	i, _ := strconv.Atoi(name) // child found it
	c.kids[i] = changed
	return c
}

// appendTo writes the value without white space.
func (t *tree) appendTo(to []byte) []byte {
	switch t.kind {
	case '{':
		to = append(to, '{')
		for i, kid := range t.kids {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(append(to, jsonv.Quote(t.names[i])...), ':')
			to = kid.appendTo(to)
		}
		return append(to, '}')
	case '[':
		to = append(to, '[')
		for i, kid := range t.kids {
			if i > 0 {
				to = append(to, ',')
			}
			to = kid.appendTo(to)
		}
		return append(to, ']')
	case '"':
		return append(to, jsonv.Quote(t.text)...)
	}
	return append(to, t.text...)
}

func (t *tree) value() jsontext.Value { return t.appendTo(nil) }

// String returns the value without white space.
func (t *tree) String() string { return string(t.appendTo(nil)) }

// pointer is the JSON pointer of a path.
func pointer(path []string) string {
	var out []byte
	for _, token := range path {
		out = append(append(out, '/'), jsonv.Escape(token)...)
	}
	return string(out)
}
