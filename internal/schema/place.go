package schema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A misplaced violation is one of propertyNames. The library keeps its place in
// memory that it goes on to change: the depth is right, the tokens are those of
// whatever it looked at later. So the place is looked up in the value.
type misplaced struct {
	// n is the violation's place in the list.
	n   int
	key placeKey
}

type placeKey struct {
	depth int
	name  string
}

// misplacedBy is the key to look a violation up by, and whether it needs that.
func misplacedBy(e *jsonschema.ValidationError) (placeKey, bool) {
	k, ok := e.ErrorKind.(*kind.PropertyNames)
	if !ok {
		return placeKey{}, false
	}
	return placeKey{len(e.InstanceLocation), k.Property}, true
}

// place puts misplaced violations where their names stand. Where several
// objects of one depth have the name, they are handed out in the order of the
// tree to the violations in the order of their schemas, so that equal checks
// give equal answers.
func place(vs []Violation, wrong []misplaced, value any) {
	slices.SortStableFunc(wrong, func(a, b misplaced) int {
		return comparePointers(vs[a.n].SchemaPointer, vs[b.n].SchemaPointer)
	})
	found, given := map[placeKey][]string{}, map[placeKey]int{}
	for _, m := range wrong {
		if _, known := found[m.key]; !known {
			found[m.key] = holders(value, nil, m.key, nil)
		}
		if list := found[m.key]; len(list) > 0 {
			vs[m.n].Pointer = list[min(given[m.key], len(list)-1)]
			given[m.key]++
		}
	}
}

// holders are the pointers of the objects at a depth that have a member of a
// name, in the order of the tree.
func holders(v any, path []string, key placeKey, list []string) []string {
	switch v := v.(type) {
	case map[string]any:
		if len(path) == key.depth {
			if _, has := v[key.name]; has {
				list = append(list, pointer(path))
			}
			return list
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = holders(v[name], append(path, name), key, list)
		}
	case []any:
		if len(path) < key.depth {
			for i, item := range v {
				list = holders(item, append(path, strconv.Itoa(i)), key, list)
			}
		}
	}
	return list
}
