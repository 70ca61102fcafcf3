package simulator

import (
	"time"
	"unicode/utf8"
)

// cutPause is how long a piece of a body travels alone. A network may put
// pieces together again that follow each other at once.
const cutPause = 2 * time.Millisecond

// Write implements net.Conn. It sends p in one piece, or in two that meet
// inside a letter where the exchange asks for that.
func (c *tapConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	cut := c.cut
	c.mu.Unlock()
	at := 0
	if cut {
		at = insideLetter(p)
	}
	if at == 0 {
		return c.Conn.Write(p)
	}
	n, err := c.Conn.Write(p[:at])
	if err != nil {
		return n, err
	}
	time.Sleep(cutPause)
	m, err := c.Conn.Write(p[at:])
	return n + m, err
}

// insideLetter is a place in p that lies inside the UTF-8 form of a letter: the
// first at or after the middle, else the first at all; 0 when every letter is
// one byte long. A request's head is ASCII, so the place is in its body.
func insideLetter(p []byte) int {
	first := 0
	for i := 1; i < len(p); i++ {
		if utf8.RuneStart(p[i]) {
			continue
		}
		if i >= len(p)/2 {
			return i
		}
		if first == 0 {
			first = i
		}
	}
	return first
}
