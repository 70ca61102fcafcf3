package jsonv

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errNotObject = errors.New("not a JSON object")
	errNotArray  = errors.New("not a JSON array")
)

// Members returns the members of the object v in the order of the text, equal
// names included. The error says that v is no object, or where its text is
// damaged (a [*SyntaxError]).
func Members(v jsontext.Value) ([]Member, error) {
	if Kind(v) != '{' {
		return nil, errNotObject
	}
	ms := make([]Member, 0, 8)
	s := scanner{b: v, max: Deepest}
	end, err := s.object(skipSpace(v, 0), 1, func(name, value [2]int) {
		ms = append(ms, Member{
			Name:  unquote(v[name[0]:name[1]]),
			Value: v[value[0]:value[1]:value[1]],
		})
	})
	if err != nil {
		return nil, err
	}
	if end = skipSpace(v, end); end < len(v) {
		return nil, s.fault(end, "trailing characters after the value")
	}
	return ms, nil
}

// Elements returns the elements of the array v in order. The error says that v
// is no array, or where its text is damaged (a [*SyntaxError]).
func Elements(v jsontext.Value) ([]jsontext.Value, error) {
	if Kind(v) != '[' {
		return nil, errNotArray
	}
	vs := make([]jsontext.Value, 0, 4)
	s := scanner{b: v, max: Deepest}
	end, err := s.array(skipSpace(v, 0), 1, func(value [2]int) {
		vs = append(vs, v[value[0]:value[1]:value[1]])
	})
	if err != nil {
		return nil, err
	}
	if end = skipSpace(v, end); end < len(v) {
		return nil, s.fault(end, "trailing characters after the value")
	}
	return vs, nil
}

// Get returns the value at a JSON pointer (RFC 6901); of equal names the last
// counts. The pointer "" is v itself. It is false when there is nothing there,
// or when pointer is not a pointer.
func Get(v jsontext.Value, pointer string) (jsontext.Value, bool) {
	if pointer == "" {
		return v, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		next, ok := step(v, token)
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

// Put returns v with by at a JSON pointer where something stands; v itself when
// nothing does. What it wrote is compact.
func Put(v jsontext.Value, pointer string, by jsontext.Value) jsontext.Value {
	if _, there := Get(v, pointer); !there {
		return v
	}
	if pointer == "" {
		return by
	}
	token, rest, below := strings.Cut(pointer[1:], "/")
	if below {
		rest = "/" + rest
	}
	var out []byte
	if Kind(v) == '[' {
		for i, item := range SoundElements(v) {
			if strconv.Itoa(i) == token {
				item = Put(item, rest, by)
			}
			out = append(append(out, ','), item...)
		}
		out[0] = '['
		return append(out, ']')
	}
	members := SoundMembers(v)
	for i, m := range members {
		if _, again := Last(members[i+1:], m.Name); !again && m.Name == Unescape(token) {
			m.Value = Put(m.Value, rest, by)
		}
		out = append(appendQuote(append(out, ','), m.Name), ':')
		out = append(out, m.Value...)
	}
	out[0] = '{'
	return append(out, '}')
}

func step(v jsontext.Value, token string) (jsontext.Value, bool) {
	switch Kind(v) {
	case '{':
		ms, err := Members(v)
		if err != nil {
			return nil, false
		}
		return Last(ms, Unescape(token))
	case '[':
		vs, err := Elements(v)
		n, bad := strconv.ParseUint(token, 10, 31)
		if err != nil || bad != nil || int(n) >= len(vs) || strconv.FormatUint(n, 10) != token {
			return nil, false
		}
		return vs[n], true
	}
	return nil, false
}

var (
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
)

// Escape returns name as one token of a JSON pointer (RFC 6901).
func Escape(name string) string { return escape.Replace(name) }

// Unescape returns the name that a token of a JSON pointer stands for.
func Unescape(token string) string { return unescape.Replace(token) }

// Last returns the value of the last member of that exact name.
func Last(ms []Member, name string) (jsontext.Value, bool) {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Name == name {
			return ms[i].Value, true
		}
	}
	return nil, false
}
