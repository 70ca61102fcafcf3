package arguments

import (
	"net/url"
	"slices"
	"strings"
)

// document is a schema with what its references may name.
type document struct {
	root *tree
	// anchors and ids find subschemas by $anchor, $dynamicAnchor and $id; the
	// first of equal ones counts.
	anchors, ids map[string]*tree
}

func newDocument(root *tree) *document {
	d := &document{root: root, anchors: map[string]*tree{}, ids: map[string]*tree{}}
	d.collect(root)
	return d
}

func (d *document) collect(t *tree) {
	note := func(in map[string]*tree, name *tree) {
		if name.isText() && in[name.text] == nil {
			in[name.text] = t
		}
	}
	note(d.anchors, t.member("$anchor"))
	note(d.anchors, t.member("$dynamicAnchor"))
	note(d.ids, t.member("$id"))
	if old := t.member("id"); old.isText() && strings.HasPrefix(old.text, "#") {
		note(d.anchors, textTree(old.text[1:])) // draft 4
	}
	if id := t.member("$id"); id.isText() && strings.HasPrefix(id.text, "#") {
		note(d.anchors, textTree(id.text[1:])) // drafts 6 and 7
	}
	for _, kid := range t.kids {
		if kid.isObject() || kid.isList() {
			d.collect(kid)
		}
	}
}

// heavy is where the weight of a schema is cut.
const heavy = 1 << 20

// weight is about the number of visits of subschemas that one check makes,
// with all references followed but those that lead back.
func (d *document) weight() int {
	seen := map[*tree]int{}
	var of func(t *tree) int
	of = func(t *tree) int {
		if t == nil {
			return 0
		}
		if w, ok := seen[t]; ok {
			return w
		}
		seen[t] = 1
		w := 1
		if ref := t.member("$ref"); ref.isText() {
			w += of(d.resolve(ref.text))
		}
		if patterns := t.member("patternProperties"); patterns.isObject() {
			// Each is held against each name.
			w += len(patterns.names) * (len(patterns.names) + len(t.member("properties").members()))
		}
		for i, kid := range t.kids {
			if t.isObject() && slices.Contains(idle, t.names[i]) {
				continue
			}
			w = min(heavy, w+of(kid))
		}
		seen[t] = w
		return w
	}
	return of(d.root)
}

// idle are keywords that cost nothing until a reference leads to them.
var idle = []string{"$defs", "definitions", "examples", "default", "description"}

// resolve follows a reference inside the document, nil when it leads nowhere.
func (d *document) resolve(ref string) *tree {
	address, fragment, _ := strings.Cut(ref, "#")
	at := d.root
	if address != "" {
		if at = d.ids[address]; at == nil {
			return nil
		}
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	switch {
	case fragment == "":
		return at
	case fragment[0] != '/':
		return d.anchors[fragment]
	}
	return at.get(tokens(fragment))
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// tokens splits a JSON pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	return mapped(strings.Split(pointer[1:], "/"), unescape.Replace)
}
