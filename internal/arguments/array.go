package arguments

import (
	"slices"
	"strconv"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// array makes as many items as the schema wants, one more where every field is
// wished for.
func (m *maker) array(v *view, at place) (*tree, *refused) {
	most := v.atMost("maxItems")
	if cut, ok := m.most[at.pointer]; ok {
		most = min(most, cut)
	}
	wanted := v.contained()
	least := max(v.atLeast("minItems"), len(wanted))
	if least > most {
		return nil, &refused{at.pointer, "more items are wanted than are allowed"}
	}
	size := least
	if at.depth < deep {
		switch {
		case m.full == every:
			size = min(most, max(1, least))
		case m.full == some:
			size = min(most, least+m.drawn(at, "size", 3))
		}
	}
	unique := false
	v.each("uniqueItems", func(t *tree) { unique = unique || t.is("true") })
	made := &tree{kind: '['}
	seen := map[string]bool{}
	prefix := v.prefix()
	for i := range size {
		schemas := v.item(i)
		// What has to be in the list stands behind the items that have a
		// place of their own, or last.
		if nth := i - min(prefix, size-len(wanted)); nth >= 0 && nth < len(wanted) {
			schemas = append(schemas, wanted[nth])
		}
		item, refusal := m.item(schemas, at, i, unique, seen)
		if refusal != nil {
			if i >= least {
				break
			}
			return nil, refusal
		}
		made.kids = append(made.kids, item)
	}
	return made, nil
}

// item makes one item, unlike those seen where they must be.
func (m *maker) item(schemas []*tree, at place, i int, unique bool, seen map[string]bool) (*tree, *refused) {
	below := at.below(strconv.Itoa(i))
	if below.about = describe(schemas); below.about == "" {
		below.about = at.about
	}
	if !unique {
		return m.value(schemas, below)
	}
	below.variety += i
	for range 12 {
		item, refusal := m.value(schemas, below)
		if refusal != nil {
			return nil, refusal
		}
		if meaning := string(jsonv.Sorted(item.value())); !seen[meaning] {
			seen[meaning] = true
			return item, nil
		}
		below.variety++
	}
	return nil, &refused{below.pointer, "no more items unlike each other were found"}
}

// prefix is the number of items that have a schema of their own.
func (v *view) prefix() int {
	most := 0
	for _, key := range []string{"prefixItems", "items"} {
		v.each(key, func(t *tree) {
			if t.isList() {
				most = max(most, len(t.kids))
			}
		})
	}
	return most
}

// item are the schemas that hold for item i.
func (v *view) item(i int) []*tree {
	var all []*tree
	evaluated := false
	add := func(schema *tree) {
		if schema != nil {
			all, evaluated = append(all, schema), true
		}
	}
	for _, layer := range v.layers {
		first, rest := layer.member("prefixItems"), layer.member("items")
		if rest.isList() { // drafts 4 to 2019-09
			first, rest = rest, layer.member("additionalItems")
		}
		if first.isList() && i < len(first.kids) {
			rest = first.kids[i]
		}
		add(rest)
	}
	if !evaluated {
		v.each("unevaluatedItems", func(t *tree) { all = append(all, t) })
	}
	return slices.Clip(all)
}

// maxContained bounds the items that contains asks for.
const maxContained = 1000

// contained are the schemas of items that have to be in the list.
func (v *view) contained() []*tree {
	var all []*tree
	for _, layer := range v.layers {
		schema := layer.member("contains")
		if schema == nil {
			continue
		}
		times := 1
		if least := layer.member("minContains"); least != nil {
			times = count(least, 1)
		}
		for range min(times, maxContained) {
			all = append(all, schema)
		}
	}
	return all
}
