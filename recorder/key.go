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
	var t spec.Trigger = indexed{x.Request}
	if asked, fault := x.Asked(); fault == nil {
		t = asked.Trigger
	}
	k := keyFor(x.Session, t, x.Request.Try, x.Request.Delivery)
	if call := t.CallID(); call != "" {
		k.Call = ids.alias(string(IDCall), call)
	}
	return k
}

// keyFor is a key without its call.
func keyFor(session string, t spec.Trigger, try, delivery int) Key {
	k := Key{Session: session, Trigger: t.TriggerType(), Try: try, Delivery: delivery}
	switch t := t.(type) {
	case spec.ToolExecuteTrigger:
		k.Tool = t.Name
	case spec.ToolFinishedTrigger:
		k.Tool = t.Name
	}
	return k
}

// indexed is the trigger of a request that does not read, by its index.
type indexed struct{ *spec.RequestEvent }

func (i indexed) TriggerType() spec.TriggerType { return i.Trigger }
func (i indexed) CallID() string                { return i.Call }

// Keys names the deliveries of one recording by their keys, and those of another
// story whose ids were put in place of its own. It is not safe for concurrent
// use.
type Keys struct{ ids *aliases }

// NewKeys returns Keys that know no id.
func NewKeys() *Keys { return &Keys{newAliases()} }

// Of is the key of an exchange, after which its ids are known.
func (k *Keys) Of(x *spec.Exchange) Key {
	(&Meaning{k.ids}).tell(x)
	return keyOf(x, k.ids)
}

// Find is the key of a delivery by its parts: the alias of its session, its
// trigger, the id of the call that it is about, which attempt and which delivery
// it is. A call that is not known has its id in place of an alias.
func (k *Keys) Find(session string, t spec.Trigger, call string, try, delivery int) Key {
	key := keyFor(session, t, try, delivery)
	if key.Call = k.ids.byID[call]; key.Call == "" {
		key.Call = call
	}
	return key
}
