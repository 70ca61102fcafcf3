package reference

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// executeDefects break how a call is settled (F1, F2, E8, H4).
func executeDefects() []defect {
	return []defect{
		{
			Fault:  named("never-settles", "Lets go of a call and never settles it.", "execute.settles"),
			at:     running(quietTool),
			answer: says(`{}`),
		},
		{
			Fault: named("settles-twice", "Settles a call two times in one answer.", "execute.settles-once"),
			at:    running(quietTool),
			answer: func(x *exchange) []byte {
				action := onlyAction(x.answer)
				return with(x.answer, "actions", array(action, action))
			},
		},
		{
			Fault: named("settles-unknown-id", "Settles a call that nobody made, and not the one it was asked to run.", "execute.settles-the-asked-call"),
			at:    running(quietTool),
			answer: func(x *exchange) []byte {
				return with(x.answer, "actions", array(with(onlyAction(x.answer), "id", jsontext.Value(`"call_of_yesterday"`))))
			},
		},
		{
			Fault: named("settles-old-attempt", "Names an attempt that is not the one it was asked to make.", "execute.settles-the-asked-attempt"),
			at:    running(quietTool),
			answer: func(x *exchange) []byte {
				asked, _ := jsonv.Get(x.asked.trigger, "/attempt")
				other := strconv.FormatUint(whole(asked, 0)+7, 10)
				return with(x.answer, "actions", array(with(onlyAction(x.answer), "attempt", jsontext.Value(other))))
			},
		},
		{
			Fault: named("swallows-invalid", "Drops a call whose arguments break the schema.", "execute.answers-invalid"),
			at: badly(spec.InputInvalid, func(a *asked) bool {
				return a.text("name") == "book_kiln" && written("{}")(a)
			}),
			answer: says(`{}`),
		},
		{
			Fault: named("swallows-malformed", "Drops a call whose arguments are the word null.", "execute.answers-malformed"),
			at: badly(spec.InputMalformed, func(a *asked) bool {
				return a.text("name") == quietTool && written("null")(a)
			}),
			answer: says(`{}`),
		},
		{
			Fault:  named("retryable-refusal", "Asks for a retry of arguments that are no JSON object.", "execute.bad-arguments-not-retryable"),
			at:     badly(spec.InputMalformed, anyArguments),
			answer: says(`{"actions":[{"type":"tool.error","error":"the arguments are not a JSON object","retryable":true}]}`),
		},
		{
			Fault:  named("retryable-unknown", "Asks for a retry of a tool that does not exist.", "execute.undeclared-not-retryable"),
			at:     func(x *exchange) bool { return undeclared(x) && x.asked.status() == spec.InputValid },
			answer: says(`{"actions":[{"type":"tool.error","error":"there is no tool of that name","retryable":true}]}`),
		},
		{
			Fault: named("refuses-in-other-words", "Words the refusal of a broken call by how long the conversation is.", "execute.refuses-alike"),
			at:    badly(spec.InputMalformed, anyArguments),
			answer: func(x *exchange) []byte {
				text := "the arguments are cut off"
				if len(x.asked.list("/messages"))%4 == 0 {
					text = "these arguments are no JSON object"
				}
				return says(`{"actions":[{"type":"tool.error","error":` + string(jsonv.Quote(text)) + `}]}`)(x)
			},
		},
		{
			Fault:  named("runs-undeclared", "Answers a call of any name with a plain result.", "execute.refuses-undeclared"),
			at:     undeclared,
			answer: resultOf(`{"content":[{"type":"text","text":"Done."}]}`),
		},
	}
}

// onlyAction is the one action of an answer.
func onlyAction(answer jsontext.Value) jsontext.Value {
	action, _ := jsonv.Get(answer, "/actions/0")
	return action
}

// resultOf answers with one tool.result that holds this result.
func resultOf(result string) func(*exchange) []byte {
	return says(`{"actions":[{"type":"tool.result","result":` + result + `}]}`)
}
