package spec_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// ruleNumber is a rule of the protocol as tests, vectors and scenarios name it.
var ruleNumber = regexp.MustCompile(`\b[A-P][1-9][0-9]?\b`)

// Every rule in scope is named where something shows that it is kept: in a
// test, in a golden vector that the tests run, or in a scenario.
func TestEveryRuleIsNamedByATest(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	projectFiles(t, shows, func(_, text string) {
		for _, rule := range ruleNumber.FindAllString(text, -1) {
			named[rule] = true
		}
	})
	for _, rule := range certifiedRules(t) {
		if !named[rule] {
			t.Errorf("%s: no test, vector or scenario names it", rule)
		}
	}
}

// shows reports whether a file is one that shows how rules are kept. The list
// of the rules itself shows nothing.
func shows(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, "_test.go") && base != "exclusions_test.go" ||
		strings.HasSuffix(base, ".yaml") && (strings.Contains(name, "/vectors/") || strings.HasPrefix(name, "scenarios/corpus/"))
}

// projectFiles reads each file of the project that wanted says.
func projectFiles(t *testing.T, wanted func(name string) bool, read func(name, text string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != ".":
			return fs.SkipDir
		case d.IsDir() || !wanted(name):
			return nil
		}
		text, err := os.ReadFile(path.Join("..", name))
		read(name, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
