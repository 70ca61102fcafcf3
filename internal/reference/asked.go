package reference

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// asked is a decision request as far as the worker reads it. Its values are
// cut from the body at token offsets, so what goes back is what came.
type asked struct {
	session, decision string
	// kind decides first, the name of the tool second (D14).
	kind     spec.TriggerType
	trigger  jsontext.Value
	proposed jsontext.Value
	body     jsontext.Value
}

var (
	errNotObject   = errors.New("the body is no JSON object in UTF-8: send a decision request")
	errNoTrigger   = errors.New("the request has no trigger with a type")
	errBadProposed = errors.New("proposed is not an object")
)

// read takes a request apart. Only what the worker cannot do without is
// refused; everything else may be absent, null or of a later protocol.
func read(body []byte) (*asked, error) {
	members, err := jsonv.Members(body)
	if err != nil {
		return nil, errNotObject
	}
	a := &asked{body: body, session: textOf(members, "session_id"), decision: textOf(members, "decision_id")}
	a.trigger, _ = jsonv.Last(members, "trigger")
	kind, ok := textAt(a.trigger, "/type")
	if !ok {
		return nil, errNoTrigger
	}
	a.kind = spec.TriggerType(kind)
	a.proposed, ok = jsonv.Last(members, "proposed")
	switch {
	case !ok || jsonv.Kind(a.proposed) == 'n':
		a.proposed = jsontext.Value("{}")
	case jsonv.Kind(a.proposed) != '{':
		return nil, errBadProposed
	}
	return a, nil
}

func textOf(members []jsonv.Member, name string) string {
	v, _ := jsonv.Last(members, name)
	s, _ := jsonv.Text(v)
	return s
}

// textAt is the string at a pointer of v; false when there is none.
func textAt(v jsontext.Value, pointer string) (string, bool) {
	at, _ := jsonv.Get(v, pointer)
	return jsonv.Text(at)
}

// text is a string of the trigger, "" when it has none of that name.
func (a *asked) text(name string) string {
	s, _ := textAt(a.trigger, "/"+name)
	return s
}

// list is the list at a pointer into the body; nil when there is none.
func (a *asked) list(pointer string) []jsontext.Value {
	at, _ := jsonv.Get(a.body, pointer)
	items, _ := jsonv.Elements(at)
	return items
}

// actions are the proposed actions (gap 2: absent and empty are the same).
func (a *asked) actions() []jsontext.Value { return a.list("/proposed/actions") }

// status is the class of a call's arguments (E1).
func (a *asked) status() spec.InputStatus {
	s, _ := textAt(a.trigger, "/input/status")
	return spec.InputStatus(s)
}
