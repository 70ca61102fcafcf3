package arguments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/schema"
)

// placed puts the violations of propertyNames where they belong, and all into
// an order that depends on nothing else. The library gives those a place that
// it goes on to change, so that it may be any other place of the value.
func placed(vs []schema.Violation, value *tree) []schema.Violation {
	for i, v := range vs {
		if strings.HasSuffix(v.SchemaPointer, "/propertyNames") {
			path, _ := nameHolder(value, nil, v.Message)
			vs[i].Pointer = pointer(path)
		}
	}
	slices.SortFunc(vs, func(a, b schema.Violation) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.SchemaPointer, b.SchemaPointer), cmp.Compare(a.Message, b.Message))
	})
	return vs
}

// nameHolder is the first object with a member of the name that a message
// speaks of.
func nameHolder(t *tree, path []string, message string) ([]string, bool) {
	for _, name := range t.names {
		if strings.Contains(message, fmt.Sprintf("%q", name)) {
			return path, true
		}
	}
	for i, kid := range t.kids {
		token := fmt.Sprint(i)
		if t.isObject() {
			token = t.names[i]
		}
		if found, ok := nameHolder(kid, append(path[:len(path):len(path)], token), message); ok {
			return found, true
		}
	}
	return nil, false
}
