package recorder

import "github.com/go-json-experiment/json/jsontext"

// envelope is what the outside of a decision request says (wire 2), read
// without decoding the rest; "" is what it does not say.
type envelope struct {
	session, turn string
	// tool is the name in the trigger.
	tool string
}

// readEnvelope reads a body. One that is no request, or is broken on purpose,
// gives what could be read.
func readEnvelope(body []byte) envelope {
	var e envelope
	dec := newDecoder(body)
	if dec.PeekKind() != jsontext.KindBeginObject {
		return e
	}
	members(dec, func(name string) bool {
		switch name {
		case "session_id":
			e.session = orEmpty(readString(dec))
		case "turn_id":
			e.turn = orEmpty(readString(dec))
		case "trigger":
			if dec.PeekKind() != jsontext.KindBeginObject {
				return dec.SkipValue() == nil
			}
			members(dec, func(name string) bool {
				if name == "name" {
					e.tool = orEmpty(readString(dec))
					return true
				}
				return dec.SkipValue() == nil
			})
		default:
			return dec.SkipValue() == nil
		}
		return true
	})
	return e
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
