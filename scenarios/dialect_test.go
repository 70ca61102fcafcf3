package scenarios_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

func words(dialects []scenarios.Dialect) []string {
	var all []string
	for _, d := range dialects {
		all = append(all, d.Word())
	}
	return all
}

func TestParseDialects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"default":                              {"default"},
		"first-attempt=0":                      {"default"},
		"first_attempt=1":                      {"first-attempt=1"},
		"identity=older, empty-proposed=short": {"empty-proposed=short,identity=older"},
		"failed-call=fail":                     {"failed-call=fail"},
		"each":                                 {"default", "first-attempt=1", "empty-proposed=short", "failed-call=fail", "identity=older"},
		"each default identity=older":          {"default", "first-attempt=1", "empty-proposed=short", "failed-call=fail", "identity=older"},
	} {
		texts := []string{text}
		if strings.HasPrefix(text, "each ") {
			texts = strings.Fields(text)
		}
		got, err := scenarios.ParseDialects(texts)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, words(got)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	none, err := scenarios.ParseDialects(nil)
	if err != nil || none != nil {
		t.Errorf("%v, %v", none, err)
	}
}

// Every name that stands for several holds each once, the default first, and
// what a dialect is called reads as that dialect.
func TestNamesOfDialects(t *testing.T) {
	t.Parallel()
	all, err := scenarios.ParseDialects([]string{"all"})
	if err != nil || len(all) != 16 || all[0] != scenarios.DefaultDialect() {
		t.Fatalf("%d, %v", len(all), err)
	}
	seen := map[string]bool{}
	for _, d := range all {
		seen[d.Word()] = true
		again, err := scenarios.ParseDialects([]string{d.Word()})
		if err != nil || len(again) != 1 || again[0] != d {
			t.Errorf("%s reads as %v, %v", d.Word(), again, err)
		}
		if got := scenarios.DialectWord(d.Spec()); got != d.Word() {
			t.Errorf("%s is recorded as %s", d.Word(), got)
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d words", len(seen))
	}
	if scenarios.DefaultDialect().Spec() != spec.DefaultDialect() {
		t.Error("the default is not that of recordings")
	}
}

func TestDialectsThatDoNotRead(t *testing.T) {
	t.Parallel()
	for text, hint := range map[string]string{
		"al":                     `did you mean "all"?`,
		"first-attempt=2":        "first-attempt is 0 or 1",
		"first-atempt=1":         `did you mean "first-attempt=1"?`,
		"identity=older,":        "one of: default, each, all, first-attempt=1, empty-proposed=short, failed-call=fail, identity=older",
		"":                       "one of: default, each, all, first-attempt=1, empty-proposed=short, failed-call=fail, identity=older",
		"empty-proposed=missing": "empty-proposed is full or short",
	} {
		_, err := scenarios.ParseDialects([]string{"default", text})
		var unknown *scenarios.DialectError
		if !errors.As(err, &unknown) || unknown.Text != text || unknown.Hint != hint {
			t.Errorf("%q: %v, %+v", text, err, unknown)
		}
	}
}

func TestSpeaksDefault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"default": true, "each": true, "all": true, "identity=older": false} {
		dialects, err := scenarios.ParseDialects([]string{text})
		if err != nil || scenarios.SpeaksDefault(dialects) != want {
			t.Errorf("%s: %t, %v", text, !want, err)
		}
	}
	if !scenarios.SpeaksDefault(nil) {
		t.Error("without a dialect the default is spoken")
	}
}

func TestDialectsOfAProject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"dialect: each":                         {"each"},
		"dialect: {first_attempt: 1}":           {"first-attempt=1"},
		"dialect: [default, {identity: older}]": {"default", "identity=older"},
	} {
		c, err := scenarios.ParseConfig("hallmark.yaml", []byte(text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, c.Dialects); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	_, err := scenarios.ParseConfig("hallmark.yaml", []byte("dialect: eech\n"))
	if err == nil || !strings.Contains(err.Error(), "hallmark.yaml:1:10: \"eech\" names no dialect\n  hint: did you mean \"each\"?") {
		t.Error(err)
	}
}
