package jsonv

import (
	"strings"
	"testing"
)

// TestPlain puts every byte at every place of a long text and of a short one:
// it stops at what needs a look, and nowhere else.
func TestPlain(t *testing.T) {
	t.Parallel()
	for _, length := range []int{24, 21, 7} {
		for c := range 256 {
			for at := range length {
				b := []byte(strings.Repeat("a", length))
				b[at] = byte(c)
				want := length
				if c < 0x20 || c > 0x7f || c == '"' || c == '\\' {
					want = at
				}
				if n := plain(b); n != want {
					t.Errorf("byte %#02x at %d of %d: %d, want %d", c, at, length, n, want)
				}
			}
		}
	}
}

func BenchmarkValidText(b *testing.B) {
	text := []byte(`"` + strings.Repeat("plain text ", 1<<16) + `"`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := Valid(text, 4); err != nil {
			b.Fatal(err)
		}
	}
}
