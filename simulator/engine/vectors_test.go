package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// head is what every vector has.
type head struct {
	Name string
	Rule []string
	Sure string
	Note string
}

func (h head) vector() head { return h }

// vector is one golden example. check says in words what does not hold.
type vector interface {
	vector() head
	check() []string
}

// runVectors runs a file of vectors, each as FILE/NAME. A field that T does not
// know is refused, so that a slip in spelling cannot turn an expectation off. A
// vector that is left out must exist, and must not hold.
func runVectors[T vector](t *testing.T, file string, count int, leftOut map[string]string) {
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
	names := map[string]bool{}
	for _, v := range doc.Vectors {
		h := v.vector()
		if names[h.Name] || h.Sure != "yes" && h.Sure != "likely" {
			t.Errorf("%s: given twice, or sure is %q", h.Name, h.Sure)
		}
		names[h.Name] = true
		t.Run(strings.TrimSuffix(file, ".yaml")+"/"+h.Name, func(t *testing.T) {
			t.Parallel()
			problems := guarded(v)
			reason, out := leftOut[h.Name]
			switch {
			case out && len(problems) == 0:
				t.Errorf("holds, but is left out: %s", reason)
			case out:
				t.Skip(reason)
			}
			for _, p := range problems {
				t.Error(p)
			}
		})
	}
	for name := range leftOut {
		if !names[name] {
			t.Errorf("%s: is left out but does not exist", name)
		}
	}
}

// guarded turns the end of a check that could not go on into a problem.
func guarded(v vector) (problems []string) {
	defer func() {
		if r := recover(); r != nil {
			problems = append(problems, fmt.Sprint("cannot go on: ", r))
		}
	}()
	return v.check()
}

// problems collects what does not hold.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

func (p *problems) same(what string, got, want any) {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		p.add("%s: got %s, want %s", what, g, w)
	}
}

func (p *problems) sameJSON(what string, got, want jsontext.Value) {
	if !jsonv.Equal(got, want) {
		at, g, w, _ := jsonv.Diff(got, want)
		p.add("%s: at %q got %s, want %s", what, at, g, w)
	}
}

// read decodes a JSON text of a vector.
func read[T any](text string) T {
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(fmt.Sprintf("%s in %s", err, text))
	}
	return v
}

func parsed[T any](v T, f *spec.Fault) T {
	if f != nil {
		panic(f.Error())
	}
	return v
}

func marshal(v any) jsontext.Value {
	b, err := spec.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// agent reads a config, nil for the text null.
func agent(text string) *spec.AgentConfig {
	if text == "null" {
		return nil
	}
	c := parsed(spec.ParseAgent([]byte(text)))
	return &c
}
