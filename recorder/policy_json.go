package recorder

import (
	"bytes"
	"slices"
	"strconv"
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

// walker goes through one JSON text, which may be broken, and copies it with
// stand-ins.
type walker struct {
	s      *Scope
	in     []byte
	out    []byte
	copied int
	n      int
	depth  int
	whole  bool

	stack []level
	// path are the segments to the current place, when there are pointers.
	path []string

	// known says that a known secret stands somewhere in the text, escaped that a
	// character is written as \u.
	known, escaped bool
	// may are the patterns that may match, some that there is one.
	may  []bool
	some bool
}

// level is an object or a list that is open.
type level struct {
	object bool
	// secret says that every value in it is one.
	secret bool
	// schemas says that members are schemas named by properties, and not values.
	schemas bool
	// key says that the next string is a name; name is the one read last.
	key   bool
	name  name
	index int
}

// name is a name of a member: its text, and what that says of the value.
type name struct {
	text string
	// secret says that the value is one, schemas that its members are schemas.
	secret, schemas bool
}

// maxNames bounds the names whose meaning is remembered.
const maxNames = 4096

// nameOf reads a name, which a session repeats in every request.
func (s *Scope) nameOf(raw []byte) name {
	n, ok := s.names[string(raw)]
	if ok {
		return n
	}
	n.text = decodeString(raw)
	n.secret = n.text != "" && s.p.keys.secret(n.text)
	n.schemas = n.text == "properties" || n.text == "patternProperties" || n.text == "$defs"
	if s.names == nil {
		s.names = map[string]name{}
	}
	if len(s.names) < maxNames && len(raw) < 128 {
		s.names[string(raw)] = n
	}
	return n
}

// json redacts a JSON text at a depth of nesting in strings.
func (s *Scope) json(b []byte, depth int, whole bool) ([]byte, int) {
	w := walker{s: s, in: b, depth: depth, whole: whole}
	w.known = s.p.knownIn.any(b) || s.learnedIn.any(b)
	w.escaped = bytes.Contains(b, []byte(`\u`))
	w.may = s.mayMatch(b)
	for i := range w.may {
		// What is escaped may hide a literal.
		w.may[i] = w.may[i] || w.escaped
		w.some = w.some || w.may[i]
	}
	w.run()
	if w.copied == 0 && w.out == nil {
		return b, 0
	}
	return append(w.out, b[w.copied:]...), w.n
}

// run goes from token to token. What is no JSON in between is passed over.
func (w *walker) run() {
	b := w.in
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			end, closed := stringEnd(b, i)
			if !closed && !w.whole && w.depth == 0 {
				w.replace(i, len(b), "")
				w.n--
				return
			}
			w.text(i, end, closed)
			i = end
		case c == '{' || c == '[':
			w.push(i)
			i++
		case c == '}' || c == ']':
			if n := len(w.stack); n > 0 {
				w.stack = w.stack[:n-1]
				w.pop()
			}
			i++
		case c == ',':
			w.next()
			i++
		case c == ':':
			if t := w.top(); t != nil {
				t.key = false
			}
			i++
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(b) && strings.IndexByte("0123456789+-.eE", b[end]) >= 0 {
				end++
			}
			w.number(i, end)
			i = end
		default:
			i++
		}
	}
}

func (w *walker) top() *level {
	if len(w.stack) == 0 {
		return nil
	}
	return &w.stack[len(w.stack)-1]
}

// push opens the object or list that begins at i.
func (w *walker) push(i int) {
	object := w.in[i] == '{'
	l := level{object: object, key: object}
	if t := w.top(); t != nil {
		secret := t.object && t.name.secret && !(t.schemas && looksSchema(w.in[i:]))
		l.secret = t.secret || secret || w.pointed()
		l.schemas = object && t.object && t.name.schemas
		if w.s.p.pointers != nil {
			w.path = append(w.path, w.segment(t))
		}
	}
	w.stack = append(w.stack, l)
}

// looksSchema reports whether an object is the schema of a member rather than
// its value: the declaration of a tool that takes a password holds no password.
func looksSchema(b []byte) bool {
	b = b[:min(len(b), 512)]
	for _, key := range []string{`"type"`, `"$ref"`, `"description"`, `"enum"`, `"anyOf"`, `"oneOf"`, `"allOf"`, `"const"`} {
		if bytes.Contains(b, []byte(key)) {
			return true
		}
	}
	return false
}

// pop leaves one.
func (w *walker) pop() {
	if n := len(w.path); n > 0 && n >= len(w.stack) {
		w.path = w.path[:n-1]
	}
}

func (w *walker) segment(t *level) string {
	if t.object {
		return t.name.text
	}
	return strconv.Itoa(t.index)
}

// next goes to the next member or element.
func (w *walker) next() {
	if t := w.top(); t != nil {
		t.key = t.object
		t.index++
	}
}

// pointed reports whether a pointer of the policy names the value that begins
// here.
func (w *walker) pointed() bool {
	t := w.top()
	if t == nil || w.depth > 0 {
		return false
	}
	for _, p := range w.s.p.pointers {
		if len(p) == len(w.path)+1 && matches(p[len(p)-1], w.segment(t)) &&
			slices.EqualFunc(p[:len(p)-1], w.path, matches) {
			return true
		}
	}
	return false
}

func matches(pattern, segment string) bool { return pattern == "*" || pattern == segment }

// secretHere reports whether the scalar that stands here is a secret by its
// place.
func (w *walker) secretHere() bool {
	t := w.top()
	if t == nil {
		return false
	}
	return t.secret || t.object && t.name.secret || w.s.p.pointers != nil && w.pointed()
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
