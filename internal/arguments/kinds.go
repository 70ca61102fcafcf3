package arguments

import (
	"fmt"
	"slices"
	"strings"
)

// kinds are the kinds of texts of each class, as a source can pick them.
var kinds = map[Class][]string{
	Invalid: {
		"nested", "missing", "misspelled", "extra", "members", "null", "as text", "type", "fraction", "double", "single",
		"wrapped", "bound", "far", "multiple", "enum", "near enum", "const", "near const", "length", "pattern",
		"near pattern", "format", "items", "twice", "item",
	},
	Boundary: {
		"blank", "fields", "bound", "odd number", "length", "odd text", "spelling", "items", "null", "boolean", "enum",
		"space", "order", "twice", "extra", "odd name", "case", "deep",
	},
	Malformed: {
		"cut", "kind", "glued", "wrapped", "odd space", "control character", "escape", "surrogate", "quote", "literal",
		"punctuation", "language", "deep",
	},
}

// Kinds returns the kinds into which the texts of a class fall, in the order in
// which they are made; none for a class whose texts are all alike. The slice is
// the caller's own.
func Kinds(class Class) []string { return slices.Clone(kinds[class]) }

// checkKinds says which of the wanted kinds a class does not have.
func checkKinds(class Class, wanted []string) error {
	for _, kind := range wanted {
		if !slices.Contains(kinds[class], kind) {
			return fmt.Errorf("make arguments: %s texts have no kind %q, only %s", class, kind, strings.Join(kinds[class], ", "))
		}
	}
	return nil
}
