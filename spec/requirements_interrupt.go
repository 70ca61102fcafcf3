package spec

// The pieces of examples in which a call waits for a person.
const (
	exampleAsksFirst = `{"actions":[{"type":"interrupt","interrupt_id":"ask-c1","reason":"Shall I look for Oslo?"}]}`
	exampleResumed   = `{"type":"interrupt.resumed","interrupt_id":"ask-c1","payload":{"approved":true}}`
	exampleParked    = `{"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}],` +
		`"calls":[{"id":"c1","kind":"tool_call","status":"pending","attempt":0,"name":"get_weather","arguments":"{\"city\":\"Oslo\"}","handler":"worker"}],"pending_calls":1,` +
		`"proposed":{"messages":[` + exampleUser + `],"actions":[` + exampleAsk + `]}}`
	exampleResumedOnly = `{"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}],` +
		`"proposed":{"messages":[` + exampleUser + `],"actions":[` + exampleAsk + `]}}`
	exampleAskAgain = `{"messages":[` + exampleUser + `],"actions":[` + exampleAsk + `]}`
)

// interruptRequirements are about turns that wait for a person (M1 to M5).
func interruptRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "interrupt.goes-on-when-resumed",
			Level:    Must,
			Added:    fourthRegistry,
			Text:     "A worker answers interrupt.resumed with some action, or with work in flight: the proposed model call, or its own next step.",
			Why:      "With no action and nothing in flight the turn stands still, although the person has answered.",
			Source:   []string{"rule:M4", "rule:N5"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleResumedOnly, Trigger: exampleResumed, Answer: exampleAskAgain},
			Bad:      Example{Given: exampleResumedOnly, Trigger: exampleResumed, Answer: `{}`},
			Cause:    "The worker answers triggers that it does not know with an empty object. Return proposed.",
		},
		{
			ID:       "interrupt.settles-what-it-parked",
			Level:    Must,
			Added:    fourthRegistry,
			Text:     "A worker that answered a call with an interrupt settles that call once it is resumed, and does not have the model asked before.",
			Why:      "The proposal asks the model over a transcript in which the call has no result, which providers refuse. The call itself stays open until its deadline.",
			Source:   []string{"rule:M5", "rule:M4", "rule:G12"},
			Evidence: EvidenceSession,
			Good: Example{
				BeforeTrigger: exampleExecute, Before: exampleAsksFirst,
				Given: exampleParked, Trigger: exampleResumed,
				Answer: `{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}]}`,
			},
			Bad: Example{
				BeforeTrigger: exampleExecute, Before: exampleAsksFirst,
				Given: exampleParked, Trigger: exampleResumed, Answer: exampleAskAgain,
			},
			Cause: "interrupt.resumed falls into the branch that returns proposed. Find the call in calls, by an id that the interrupt's own id or the state carries, and settle it.",
		},
		{
			ID:       "interrupt.names-the-call",
			Level:    Must,
			Added:    fourthRegistry,
			Text:     "A settle in the answer to interrupt.resumed names its call.",
			Why:      "That trigger is about no call, so there is nothing to take a missing id from: the response is spoiled and the turn fails.",
			Source:   []string{"rule:M5", "rule:F3", "gap:4"},
			Evidence: EvidenceExchange,
			Good: Example{
				Given: exampleParked, Trigger: exampleResumed,
				Answer: `{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}]}`,
			},
			Bad: Example{
				Given: exampleParked, Trigger: exampleResumed,
				Answer: `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}]}`,
			},
			Cause: "The code that answers tool.execute is called again. Only there may the id be left out.",
		},
		{
			ID:       "interrupt.says-why",
			Level:    Should,
			Added:    fourthRegistry,
			Text:     "An interrupt that a worker raises itself says in its reason what it waits for.",
			Why:      "The reason is all that a client without a screen of its own for this interrupt can show the person.",
			Source:   []string{"rule:M1", "wire:5"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: exampleAsksFirst},
			Bad:      Example{Trigger: exampleExecute, Answer: `{"actions":[{"type":"interrupt","reason":" ","payload":{"message":"Shall I look for Oslo?"}}]}`},
			Cause:    "The question stands in the payload alone.",
		},
	}
}
