package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// reader reads one value of type V.
type reader[V any] func(p *place, v jsontext.Value) (V, *Fault)

// set makes a field of a reader: the value goes where at points. Null is read
// like any other value.
func set[T, V any](name string, read reader[V], at func(*T) *V) field[T] {
	return field[T]{name: name, read: func(p *place, v jsontext.Value, to *T) *Fault {
		got, f := read(p, v)
		if f == nil {
			*at(to) = got
		}
		return f
	}}
}

// opt is set with null read as absent.
func opt[T, V any](name string, read reader[V], at func(*T) *V) field[T] {
	f := set(name, read, at)
	inner := f.read
	f.read = func(p *place, v jsontext.Value, to *T) *Fault {
		if isNull(v) {
			return nil
		}
		return inner(p, v, to)
	}
	return f
}

// ptr turns a reader into one that returns a pointer.
func ptr[V any](read reader[V]) reader[*V] {
	return func(p *place, v jsontext.Value) (*V, *Fault) {
		got, f := read(p, v)
		if f != nil {
			return nil, f
		}
		return &got, nil
	}
}

func readText(p *place, v jsontext.Value) (string, *Fault) {
	s, ok := jsonv.SoundText(v)
	if !ok {
		return "", p.wrongType(v, "a string")
	}
	if f := noLoneSurrogate(p, v); f != nil {
		return "", f
	}
	return s, nil
}

// noLoneSurrogate refuses half of a surrogate pair, which an engine's parser
// takes for a syntax error (gap 26); such a fault has no path (D2).
func noLoneSurrogate(p *place, v jsontext.Value) *Fault {
	if p.lenient || !jsonv.LoneSurrogate(v) {
		return nil
	}
	f := p.fault("string with half of a surrogate pair")
	f.Param = ""
	return f
}

func readBool(p *place, v jsontext.Value) (bool, *Fault) {
	switch jsonv.Kind(v) {
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return false, p.wrongType(v, "true or false")
}

func readUint(p *place, v jsontext.Value, bits int) (uint64, *Fault) {
	if jsonv.Kind(v) != '0' {
		return 0, p.wrongType(v, "an integer")
	}
	text := string(v)
	if strings.ContainsAny(text, ".eE-") {
		return 0, p.fault("expected an integer from 0, written without fraction or exponent, got %s", jsonv.Short(v, 40))
	}
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, p.fault("%s does not fit in %d bits", jsonv.Short(v, 40), bits)
	}
	return n, nil
}

func readU32(p *place, v jsontext.Value) (uint32, *Fault) {
	n, f := readUint(p, v, 32)
	return uint32(n), f
}

func readU64(p *place, v jsontext.Value) (uint64, *Fault) { return readUint(p, v, 64) }

// readNumber reads a number of an action. A fraction or an exponent spoils it
// (gap 34).
func readNumber(p *place, v jsontext.Value) (jsontext.Value, *Fault) {
	if jsonv.Kind(v) != '0' {
		return nil, p.wrongType(v, "a number")
	}
	if !p.lenient && strings.ContainsAny(string(v), ".eE") {
		return nil, p.fault("engines refuse a fraction or an exponent here, got %s", jsonv.Short(v, 40))
	}
	return v, nil
}

// readAny keeps v as spelled.
func readAny(p *place, v jsontext.Value) (jsontext.Value, *Fault) {
	return v, noLoneSurrogate(p, v)
}

// readObject keeps v as spelled; it must be an object.
func readObject(p *place, v jsontext.Value) (jsontext.Value, *Fault) {
	if jsonv.Kind(v) != '{' {
		return nil, p.wrongType(v, "an object")
	}
	return v, noLoneSurrogate(p, v)
}

// oneOf reads a string of a closed set.
func oneOf[S ~string](what string, values ...S) reader[S] {
	return func(p *place, v jsontext.Value) (S, *Fault) {
		s, f := readText(p, v)
		if f != nil {
			return "", f
		}
		if !p.lenient && !slices.Contains(values, S(s)) {
			return "", p.fault("unknown %s %s, expected one of %s", what, jsonv.Short(v, 40), join(values))
		}
		return S(s), nil
	}
}

func join[S ~string](values []S) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}

// list reads an array of what read reads; never nil.
func list[V any](read reader[V]) reader[[]V] {
	return func(p *place, v jsontext.Value) ([]V, *Fault) {
		if jsonv.Kind(v) != '[' {
			return nil, p.wrongType(v, "an array")
		}
		elements := jsonv.SoundElements(v)
		out := make([]V, 0, len(elements))
		for i, e := range elements {
			got, f := read(p.element(i), e)
			if f != nil {
				return nil, f
			}
			out = append(out, got)
		}
		return out, nil
	}
}

// of turns a shape into a reader.
func of[V any](s *shape[V]) reader[V] {
	return func(p *place, v jsontext.Value) (V, *Fault) {
		var got V
		f := s.read(p, v, &got)
		return got, f
	}
}
