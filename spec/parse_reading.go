package spec

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// reading is how strictly one text is read.
type reading struct {
	// lenient reads what an engine sent: unknown enum values, fractions and
	// unknown keys pass, null is absent, the last of equal keys counts. A
	// worker's answer is never read so (wire 3).
	lenient bool
	// memo, unless nil, keeps what was read, so that a text is read once.
	memo *memo
}

// requestDepth is the nesting that a request may have: it wraps values that
// may already have the depth that an answer may have (E1, gap 26).
const requestDepth = 2 * jsonv.MaxDepth

// place is a spot in the text: a chain of names and indices up to the root.
type place struct {
	*reading
	up   *place
	name string
	// index is the position in an array; -1 for a member.
	index int
	// sealed says that the engine's path ends here, whatever lies below (D2).
	sealed bool
	// tag is the type member of a sealed place, which still has a path.
	tag bool
}

func root(r *reading) *place { return &place{reading: r, index: -1} }

func (p *place) member(name string) *place {
	return &place{reading: p.reading, up: p, name: name, index: -1}
}

func (p *place) element(i int) *place {
	return &place{reading: p.reading, up: p, index: i}
}

// fault returns a Fault at p with both of its paths.
func (p *place) fault(format string, args ...any) *Fault {
	var chain []*place
	for q := p; q.up != nil; q = q.up {
		chain = append(chain, q)
	}
	var param, pointer strings.Builder
	open := true
	for i := len(chain) - 1; i >= 0; i-- {
		q := chain[i]
		token := strconv.Itoa(q.index)
		if q.index < 0 {
			token = jsonv.Escape(q.name)
		}
		pointer.WriteString("/" + token)
		if !open && !q.tag {
			continue
		}
		switch {
		case q.index >= 0:
			param.WriteString("[" + token + "]")
		case param.Len() > 0:
			param.WriteString("." + q.name)
		default:
			param.WriteString(q.name)
		}
		open = open && !q.sealed
	}
	return &Fault{Param: param.String(), Pointer: pointer.String(), Message: fmt.Sprintf(format, args...)}
}

// wrongType returns the Fault of a value that is not what it should be.
func (p *place) wrongType(v jsontext.Value, want string) *Fault {
	return p.fault("expected %s, got %s", want, describe(v))
}

// describe names the kind of v for a message.
func describe(v jsontext.Value) string {
	switch jsonv.Kind(v) {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '0':
		return "the number " + jsonv.Short(v, 40)
	case '"':
		return "the string " + jsonv.Short(v, 40)
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "nothing"
}

func isNull(v jsontext.Value) bool { return jsonv.Kind(v) == 'n' }

// oneValue checks that b is one JSON value and returns it.
func oneValue(b []byte, depth int) (jsontext.Value, *Fault) {
	if err := jsonv.Valid(b, depth); err != nil {
		return nil, &Fault{Message: err.Error()}
	}
	return trimSpace(b), nil
}

// trimSpace cuts the white space of JSON, which is less than that of Unicode.
func trimSpace(b []byte) jsontext.Value { return bytes.Trim(b, " \t\r\n") }
