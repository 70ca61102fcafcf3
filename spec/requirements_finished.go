package spec

// finishedRequirements are about what follows a call: its result is recorded
// and the model is asked again (G8, G12, gap 7).
func finishedRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "finished.records-the-tool-message",
			Level:    Must,
			Text:     "A worker records the tool message of a call that has finished; returning proposed does it.",
			Why:      "A call without a result in the transcript is refused by model providers, and the engine never proposes the next step.",
			Source:   []string{"rule:G12"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleAfter, Trigger: exampleFinished, Answer: exampleProceed},
			Bad:      Example{Given: exampleAfter, Trigger: exampleFinished, Answer: `{"actions":[` + exampleAsk + `]}`},
			Cause:    "The worker answers triggers that it does not know with an empty object.",
		},
		{
			ID:       "finished.keeps-the-path",
			Level:    Must,
			Text:     "A worker that returns messages returns the whole recorded path first, with its ids, and what is new after it.",
			Why:      "The list is the path and not an addition to it: one that begins with something new starts a new conversation without the old one.",
			Source:   []string{"gap:7", "rule:O4"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleAfter, Trigger: exampleFinished, Answer: exampleProceed},
			Bad:      Example{Given: exampleAfter, Trigger: exampleFinished, Answer: `{"messages":[` + exampleTool + `],"actions":[` + exampleAsk + `]}`},
			Cause:    "Only the new message was returned, or the ids were dropped on the way.",
		},
		{
			ID:       "finished.prompts-the-model",
			Level:    Must,
			Text:     "A worker that is proposed the next model call takes it or does something else: it does not answer without any action.",
			Why:      "With no action and nothing in flight the turn stands still, and no engine ends it.",
			Source:   []string{"rule:G8", "rule:N5"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleAfter, Trigger: exampleFinished, Answer: exampleProceed},
			Bad:      Example{Given: exampleAfter, Trigger: exampleFinished, Answer: `{"messages":[` + exampleUser + `,` + exampleAssistant + `,` + exampleTool + `]}`},
			Cause:    "The messages of proposed were copied and its actions left out.",
		},
		{
			ID:       "finished.waits-for-siblings",
			Level:    Must,
			Text:     "A worker does not ask the model again while other calls of the same answer are still open.",
			Why:      "The model would be shown calls without results: providers refuse that, and the results come too late to be read.",
			Source:   []string{"rule:G8", "rule:G13"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleWaiting, Trigger: exampleFinished, Answer: `{"messages":[` + exampleUser + `,` + exampleAssistant + `,` + exampleTool + `]}`},
			Bad:      Example{Given: exampleWaiting, Trigger: exampleFinished, Answer: exampleProceed},
			Cause:    "The worker builds the next model call itself, whatever pending_calls says.",
		},
	}
}
