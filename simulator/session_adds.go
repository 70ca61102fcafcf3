package simulator

import (
	"bytes"
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// laterTrigger is a trigger that no protocol has.
const laterTrigger = spec.TriggerType("hallmark.later")

// laterMember is a member that no protocol has, with a value of each kind in it.
const laterMember = `"hallmark_later":{"a":[1,null,"x",true],"b":{}},`

// withLater adds members that no protocol has to a request: at its top, to the
// identity, whose own members come first, and to the trigger.
func withLater(body []byte) []byte {
	out := bytes.Replace(body, []byte("{"), []byte("{"+laterMember), 1)
	// A quotation mark inside a text is escaped, so both stand where they seem to.
	for _, object := range []string{`"identity":{`, `"trigger":{`} {
		out = bytes.Replace(out, []byte(object), []byte(object+laterMember), 1)
	}
	return out
}

// addsAhead reports whether a copy of x with a trigger that no protocol has goes
// out ahead of it: of the first delivery of what a client says, when the worker
// has said which tools it has.
func (s *session) addsAhead(x *delivery) bool {
	return s.in.Case.Engine.Adds == spec.AddsTrigger && x.Delivery == 1 &&
		x.Request.Trigger.TriggerType() == spec.OnClientMessages
}

// laterAhead sends a request of its own whose trigger no protocol has, as an
// engine of a later one may, and x itself once that is answered.
func (s *session) laterAhead(ctx context.Context, x *delivery) {
	y := &delivery{Deliver: x.Deliver, at: x.at, then: x, adds: spec.AddsTrigger}
	y.Decision = s.ids.UUID("later decision", s.exchanges+1)
	y.Request.DecisionID = y.Decision
	y.Request.Trigger = spec.UnknownTrigger{Type: laterTrigger, Raw: jsontext.Value(`{"type":"` + string(laterTrigger) + `","id":"later_1","detail":{"a":[1,null]}}`)}
	body, err := y.Body(x.at)
	if err != nil {
		s.broken(fmt.Errorf("encode decision: %w", err))
		return
	}
	y.body = body
	s.sendAhead(ctx, y)
}
