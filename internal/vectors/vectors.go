// Package vectors reads files of golden vectors for the tests that hold the
// simulated engine and the protocol's own functions against them.
package vectors

import (
	"bytes"
	"os"
	"testing"

	"gopkg.in/yaml.v3"
)

// Head is what every vector has. A type of vectors embeds it inline.
type Head struct {
	Name string
	// Rule names the rules that the vector is about.
	Rule []string
	// Sure is yes, or likely where the sources leave room.
	Sure string
	Note string
}

// Vector returns the head of a vector, whatever its type.
func (h Head) Vector() Head { return h }

// Read returns the vectors of a file. A field that T does not know is refused,
// so that a slip in spelling cannot turn an expectation off. So is another
// number than count, which is the least that its caller must say, and a vector
// without a name, with the name of another, or sure of something else than yes
// or likely.
func Read[T interface{ Vector() Head }](t testing.TB, path string, count int) []T {
	t.Helper()
	b, err := os.ReadFile(path)
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
		t.Fatalf("%s: %s", path, err)
	}
	if doc.Version != 1 || len(doc.Vectors) != count {
		t.Fatalf("%s: version %d with %d vectors, want version 1 with %d", path, doc.Version, len(doc.Vectors), count)
	}
	seen := map[string]bool{}
	for _, v := range doc.Vectors {
		h := v.Vector()
		if h.Name == "" || seen[h.Name] || h.Sure != "yes" && h.Sure != "likely" {
			t.Errorf("%s: the name %q is empty or given twice, or sure is %q", path, h.Name, h.Sure)
		}
		seen[h.Name] = true
	}
	return doc.Vectors
}
