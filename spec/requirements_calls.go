package spec

// callsRequirements are about the model's own calls: what a worker makes of
// llm.finished (C2, C3, G9).
func callsRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "calls.starts-every-call",
			Level:    Must,
			Text:     "A worker starts every call that the model made, or records a tool message in its place.",
			Why:      "A call that is never started leaves the turn without a next step and the transcript with a call that has no result.",
			Source:   []string{"rule:C2", "rule:G9"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleCalling, Trigger: exampleAsked, Answer: exampleBegin},
			Bad:      Example{Given: exampleCalling, Trigger: exampleAsked, Answer: `{"messages":[` + exampleUser + `,` + exampleAssistant + `]}`},
			Cause:    "The worker filters calls it does not like. Record a tool message that says why.",
		},
		{
			ID:       "calls.keeps-the-assistant-message",
			Level:    Must,
			Text:     "A worker that records the model's message keeps the id of the model call on it.",
			Why:      "The id is the only link from a call to the request that offered the tool: without it arguments and results go unchecked.",
			Source:   []string{"rule:C3", "rule:E2"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleCalling, Trigger: exampleAsked, Answer: exampleBegin},
			Bad:      Example{Given: exampleCalling, Trigger: exampleAsked, Answer: `{"messages":[` + exampleUser + `,{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]}],"actions":[` + exampleCall + `]}`},
			Cause:    "The message was rebuilt from its role and calls, without its id.",
		},
		{
			ID:       "calls.keeps-the-arguments",
			Level:    Should,
			Text:     "A worker starts a call under the name and with the arguments that the model gave.",
			Why:      "The transcript then shows the model another call than the one that ran, and it learns from that.",
			Source:   []string{"rule:C2"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleCalling, Trigger: exampleAsked, Answer: exampleBegin},
			Bad:      Example{Given: exampleCalling, Trigger: exampleAsked, Answer: `{"messages":[` + exampleUser + `,` + exampleAssistant + `],"actions":[{"type":"tool.call","id":"c1","name":"get_weather","arguments":"{\"city\":\"Bergen\"}"}]}`},
			Cause:    "The worker repairs arguments as it starts the call. Repair them in tool.execute.",
		},
	}
}
