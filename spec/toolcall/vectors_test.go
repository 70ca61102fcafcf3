package toolcall_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"gopkg.in/yaml.v3"
)

// readVectors reads a file of golden vectors. A field that the type does not
// know is refused, so that a slip in spelling cannot turn an expectation off.
func readVectors[T any](t *testing.T, file string, count int) []T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "vectors", file))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Version int
		Vectors []T
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version != 1 || len(doc.Vectors) != count {
		t.Fatalf("%s: version %d with %d vectors, want version 1 with %d", file, doc.Version, len(doc.Vectors), count)
	}
	return doc.Vectors
}

// head is what every vector has.
type head struct {
	Name string
	Rule []string
	Sure string
	Note string
}

// checkHeads refuses vectors without a name, with the name of another, or sure
// of something else than yes or likely.
func checkHeads(t *testing.T, heads []head) {
	t.Helper()
	seen := map[string]bool{}
	for _, h := range heads {
		if h.Name == "" || seen[h.Name] {
			t.Errorf("name %q is empty or given twice", h.Name)
		}
		seen[h.Name] = true
		if h.Sure != "yes" && h.Sure != "likely" {
			t.Errorf("%s: sure is %q", h.Name, h.Sure)
		}
	}
}
