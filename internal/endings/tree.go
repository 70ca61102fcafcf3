package endings

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// tree is what is compared of a session: objects and lists with JSON values at
// the leaves.
type tree struct {
	// names are those of kids in an object, nil in a list.
	names []string
	kids  []tree
	leaf  jsontext.Value
	rank  rank
}

// rank says what it means when something differs.
type rank int

const (
	// words: a text that a person or the model reads.
	words rank = iota
	// data: the worker's own state. Two calm runs may differ there.
	data
	// shape: what happened, without which two runs cannot be compared.
	shape
)

func object(r rank, names []string, kids ...tree) tree {
	return tree{names: names, kids: kids, rank: r}
}

func text(r rank, s string) tree { return tree{leaf: jsonv.Quote(s), rank: r} }

func value(r rank, v jsontext.Value) tree {
	if v == nil {
		v = jsontext.Value("null")
	}
	return tree{leaf: v, rank: r}
}

// tree is the session as it is compared: transcript with the tool messages by
// call, state, outcome of each call, outcome of each turn.
func (s *session) tree() tree {
	// The transcript may hold calls that nothing else tells of: those that a
	// client answered by its view (B7). They count as well.
	messages, tools := s.transcript()
	turns := tree{rank: shape}
	for _, t := range s.turns {
		code := ""
		if t.Error != nil {
			code = string(t.Error.Code)
		}
		turns.kids = append(turns.kids, object(shape, []string{"is", "code", "data"}, text(shape, t.Event), text(shape, code), value(words, t.Data)))
	}
	calls := object(shape, nil)
	sorted := slices.SortedFunc(slices.Values(s.calls), func(a, b *call) int { return cmp.Compare(a.label, b.label) })
	for _, c := range sorted {
		calls.names = append(calls.names, c.label)
		calls.kids = append(calls.kids, object(shape, []string{"is", "text"}, text(shape, c.is), value(words, readable(c.text))))
	}
	return object(shape, []string{"turns", "calls", "messages", "tools", "state"}, turns, calls, messages, tools, value(data, s.state))
}

// transcript gives the messages in order but for those of tools, which stand by
// the label of their call: a decision that waits for its retry lets others
// pass (G1, G11).
func (s *session) transcript() (messages, tools tree) {
	messages, tools = tree{rank: shape}, object(shape, nil)
	for _, m := range s.messages() {
		if m.Role == spec.RoleTool {
			name, n := s.call(m.ToolCallID).label, 1
			for slices.Contains(tools.names, name) {
				n++
				name = s.call(m.ToolCallID).label + " message " + strconv.Itoa(n)
			}
			tools.names = append(tools.names, name)
			tools.kids = append(tools.kids, value(words, content(m)))
			continue
		}
		var calls tree
		for _, c := range m.ToolCalls {
			calls.kids = append(calls.kids, text(shape, s.call(c.ID).label))
		}
		calls.rank = shape
		messages.kids = append(messages.kids, object(shape, []string{"role", "calls", "content"}, text(shape, string(m.Role)), calls, value(words, content(m))))
	}
	return messages, tools
}

func content(m spec.DraftMessage) jsontext.Value {
	if s, ok := jsonv.Text(m.Content); ok {
		return readable(s)
	}
	return m.Content
}
