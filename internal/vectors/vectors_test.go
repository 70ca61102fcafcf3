package vectors_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/vectors"
)

// told is a test that keeps what is told to it, and goes no further when that
// is fatal.
type told struct {
	testing.TB
	text string
}

func (o *told) Helper() {}

func (o *told) Errorf(format string, args ...any) { o.text += fmt.Sprintf(format, args...) }

func (o *told) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (o *told) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

type vector struct {
	vectors.Head `yaml:",inline"`
	Want         string
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"a good file", "version: 1\nvectors: [{name: a, sure: yes, want: x}]", ""},
		{"a field nobody knows", "version: 1\nvectors: [{name: a, sure: yes, wamt: x}]", "wamt"},
		{"another number", "version: 1\nvectors: []", "0 vectors, want version 1 with 1"},
		{"another version", "version: 2\nvectors: [{name: a, sure: yes}]", "version 2"},
		{"no name", "version: 1\nvectors: [{sure: yes}]", `the name "" is empty`},
		{"another word for sure", "version: 1\nvectors: [{name: a, sure: maybe}]", "or sure is"},
	} {
		path := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		got := func() (text string) {
			o := &told{TB: t}
			defer func() {
				if r := recover(); r != nil {
					text = fmt.Sprint(r)
				}
			}()
			vectors.Read[vector](o, path, 1)
			return o.text
		}()
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: told %q, want %q", c.name, got, c.want)
		}
	}
}
