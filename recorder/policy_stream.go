package recorder

import "bytes"

// maxFrame bounds what is held of a stream whose frame does not end.
const maxFrame = 1 << 20

// StreamScope redacts an event stream as it comes. It holds a frame back until
// it is whole, so a secret that two reads cut apart is found. Make one with
// [Scope.Stream].
type StreamScope struct {
	s    *Scope
	held []byte
	n    int
	// deltas are frames that wait for the rest of a text, of size bytes.
	deltas []delta
	size   int
}

// Stream returns a StreamScope for one answer.
func (s *Scope) Stream() *StreamScope { return &StreamScope{s: s} }

// Replaced is how many places were replaced so far.
func (t *StreamScope) Replaced() int { return t.n }

// Add takes the next bytes and returns what may be written: whole frames,
// redacted.
func (t *StreamScope) Add(b []byte) []byte {
	t.held = append(t.held, b...)
	end := lastFrame(t.held)
	if end == 0 && len(t.held) > maxFrame {
		end = bytes.LastIndexByte(t.held, '\n') + 1
		if end == 0 {
			end = len(t.held)
		}
	}
	if end == 0 {
		return nil
	}
	var out []byte
	for rest := t.held[:end]; len(rest) > 0; {
		n := firstFrame(rest)
		out = append(out, t.hold(t.redact(rest[:n], true))...)
		rest = rest[n:]
	}
	t.held = append(t.held[:0], t.held[end:]...)
	return out
}

// Close returns what is left. whole says that the stream came to its end.
func (t *StreamScope) Close(whole bool) []byte {
	out := append(t.release(), t.redact(t.held, whole)...)
	t.held = nil
	return out
}

// firstFrame returns where the first whole frame ends, or all when there is none.
func firstFrame(b []byte) int {
	end := len(b)
	for _, mark := range []string{"\n\n", "\n\r\n", "\r\r"} {
		if i := bytes.Index(b, []byte(mark)); i >= 0 {
			end = min(end, i+len(mark))
		}
	}
	return end
}

// lastFrame returns where the last whole frame ends: past an empty line.
func lastFrame(b []byte) int {
	end := 0
	for _, mark := range []string{"\n\n", "\n\r\n", "\r\r"} {
		if i := bytes.LastIndex(b, []byte(mark)); i >= 0 {
			end = max(end, i+len(mark))
		}
	}
	return end
}

// redact goes line by line: the value of a field may be JSON.
func (t *StreamScope) redact(b []byte, whole bool) []byte {
	var out []byte
	for len(b) > 0 {
		line, rest := b, []byte(nil)
		if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
			line, rest = b[:i], b[i:]
		}
		end := 0
		for end < len(rest) && (rest[end] == '\r' || rest[end] == '\n') {
			end++
		}
		last := end == 0
		field, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			field, value = nil, line
		}
		var redacted []byte
		n := 0
		if looksJSON(value) {
			redacted, n = t.s.json(value, 0, whole || !last)
			if t.s.fresh {
				t.s.fresh = false
				redacted, n = t.s.json(value, 0, whole || !last)
			}
		} else {
			redacted, n = t.s.plain(value, whole || !last)
		}
		t.n += n
		out = append(out, field...)
		if ok {
			out = append(out, ':')
		}
		out = append(out, redacted...)
		out = append(out, rest[:end]...)
		b = rest[end:]
	}
	return out
}
