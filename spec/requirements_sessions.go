package spec

// sessionsRequirements are about sessions beside each other (D9, R18). One
// recording alone cannot show them.
func sessionsRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "sessions.do-not-share",
			Level:    Must,
			Text:     "A worker behaves in one session as if there were no other at the same time.",
			Why:      "An engine delivers for many sessions at once: what they share reaches the wrong user, and fails at random.",
			Source:   []string{"rule:D9", "gap:29", "field-report:088"},
			Evidence: EvidenceProvoked,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: "(the answer that belongs to another session)"},
			Cause:    "A variable of the module holds the current session. Keep such things by session_id, or in state.",
		},
	}
}
