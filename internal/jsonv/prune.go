package jsonv

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Prune returns v without the object members that a reader takes for absent: a
// null, an empty list, at any depth. Two decisions that are equal by meaning
// are equal once pruned. Text that is not JSON comes back as it is.
func Prune(v jsontext.Value) jsontext.Value {
	var b bytes.Buffer
	if !prune(&b, v) {
		return v
	}
	return b.Bytes()
}

func prune(b *bytes.Buffer, v jsontext.Value) bool {
	switch Kind(v) {
	case '{':
		members, err := Members(v)
		if err != nil {
			return false
		}
		b.WriteByte('{')
		for _, m := range members {
			if isNothing(m.Value) {
				continue
			}
			if b.Bytes()[b.Len()-1] != '{' {
				b.WriteByte(',')
			}
			b.Write(Quote(m.Name))
			b.WriteByte(':')
			if !prune(b, m.Value) {
				return false
			}
		}
		b.WriteByte('}')
	case '[':
		items, err := Elements(v)
		if err != nil {
			return false
		}
		b.WriteByte('[')
		for i, item := range items {
			if i > 0 {
				b.WriteByte(',')
			}
			if !prune(b, item) {
				return false
			}
		}
		b.WriteByte(']')
	default:
		b.Write(v)
	}
	return true
}

func isNothing(v jsontext.Value) bool {
	if Kind(v) == 'n' {
		return true
	}
	items, err := Elements(v)
	return err == nil && len(items) == 0
}
