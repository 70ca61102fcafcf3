package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// Reading JSON Schemas far enough to make a value. What is made is validated
// afterwards, so that a keyword that is not understood here costs a sample and
// never makes a wrong one.

// schemaView is a schema with its allOf and first alternative folded in.
type schemaView struct {
	root *node
	// layers are the objects that all must hold, outermost first.
	layers []*node
}

// refused is the reason why no value can be made, and where.
type refused struct{ pointer, reason string }

// foldSchema folds a schema. choice picks among anyOf and oneOf alternatives.
func foldSchema(root, schema *node, choice, depth int, pointer string) (*schemaView, *refused) {
	v := &schemaView{root: root}
	if refusal := v.fold(schema, choice, depth, pointer); refusal != nil {
		return nil, refusal
	}
	return v, nil
}

// maxSchemaDepth bounds references and nesting together, so that a schema that
// demands itself ends.
const maxSchemaDepth = 24

func (v *schemaView) fold(schema *node, choice, depth int, pointer string) *refused {
	if depth > maxSchemaDepth {
		return &refused{pointer, "the schema demands itself or is nested too deep"}
	}
	if schema.kind == kindBool {
		if schema.text == "false" {
			return &refused{pointer, "the schema allows nothing"}
		}
		return nil
	}
	if schema.kind != kindObject {
		return &refused{pointer, "the schema is neither an object nor true"}
	}
	v.layers = append(v.layers, schema)
	for _, key := range []string{"$ref", "$dynamicRef"} {
		ref := schema.member(key)
		if ref == nil || ref.kind != kindText {
			continue
		}
		target := v.resolve(ref.text)
		if target == nil {
			return &refused{pointer, fmt.Sprintf("the reference %q leads nowhere in the schema", ref.text)}
		}
		if refusal := v.fold(target, choice, depth+1, pointer); refusal != nil {
			return refusal
		}
	}
	if all := schema.member("allOf"); all != nil {
		for _, part := range all.items {
			if refusal := v.fold(part, choice, depth+1, pointer); refusal != nil {
				return refusal
			}
		}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if any := schema.member(key); any != nil && len(any.items) > 0 {
			if refusal := v.fold(any.items[choice%len(any.items)], choice, depth+1, pointer); refusal != nil {
				return refusal
			}
		}
	}
	return nil
}

// resolve follows a reference inside the document: #, #/pointer or #anchor.
func (v *schemaView) resolve(ref string) *node {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if fragment == "" {
		return v.root
	}
	if fragment[0] != '/' {
		return anchored(v.root, fragment)
	}
	at := v.root
	for _, token := range strings.Split(fragment[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		at = at.child(token)
		if at == nil {
			return nil
		}
	}
	return at
}

// child returns a member by name, or an item by index.
func (n *node) child(token string) *node {
	if n.kind != kindList {
		return n.member(token)
	}
	for i := range n.items {
		if fmt.Sprint(i) == token {
			return n.items[i]
		}
	}
	return nil
}

func anchored(n *node, name string) *node {
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor := n.member(key); anchor != nil && anchor.text == name {
			return n
		}
	}
	for _, item := range n.items {
		if found := anchored(item, name); found != nil {
			return found
		}
	}
	return nil
}

// keyword returns the value of the first layer that has the keyword.
func (v *schemaView) keyword(name string) *node {
	for _, layer := range v.layers {
		if value := layer.member(name); value != nil {
			return value
		}
	}
	return nil
}

// integer returns a keyword that is a whole number of at most limit.
func (v *schemaView) integer(name string, otherwise, limit int) int {
	value := v.keyword(name)
	if value == nil || value.kind != kindNumber {
		return otherwise
	}
	d := decoder{literal: true}
	return orDefault(d.integer(value, 0, limit), otherwise)
}

// properties are the declared properties of all layers, in order, each once.
func (v *schemaView) properties() (names []string, schemas map[string]*node) {
	schemas = map[string]*node{}
	for _, layer := range v.layers {
		properties := layer.member("properties")
		if properties == nil || properties.kind != kindObject {
			continue
		}
		for i, key := range properties.keys {
			if schemas[key.name] == nil {
				schemas[key.name] = properties.items[i]
				names = append(names, key.name)
			}
		}
	}
	return names, schemas
}

// required are the required names of all layers, in order, each once.
func (v *schemaView) required() []string {
	var names []string
	for _, layer := range v.layers {
		list := layer.member("required")
		if list == nil {
			continue
		}
		for _, item := range list.items {
			if item.kind == kindText && !slices.Contains(names, item.text) {
				names = append(names, item.text)
			}
		}
	}
	return names
}

// kind is the type to make: the first that the schema names and that is not
// null, or the one that its keywords speak of.
func (v *schemaView) kind() string {
	if t := v.keyword("type"); t != nil {
		if t.kind == kindText {
			return t.text
		}
		for _, item := range t.items {
			if item.text != "null" {
				return item.text
			}
		}
		if len(t.items) > 0 {
			return "null"
		}
	}
	for _, sign := range []struct{ keyword, kind string }{
		{"properties", "object"}, {"required", "object"}, {"minProperties", "object"},
		{"items", "array"}, {"prefixItems", "array"}, {"minItems", "array"}, {"contains", "array"},
		{"minimum", "number"}, {"maximum", "number"}, {"exclusiveMinimum", "number"},
		{"exclusiveMaximum", "number"}, {"multipleOf", "number"},
	} {
		if v.keyword(sign.keyword) != nil {
			return sign.kind
		}
	}
	return "string"
}
