package scenarios_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// FuzzParse wants any text to give a document or problems with a place, and a
// document to give a plan or problems; never a panic.
func FuzzParse(f *testing.F) {
	for _, folder := range []fs.FS{os.DirFS("testdata/examples"), scenarios.Corpus()} {
		err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(folder, path)
			f.Add(text)
			return err
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	for _, text := range []string{
		"", "{", "- ", "a: &b *b", "!!binary x", "? [", "%YAML 1.1\n---\n", "\"\\u", "'", "a: |2\n x", "{\"scenario\":",
		"scenario: x\nsteps: [{user: {repeat: $n, times: 9}}]", "scenario: x\nvary: {a: [$copy]}\nsteps: [{user: $case.a}]",
		"scenario: x\ncases: [{name: a, b: {repeat: \"${n}\", times: 3}}]\nsteps: [{user: \"${case.b}$$\"}]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := scenarios.Parse("a.yaml", text)
		if err != nil {
			wantPlaces(t, err)
			return
		}
		cases, err := scenarios.Plan([]*scenarios.Document{doc}, shop(), scenarios.PlanOptions{})
		if err != nil {
			wantPlaces(t, err)
			return
		}
		seen := map[string]bool{}
		for _, c := range cases {
			if seen[c.ID] {
				t.Errorf("the id %q stands twice", c.ID)
			}
			seen[c.ID] = true
		}
	})
}

func wantPlaces(t *testing.T, err error) {
	t.Helper()
	var problems scenarios.Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("the error is no list of problems: %v", err)
	}
	for _, problem := range problems {
		if problem.File != "a.yaml" || problem.Message == "" {
			t.Errorf("the problem has no place or no text: %+v", problem)
		}
	}
}
