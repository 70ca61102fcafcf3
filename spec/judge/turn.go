package judge

import "github.com/hallmarkdev/hallmark/spec"

func turnChecks() []check {
	return []check{
		{id: "turn.prompts-the-model", moment: "no client's message for which a model call was proposed", see: seeHello},
		{id: "turn.ends-the-turn", moment: "the model never answered without a call", see: seeLastWord},
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
