package scenarios

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/arguments"
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/schema"
)

// The published schema and the reader are two descriptions of one language.
// every-key.yaml is read by the reader's own test; here the schema takes it,
// and it holds every key that the schema knows.
func TestSchemaAndReaderAgree(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/every-key.yaml")
	if err != nil {
		t.Fatal(err)
	}
	root, problems, _ := read("every-key.yaml", text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	compiled, err := schema.Compile(Schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range compiled.Validate(appendJSON(nil, root)) {
		t.Errorf("%s: %s", violation.Pointer, violation.Message)
	}
	language, err := fromJSON(Schema(), Pos{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range propertyNames(language, nil) {
		if !strings.Contains(string(text), key+":") {
			t.Errorf("no example of the key %q", key)
		}
	}
}

// The schema lists the kinds of every class, since it does not know which class
// a generator is of.
func TestSchemaKnowsTheKinds(t *testing.T) {
	t.Parallel()
	var known []string
	for _, class := range []arguments.Class{arguments.Valid, arguments.Invalid, arguments.Boundary, arguments.Malformed} {
		known = append(known, arguments.Kinds(class)...)
	}
	slices.Sort(known)
	enum, ok := jsonv.Get(Schema(), "/$defs/generator/properties/kinds/items/enum")
	if !ok {
		t.Fatal("the schema has no list of kinds")
	}
	var listed []string
	items, _ := jsonv.Elements(enum)
	for _, item := range items {
		kind, _ := jsonv.Text(item)
		listed = append(listed, kind)
	}
	if diff := cmp.Diff(slices.Compact(known), listed); diff != "" {
		t.Error(diff)
	}
}

func propertyNames(n *node, names []string) []string {
	for i, item := range n.items {
		if n.kind == kindObject && n.keys[i].name == "properties" {
			for _, key := range item.keys {
				names = append(names, key.name)
			}
		}
		names = propertyNames(item, names)
	}
	return names
}
