package reference

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// clientDefects break what belongs to the client: the tools that it offers, and
// the answers that it gives (B4, J1, J2).
func clientDefects() []defect {
	return []defect{
		{
			Fault: named("drops-the-offered-tools", "Asks the model with the tools that the client offers and leaves them out of the config.", "client.declares-what-it-offers"),
			at: func(x *exchange) bool {
				_, merged := jsonv.Get(x.asked.proposed, "/agent/tools")
				return x.asked.kind == spec.OnClientMessages && merged
			},
			answer: func(x *exchange) []byte { return with(x.asked.proposed, "agent", nil) },
		},
		{
			Fault: named("answers-for-the-client", "Makes up the answer of a call that the client is asked, beside the result of its own.", "client.leaves-answers-to-the-client"),
			at: func(x *exchange) bool {
				return x.asked.kind == spec.OnToolExecute && x.asked.status() == spec.InputValid &&
					len(x.asked.actions()) == 0 && x.clientCall() != nil
			},
			answer: func(x *exchange) []byte {
				made := encode(result(nil, textBlock("The member says yes.")))
				made = with(made, "id", x.clientCall())
				return with(x.answer, "actions", array(onlyAction(x.answer), made))
			},
		},
	}
}

// clientCall is the id of the first open call that the client answers, nil when
// there is none.
func (x *exchange) clientCall() jsontext.Value {
	for _, c := range x.asked.list("/calls") {
		if handler, _ := textAt(c, "/handler"); handler == string(spec.HandlerClient) {
			id, _ := jsonv.Get(c, "/id")
			return id
		}
	}
	return nil
}

// stateDefects break the state of branches (O3).
func stateDefects() []defect {
	return []defect{
		{
			Fault: named("keeps-state-in-memory", "Counts lookups by session in its own memory, whatever branch the conversation is on.", "state.stays-on-its-branch"),
			at: func(x *exchange) bool {
				return running(countedTool)(x) && len(x.asked.list("/message_tree/nodes")) > len(x.asked.list("/messages"))
			},
			answer: func(x *exchange) []byte {
				state, ok := jsonv.Get(x.answer, "/state")
				if !ok {
					return x.answer
				}
				count := strconv.FormatInt(x.worker.remembers(x.asked).Load(), 10)
				return with(x.answer, "state", with(state, lookups, jsontext.Value(count)))
			},
		},
	}
}
