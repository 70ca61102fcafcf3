package spec

// disturbedRequirements are about a run that is disturbed on purpose and ends
// like the calm runs beside it (R6). One recording alone cannot show them.
func disturbedRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "disturbed.ends-the-same",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A session whose deliveries are lost, late, repeated or overlap ends like one in which all is calm: with the same calls in the same way, the same transcript and the same state.",
			Why:      "Networks lose answers and engines ask again. What happens to a user's session may not hang on it.",
			Source:   []string{"rule:D5", "rule:D6", "gap:12", "field-report:104"},
			Evidence: EvidenceProvoked,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: "(an answer after which the session ends otherwise than in calm)"},
			Cause:    "Something is counted, appended or remembered at each delivery and not once for each decision. Make what is done depend on decision_id, and build state from the state of the request.",
		},
		{
			ID:       "disturbed.reads-the-same",
			Level:    Should,
			Added:    thirdRegistry,
			Text:     "A session that is disturbed reads like a calm one: the texts are equal, but for those that differ between two calm runs as well.",
			Why:      "A text that differs only when a delivery was disturbed shows that the worker did something twice, or noticed what it need not notice.",
			Source:   []string{"rule:D5", "rule:D6", "gap:12"},
			Evidence: EvidenceProvoked,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: "(an answer that reads otherwise than in calm)"},
			Cause:    "The answer is worded anew when it is asked for again. Keep each answer under its decision_id for some minutes and give it again.",
		},
	}
}
