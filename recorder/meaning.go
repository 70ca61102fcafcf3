package recorder

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// Meaning reads requests by what they mean, as [Diff] compares them: ids by what
// they are of and the order in which they appear, no deadlines, nothing that
// means the same as its absence. Two Meanings that were told the same give equal
// values for requests that mean the same. It is not safe for concurrent use.
type Meaning struct{ ids *aliases }

// NewMeaning returns a Meaning that has been told nothing.
func NewMeaning() *Meaning { return &Meaning{newAliases()} }

// Tell tells it of a request and, unless nil, of the answer to it.
func (m *Meaning) Tell(request *spec.DecisionRequest, answer *spec.Decision) {
	m.ids.request(request)
	if answer != nil {
		m.ids.decision(*answer)
	}
}

// Request is the meaning of the body of a request, after which it is told of it.
func (m *Meaning) Request(body []byte) jsontext.Value {
	if r, fault := spec.ParseRequest(body); fault == nil {
		m.ids.request(&r)
	}
	return m.request(body)
}

// Answer is the meaning of an answer, after which it is told of it: what it
// decides, with each member at its place, or how the delivery failed. The
// request must have been told before.
func (m *Meaning) Answer(x *spec.Exchange) jsontext.Value {
	if decided, failure := x.Decided(); failure == nil {
		m.ids.decision(*decided)
	}
	return m.answer(x)
}

// tell tells it of an exchange, as far as it reads.
func (m *Meaning) tell(x *spec.Exchange) {
	if asked, fault := x.Asked(); fault == nil {
		m.ids.request(asked)
	}
	if decided, failure := x.Decided(); failure == nil {
		m.ids.decision(*decided)
	}
}

func (m *Meaning) request(body []byte) jsontext.Value {
	return jsonv.Prune(m.ids.plain(body, func(pointer string, v jsontext.Value) (string, bool) {
		return "a deadline", IsWireTime(pointer) && jsonv.Kind(v) == '"'
	}))
}

func (m *Meaning) answer(x *spec.Exchange) jsontext.Value {
	return jsonv.Prune(m.ids.plain(answerText(x), func(string, jsontext.Value) (string, bool) { return "", false }))
}

// answerText is an answer as it compares: the decision with its members at
// their places, or, where there is none, how the delivery failed.
func answerText(x *spec.Exchange) []byte {
	d, failure := x.Decided()
	if failure == nil {
		text, err := spec.Marshal(*d)
		if err == nil {
			return text
		}
	}
	parts := []jsontext.Value{}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, append(append(jsonv.Quote(name), ':'), jsonv.Quote(value)...))
		}
	}
	if r := x.Response; r != nil {
		add("status", strconv.Itoa(r.Status))
		add("end", string(r.End))
	}
	if failure != nil {
		add("failure", string(failure.Class))
		add("code", string(failure.Info.Code))
		add("message", failure.Info.Message)
	}
	var out []byte
	for _, p := range parts {
		out = append(append(out, ','), p...)
	}
	return closed('{', out, '}')
}

// Timeless is the body of a request as it compares where its ids are those of
// another already: no wire time, and nothing that means the same as its absence.
func Timeless(body []byte) jsontext.Value { return (&Meaning{&aliases{}}).request(body) }
