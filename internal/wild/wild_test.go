package wild_test

import (
	"testing"

	"github.com/hallmarkdev/hallmark/internal/wild"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"a", "a", true},
		{"a", "ab", false},
		{"*", "", true},
		{"*", "any\nthing", true},
		{"a*", "abc", true},
		{"*c", "abc", true},
		{"a*c", "ac", true},
		{"ab*bc", "abc", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{`a\*`, "a*", true},
		{`a\*`, "ab", false},
		{"f#x [y]", "f#x [y]", true},
		{"f?", "fa", false},
		{`a\b`, `a\b`, true},
	} {
		if got := wild.Match(tt.pattern, tt.text); got != tt.want {
			t.Errorf("Match(%q, %q) = %v, want %v", tt.pattern, tt.text, got, tt.want)
		}
	}
}
