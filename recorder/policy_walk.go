package recorder

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

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
