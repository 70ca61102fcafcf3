package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// deferredDefects break what a worker owes the tools that it defers, and the pair
// by which the model reaches them (K1, K3, K4, K5).
func deferredDefects() []defect {
	const ran = "deferred.records-what-the-engine-ran"
	return []defect{
		{
			Fault: named("reads-the-wrapper", "Takes the tool of a call from the assistant message, which keeps call_tool.", "deferred.runs-the-inner-tool"),
			at: func(x *exchange) bool {
				return runningAny(x) && x.writtenAs() == "call_tool" && x.asked.text("name") != "call_tool"
			},
			answer: func(x *exchange) []byte {
				return answering(x.asked, settling(x.asked, encode(refusal(x.worker.unknown(x.writtenAs())))))
			},
		},
		{
			Fault:  named("forgets-a-search", "Goes on after a search of the engine's without recording what it found.", ran),
			at:     finished("tool_search"),
			answer: withoutTheResult,
		},
		{
			Fault:  named("forgets-a-refused-call", "Goes on after a call that the engine refused without recording the refusal.", ran),
			at:     finished("call_tool"),
			answer: withoutTheResult,
		},
		{
			Fault: named("drops-unknown-calls", "Starts those calls of a model's answer that are of its own tools, and drops a search.", "calls.starts-every-call"),
			at: calling(func(calls []jsontext.Value) bool {
				return len(calls) > 1 && len(ownCalls(calls)) < len(calls)
			}),
			answer: func(x *exchange) []byte {
				return with(x.asked.proposed, "actions", array(ownCalls(x.asked.actions())...))
			},
		},
		{
			Fault: named("searches-itself", "Declares a tool of its own by the name of the engine's search.", "deferred.leaves-the-pair-to-the-engine"),
			declare: func(tools []tool) []tool {
				own := listKilns()
				own.Name, own.Description = "tool_search", "Finds tools of the studio's workshop by name: ribs, wires, calipers. It knows nothing of kilns and glazes."
				return append(tools, own)
			},
		},
	}
}

// writtenAs is the name by which the model wrote the call that is asked for.
func (x *exchange) writtenAs() string {
	for _, m := range x.asked.list("/messages") {
		calls, _ := jsonv.Get(m, "/tool_calls")
		items, _ := jsonv.Elements(calls)
		for _, c := range items {
			if id, _ := textAt(c, "/id"); id == x.asked.text("id") {
				name, _ := textAt(c, "/function/name")
				return name
			}
		}
	}
	return ""
}

func withoutTheResult(x *exchange) []byte {
	return x.recording(func(m []jsontext.Value) []jsontext.Value { return m[:len(m)-1] })
}

// ownCalls are the calls that are not a search of the engine's.
func ownCalls(calls []jsontext.Value) []jsontext.Value {
	var own []jsontext.Value
	for _, c := range calls {
		if name, _ := textAt(c, "/name"); name != "tool_search" {
			own = append(own, c)
		}
	}
	return own
}

// failDefects break the end of a turn by failure (N4, N5).
func failDefects() []defect {
	failing := func(x *exchange) bool { return len(x.asked.proposals(spec.DoFail)) > 0 }
	return []defect{
		{
			Fault:  named("shrugs-at-a-failure", "Leaves a turn open that the engine proposes to end by fail.", "turn.ends-a-failed-turn"),
			at:     failing,
			answer: proposedWith(`[]`),
		},
		{
			Fault:  named("fails-without-a-word", "Ends a turn by fail and says nothing of what went wrong.", "turn.fails-in-words"),
			at:     failing,
			answer: proposedWith(`[{"type":"fail","error":{"message":"","code":"internal"}}]`),
		},
	}
}
