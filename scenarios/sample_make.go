package scenarios

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maker makes one value for a schema. It draws on nothing but the schema, so
// the same schema always gives the same value.
type maker struct {
	root *node
	// choice picks among alternatives; told takes values that the schema
	// names (examples, default), words takes quoted words of descriptions.
	choice      int
	told, words bool
	// left bounds the values made.
	left int
}

// maxMade bounds the values in one sample: a demand for a million items is
// refused.
const maxMade = 5000

func (m *maker) value(schema *node, pointer string, depth int) (jsontext.Value, *refused) {
	m.left--
	if m.left < 0 {
		return nil, &refused{pointer, "the schema demands too much"}
	}
	v, refusal := foldSchema(m.root, schema, m.choice, depth, pointer)
	if refusal != nil {
		return nil, refusal
	}
	if value := m.named(v); value != nil {
		return appendJSON(nil, value), nil
	}
	switch v.kind() {
	case "object":
		return m.object(v, pointer, depth)
	case "array":
		return m.array(v, pointer, depth)
	case "integer":
		return number(v, pointer, true)
	case "number":
		return number(v, pointer, false)
	case "boolean":
		return jsontext.Value("true"), nil
	case "null":
		return jsontext.Value("null"), nil
	case "string":
		return m.text(v, pointer)
	default:
		return nil, &refused{pointer, "the type is not one of JSON's"}
	}
}

// named returns a value that the schema itself names, in the order of R11.
func (m *maker) named(v *schemaView) *node {
	if m.told {
		if examples := v.keyword("examples"); examples != nil && examples.kind == kindList && len(examples.items) > 0 {
			return examples.items[m.choice%len(examples.items)]
		}
		for _, key := range []string{"example", "default"} {
			if value := v.keyword(key); value != nil {
				return value
			}
		}
	}
	if enum := v.keyword("enum"); enum != nil && len(enum.items) > 0 {
		return enum.items[m.choice%len(enum.items)]
	}
	return v.keyword("const")
}

// object fills in the required properties, and more where the schema wants a
// number of them.
func (m *maker) object(v *schemaView, pointer string, depth int) (jsontext.Value, *refused) {
	declared, schemas := v.properties()
	required := v.required()
	var names []string
	for _, name := range declared {
		if slices.Contains(required, name) {
			names = append(names, name)
		}
	}
	for _, name := range required {
		if schemas[name] == nil {
			names = append(names, name)
		}
	}
	wanted := v.integer("minProperties", 0, anyNumber)
	for _, name := range declared {
		if len(names) < wanted && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		schema := schemas[name]
		if schema == nil {
			schema = v.additional()
		}
		value, refusal := m.value(schema, pointer+"/"+escapePointer(name), depth+1)
		if refusal != nil {
			return nil, refusal
		}
		out = append(appendQuoted(out, name), ':')
		out = append(out, value...)
	}
	return append(out, '}'), nil
}

// additional is the schema of a property that none describes.
func (v *schemaView) additional() *node {
	if schema := v.keyword("additionalProperties"); schema != nil && schema.kind == kindObject {
		return schema
	}
	return anything
}

// anything is the schema true.
var anything = &node{kind: kindBool, text: "true", final: true}

