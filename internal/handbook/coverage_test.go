package handbook

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// The matrix of faults and requirements has no empty row and no empty column.
func TestMatrixIsFull(t *testing.T) {
	t.Parallel()
	for _, q := range spec.Requirements() {
		if len(faultsOf(q.ID)) == 0 {
			t.Errorf("%s: no fault shows it red", q.ID)
		}
	}
	for _, f := range reference.Faults() {
		if len(f.Breaks) == 0 {
			t.Errorf("%s: breaks nothing", f.Name)
		}
		for _, id := range append(append([]string{}, f.Breaks...), f.Hides...) {
			if _, ok := spec.LookupRequirement(id); !ok {
				t.Errorf("%s: %s is no requirement", f.Name, id)
			}
		}
	}
}

func TestVectorsAreCountedOnce(t *testing.T) {
	t.Parallel()
	two := &fstest.MapFile{Data: []byte("vectors:\n  - name: a\n    note: no - name here\n  - name: b\n")}
	got, err := goldenVectors(fstest.MapFS{
		"simulator/engine/testdata/vectors/retries.yaml": two,
		"spec/toolcall/testdata/vectors/retries.yaml":    two,
		"spec/toolcall/testdata/vectors/results.yaml":    two,
	})
	if err != nil || len(got) != 2 || got[0].count != 2 || got[1].name != "spec/toolcall/testdata/vectors/results.yaml" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := goldenVectors(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "run from the project's folder") {
		t.Errorf("no vectors: %v", err)
	}
}

func TestRulesStandInOrder(t *testing.T) {
	t.Parallel()
	got := ruleOrder(map[string][]string{"B10": nil, "A2": nil}, map[string]string{"B9": "", "A2": ""})
	if strings.Join(got, " ") != "A2 B9 B10" {
		t.Errorf("got %v", got)
	}
}

// What Markdown would take for markup is shown as it stands.
func TestTextIsEscaped(t *testing.T) {
	t.Parallel()
	if got := escaped("a <b> *c* `d` | [e] \\ is_error"); got != "a &lt;b> \\*c\\* \\`d\\` \\| \\[e] \\\\ is_error" {
		t.Errorf("got %s", got)
	}
}

// No page is empty, and each fenced block that begins also ends.
func TestPagesAreWhole(t *testing.T) {
	t.Parallel()
	pages, err := Pages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if strings.Count(page.Text, "```")%2 != 0 {
			t.Errorf("%s: a block does not end", page.Name)
		}
		if strings.ContainsAny(page.Text, "\r\x1f\x00\x1b") {
			t.Errorf("%s: control bytes", page.Name)
		}
		for _, q := range spec.Requirements() {
			if page.Name != "docs/divergences.md" && !strings.Contains(page.Text, q.ID) {
				t.Errorf("%s: %s is missing", page.Name, q.ID)
			}
		}
	}
	for _, c := range append(replay.DivergenceCodes(), replay.UnexplainedCodes()...) {
		if !strings.Contains(Divergences(), "| `"+c.Name+"` |") {
			t.Errorf("docs/divergences.md: %s is missing", c.Name)
		}
	}
	if !strings.Contains(Requirements(docs), "### "+spec.Requirements()[0].ID+"\n") {
		t.Error("the first requirement has no heading")
	}
}
