package judge

import (
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

func clientChecks() []check {
	return []check{
		{id: "client.declares-what-it-offers", moment: "the model was never shown a tool that the client offers", see: seeOffered},
		{id: "client.leaves-answers-to-the-client", moment: "nothing was answered while a call of the client was open", see: seeAnswersLeft},
	}
}

// seeOffered looks at the tools of the client, which the engine merges into its
// proposal (B4). A worker that shows the model none of them is free to; one
// that shows them has to declare them too, since the config says where a call
// runs.
func seeOffered(x *exchange) {
	const id = "client.declares-what-it-offers"
	t, ok := x.req.Trigger.(spec.ClientMessagesTrigger)
	if !ok || x.stopped {
		return
	}
	config, pointer := x.req.Agent, "/agent"
	if x.decision.Agent != nil {
		config, pointer = x.decision.Agent, "/agent/tools"
	}
	for i, a := range x.decision.Actions {
		call, ok := a.(spec.LlmCallAction)
		if !ok {
			continue
		}
		for _, offer := range t.Client.Tools {
			if !x.state.offered[offer.Name] {
				continue
			}
			_, declared := config.Tool(offer.Name)
			// Without tools of its own a call shows those of the config.
			shown := call.Tools == nil && declared || slices.ContainsFunc(call.Tools, func(s spec.LlmTool) bool { return s.Name == offer.Name })
			switch {
			case !shown:
			case declared:
				x.held(id)
			default:
				x.broke(id, spec.Finding{
					Pointer: pointer, Got: "a config without " + quote(offer.Name), Want: "the client's tool that the model is shown at " + fmt.Sprintf("/actions/%d/tools", i),
					Hint: "return the agent of proposed with its actions, or add the client's tools to your own",
				})
			}
		}
	}
}

// seeAnswersLeft looks for results that no client gave. What the client says by
// an action, or as it resumes an interrupt, is the client's word and may settle
// its call (I5, J2).
func seeAnswersLeft(x *exchange) {
	const id = "client.leaves-answers-to-the-client"
	switch x.trigger() {
	case spec.OnClientAction, spec.OnInterruptResumed, spec.OnClientMessages:
		return
	}
	if x.stopped || x.dropped() {
		return
	}
	for _, c := range x.req.Calls {
		if c.Kind != spec.CallTool || c.Handler != spec.HandlerClient || c.Status != spec.CallPending {
			continue
		}
		i := slices.IndexFunc(x.settles(), func(s settle) bool { return s.call == c.ID && s.result != nil })
		if i < 0 {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{
			Pointer: x.settles()[i].pointer(""), Got: fmt.Sprintf("a result for call %s of %s, which the client is to answer", quote(c.ID), quote(c.Name)),
			Want: "no result before the client's own", Hint: "settle the calls that run on the worker; a call of handler client ends when its client answers",
		})
	}
}
