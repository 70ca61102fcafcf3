package recorder

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// maxNested bounds how deep JSON inside strings of JSON is looked into.
const maxNested = 4

// Body replaces secrets in a body and says how many there were. JSON is changed
// by splicing at the offsets of its tokens, so everything else stays as it was,
// byte for byte; text that breaks off or is no JSON is taken as far as it goes.
// whole says that nothing is missing at the end: if not, a token that is cut
// off there is left out, since half a secret is not recognised. b is not
// changed, and is returned where there is nothing to replace.
func (s *Scope) Body(b []byte, contentType string, whole bool) ([]byte, int) {
	out, n := s.body(b, contentType, whole)
	if s.fresh {
		// What was learned may also stand before the place that taught it.
		s.fresh = false
		out, n = s.body(b, contentType, whole)
		s.fresh = false
	}
	return out, n
}

func (s *Scope) body(b []byte, contentType string, whole bool) ([]byte, int) {
	kind := strings.ToLower(contentType)
	switch {
	case looksJSON(b):
		return s.json(b, 0, whole)
	case strings.HasPrefix(kind, "application/x-www-form-urlencoded"):
		text, n := s.form(string(b))
		if n == 0 {
			return b, 0
		}
		return []byte(text), n
	case strings.HasPrefix(kind, "text/event-stream"):
		stream := s.Stream()
		out := append(stream.Add(b), stream.Close(whole)...)
		if stream.n == 0 && whole {
			return b, 0
		}
		return out, stream.n
	}
	return s.plain(b, whole)
}

// plain is a body that is no JSON.
func (s *Scope) plain(b []byte, whole bool) ([]byte, int) {
	cut := 0
	if !whole {
		// A word that is cut off may be the beginning of a secret.
		end := bytes.LastIndexAny(b, " \t\r\n\"'<>,;&=")
		cut = len(b) - (end + 1)
		b = b[:len(b)-cut]
	}
	text, n := s.Text(string(b))
	if n == 0 {
		return b, 0
	}
	return []byte(text), n
}

// looksJSON reports whether a text begins like an object or a list.
func looksJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n\ufeff")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[' || b[0] == '"')
}

// text looks at the string in in[from:to], quotes included.
func (w *walker) text(from, to int, closed bool) {
	raw := w.in[from:to]
	if !closed {
		raw = append(bytes.Clone(raw), '"')
	}
	if t := w.top(); t != nil && t.key {
		t.name = w.s.nameOf(raw)
		w.spelled(from, to, raw, closed)
		return
	}
	if w.secretHere() {
		if in, n := w.s.whole("key", decodeString(raw)); n > 0 {
			w.requote(from, to, in, closed)
			w.n += n - 1
		}
		return
	}
	if w.depth < maxNested && nests(raw) {
		text := decodeString(raw)
		if redacted, n := w.s.json([]byte(text), w.depth+1, true); n > 0 {
			w.requote(from, to, string(redacted), closed)
			w.n += n - 1
			return
		}
	}
	w.spelled(from, to, raw, closed)
}

// nests reports whether a string may hold JSON.
func nests(raw []byte) bool {
	if len(raw) < 4 {
		return false
	}
	c := raw[1]
	return c == '{' || c == '[' || c == ' ' || c == '\\'
}

// spelled looks for known secrets and for forms of secrets in a string.
func (w *walker) spelled(from, to int, raw []byte, closed bool) {
	if !w.known && !w.some && !w.escaped {
		return
	}
	inner := raw[1 : len(raw)-1]
	odd := bytes.IndexByte(inner, '\\') >= 0
	if !odd && !w.mayHold(inner) {
		return
	}
	text := string(inner)
	if odd {
		text = decodeString(raw)
	}
	redacted, n := w.s.replaceIn(text, w.may)
	if n == 0 && odd && w.known {
		// A spelling that decoding has undone.
		if redacted, n = w.s.replaceIn(string(inner), w.may); n > 0 {
			w.replace(from+1, from+1+len(inner), redacted)
			w.n += n - 1
		}
		return
	}
	if n > 0 {
		w.requote(from, to, redacted, closed)
		w.n += n - 1
	}
}

// mayHold tells most strings that hold nothing apart without copying.
func (w *walker) mayHold(inner []byte) bool {
	if w.known && (w.s.p.knownIn.any(inner) || w.s.learnedIn.any(inner)) {
		return true
	}
	for i := range w.may {
		if w.may[i] && w.s.p.patterns[i].inBytes(inner) {
			return true
		}
	}
	return false
}

// number looks at a number.
func (w *walker) number(from, to int) {
	raw := w.in[from:to]
	if w.secretHere() || w.known && w.mayHold(raw) {
		w.replace(from, to, w.s.p.digits(string(raw)))
	}
}

// requote puts a text in place of a string.
func (w *walker) requote(from, to int, text string, closed bool) {
	quoted := jsonv.Quote(text)
	if !closed {
		quoted = quoted[:len(quoted)-1]
	}
	w.replace(from, to, string(quoted))
}

// replace splices.
func (w *walker) replace(from, to int, by string) {
	w.out = append(append(w.out, w.in[w.copied:from]...), by...)
	w.copied = to
	w.n++
}

// stringEnd returns where the string that begins at i ends, just past its
// quote, and whether it has one.
func stringEnd(b []byte, i int) (int, bool) {
	for j := i + 1; j < len(b); {
		n := bytes.IndexByte(b[j:], '"')
		if n < 0 {
			return len(b), false
		}
		j += n + 1
		slashes := 0
		for k := j - 2; k > i && b[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return j, true
		}
	}
	return len(b), false
}

// decodeString is the text of a JSON string, as far as it reads.
func decodeString(raw []byte) string {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	if text, err := jsontext.AppendUnquote(nil, raw); err == nil {
		return string(text)
	}
	return string(inner)
}
