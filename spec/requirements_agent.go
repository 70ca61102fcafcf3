package spec

// agentRequirements are about the config after the session has started (O2).
func agentRequirements() []Requirement {
	const having = `{"agent":{"model":"m","llm":"main","tools":[{"name":"get_weather","input":{"type":"object"}},{"name":"get_tides","input":{"type":"object"}}]}}`
	return []Requirement{
		{
			ID:       "agent.keeps-its-tools",
			Level:    Should,
			Added:    secondRegistry,
			Text:     "A worker that sends an agent later in a session sends every tool with it that the config in force has; one that sends none keeps them.",
			Why:      "An agent replaces the config as a whole. What it leaves out is gone for every later model call, and calls of it are refused as unknown.",
			Source:   []string{"rule:O2"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: having, Trigger: exampleTurnEnds, Answer: `{}`},
			Bad:      Example{Given: having, Trigger: exampleTurnEnds, Answer: `{"agent":{"model":"m","llm":"main"}}`},
			Cause:    "A model or a prompt was to be changed, and the agent was sent with that alone.",
		},
	}
}
