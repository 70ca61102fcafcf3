package scenarios_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
)

// Every scenario of the corpus, and the one with every key, is read as a tree,
// written, and read again as the same tree; and the reader of scenarios takes
// what was written.
func TestTreesAreWrittenAsTheyAreRead(t *testing.T) {
	t.Parallel()
	count := 0
	err := fs.WalkDir(scenarios.Corpus(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(scenarios.Corpus(), path)
		if err != nil {
			return err
		}
		count++
		tree, err := scenarios.ReadTree(path, text)
		if err != nil {
			t.Fatal(err)
		}
		written := tree.YAML()
		again, err := scenarios.ReadTree(path, written)
		if err != nil {
			t.Fatalf("%s: %v\n%s", path, err, written)
		}
		if d := cmp.Diff(tree, again); d != "" {
			t.Errorf("%s: %s\n%s", path, d, written)
		}
		if _, err := scenarios.Parse(path, written); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || count < 100 {
		t.Errorf("%d files, %v", count, err)
	}
}

// oddTexts are texts that YAML takes for something else where they are not
// quoted, or that it cannot hold without an escape.
var oddTexts = []string{
	"", " ", "a", "a ", " a", "a: b", "a #b", "#a", "- a", "yes", "Null", "~", "1", "1.0", "0x1F", "2026-05-14", "1_000", "true",
	"'", `"`, `\`, `\ud83d`, `'"`, "a\nb", "a\r\nb", "\t", "\x00", "\x7f", "\u0085", "\u2028", "\ufeff", "\u202e", "\U0010ffff",
	"\U000e0001", "😀", "$tool", "$$tool", "${tool}", "a ${tool} $$ $", "$5", "{a}", "[a", "a, b", "*a", "&a", "!a", "|", ">", "%a",
	"@a", "`a", "?", "? a", ":", "a:", "-", "---", "...", "<<", "=", "key", "Order 7?", "It's here.", "a  b", "é", "\ufffd", "a'",
}

func TestOddTextsStandForThemselves(t *testing.T) {
	t.Parallel()
	for _, text := range oddTexts {
		tree := scenarios.ObjectTree().Add("scenario", scenarios.TextTree("x")).Add("steps", scenarios.ListTree(
			scenarios.ObjectTree().Add("user", scenarios.TextTree(text)),
			scenarios.ObjectTree().Add("model", scenarios.ObjectTree().Add("calls", scenarios.ListTree(
				scenarios.ObjectTree().Add("as", scenarios.TextTree("c")).Add("tool", scenarios.TextTree("t")).
					Add("arguments", scenarios.ObjectTree().Add("a"+text, scenarios.TextTree(text))))))))
		doc, err := scenarios.Parse("x.yaml", tree.YAML())
		if err != nil {
			t.Errorf("%q: %v\n%s", text, err, tree.YAML())
			continue
		}
		if len(doc.Warnings) > 0 {
			t.Errorf("%q: %v", text, doc.Warnings)
		}
		cases, err := scenarios.Plan([]*scenarios.Document{doc}, scenarios.Declared{}, scenarios.PlanOptions{})
		if err != nil || len(cases) != 1 {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := cases[0].Steps[0].User.Text.String(); got != text {
			t.Errorf("got %q, want %q\n%s", got, text, tree.YAML())
		}
		value, _ := jsonv.Get(cases[0].Steps[1].Model.Calls[0].Arguments, "/"+jsonv.Escape("a"+text))
		if got, ok := jsonv.Text(value); !ok || got != text {
			t.Errorf("%q: arguments %s", text, cases[0].Steps[1].Model.Calls[0].Arguments)
		}
	}
}

func TestArgumentsKeepTheirSpelling(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{}`, `{"a":1.50,"b":[1e5,-0],"c":{"d":null}}`, `{"city":"Zürich ${x} $tool"}`, `{"a":"\n"}`} {
		if _, ok := scenarios.ArgumentsTree(raw); !ok {
			t.Errorf("%s: want an object", raw)
		}
	}
	for _, raw := range []string{
		``, `null`, `[1]`, `{"a": 1}`, `{"a":1,"a":2}`, `{"a":"\u0061"}`, `{"a":"\ud800"}`, `{"a":1`, `{"a":1} `,
		strings.Repeat(`{"a":`, 90) + `1` + strings.Repeat(`}`, 90), `{"` + strings.Repeat("k", 2000) + `":1}`,
		// Keys that are longer as YAML writes them.
		`{"` + strings.Repeat(`\u0001`, 300) + `":1}`, `{"` + strings.Repeat(`'\"`, 350) + `":1}`,
	} {
		if tree, ok := scenarios.ArgumentsTree(raw); ok {
			t.Errorf("%s: want the raw text, got %s", raw, tree.YAML())
		}
	}
}

func TestRepetitionsAreRecipes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Repeat("[", 20000):                                "{repeat: \"[\", times: 20000}\n",
		`{"note":"` + strings.Repeat("ab", 300) + `"}`:            "['{\"note\":\"', {repeat: ab, times: 300}, '\"}']\n",
		strings.Repeat("é", 400):                                  "{repeat: \"é\", times: 400}\n",
		strings.Repeat("$tool", 400):                              "",
		"a" + strings.Repeat("x", 500) + strings.Repeat("y", 500): "[a, {repeat: x, times: 500}, {repeat: \"y\", times: 500}]\n",
	} {
		tree := scenarios.RecipeTree(text)
		got := strings.TrimPrefix(string(scenarios.ListTree(tree).YAML()), "[")
		got = strings.TrimSuffix(got, "]\n") + "\n"
		if want != "" && got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		doc, err := scenarios.Parse("x.yaml", scenarios.ObjectTree().Add("scenario", scenarios.TextTree("x")).
			Add("steps", scenarios.ListTree(scenarios.ObjectTree().Add("user", tree))).YAML())
		if err != nil {
			t.Fatal(err)
		}
		cases, err := scenarios.Plan([]*scenarios.Document{doc}, scenarios.Declared{}, scenarios.PlanOptions{})
		if err != nil || cases[0].Steps[0].User.Text.String() != text {
			t.Errorf("%.40s…: %v", text, err)
		}
	}
}

// Many repetitions in one text are not looked for without an end.
func TestManyRepetitions(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		b.WriteString(strings.Repeat(string(rune('a'+i%26)), 450))
	}
	if n := len(scenarios.RecipeTree(b.String()).Items); n > 20 {
		t.Errorf("%d parts", n)
	}
}
