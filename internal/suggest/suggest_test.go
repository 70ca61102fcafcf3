package suggest_test

import (
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/suggest"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"trigger", "transcript", "turn", "call", "calls", "answer", "is"}
	tests := []struct {
		name, word, want string
		ok               bool
	}{
		{"a letter is missing", "triger", "trigger", true},
		{"two neighbours are swapped", "tunr", "turn", true},
		{"one letter too many", "answerr", "answer", true},
		{"another letter case", "Trigger", "trigger", true},
		{"the word itself", "calls", "calls", true},
		{"the first of two equally near", "callz", "call", true},
		{"a short word may differ in one letter", "it", "is", true},
		{"nothing near", "zebra", "", false},
		{"an empty word", "", "", false},
		{"a word beyond the bound", strings.Repeat("a", 129), "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := suggest.Nearest(test.word, known)
			if got != test.want || ok != test.ok {
				t.Errorf("Nearest(%q) = %q, %v, want %q, %v", test.word, got, ok, test.want, test.ok)
			}
		})
	}
}

func TestNearestPrefersTheOrderGiven(t *testing.T) {
	t.Parallel()
	for _, known := range [][]string{{"cat", "bat"}, {"bat", "cat"}} {
		if got, _ := suggest.Nearest("hat", known); got != known[0] {
			t.Errorf("Nearest(hat, %v) = %q, want %q", known, got, known[0])
		}
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, word string
		known      []string
		want       string
	}{
		{"near", "pendig", []string{"result", "pending"}, `did you mean "pending"?`},
		{"far, few", "zebra", []string{"worker", "client"}, "known: worker, client"},
		{"far, many", "zebra", strings.Fields("a1 a2 a3 a4 a5 a6 a7 a8 a9"), ""},
		{"nothing known", "zebra", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := suggest.Hint(test.word, test.known); got != test.want {
				t.Errorf("Hint(%q) = %q, want %q", test.word, got, test.want)
			}
		})
	}
}