func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func (m *maker) array(v *schemaView, pointer string, depth int) (jsontext.Value, *refused) {
	size := v.integer("minItems", 0, anyNumber)
	var first []*node
	if list := v.keyword("prefixItems"); list != nil && list.kind == kindList {
		first = list.items
	}
	rest := anything
	if items := v.keyword("items"); items != nil {
		rest = items
		if items.kind == kindList { // draft 7 and older
			first, rest = items.items, anything
		}
	}
	if contains := v.keyword("contains"); contains != nil {
		rest, size = contains, max(size, 1)
	}
	unique := v.keyword("uniqueItems")
	out := []byte{'['}
	var seen []string
	for i := range size {
		schema := rest
		if i < len(first) {
			schema = first[i]
		}
		item, refusal := m.value(schema, pointer+"/"+strconv.Itoa(i), depth+1)
		if refusal != nil {
			return nil, refusal
		}
		if unique != nil && unique.text == "true" {
			item = m.another(item, schema, seen)
			seen = append(seen, string(item))
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']'), nil
}

// another returns item, or one that is not among seen: the next of an enum,
// the next number, a text with a number. The check afterwards says whether it
// fits.
func (m *maker) another(item jsontext.Value, schema *node, seen []string) jsontext.Value {
	for i := 2; slices.Contains(seen, string(item)) && i < maxMade; i++ {
		if enum := schema.member("enum"); enum != nil && len(enum.items) > 0 {
			item = appendJSON(nil, enum.items[(m.choice+i-1)%len(enum.items)])
			if i > len(enum.items) {
				break
			}
			continue
		}
		switch item.Kind() {
		case '0':
			value, err := strconv.ParseInt(string(item), 10, 64)
			if err != nil {
				return item
			}
			item = strconv.AppendInt(nil, value+1, 10)
		case '"':
			text, _ := jsontext.AppendUnquote(nil, item)
			item = appendQuoted(nil, strings.TrimRight(string(text), "0123456789")+strconv.Itoa(i))
		default:
			return item
		}
	}
	return item
}

// number picks 1 where it fits, else the smallest that does, in exact
// arithmetic: a schema may speak of 2^53+1.
func number(v *schemaView, pointer string, whole bool) (jsontext.Value, *refused) {
	low, lowOpen := bound(v, "minimum", "exclusiveMinimum", 1)
	high, highOpen := bound(v, "maximum", "exclusiveMaximum", -1)
	step := rational(v.keyword("multipleOf"))
	if step == nil || step.Sign() <= 0 {
		step = big.NewRat(1, 1)
	} else if whole && !step.IsInt() {
		step = new(big.Rat).SetInt(step.Num()) // a whole multiple of any fraction with this numerator
	}
	fits := func(x *big.Rat) bool {
		if low != nil && (x.Cmp(low) < 0 || lowOpen && x.Cmp(low) == 0) {
			return false
		}
		return high == nil || x.Cmp(high) < 0 || !highOpen && x.Cmp(high) == 0
	}
	candidates := []*big.Rat{new(big.Rat).Set(step), new(big.Rat)}
	if low != nil {
		up := multiple(low, step)
		candidates = append(candidates, up, new(big.Rat).Add(up, step))
	}
	if high != nil {
		down := new(big.Rat).Neg(multiple(new(big.Rat).Neg(high), step))
		candidates = append(candidates, down, new(big.Rat).Sub(down, step))
	}
	if low != nil && high != nil && !whole && v.keyword("multipleOf") == nil {
		middle := new(big.Rat).Add(low, high)
		candidates = append(candidates, middle.Quo(middle, big.NewRat(2, 1)))
	}
	for _, candidate := range candidates {
		if fits(candidate) {
			return decimal(candidate), nil
		}
	}
	return nil, &refused{pointer, "no number fits the bounds"}
}

// bound reads the tighter of an inclusive and an exclusive bound. sign is 1
// for lower bounds and -1 for upper ones.
func bound(v *schemaView, inclusive, exclusive string, sign int) (*big.Rat, bool) {
	at, open := rational(v.keyword(inclusive)), false
	beyond := v.keyword(exclusive)
	if beyond != nil && beyond.kind == kindBool { // draft 4
		return at, beyond.text == "true"
	}
	if strict := rational(beyond); strict != nil && (at == nil || strict.Cmp(at)*sign >= 0) {
		at, open = strict, true
	}
	return at, open
}

// maxSpelling keeps a hostile 1e999999999 out of exact arithmetic.
const maxSpelling = 40

func rational(n *node) *big.Rat {
	if n == nil || n.kind != kindNumber || len(n.text) > maxSpelling {
		return nil
	}
	value, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.Abs(value) > 1e30 || value != 0 && math.Abs(value) < 1e-15 {
		return nil
	}
	x, ok := new(big.Rat).SetString(n.text)
	if !ok {
		return nil
	}
	return x
}

// multiple is the smallest multiple of step that is not below x.
func multiple(x, step *big.Rat) *big.Rat {
	count := new(big.Rat).Quo(x, step)
	whole := new(big.Int).Div(count.Num(), count.Denom()) // rounds down
	result := new(big.Rat).SetInt(whole)
	if result.Cmp(count) < 0 {
		result.Add(result, big.NewRat(1, 1))
	}
	return result.Mul(result, step)
}

// decimal spells a number; fractions get as many digits as they need, at most
// twenty.
func decimal(x *big.Rat) jsontext.Value {
	if x.IsInt() {
		return jsontext.Value(x.Num().String())
	}
	return jsontext.Value(strings.TrimRight(x.FloatString(20), "0"))
}
