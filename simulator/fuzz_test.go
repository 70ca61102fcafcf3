package simulator

import (
	"strings"
	"testing"
)

// FuzzParseHead feeds the head of a response, which is the worker's to choose.
func FuzzParseHead(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\na: b\r\n\r\n{}", "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\nA : b\n c\n\n", "\n\n", "1\n 1\n\n", "x\n:\n\n", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fields, ok := parseHead(b)
		if ok != (fields != nil) && len(fields) > 0 {
			t.Errorf("fields %q of a head that is not whole", fields)
		}
		for _, field := range fields {
			if strings.ContainsAny(field[0]+field[1], "\n") {
				t.Errorf("a field spans lines: %q", field)
			}
		}
	})
}

// FuzzStream cuts a stream in two anywhere: where it ends must not depend on
// the cut.
func FuzzStream(f *testing.F) {
	f.Add([]byte("event: decision.result\ndata: 1\n\nrest"), 5)
	f.Add([]byte("event: decision.result\r\ndata: 1\r\n\r\nrest"), 35)
	f.Add([]byte("data\revent:decision.error\r\rrest"), 27)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		if cut < 0 || cut > len(b) {
			return
		}
		var whole, parts sseScanner
		want := whole.scan(b)
		got := parts.scan(b[:cut])
		if got < 0 {
			if rest := parts.scan(b[cut:]); rest >= 0 {
				got = cut + rest
			}
		}
		if got != want {
			t.Errorf("ends at %d when cut at %d, at %d when whole", got, cut, want)
		}
	})
}

// FuzzSplitCommand checks that quoting a word gives the word back.
func FuzzSplitCommand(f *testing.F) {
	f.Add("a b", `it's "so"`)
	f.Fuzz(func(t *testing.T, one, two string) {
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		got, err := SplitCommand(quote(one) + " " + quote(two))
		if err != nil || len(got) != 2 || got[0] != one || got[1] != two {
			t.Errorf("%q, %q: got %q, %v", one, two, got, err)
		}
	})
}
