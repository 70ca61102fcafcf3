package spec

const (
	exampleHello       = `{"type":"client.messages","messages":[` + exampleUser + `],"new_from":0,"client":{}}`
	exampleAnswerGiven = `{"proposed":{"messages":[` + exampleUser + `],"actions":[` + exampleAsk + `]}}`
	exampleSpoken      = `{"type":"llm.finished","id":"l2","ok":true,"message":{"id":"l2","role":"assistant","content":"Sunny."},"truncated":false}`
	exampleDone        = `{"messages":[` + exampleUser + `,{"id":"l2","role":"assistant","content":"Sunny."}],"actions":[{"type":"done","data":"Sunny."}]}`
	exampleClosing     = `{"proposed":` + exampleDone + `,"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}]}`
)

// turnRequirements are about the two ends of a turn (C1, N5).
func turnRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "turn.prompts-the-model",
			Level:    Must,
			Text:     "A worker answers a client's messages with some action: the proposed model call, or its own next step.",
			Why:      "With no action and nothing in flight the turn stands still, and the user waits for ever.",
			Source:   []string{"rule:B3", "rule:N5"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleAnswerGiven, Trigger: exampleHello, Answer: `{"messages":[` + exampleUser + `],"actions":[` + exampleAsk + `]}`},
			Bad:      Example{Given: exampleAnswerGiven, Trigger: exampleHello, Answer: `{}`},
			Cause:    "The worker answers triggers that it does not know with an empty object. Return proposed.",
		},
		{
			ID:       "turn.gives-the-model-the-conversation",
			Level:    Should,
			Added:    thirdRegistry,
			Text:     "A worker that asks the model hands the conversation over: in the messages of its answer, or in those of the llm.call.",
			Why:      "An llm.call without messages, in an answer without messages, shows the model the system prompt and nothing else.",
			Source:   []string{"gap:35", "wire:5"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleAnswerGiven, Trigger: exampleHello, Answer: `{"messages":[` + exampleUser + `],"actions":[{"type":"llm.call"}]}`},
			Bad:      Example{Given: exampleAnswerGiven, Trigger: exampleHello, Answer: `{"actions":[{"type":"llm.call"}]}`},
			Cause:    "The call was left bare in the belief that it prompts over what is recorded.",
		},
		{
			ID:       "turn.ends-the-turn",
			Level:    Must,
			Text:     "A worker answers the model's last word with done or with another step.",
			Why:      "With no action and nothing in flight the turn stays open, no engine ends it, and later messages are refused.",
			Source:   []string{"rule:C1", "rule:N5"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleClosing, Trigger: exampleSpoken, Answer: exampleDone},
			Bad:      Example{Given: exampleClosing, Trigger: exampleSpoken, Answer: `{"messages":[` + exampleUser + `,{"id":"l2","role":"assistant","content":"Sunny."}]}`},
			Cause:    "The messages of proposed were copied and its actions left out.",
		},
	}
}
