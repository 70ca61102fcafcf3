package spec

import "github.com/go-json-experiment/json/jsontext"

// memo keeps what a text was read as. A session says the same messages and the
// same config in each request, so most of what is read has been read before. What
// it gives is shared and only to be read. It holds the texts, so it is for readers
// that hold them anyway.
type memo struct {
	drafts map[string]DraftMessage
	agents map[string]AgentConfig
}

// remembered is a reader that asks the memo of the text first. A fault is not
// kept: it names its place.
func remembered[T any](read reader[T], kept func(*memo) *map[string]T) reader[T] {
	return func(p *place, v jsontext.Value) (T, *Fault) {
		if p.memo == nil {
			return read(p, v)
		}
		known := kept(p.memo)
		if got, ok := (*known)[string(v)]; ok {
			return got, nil
		}
		got, f := read(p, v)
		if f == nil {
			if *known == nil {
				*known = map[string]T{}
			}
			(*known)[string(v)] = got
		}
		return got, f
	}
}
