package recorder

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// bodyIndex is what the beginning of a request's body says of itself; nil for
// what it does not say.
type bodyIndex struct {
	decision, trigger, call *string
	attempt                 *uint64
}

// readIndex reads as far into body as it must. A body that is no request, or is
// broken on purpose, gives what could be read.
func readIndex(body []byte) bodyIndex {
	var x bodyIndex
	dec := newDecoder(body)
	if dec.PeekKind() != jsontext.KindBeginObject {
		return x
	}
	members(dec, func(name string) bool {
		switch name {
		case "decision_id":
			x.decision = readString(dec)
		case "trigger":
			x.readTrigger(dec)
		default:
			return dec.SkipValue() == nil
		}
		return x.decision == nil || x.trigger == nil
	})
	return x
}

// readTrigger reads the trigger at which dec stands.
func (x *bodyIndex) readTrigger(dec *jsontext.Decoder) {
	if dec.PeekKind() != jsontext.KindBeginObject {
		return
	}
	members(dec, func(name string) bool {
		switch name {
		case "type":
			x.trigger = readString(dec)
		case "id":
			x.call = readString(dec)
		case "attempt":
			v, err := dec.ReadValue()
			if err != nil {
				return false
			}
			if n, err := strconv.ParseUint(string(v), 10, 32); err == nil {
				x.attempt = &n
			}
		default:
			return dec.SkipValue() == nil
		}
		return true
	})
}

// newDecoder returns a decoder that takes whatever an engine or a broken case
// may have sent.
func newDecoder(b []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// members reads the object at which dec stands and calls each with the name of
// a member, whose value each reads. It stops when each returns false or the text
// does.
func members(dec *jsontext.Decoder, each func(name string) bool) {
	if _, err := dec.ReadToken(); err != nil {
		return
	}
	for dec.PeekKind() == jsontext.KindString {
		tok, err := dec.ReadToken()
		if err != nil || !each(tok.String()) {
			return
		}
	}
	_, _ = dec.ReadToken() // the closing brace, or an error that ends the caller too
}

// readString reads a string; nil when another value stands there.
func readString(dec *jsontext.Decoder) *string {
	if dec.PeekKind() != jsontext.KindString {
		_ = dec.SkipValue()
		return nil
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return nil
	}
	s := tok.String()
	return &s
}

// index compares the members beside a request's body with the body (rule 5).
// Members that are absent claim nothing.
func (b *bodies) index(d *spec.RequestEvent, body []byte) []Fault {
	x := readIndex(body)
	var faults []Fault
	differs := func(member, got, want string) {
		faults = append(faults, Fault{
			Kind:    FaultIndex,
			Message: fmt.Sprintf("%s of request %s is %q; its body says %q", member, d.D, got, want),
			Hint:    "the body is right; whoever reads the file by its index is misled",
		})
	}
	check := func(member, got string, want *string) {
		if got != "" && want != nil && got != *want {
			differs(member, got, *want)
		}
	}
	check("decision", d.Decision, x.decision)
	check("trigger", string(d.Trigger), x.trigger)
	check("call", d.Call, x.call)
	if d.Try > 0 && x.attempt != nil && b.dialect != nil {
		if want := int64(*x.attempt) - int64(b.dialect.FirstAttempt) + 1; int64(d.Try) != want {
			differs("try", strconv.Itoa(d.Try), strconv.FormatInt(want, 10))
		}
	}
	return faults
}
