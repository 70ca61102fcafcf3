package engine

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/vectors"
	"github.com/hallmarkdev/hallmark/spec"
)

type head = vectors.Head

// vector is one golden example. check says in words what does not hold.
type vector interface {
	Vector() head
	check() []string
}

// runVectors runs a file of vectors, each as FILE/NAME. A vector that is left
// out must exist, and must not hold.
func runVectors[T vector](t *testing.T, file string, count int, leftOut map[string]string) {
	t.Helper()
	names := map[string]bool{}
	for _, v := range vectors.Read[T](t, filepath.Join("testdata", "vectors", file), count) {
		h := v.Vector()
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
