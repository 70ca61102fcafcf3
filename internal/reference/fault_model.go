package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// modelDefects break what a hosted model answers (wire 5, wire 9), and what it
// is asked (gap 35).
func modelDefects() []defect {
	return []defect{
		{
			Fault: named("model-settles-twice", "Ends a model call by its result and by an error beside it.", "model.settles-once"),
			at:    speaking(spec.HostedNative),
			answer: func(x *exchange) []byte {
				result, _ := jsonv.Get(x.answer, "/actions/0")
				return with(x.answer, "actions", array(result, encode(spec.LlmErrorAction{Error: "the log is full"})))
			},
		},
		{
			Fault:  named("model-settles-another-call", "Ends a model call under an id of the provider's own.", "model.settles-once"),
			at:     speaking(spec.HostedNative),
			answer: firstActionWith("id", `"completion-1"`),
		},
		{
			Fault:  named("model-without-its-name", "Leaves the model's name out of its response.", "model.response-reads"),
			at:     speaking(spec.HostedNative),
			answer: func(x *exchange) []byte { return x.responding(with(x.reply.response(""), "model", nil)) },
		},
		{
			Fault:  named("model-in-its-own-form", "Answers in the protocol's own form where a provider's was asked for.", "model.response-reads"),
			at:     speaking(spec.FormatOpenAI),
			answer: func(x *exchange) []byte { return x.responding(x.reply.response("")) },
		},
		{
			Fault: named("reuses-call-ids", "Counts the tool calls of its model anew in each reply.", "model.tool-call-ids-are-new"),
			at:    callingATool,
			answer: func(x *exchange) []byte {
				return x.saysInstead(func(r *reply) { r.id = "call_0" })
			},
		},
		{
			Fault: named("keeps-the-block-type", "Gives the tool calls of its model the type of a provider's block.", "model.tool-calls-are-functions"),
			at:    callingATool,
			answer: func(x *exchange) []byte {
				response := x.reply.response("")
				calls, _ := jsonv.Get(response, "/tool_calls/0")
				return x.responding(with(response, "tool_calls", array(with(calls, "type", jsontext.Value(`"tool_use"`)))))
			},
		},
		{
			Fault: named("ends-for-calls-it-has-not", "Says that its model stopped for calls where there are none.", "model.finish-reason-fits"),
			at:    speaking(spec.HostedNative),
			answer: func(x *exchange) []byte {
				return x.saysInstead(func(r *reply) { r.finish = "tool_calls" })
			},
		},
		{
			Fault: named("forgets-the-cache", "Leaves what was read from a cache out of the input tokens.", "model.usage-adds-up"),
			at:    speaking(spec.HostedNative),
			answer: func(x *exchange) []byte {
				response := x.reply.response("")
				usage, _ := jsonv.Get(response, "/usage")
				return x.responding(with(response, "usage", with(usage, "cache_read", jsontext.Value("7"))))
			},
		},
		{
			Fault: named("model-fails-without-a-word", "Ends a model call with an error that says nothing.", "model.error-has-text"),
			at: func(x *exchange) bool {
				return x.asked.kind == spec.OnLlmExecute && x.reply == nil
			},
			answer: func(x *exchange) []byte { return x.failing("") },
		},
		{
			Fault:  named("asks-a-bare-question", "Asks the model without the conversation.", "turn.gives-the-model-the-conversation"),
			at:     hearing("Good evening."),
			answer: says(`{"actions":[{"type":"llm.call"}]}`),
		},
	}
}

// speaking picks questions in a form that the studio's model answers in words.
func speaking(form string) moment {
	return func(x *exchange) bool {
		return x.reply != nil && x.reply.tool == "" && x.asked.text("format") == spec.FormatOf(form)
	}
}

// callingATool picks questions in the protocol's own form that the studio's
// model answers with a call.
func callingATool(x *exchange) bool {
	return x.reply != nil && x.reply.tool != "" && x.asked.text("format") == ""
}

// hearing picks what a client says when it is just that.
func hearing(text string) moment {
	return func(x *exchange) bool {
		messages := x.asked.list("/trigger/messages")
		if x.asked.kind != spec.OnClientMessages || len(messages) == 0 {
			return false
		}
		said, _ := textAt(messages[len(messages)-1], "/content")
		return said == text
	}
}

// saysInstead is the answer that holds another reply; its pieces go with it.
func (x *exchange) saysInstead(change func(*reply)) []byte {
	r := *x.reply
	change(&r)
	answer, pieces := x.saying(r)
	x.pieces = pieces
	return answer
}

// firstActionWith is the answer with one member of its first action replaced.
func firstActionWith(name, value string) func(*exchange) []byte {
	return func(x *exchange) []byte {
		action, _ := jsonv.Get(x.answer, "/actions/0")
		return with(x.answer, "actions", array(with(action, name, jsontext.Value(value))))
	}
}
