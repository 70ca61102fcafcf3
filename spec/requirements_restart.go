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
		{
			ID:       "restart.keeps-its-work",
			Level:    Should,
			Added:    fourthRegistry,
			Text:     "A worker that was restarted while it held a call settles that call all the same.",
			Why:      "A call whose work went down with the process stays open until its deadline, and the model reads deadline exceeded in place of what happened. Each deployment then costs the calls that were under way.",
			Source:   []string{"rule:I2", "rule:I3", "rule:O7"},
			Evidence: EvidenceProvoked,
			Good:     Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{{Body: exampleSettle, Status: 200}}},
			Bad:      Example{Trigger: exampleExecute, Answer: `{}`},
			Cause:    "The work is kept in memory only. Write down session_id, id, attempt and arguments before the empty decision goes out, strike them out once the settle was taken, and begin anew what is left there when the process starts.",
		},
	}
}
