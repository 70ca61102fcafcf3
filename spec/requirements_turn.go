package spec

const (
	exampleHello       = `{"type":"client.messages","messages":[` + exampleUser + `],"new_from":0,"client":{}}`
	exampleAnswerGiven = `{"proposed":{"messages":[` + exampleUser + `],"actions":[` + exampleAsk + `]}}`
	exampleSpoken      = `{"type":"llm.finished","id":"l2","ok":true,"message":{"id":"l2","role":"assistant","content":"Sunny."},"truncated":false}`
	exampleDone        = `{"messages":[` + exampleUser + `,{"id":"l2","role":"assistant","content":"Sunny."}],"actions":[{"type":"done","data":"Sunny."}]}`
	exampleFailed      = `{"type":"llm.finished","id":"l1","ok":false,"truncated":false,"error":{"message":"too many requests","code":"rate_limited"}}`
	exampleFail        = `{"messages":[` + exampleUser + `],"actions":[{"type":"fail","error":{"message":"too many requests","code":"rate_limited"}}]}`
	exampleFailure     = `{"proposed":` + exampleFail + `,"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}]}`
	exampleClosing     = `{"proposed":` + exampleDone + `,"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}]}`
)

// turnRequirements are about the two ends of a turn (C1, N4, N5).
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
		{
			ID:       "turn.ends-a-failed-turn",
			Level:    Must,
			Added:    fourthRegistry,
			Text:     "A worker that is proposed to end a turn by fail, after a model call that failed, takes that or another action: it does not answer without any.",
			Why:      "With no action and nothing in flight the turn stays open, no engine ends it, and later messages are refused.",
			Source:   []string{"gap:9", "rule:N4", "rule:N5"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleFailure, Trigger: exampleFailed, Answer: exampleFail},
			Bad:      Example{Given: exampleFailure, Trigger: exampleFailed, Answer: `{"messages":[` + exampleUser + `]}`},
			Cause:    "The worker looks for a message in llm.finished and does nothing where there is none.",
		},
		{
			ID:       "turn.fails-in-words",
			Level:    Must,
			Added:    fourthRegistry,
			Text:     "A worker that ends a turn by fail says in words what went wrong.",
			Why:      "The message is all that the person is shown in place of an answer.",
			Source:   []string{"rule:N4", "wire:10"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleFailure, Trigger: exampleFailed, Answer: exampleFail},
			Bad:      Example{Given: exampleFailure, Trigger: exampleFailed, Answer: `{"messages":[` + exampleUser + `],"actions":[{"type":"fail","error":{"message":" ","code":"rate_limited"}}]}`},
			Cause:    "The message of an exception that has none.",
		},
	}
}
