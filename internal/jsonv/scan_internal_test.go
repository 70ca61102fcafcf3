package jsonv

import (
	"strings"
	"testing"
)

// TestPlain puts every byte at every place of a long text: what needs a look is
// never passed over, and plain text is.
func TestPlain(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 20 {
			b := []byte(strings.Repeat("a", 24))
			b[at] = byte(c)
			special := c < 0x20 || c > 0x7f || c == '"' || c == '\\'
			n := plain(b)
			if special && n > at {
				t.Errorf("byte %#02x at %d was passed over: %d", c, at, n)
			}
			if !special && n != 24 {
				t.Errorf("byte %#02x at %d stopped a plain text at %d", c, at, n)
			}
		}
	}
	if n := plain([]byte("1234567")); n != 0 {
		t.Errorf("a short text: %d", n)
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
