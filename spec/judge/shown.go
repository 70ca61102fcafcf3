package judge

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// shown sums up what a request shows a worker of the active path and of the
// trigger, but for ids, blobs and times: two sessions that say the same have
// the same sum.
func (x *exchange) shown() [sha256.Size]byte {
	s := summer{sha256.New()}
	for _, m := range x.req.Messages {
		s.message(m.Draft())
	}
	s.parts(string(x.trigger()))
	switch t := x.req.Trigger.(type) {
	case spec.ClientMessagesTrigger:
		for _, m := range t.Messages[min(int(t.NewFrom), len(t.Messages)):] {
			s.message(m)
		}
	case spec.ClientActionTrigger:
		s.parts(t.Name, string(jsonv.Sorted(t.Args)))
	case spec.ToolExecuteTrigger:
		s.parts(t.Name, t.Arguments)
	case spec.ToolFinishedTrigger:
		s.parts(t.Name)
		if t.Result != nil {
			for _, c := range t.Result.Content {
				s.parts(string(c.Type))
				if c.Text != nil {
					s.parts(*c.Text)
				}
			}
			s.parts(string(jsonv.Sorted(t.Result.StructuredContent)))
		}
		if t.Error != nil {
			s.parts(t.Error.Message)
		}
	case spec.LlmFinishedTrigger:
		if t.Message != nil {
			s.message(*t.Message)
		}
	case spec.TurnFinishedTrigger:
		s.parts(string(jsonv.Sorted(t.Data)))
	}
	var sum [sha256.Size]byte
	s.Sum(sum[:0])
	return sum
}

// summer sums texts, each with its length before it, so that no two lists of
// them read the same.
type summer struct{ hash.Hash }

func (s summer) parts(texts ...string) {
	for _, text := range texts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(text)))
		// A hash takes whatever it is given.
		_, _ = s.Write(n[:])
		_, _ = s.Write([]byte(text))
	}
}

func (s summer) message(m spec.DraftMessage) {
	s.parts("message", string(m.Role), m.Name, contentText(m.Content))
	for _, c := range m.ToolCalls {
		s.parts(c.Function.Name, c.Function.Arguments)
	}
}

// contentText is a message's content without what is stored elsewhere.
func contentText(content jsontext.Value) string {
	items, err := jsonv.Elements(content)
	if err != nil {
		return string(content)
	}
	var all []byte
	for _, item := range items {
		text, _ := jsonv.Get(item, "/text")
		all = append(append(all, text...), ',')
	}
	return string(all)
}
