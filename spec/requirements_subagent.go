package spec

// The pieces of examples in which one agent calls another.
const (
	exampleCallsAgent = `{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"surveyor","arguments":"{\"message\":\"Look at Oslo.\"}"}}]}`
	exampleSpawn      = `{"type":"subagent.spawn","agent_id":"surveyor","tool_call_id":"c1","message":{"role":"user","content":"Look at Oslo."}}`
	exampleSpawnGiven = `{"proposed":{"messages":[` + exampleUser + `,` + exampleCallsAgent + `],"actions":[` + exampleSpawn + `]}}`
	exampleSurveyed   = `{"role":"tool","tool_call_id":"c1","name":"surveyor","content":"{\"result\":\"Sunny.\",\"session\":\"k1\"}"}`
	exampleChildStart = `{"agent_id":"surveyor","ancestry":["s-caller"],"proposed":{"agent":{"model":"gpt","llm":"main"}}}`
	exampleTwoAgents  = `{"agent":{"model":"gpt","llm":"main","subagents":[{"id":"surveyor"}]}}`
)

// subagentRequirements are about agents that are called by agents (L1 to L3).
func subagentRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "subagent.yields-a-config",
			Level:    Must,
			Added:    fourthRegistry,
			Text:     "A worker answers the session.start of a subagent's session with a config, for each agent that it declares as one.",
			Why:      "Without a config the subagent cannot speak: its turn waits for a person, and the call of it stays open.",
			Source:   []string{"rule:L2", "rule:A4"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleChildStart, Trigger: `{"type":"session.start"}`, Answer: `{"agent":{"model":"gpt","llm":"main","system":"You survey."}}`},
			Bad:      Example{Given: exampleChildStart, Trigger: `{"type":"session.start"}`, Answer: `{}`},
			Cause:    "session.start is answered for one agent id only. The subagent's id comes as agent_id, and the caller's session in ancestry.",
		},
		{
			ID:       "subagent.acts-as-its-agent",
			Level:    Should,
			Added:    fourthRegistry,
			Text:     "A worker starts a subagent with a config of its own, and not with that of the agent that calls it.",
			Why:      "The same config means the same tools, the same words and the same subagents: the agent calls itself, down to the depth limit.",
			Source:   []string{"rule:L2", "rule:L4", "wire:2"},
			Evidence: EvidenceSession,
			Good: Example{
				Given: exampleChildStart, Trigger: `{"type":"session.start"}`, Answer: `{"agent":{"model":"gpt","llm":"main","system":"You survey."}}`,
			},
			Bad: Example{
				Given: exampleChildStart, Trigger: `{"type":"session.start"}`, Answer: exampleTwoAgents,
			},
			Cause: "The handler does not look at agent_id.",
		},
		{
			ID:       "subagent.keeps-the-call",
			Level:    Must,
			Added:    fourthRegistry,
			Text:     "A worker that starts a subagent for a call of the model starts the one that was called, in the session that was named.",
			Why:      "The model reads the answer as that of the agent it asked, and goes on with a session that it believes to know.",
			Source:   []string{"rule:L2", "rule:L1", "rule:C2"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleSpawnGiven, Trigger: `{"type":"llm.finished","id":"l1","ok":true,"message":` + exampleCallsAgent + `,"truncated":false}`, Answer: `{"messages":[` + exampleUser + `,` + exampleCallsAgent + `],"actions":[` + exampleSpawn + `]}`},
			Bad: Example{Given: exampleSpawnGiven, Trigger: `{"type":"llm.finished","id":"l1","ok":true,"message":` + exampleCallsAgent + `,"truncated":false}`,
				Answer: `{"messages":[` + exampleUser + `,` + exampleCallsAgent + `],"actions":[{"type":"subagent.spawn","agent_id":"agent","tool_call_id":"c1"}]}`},
			Cause: "The spawn is built anew from the call. Return the proposed one.",
		},
		{
			ID:       "subagent.records-its-answer",
			Level:    Must,
			Added:    fourthRegistry,
			Text:     "A worker answers subagent.finished with the tool message of its call recorded, as it does tool.finished.",
			Why:      "A call without a result is left in the transcript, which providers refuse, and the model is never asked again.",
			Source:   []string{"rule:L3", "rule:G12"},
			Evidence: EvidenceExchange,
			Good: Example{
				Given:   `{"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}],"proposed":{"messages":[` + exampleUser + `,` + exampleSurveyed + `],"actions":[` + exampleAsk + `]}}`,
				Trigger: `{"type":"subagent.finished","id":"c1","ok":true,"session_id":"k1","agent_id":"surveyor","result":"Sunny."}`,
				Answer:  `{"messages":[` + exampleUser + `,` + exampleSurveyed + `],"actions":[` + exampleAsk + `]}`,
			},
			Bad: Example{
				Given:   `{"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}],"proposed":{"messages":[` + exampleUser + `,` + exampleSurveyed + `],"actions":[` + exampleAsk + `]}}`,
				Trigger: `{"type":"subagent.finished","id":"c1","ok":true,"session_id":"k1","agent_id":"surveyor","result":"Sunny."}`,
				Answer:  `{"messages":[` + exampleUser + `],"actions":[` + exampleAsk + `]}`,
			},
			Cause: "The handler knows tool.finished and not subagent.finished. Return proposed for triggers that you do not handle.",
		},
	}
}
