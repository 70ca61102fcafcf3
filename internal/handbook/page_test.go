package handbook

import (
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// Each requirement can be brought about by what its page names: a scenario, or
// what stands beside them and not both.
func TestEveryRequirementIsBroughtAbout(t *testing.T) {
	t.Parallel()
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range spec.Requirements() {
		if named, beside := len(naming(docs, q.ID)) > 0, besideScenarios[q.ID] != ""; named == beside {
			t.Errorf("%s: named by a scenario: %t, brought about otherwise: %t", q.ID, named, beside)
		}
	}
	for id := range besideScenarios {
		if _, ok := spec.LookupRequirement(id); !ok {
			t.Errorf("%s is no requirement", id)
		}
	}
	for _, d := range docs {
		seen := map[string]bool{}
		for _, r := range d.Requirements {
			if seen[r.ID] {
				t.Errorf("%s names %s twice", d.Name, r.ID)
			}
			seen[r.ID] = true
		}
	}
}

// A page is for people: no control bytes, every part there and indented.
func TestPagesReadWell(t *testing.T) {
	t.Parallel()
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range spec.Requirements() {
		page := Page(q, docs)
		for _, part := range []string{
			q.ID + " (", "\n" + q.Text + "\n", "\nwhy it matters\n", "\ngood\n  ", "\nbad\n  ", "\nusual cause of the bad one\n",
			"\nbrought about by\n  ", "\nbroken by the built-in worker's faults\n  ", "hallmark demo --fault ", "\nsource    ", "\nevidence  ",
		} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: the page has no %q", q.ID, part)
			}
		}
		if strings.ContainsAny(page, "\r\x1f\x00\x1b") || strings.Contains(page, "\ufffd") {
			t.Errorf("%s: the page holds control bytes", q.ID)
		}
		if strings.Contains(page, "\n\n\n") {
			t.Errorf("%s: the page has a gap", q.ID)
		}
	}
}

// What was answered before, and what else the request held, stands in the order
// in which it happens.
func TestExamplesTellTheWholeStory(t *testing.T) {
	t.Parallel()
	var p page
	p.example("bad", spec.Example{
		Declares: "refuse", Before: `{"n":1}`, Given: `{"attempts":1,"calls":[]}`, Trigger: `{"t":1}`,
		Answer: "HTTP/1.1 200 OK\r\nContent-Type: x\r\n\r\n\x1f",
	})
	want := `
bad
  declared  bad_arguments: refuse (in hallmark.yaml)
  asked     {"t":1}
  answered  {"n":1}
            and asked again, since this may never have arrived:
  asked     {"t":1}
  with      attempts 1
  with      calls []
  answered  HTTP/1.1 200 OK
            Content-Type: x

            \x1f
`
	if p.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", p.String(), want)
	}
}
