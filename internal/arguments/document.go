package arguments

import (
	"net/url"
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
