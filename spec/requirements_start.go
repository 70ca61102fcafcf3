package spec

// startRequirements are about the first decision of a session (A3, A4).
func startRequirements() []Requirement {
	// bare is the form that proposes no agent.
	const bare = `{"proposed":{"messages":[],"actions":[],"state":null}}`
	return []Requirement{
		{
			ID:       "start.yields-a-config",
			Level:    Must,
			Text:     "A worker answers session.start with an agent config that names at least a model.",
			Why:      "Without a config the agent has no model and no tools: the first message is met with an interrupt in place of an answer.",
			Source:   []string{"rule:A3", "rule:A4", "wire:8"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","input":{"type":"object"}}`)},
			Bad:      Example{Trigger: exampleStart, Answer: `{}`},
			Cause:    "The worker serves another agent id, or returns an empty object for triggers other than tool.execute.",
		},
		{
			ID:       "start.works-in-either-form",
			Level:    Should,
			Text:     "A worker yields its config whether the engine proposes one from an agent file or proposes nothing.",
			Why:      "A worker that only spreads the proposed config works with one set-up of an engine and is mute with the other.",
			Source:   []string{"rule:A3"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: bare, Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","input":{"type":"object"}}`)},
			Bad:      Example{Given: bare, Trigger: exampleStart, Answer: `{}`},
			Cause:    "The config is built from proposed.agent without a fallback for its absence.",
		},
	}
}
