package spec

// exampleAgain are the members of a request that is delivered a second time.
const exampleAgain = `{"decision_id":"d7","attempts":1}`

// retryRequirements are about a decision that is delivered again (D5).
func retryRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "retry.survives-redelivery",
			Level:    Must,
			Added:    secondRegistry,
			Text:     "A worker that is sent a decision again settles the same calls in the same way: what was a result does not become an error, and nothing is left out.",
			Why:      "An answer can be lost on its way, and the engine then asks again under the same decision_id. What the worker says the second time is what the model reads of work that was done the first time.",
			Source:   []string{"rule:D5", "gap:12", "field-report:104"},
			Evidence: EvidenceSession,
			Good:     Example{Given: exampleAgain, Before: exampleResult, Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Given: exampleAgain, Before: exampleResult, Trigger: exampleExecute, Answer: `{"actions":[{"type":"tool.error","error":"this was done already"}]}`},
			Cause:    "The tool runs a second time and meets what it did the first time. Keep each answer under its decision_id for some minutes and give it again.",
		},
		{
			ID:       "retry.answers-alike",
			Level:    Should,
			Added:    secondRegistry,
			Text:     "A worker that is sent a decision again answers with the same words; times, counts and ids in them do not count.",
			Why:      "Another text shows that the tool ran twice, with whatever else it did; and which of the two the model reads is chance.",
			Source:   []string{"rule:D5", "gap:12", "field-report:104"},
			Evidence: EvidenceSession,
			Good:     Example{Given: exampleAgain, Before: exampleResult, Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Given: exampleAgain, Before: exampleResult, Trigger: exampleExecute, Answer: `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny in Oslo, as before."}]}}]}`},
			Cause:    "The answer is not kept, so the tool runs again and finds other words.",
		},
	}
}
