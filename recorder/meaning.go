package recorder

import (
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
	return jsonv.Prune(m.ids.plain(body, func(pointer string, v jsontext.Value) (string, bool) {
		return "a deadline", IsWireTime(pointer) && jsonv.Kind(v) == '"'
	}))
}
