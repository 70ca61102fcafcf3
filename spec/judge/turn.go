package judge

import (
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

const failsInWords = "turn.fails-in-words"

func turnChecks() []check {
	return []check{
		{id: "turn.prompts-the-model", moment: "no client's message for which a model call was proposed", see: seeHello},
		{id: "turn.gives-the-model-the-conversation", moment: "no answer to a client asked the model", see: seePrompt},
		{id: "turn.ends-the-turn", moment: "the model never answered without a call", see: seeLastWord},
		{id: "turn.ends-a-failed-turn", moment: "no engine proposed to end a turn by fail", see: seeFailedTurn},
		{id: failsInWords, moment: "no turn was ended by fail", see: seeFail},
	}
}

func seeHello(x *exchange) {
	if _, ok := x.req.Trigger.(spec.ClientMessagesTrigger); !ok {
		return
	}
	if _, proposed := asksModel(x.req.Proposed.Actions); proposed {
		x.goesOn("turn.prompts-the-model", "the proposed llm.call, or another action")
	}
}

// seePrompt wants the conversation beside a bare llm.call: such a call prompts
// over the messages of the same answer, not over what is recorded (gap 35). After
// a call has ended, leaving the messages out has a graver name.
func seePrompt(x *exchange) {
	const id = "turn.gives-the-model-the-conversation"
	switch x.trigger() {
	case spec.OnClientMessages, spec.OnClientAction, spec.OnInterruptResumed:
	default:
		return
	}
	for i, a := range x.decision.Actions {
		call, ok := a.(spec.LlmCallAction)
		if !ok {
			continue
		}
		if call.Messages != nil || len(x.decision.Messages) > 0 {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{
			Pointer: fmt.Sprintf("/actions/%d", i), Got: "an llm.call without messages, in an answer without messages",
			Want: "the whole path in messages beside it, or messages of its own",
			Hint: "as it stands, the model sees the system prompt and nothing of the conversation",
		})
	}
}

func seeLastWord(x *exchange) {
	t, ok := x.req.Trigger.(spec.LlmFinishedTrigger)
	if !ok || !t.OK {
		return
	}
	for _, a := range x.req.Proposed.Actions {
		if a.ActionType() == spec.DoDone {
			x.goesOn("turn.ends-the-turn", "done, or another action")
			return
		}
	}
}

// seeFailedTurn wants some action where the engine proposes to end the turn by
// fail (N4). Where an older one proposes to hold it, what becomes of it is the
// worker's to choose (C5, gap 9).
func seeFailedTurn(x *exchange) {
	if x.stopped || !slices.ContainsFunc(x.req.Proposed.Actions, func(a spec.Action) bool { return a.ActionType() == spec.DoFail }) {
		return
	}
	x.goesOn("turn.ends-a-failed-turn", "the proposed fail, or another action")
}

// seeFail wants words in the error that ends a turn (N4, wire 10).
func seeFail(x *exchange) {
	for i, a := range x.decision.Actions {
		f, ok := a.(spec.FailAction)
		if !ok {
			continue
		}
		x.judge.worker.fails = true
		if !blank(f.Error.Message) {
			x.held(failsInWords)
			continue
		}
		x.broke(failsInWords, spec.Finding{
			Pointer: fmt.Sprintf("/actions/%d/error/message", i), Got: quote(f.Error.Message), Want: "one sentence that says what went wrong",
			Hint: "an exception without a message still has a kind: say that",
		})
	}
}
