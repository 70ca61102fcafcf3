package judge

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// The bounds of the walk over one schema, which a stranger wrote: how many
// subschemas are looked at, and how many bytes are compiled for them.
const (
	maxSubschemas    = 2000
	maxCompiledBytes = 256 << 10
)

func seeDefaults(x *exchange) {
	const id = "declare.defaults-fit"
	for _, s := range x.schemas() {
		if _, err := schemas.Compile(s.raw); err != nil {
			continue
		}
		found, values := offers.of(s.raw)
		for _, f := range found {
			f.Pointer = s.pointer + f.Pointer
			x.broke(id, f)
		}
		if len(found) == 0 && values > 0 {
			x.held(id)
		}
	}
}

// offers remembers what schemas offer: a worker declares the same ones in each
// session.
var offers = offered{by: map[string]walked{}}

type offered struct {
	mu sync.Mutex
	by map[string]walked
}

// walked is what walking a schema gave; it is only to be read.
type walked struct {
	found  []spec.Finding
	values int
}

// Bounds on what is remembered.
const (
	maxOffers     = 512
	maxOffersText = 16 << 10
)

// of is what walking a schema gives, which depends on its text alone.
func (o *offered) of(raw jsontext.Value) (found []spec.Finding, values int) {
	o.mu.Lock()
	known, ok := o.by[string(raw)]
	o.mu.Unlock()
	if ok {
		return known.found, known.values
	}
	w := defaultWalk{root: raw}
	w.walk(raw, "")
	if len(raw) <= maxOffersText {
		o.mu.Lock()
		defer o.mu.Unlock()
		if len(o.by) == maxOffers {
			clear(o.by)
		}
		o.by[string(raw)] = walked{w.found, w.values}
	}
	return w.found, w.values
}

// defaultWalk holds the values that a schema offers against the subschemas
// they stand in.
type defaultWalk struct {
	root     jsontext.Value
	nodes    int
	compiled int
	values   int
	found    []spec.Finding
}

// The keywords under which subschemas stand: one, a list, or a map of them.
var (
	oneSchema  = []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"}
	listSchema = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	mapSchema  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)

func (w *defaultWalk) walk(s jsontext.Value, pointer string) {
	if w.nodes++; w.nodes > maxSubschemas || jsonv.Kind(s) != '{' {
		return
	}
	parts, err := jsonv.Members(s)
	if err != nil {
		return
	}
	w.offered(s, parts, pointer)
	for _, k := range oneSchema {
		if sub, ok := jsonv.Last(parts, k); ok {
			w.walk(sub, pointer+"/"+k)
		}
	}
	for _, k := range listSchema {
		list, _ := jsonv.Last(parts, k)
		items, _ := jsonv.Elements(list)
		for i, sub := range items {
			w.walk(sub, fmt.Sprintf("%s/%s/%d", pointer, k, i))
		}
	}
	for _, k := range mapSchema {
		named, _ := jsonv.Last(parts, k)
		members, _ := jsonv.Members(named)
		for _, m := range members {
			w.walk(m.Value, pointer+"/"+k+"/"+jsonv.Escape(m.Name))
		}
	}
}

// offered checks the values that stand in one subschema itself.
func (w *defaultWalk) offered(s jsontext.Value, members []jsonv.Member, pointer string) {
	for _, m := range members {
		switch m.Name {
		case "default", "const":
			w.value(s, m.Value, pointer+"/"+m.Name, m.Name)
		case "examples", "enum":
			items, _ := jsonv.Elements(m.Value)
			for i, item := range items {
				w.value(s, item, fmt.Sprintf("%s/%s/%d", pointer, m.Name, i), m.Name)
			}
		}
	}
}

func (w *defaultWalk) value(s, v jsontext.Value, pointer, keyword string) {
	text := w.alone(s)
	if w.compiled += len(text); w.compiled > maxCompiledBytes {
		return
	}
	w.values++
	compiled, err := schemas.Compile(text)
	if err != nil {
		return
	}
	if vs := compiled.Validate(v); len(vs) > 0 {
		w.found = append(w.found, spec.Finding{
			Pointer: pointer, Got: show(v) + ": " + vs[0].Message,
			Want: "a value that fits the schema it stands in",
			Hint: "change the " + keyword + " or widen the type",
		})
	}
}

// alone is a subschema that can be compiled by itself: where it has references,
// it takes the root's definitions along, to which they point.
func (w *defaultWalk) alone(s jsontext.Value) jsontext.Value {
	members, err := jsonv.Members(s)
	if err != nil || len(members) == 0 {
		return s
	}
	var extra []byte
	wanted := []string{"$schema"}
	if bytes.Contains(s, []byte(`"$ref"`)) {
		wanted = append(wanted, "$defs", "definitions")
	}
	for _, name := range wanted {
		if _, own := jsonv.Last(members, name); own {
			continue
		}
		if v, ok := jsonv.Get(w.root, "/"+name); ok {
			extra = append(extra, ',')
			extra = append(extra, jsonv.Quote(name)...)
			extra = append(extra, ':')
			extra = append(extra, v...)
		}
	}
	if extra == nil {
		return s
	}
	text := append([]byte(nil), jsonv.Compact(s)...)
	text = text[:len(text)-1]
	return append(append(text, extra...), '}')
}
