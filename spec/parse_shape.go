package spec

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// shape is how an object of the protocol is read: its known members in order.
type shape[T any] struct {
	// what names the object in messages.
	what   string
	fields []field[T]
	// closed refuses unknown members (wire 3).
	closed bool
}

// field is one known member.
type field[T any] struct {
	name     string
	required bool
	read     func(p *place, v jsontext.Value, to *T) *Fault
}

// must marks f as required.
func must[T any](f field[T]) field[T] {
	f.required = true
	return f
}

func (s *shape[T]) index(name string) int {
	for i := range s.fields {
		if s.fields[i].name == name {
			return i
		}
	}
	return -1
}

// read reads v into to. Members are taken in the order of the text, so the
// first fault of the text is the one that is named.
func (s *shape[T]) read(p *place, v jsontext.Value, to *T) *Fault {
	if jsonv.Kind(v) != '{' {
		return p.wrongType(v, "an object ("+s.what+")")
	}
	return s.readMembers(p, jsonv.SoundMembers(v), to)
}

func (s *shape[T]) readMembers(p *place, members []jsonv.Member, to *T) *Fault {
	var seen uint64
	for _, m := range members {
		i := s.index(m.Name)
		if i < 0 {
			if s.closed && !p.lenient {
				f := p.fault("unknown member %q of %s", m.Name, s.what)
				f.Pointer += "/" + jsonv.Escape(m.Name)
				return f
			}
			continue
		}
		if seen&(1<<i) != 0 && !p.lenient {
			f := p.fault("member %q is given twice", m.Name)
			f.Pointer += "/" + jsonv.Escape(m.Name)
			return f
		}
		if p.lenient && isNull(m.Value) && !s.fields[i].required {
			continue
		}
		seen |= 1 << i
		if f := s.fields[i].read(p.member(m.Name), m.Value, to); f != nil {
			return f
		}
	}
	return s.missing(p, seen)
}

// missing names the first required member that was not seen.
func (s *shape[T]) missing(p *place, seen uint64) *Fault {
	for i := range s.fields {
		if s.fields[i].required && seen&(1<<i) == 0 {
			return p.fault("%s lacks %q", s.what, s.fields[i].name)
		}
	}
	return nil
}

// readPositions reads an array in place of an object, its elements in the order
// of the fields (gap 31).
func (s *shape[T]) readPositions(p *place, v jsontext.Value, to *T) *Fault {
	var seen uint64
	for i, e := range jsonv.SoundElements(v) {
		if i >= len(s.fields) {
			return p.element(i).fault("%s has no more than %d members", s.what, len(s.fields))
		}
		seen |= 1 << i
		if f := s.fields[i].read(p.element(i), e, to); f != nil {
			return f
		}
	}
	return s.missing(p, seen)
}
