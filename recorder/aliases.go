package recorder

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// aliases names ids by what they are of and in which order they appear, so that
// two recordings compare although each has ids of its own. Ids are learned from
// their places in requests and answers, and replaced where a whole string is
// one (R8): a part of a text never is.
type aliases struct {
	byID  map[string]string
	count map[string]int
}

// maxAliases bounds the ids that are told apart; later ones stay as they are.
const maxAliases = 1 << 20

func newAliases() *aliases {
	return &aliases{byID: map[string]string{}, count: map[string]int{}}
}

// alias is the name of an id, a new one at its first appearance.
func (a *aliases) alias(kind, id string) string {
	if id == "" {
		return ""
	}
	name, known := a.byID[id]
	if !known && len(a.byID) < maxAliases {
		a.count[kind]++
		name = kind + " " + strconv.Itoa(a.count[kind])
		a.byID[id] = name
	}
	if name == "" {
		return id
	}
	return name
}

// request learns the ids of a request.
func (a *aliases) request(r *spec.DecisionRequest) { RequestIDs(r, a.learn) }

// decision learns the ids that an answer, or a proposal, makes up.
func (a *aliases) decision(d spec.Decision) { DecisionIDs(d, a.learn) }

func (a *aliases) learn(place IDPlace, id string) { a.alias(string(place.Kind), id) }

// plain returns a JSON text with ids by their aliases. instead says of a place
// what is to stand there, false for what is there. Text that is not JSON becomes
// a string.
func (a *aliases) plain(text []byte, instead func(pointer string, v jsontext.Value) (string, bool)) jsontext.Value {
	if jsonv.Valid(text, jsonv.Deepest) != nil {
		return jsonv.Quote(string(text))
	}
	return a.rewrite(text, "", instead)
}

func (a *aliases) rewrite(v jsontext.Value, pointer string, instead func(string, jsontext.Value) (string, bool)) jsontext.Value {
	if by, ok := instead(pointer, v); ok {
		return jsonv.Quote(by)
	}
	var out []byte
	switch jsonv.Kind(v) {
	case '"':
		text, _ := jsonv.SoundText(v)
		if name, ok := a.byID[text]; ok {
			return jsonv.Quote(name)
		}
		return v
	case '{':
		for _, m := range jsonv.SoundMembers(v) {
			out = append(append(append(out, ','), jsonv.Quote(m.Name)...), ':')
			out = append(out, a.rewrite(m.Value, pointer+"/"+jsonv.Escape(m.Name), instead)...)
		}
		return closed('{', out, '}')
	case '[':
		for i, item := range jsonv.SoundElements(v) {
			out = append(append(out, ','), a.rewrite(item, pointer+"/"+strconv.Itoa(i), instead)...)
		}
		return closed('[', out, ']')
	}
	return v
}

// closed puts brackets around items that each begin with a comma.
func closed(open byte, items []byte, end byte) jsontext.Value {
	if len(items) == 0 {
		return jsontext.Value{open, end}
	}
	items[0] = open
	return append(items, end)
}
