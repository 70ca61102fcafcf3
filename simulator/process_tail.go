package simulator

import (
	"strings"
	"sync"
)

// tail keeps the end of what a process writes: the last lines, within a bound.
// It is safe for concurrent use.
type tail struct {
	limit int

	mu  sync.Mutex
	buf []byte
	cut bool
}

// Write implements io.Writer. It never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if n > t.limit {
		p, t.cut = p[n-t.limit:], true
	}
	if over := len(t.buf) + len(p) - t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
		t.cut = true
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the whole lines that are kept, as valid text.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := string(t.buf)
	if t.cut {
		if _, rest, ok := strings.Cut(s, "\n"); ok {
			s = rest
		}
	}
	return strings.TrimRight(strings.ToValidUTF8(s, "\uFFFD"), "\n")
}
