package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// finishedDefects break what follows a call that has ended, and the path
// (G8, G12, gap 7).
func finishedDefects() []defect {
	const path = "finished.keeps-the-path"
	return []defect{
		{
			Fault: named("drops-tool-message", "Goes on after a call without recording its tool message.", "finished.records-the-tool-message"),
			at:    finished(quietTool),
			answer: func(x *exchange) []byte {
				return x.recording(func(m []jsontext.Value) []jsontext.Value { return m[:len(m)-1] })
			},
		},
		{
			Fault: named("records-a-delta", "Records the tool message alone, as if the list were an addition.", path),
			at:    finished(quietTool),
			answer: func(x *exchange) []byte {
				return x.recording(func(m []jsontext.Value) []jsontext.Value { return m[len(m)-1:] })
			},
		},
		{
			Fault: named("forgets-the-history", "Records only what the client says now, without the conversation before it.", path),
			at:    later,
			answer: func(x *exchange) []byte {
				known := len(x.asked.list("/messages"))
				return x.recording(func(m []jsontext.Value) []jsontext.Value { return m[min(known, len(m)):] })
			},
		},
		{
			Fault:  named("stalls", "Records the tool message and never asks the model again.", "finished.prompts-the-model"),
			at:     finished(quietTool),
			answer: proposedWith(`[]`),
		},
		{
			Fault:  named("asks-too-early", "Asks the model while a sibling of the call is still open.", "finished.waits-for-siblings"),
			at:     beforeTheLast,
			answer: proposedWith(`[{"type":"llm.call"}]`),
		},
	}
}

// recording is the proposal with other messages; a proposal without messages
// stays as it is.
func (x *exchange) recording(change func([]jsontext.Value) []jsontext.Value) []byte {
	messages := x.asked.list("/proposed/messages")
	if len(messages) == 0 {
		return x.asked.proposed
	}
	return with(x.asked.proposed, "messages", array(change(messages)...))
}

// proposedWith answers with the proposal, but for its actions.
func proposedWith(actions string) func(*exchange) []byte {
	return func(x *exchange) []byte {
		return with(x.asked.proposed, "actions", jsontext.Value(actions))
	}
}

// callsDefects break what becomes of the model's answer and of the client's
// words (C1, C2, C3, B3).
func callsDefects() []defect {
	return []defect{
		{
			Fault: named("swallows-a-call", "Starts all calls of a model's answer but the last.", "calls.starts-every-call"),
			at:    calling(func(calls []jsontext.Value) bool { return len(calls) > 1 }),
			answer: func(x *exchange) []byte {
				actions := x.asked.actions()
				return with(x.asked.proposed, "actions", array(actions[:len(actions)-1]...))
			},
		},
		{
			Fault: named("renames-assistant-message", "Records the model's message under an id of its own.", "calls.keeps-the-assistant-message"),
			at:    calling(quietly),
			answer: func(x *exchange) []byte {
				return x.recording(func(m []jsontext.Value) []jsontext.Value {
					last := len(m) - 1
					m[last] = with(m[last], "id", jsontext.Value(`"assistant_1"`))
					return m
				})
			},
		},
		{
			Fault: named("changes-arguments", "Fills a default into the arguments as it starts a call.", "calls.keeps-the-arguments"),
			at: calling(func(calls []jsontext.Value) bool {
				if !quietly(calls) {
					return false
				}
				arguments, _ := textAt(calls[0], "/arguments")
				return arguments == "{}"
			}),
			answer: func(x *exchange) []byte {
				action := with(onlyAction(x.asked.proposed), "arguments", jsonv.Quote(`{"only_cold":false}`))
				return with(x.asked.proposed, "actions", array(action))
			},
		},
		{
			Fault:  named("ignores-the-client", "Records what the client says later on and does nothing about it.", "turn.prompts-the-model"),
			at:     later,
			answer: proposedWith(`[]`),
		},
		{
			Fault:  named("never-ends-the-turn", "Records the model's last word and leaves the turn open.", "turn.ends-the-turn"),
			at:     lastWordLater,
			answer: proposedWith(`[]`),
		},
	}
}
