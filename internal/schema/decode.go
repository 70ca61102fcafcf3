package schema

import (
	"bytes"
	stdjson "encoding/json" // only for the type in which the library takes numbers
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// facts is what decoding finds out about a schema.
type facts struct {
	// dynamic: the schema uses dynamic references.
	dynamic bool
	// unevaluated: the schema says what becomes of unevaluated places.
	unevaluated bool
}

// maxOddRefs bounds the references to places that are no definitions, times the
// subschemas: the library copies its list of subschemas for each of them.
const maxOddRefs = 5_000_000

// plainRef finds references to the whole schema, to an anchor or a definition.
var plainRef = regexp.MustCompile(`^[^#]*#?[^/]*$|^#/(\$defs|definitions)/[^/]*$`)

// decoder turns JSON text into the values that the library takes. The last of
// equal names counts, numbers stay text.
type decoder struct {
	dec      *jsontext.Decoder
	maxDepth int
	// nodes counts values.
	nodes, maxNodes int
	// schema is set when the text is a schema.
	schema *schemaScan
}

// schemaScan keeps the bounds of a schema while it is decoded.
type schemaScan struct {
	facts
	subschemas, pointers, oddRefs int
}

func decodeValue(raw jsontext.Value) (any, int, error) {
	d := decoder{maxDepth: MaxValueDepth, maxNodes: MaxValueNodes}
	v, err := d.decode(raw)
	return v, d.nodes, err
}

func decodeSchema(raw jsontext.Value) (any, facts, error) {
	if len(raw) > MaxSchemaBytes {
		return nil, facts{}, fmt.Errorf("the schema is longer than %d bytes", MaxSchemaBytes)
	}
	s := &schemaScan{}
	d := decoder{maxDepth: MaxSchemaDepth, maxNodes: MaxSchemaBytes, schema: s}
	v, err := d.decode(raw)
	if err == nil && s.oddRefs*s.subschemas > maxOddRefs {
		err = errors.New("the schema has too many references to places that are no definitions")
	}
	return v, s.facts, err
}

func (d *decoder) decode(raw jsontext.Value) (any, error) {
	d.dec = jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	v, err := d.value(0, 0, false)
	if err != nil {
		return nil, err
	}
	if _, err := d.dec.ReadToken(); err == nil {
		return nil, errors.New("not one JSON value: more text follows")
	}
	return v, nil
}

// value reads one value at depth; pointer is the length of the pointer to it,
// and literal says that it stands inside an enum or const.
func (d *decoder) value(depth, pointer int, literal bool) (any, error) {
	tok, err := d.dec.ReadToken()
	if err != nil {
		return nil, notJSON(err)
	}
	d.nodes++
	kind := tok.Kind()
	if err := d.bound(kind, depth, pointer); err != nil {
		return nil, err
	}
	switch kind {
	case 'n':
		return nil, nil
	case 't', 'f':
		return tok.Bool(), nil
	case '"':
		return tok.String(), nil
	case '0':
		return stdjson.Number(bounded(tok.String())), nil
	case '{':
		return d.object(depth, pointer, literal)
	default:
		return d.array(depth, pointer, literal)
	}
}

func (d *decoder) bound(kind jsontext.Kind, depth, pointer int) error {
	if (kind == '{' || kind == '[') && depth >= d.maxDepth {
		return fmt.Errorf("nested deeper than %d levels", d.maxDepth)
	}
	if d.nodes > d.maxNodes {
		return fmt.Errorf("more than %d values", d.maxNodes)
	}
	s := d.schema
	if s == nil {
		return nil
	}
	s.pointers += pointer
	if kind == '{' || kind == 't' || kind == 'f' {
		s.subschemas++
	}
	switch {
	case s.subschemas > MaxSchemaNodes:
		return fmt.Errorf("the schema has more than %d objects and booleans", MaxSchemaNodes)
	case s.pointers > MaxPointerBytes:
		return errors.New("the schema has too many long names inside each other")
	}
	return nil
}

func (d *decoder) object(depth, pointer int, literal bool) (any, error) {
	obj := map[string]any{}
	for d.dec.PeekKind() != '}' {
		tok, err := d.dec.ReadToken()
		if err != nil {
			return nil, notJSON(err)
		}
		name := tok.String()
		v, err := d.value(depth+1, pointer+1+len(name), literal || name == "const" || name == "enum")
		if err != nil {
			return nil, err
		}
		if d.schema != nil && !literal {
			v = d.schema.keyword(name, v)
		}
		obj[name] = v
	}
	_, err := d.dec.ReadToken()
	return obj, notJSON(err)
}

// keyword notes what a member of a schema object means for the bounds.
func (s *schemaScan) keyword(name string, v any) any {
	switch name {
	case "$ref":
		if to, ok := v.(string); ok && !plainRef.MatchString(to) {
			s.oddRefs++
		}
	case "$dynamicRef", "$recursiveRef":
		s.dynamic = true
	case "unevaluatedProperties", "unevaluatedItems":
		s.unevaluated = true
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"minContains", "maxContains":
		if n, ok := v.(stdjson.Number); ok {
			return count(n)
		}
	}
	return v
}

func (d *decoder) array(depth, pointer int, literal bool) (any, error) {
	arr := []any{}
	for d.dec.PeekKind() != ']' {
		v, err := d.value(depth+1, pointer+2, literal)
		if err != nil {
			return nil, err
		}
		arr = append(arr, v)
	}
	_, err := d.dec.ReadToken()
	return arr, notJSON(err)
}

func notJSON(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("not JSON: %w", err)
}
