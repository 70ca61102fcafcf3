package schema

import (
	"testing"

	"github.com/dlclark/regexp2"
)

// Where the linear engine takes a pattern, it must match what the other one
// matches; both must be tried on something.
func TestLinearAgrees(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", "a", "b", "ab", "aab", "abc\n", "A", "é", "😀", "\n", "\r", "\u2028", "\u00a0", "\ufeff", "\v", " ", "1", "٣", "a-b", "a.b@c.de",
		"x{,5}", "]", "}", "{", "a{", "_", "-", "^", "a]", "[", ":", "a:", "a&b", "\\", "/", "AB12", "2026-01-31", "no\x00",
	}
	linearly := map[string]bool{
		`^abc$`: true, `^\d+$`: true, `^.$`: true, `.`: true, `^\s$`: true, `^\S$`: true, `[\s_]`: true, `^[\w-]+$`: true, `^[^\d]$`: true,
		`^\w+([\.-]?\w+)*@\w+([\.-]?\w+)*(\.\w{2,3})+$`: true, `a{2}b`: true, `^(?:a|b)+$`: true, `\bb`: true, `\/`: true, `^$`: true,
		`^\d{4}-\d{2}-\d{2}$`: true, `^[A-Z]{2}[0-9]{1,2}$`: true, `é|😀`: true, `^[-^]$`: true, `a+?b`: true, `\-`: true, `[\n\v]`: true, `x{1,2}`: true,
		`x{,5}`: false, `]`: false, `}`: false, `{`: false, `[]`: false, `[^]`: false, `[[:alpha:]]`: false, `(?=a)`: false, `(?i)a`: false,
		`\p{L}`: false, `\u0041`: false, `\x41`: false, `\cA`: false, `(a)\1`: false, `[\b]`: false, `\A`: false, `[\S]`: false, `(?<n>a)`: false,
		`a{1000}`: false, `\`: false, `(`: false, `[a`: false, `a{1}}`: false,
	}
	for source, want := range linearly {
		l, ok := newLinear(source)
		if ok != want {
			t.Errorf("%s: linear is %t, want %t", source, ok, want)
		}
		if !ok {
			continue
		}
		other := regexp2.MustCompile(source, regexp2.ECMAScript|regexp2.Unicode)
		for _, text := range texts {
			want, err := other.MatchString(text)
			if err != nil {
				t.Fatal(err)
			}
			// The other engine lets a dot match the line separators of Unicode.
			if text == "\u2028" && (source == `.` || source == `^.$`) {
				want = false
			}
			if got := l.re.MatchString(text); got != want {
				t.Errorf("%s on %q: %t, want %t", source, text, got, want)
			}
		}
	}
}

// A text that a pattern did not get through in time is not tried again.
func TestSlowTextsAreTriedOnce(t *testing.T) {
	t.Parallel()
	s := &Schema{run: newRun(1)}
	re, err := s.pattern(`^(?!b)(a+)+$`)
	if err != nil {
		t.Fatal(err)
	}
	p := re.(*pattern)
	p.tracking.MatchTimeout = 1
	stops := func(text string) (stopped bool) {
		defer func() { stopped = recover() != nil }()
		p.MatchString(text)
		return false
	}
	slow := "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"
	if !stops(slow) {
		t.Fatal("the text was not slow")
	}
	// This one gets through everything at once.
	p.tracking = regexp2.MustCompile(``, regexp2.ECMAScript)
	if !stops(slow) {
		t.Error("the text was tried again")
	}
	if stops("aab") {
		t.Error("another text was not tried")
	}
}
