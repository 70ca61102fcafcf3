package recorder

import "github.com/hallmarkdev/hallmark/spec"

// chain follows the checksums and numbers of lines, and tells a changed line
// from one that is lost, doubled or moved.
type chain struct {
	// text is the checksum of the previous line as it stands in the file;
	// computed is what it should be, when that is something else.
	text, computed string
	// want is the number of the next line; other is a second guess, after a
	// number that may be a damaged one.
	want, other int64
	// recent holds the checksums of sound lines, by number, to know a line
	// that was moved.
	recent [64]struct {
		n    int64
		text string
	}
}

func newChain() *chain { return &chain{text: chainStart, want: 1} }

// checked is what the chain says of a line.
type checked struct {
	event spec.Event
	// err says why the line is no event.
	err error
	// sealed says that the line ends in a checksum.
	sealed bool
	// trusted says that its checksum fits, or that only the line before it is
	// missing.
	trusted bool
	kind    FaultKind
	fault   string
}

// skip passes a line that could not be looked at.
func (c *chain) skip() {
	c.text, c.computed = "", ""
	c.want, c.other = c.want+1, 0
}

// check takes the next line, without its line feed.
func (c *chain) check(text []byte) checked {
	var l checked
	l.event, l.err = spec.UnmarshalEvent(text)
	body, sum, ok := unseal(text)
	if !ok {
		l.kind, l.fault = FaultChecksum, noChecksum
		c.skip()
		c.text = salvageSum(text)
		return l
	}
	l.sealed = true
	n := l.event.N
	known := l.err == nil
	want := c.want
	switch {
	case c.follows(body, sum):
		l.trusted = true
		if known && n != want && n != c.other {
			l.kind, l.fault = FaultPlace, wrongNumber(want, n)
		}
		c.pass(n, known, 0)
	case known && n != want && c.moved(n, body, sum):
		l.trusted = true
		l.kind, l.fault = FaultPlace, wrongNumber(want, n)
		c.pass(n, known, 0)
	case known && c.text == "" && n == want:
		// The line before has no checksum, so this one cannot be proven; its
		// number speaks for it, and the fault stands at the line before.
		l.trusted = true
		c.pass(n, known, 0)
	case known && n > want:
		l.trusted = true
		l.kind, l.fault = FaultPlace, wrongNumber(want, n)+", and its checksum cannot be proven"
		c.pass(n, known, want+1)
	default:
		l.kind, l.fault = FaultChecksum, wrongChecksum(lineSum(c.text, body), sum)
		c.computed = lineSum(c.text, body)
		c.text = sum
		c.want, c.other = want+1, 0
		return l
	}
	c.text, c.computed = sum, ""
	if known {
		slot := &c.recent[n&63]
		slot.n, slot.text = n, sum
	}
	return l
}

// follows reports whether the line was written after the previous one.
func (c *chain) follows(body []byte, sum string) bool {
	if lineSum(c.text, body) == sum {
		return true
	}
	return c.computed != "" && lineSum(c.computed, body) == sum
}

// moved reports whether line n was written after line n-1, wherever that stands.
func (c *chain) moved(n int64, body []byte, sum string) bool {
	if n == 1 {
		return lineSum(chainStart, body) == sum
	}
	slot := c.recent[(n-1)&63]
	return slot.n == n-1 && lineSum(slot.text, body) == sum
}

// pass moves on after line n.
func (c *chain) pass(n int64, known bool, other int64) {
	switch {
	case !known:
		c.want++
	case n >= c.want || n == c.other:
		c.want = n + 1
	}
	c.other = other
}

// salvageSum returns the checksum's digits of a line whose crc member is
// otherwise damaged, "" when they cannot be found.
func salvageSum(text []byte) string {
	if len(text) < crcTail {
		return ""
	}
	digits := text[len(text)-crcDigits-2 : len(text)-2]
	for _, b := range digits {
		if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return ""
		}
	}
	return string(digits)
}
