package spec

// restartRequirements are about a worker that goes down between two decisions
// and comes up again (R15).
func restartRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "restart.keeps-going",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker that was restarted goes on with a session as if nothing had been: what the request carries is all that it needs.",
			Why:      "Workers are deployed, moved and killed while sessions last for days. One that knows a session only by its memory turns each deployment into failed calls.",
			Source:   []string{"rule:O7"},
			Evidence: EvidenceProvoked,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: `{"actions":[{"type":"tool.error","error":"there is no such session"}]}`},
			Cause:    "Tools, state or the conversation are kept in a variable by session. Read them from the request, which carries config, state and messages each time; keep what is more than that in a store that outlives the process.",
		},
	}
}
