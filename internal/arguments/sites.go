package arguments

import (
	"slices"
	"strconv"
)

// site is one place of a made value, with the schemas that may speak of it.
type site struct {
	path []string
	// value is nil for an optional member that is not there.
	value *tree
	// layers are all schema objects that may hold here, those of branches that
	// are not taken included: what is made from them is checked afterwards.
	layers view
}

// at says where the site is, " at /pointer" or nothing for the root.
func (s *site) at() string {
	if len(s.path) == 0 {
		return ""
	}
	return " at " + clipped(pointer(s.path))
}

// clipped keeps hostile names out of the names of texts.
func clipped(name string) string {
	const most = 80
	if len(name) <= most {
		return name
	}
	for i := range name {
		if i > most-4 {
			return name[:i] + "…"
		}
	}
	return name
}

const (
	maxSites  = 1000
	maxLayers = 300
)

// fewOf are the first of many names, so that objects of thousands of members
// do not fill the list of texts.
func fewOf(names []string) []string {
	const few = 100
	return names[:min(len(names), few)]
}

// sites are the places of a value, parents first.
func (r *run) sites(value *tree) []site {
	var all []site
	var visit func(path []string, value *tree, schemas []*tree)
	visit = func(path []string, value *tree, schemas []*tree) {
		if len(all) >= maxSites || r.steps < 0 || len(path) > MaxDepth {
			return
		}
		layers := view{layers: r.loose(schemas)}
		all = append(all, site{slices.Clone(path), value, layers})
		switch {
		case value.isObject():
			for i, name := range value.names {
				visit(append(path, name), value.kids[i], layers.property(r.texts, name))
			}
			for _, name := range layers.declared() {
				if value.member(name) == nil {
					visit(append(path, name), nil, layers.property(r.texts, name))
				}
			}
		case value.isList():
			for i, kid := range value.kids {
				const few = 3
				if i < few || i == len(value.kids)-1 {
					visit(append(path, strconv.Itoa(i)), kid, layers.item(i))
				}
			}
		}
	}
	visit(nil, value, []*tree{r.doc.root})
	return all
}

// loose are the schema objects that may hold where the schemas do.
func (r *run) loose(schemas []*tree) []*tree {
	var layers []*tree
	seen := map[*tree]bool{}
	var add func(schema *tree)
	add = func(schema *tree) {
		r.steps--
		if !schema.isObject() || seen[schema] || len(layers) >= maxLayers || r.steps < 0 {
			return
		}
		seen[schema] = true
		layers = append(layers, schema)
		for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			if ref := schema.member(key); ref.isText() {
				add(r.doc.resolve(ref.text))
			}
		}
		for _, key := range []string{"allOf", "anyOf", "oneOf"} {
			if list := schema.member(key); list.isList() {
				for _, part := range list.kids {
					add(part)
				}
			}
		}
		for _, key := range []string{"if", "then", "else"} {
			add(schema.member(key))
		}
		for _, key := range []string{"dependentSchemas", "dependencies"} {
			if all := schema.member(key); all.isObject() {
				for _, part := range all.kids {
					add(part)
				}
			}
		}
	}
	for _, schema := range schemas {
		add(schema)
	}
	return layers
}
