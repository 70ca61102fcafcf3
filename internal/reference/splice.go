package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// Changing JSON text without decoding it: members and elements are cut out and
// put together again, each value as it was spelled.

// with returns the object v with one member set to value; a nil value removes
// it. The other members keep their order and spelling.
func with(v jsontext.Value, name string, value jsontext.Value) jsontext.Value {
	members, _ := jsonv.Members(v)
	out := []byte{'{'}
	put := func(name string, value jsontext.Value) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, jsonv.Quote(name)...)
		out = append(out, ':')
		out = append(out, value...)
	}
	done := value == nil
	for _, m := range members {
		switch {
		case m.Name != name:
			put(m.Name, m.Value)
		case !done:
			put(name, value)
			done = true
		}
	}
	if !done {
		put(name, value)
	}
	return append(out, '}')
}

// array puts values together to a list.
func array(items ...jsontext.Value) jsontext.Value {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}
