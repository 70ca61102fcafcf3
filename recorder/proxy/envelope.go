package proxy

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// envelope is what the recorder needs of a decision request, read without
// decoding the rest (wire 2).
type envelope struct {
	session, decision, agent, turn string
	identity                       jsontext.Value
	trigger                        spec.TriggerType
	call, tool                     string
	attempt                        uint64
	ancestry                       []string
}

// maxAncestry bounds the sessions above one.
const maxAncestry = 64

// root is the session under which everything of a tree is filed.
func (e *envelope) root() string {
	if len(e.ancestry) > 0 {
		return e.ancestry[0]
	}
	return e.session
}

// parent is the session that this one was started by, "" for a root.
func (e *envelope) parent() string {
	if n := len(e.ancestry); n > 0 {
		return e.ancestry[n-1]
	}
	return ""
}

// readEnvelope reads a body, and says whether it is a decision request.
func readEnvelope(body []byte) (envelope, bool) {
	var e envelope
	trigger := false
	err := eachMember(body, func(name string, dec *jsontext.Decoder) error {
		var to *string
		switch name {
		case "session_id":
			to = &e.session
		case "decision_id":
			to = &e.decision
		case "agent_id":
			to = &e.agent
		case "turn_id":
			to = &e.turn
		case "identity":
			v, err := dec.ReadValue()
			e.identity = bytes.Clone(v)
			return err
		case "trigger":
			v, err := dec.ReadValue()
			trigger = err == nil && e.readTrigger(v)
			return err
		case "ancestry":
			return e.readAncestry(dec)
		default:
			return dec.SkipValue()
		}
		v, err := dec.ReadValue()
		if text, ok := jsonv.Text(v); ok {
			*to = text
		}
		return err
	})
	return e, err == nil && trigger && e.session != "" && e.decision != ""
}

func (e *envelope) readTrigger(v jsontext.Value) bool {
	_ = eachMember(v, func(name string, dec *jsontext.Decoder) error {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		switch text, _ := jsonv.Text(v); name {
		case "type":
			e.trigger = spec.TriggerType(text)
		case "id":
			e.call = text
		case "name":
			e.tool = text
		case "attempt":
			e.attempt = smallNumber(v)
		}
		return nil
	})
	return e.trigger != ""
}

func (e *envelope) readAncestry(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	items, err := jsonv.Elements(v)
	if err != nil {
		return nil // not a list: the judge will say so
	}
	for _, item := range items[:min(len(items), maxAncestry)] {
		if id, ok := jsonv.Text(item); ok && id != "" {
			e.ancestry = append(e.ancestry, id)
		}
	}
	return nil
}

// smallNumber reads a number of few digits, 0 when it is something else.
func smallNumber(v []byte) uint64 {
	var n uint64
	for _, c := range v {
		if c < '0' || c > '9' || n > 1<<31 {
			return 0
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// errNotObject says that a text is no JSON object.
var errNotObject = errors.New("not a JSON object")

// eachMember reads the members of one object; the function reads the value of
// each.
func eachMember(b []byte, each func(name string, dec *jsontext.Decoder) error) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	tok, err := dec.ReadToken()
	if err != nil || tok.Kind() != '{' {
		return errNotObject
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := each(name.String(), dec); err != nil {
			return err
		}
	}
	_, err = dec.ReadToken()
	return err
}
