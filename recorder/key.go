package recorder

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// Key names a delivery in words that are the same in another recording of the
// same story: which session, why the engine asks, about which call, which
// attempt and which delivery. Where two deliveries have one key, their order
// tells them apart.
type Key struct {
	// Session is the alias of the session, Call that of the call ("call 1"), ""
	// when it is about none.
	Session string
	Trigger spec.TriggerType
	Call    string
	// Tool is the name of the tool of a call, "" for others.
	Tool string
	// Try and Delivery count from 1; 0 is not known.
	Try, Delivery int
}

// String names the delivery for a person, without its session.
func (k Key) String() string {
	parts := []string{clean(string(k.Trigger))}
	if k.Trigger == "" {
		parts[0] = "a request that is no decision"
	}
	for _, s := range []string{k.Tool, k.Call} {
		if s != "" {
			parts = append(parts, short(s, textLimit))
		}
	}
	if k.Try > 1 {
		parts = append(parts, fmt.Sprintf("try %d", k.Try))
	}
	if k.Delivery > 1 {
		parts = append(parts, fmt.Sprintf("delivery %d", k.Delivery))
	}
	return strings.Join(parts, " ")
}

// keyOf is the key of an exchange by its body, or else by its index (rule 5).
func keyOf(x *spec.Exchange, ids *aliases) Key {
	k := Key{Session: x.Session, Trigger: x.Request.Trigger, Try: x.Request.Try, Delivery: x.Request.Delivery}
	call := x.Request.Call
	if asked, fault := x.Asked(); fault == nil {
		k.Trigger, call = asked.Trigger.TriggerType(), asked.Trigger.CallID()
		switch t := asked.Trigger.(type) {
		case spec.ToolExecuteTrigger:
			k.Tool = t.Name
		case spec.ToolFinishedTrigger:
			k.Tool = t.Name
		}
	}
	if call != "" {
		k.Call = ids.alias("call", call)
	}
	return k
}
