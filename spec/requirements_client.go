package spec

// clientRequirements are about what belongs to the client: the tools that it
// offers and the answers that it gives (B4, J1, J2).
func clientRequirements() []Requirement {
	const (
		offer    = `{"name":"show_map","handler":"client"}`
		offered  = `{"name":"show_map","description":""}`
		declared = `{"model":"m","llm":"main","tools":[{"name":"get_weather"}]}`
		merged   = `{"model":"m","llm":"main","tools":[{"name":"get_weather"},` + offer + `]}`
		ask      = `{"type":"llm.call","model":"m","llm":"main","tools":[{"name":"get_weather","description":""},` + offered + `]}`
		answer   = `{"messages":[` + exampleUser + `],"actions":[` + ask + `],"agent":` + merged + `}`
		hello    = `{"type":"client.messages","messages":[` + exampleUser + `],"new_from":0,"client":{"tools":[` + offer + `]}}`
		asked    = `{"calls":[{"id":"c1","kind":"tool_call","status":"pending","attempt":0,"name":"get_weather","arguments":"{\"city\":\"Oslo\"}","handler":"worker"},{"id":"k1","kind":"tool_call","status":"pending","attempt":0,"name":"ask_person","arguments":"{}","handler":"client"}],"pending_calls":2}`
	)
	return []Requirement{
		{
			ID:       "client.declares-what-it-offers",
			Level:    Should,
			Added:    thirdRegistry,
			Text:     "A worker that shows the model a tool which the client offers also declares it in the config.",
			Why:      "The place of a call is looked up in the config. A tool that only the model was told of is run by nobody: its calls go to the worker, and the client is never asked.",
			Source:   []string{"rule:B4"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: `{"agent":` + declared + `,"proposed":` + answer + `}`, Trigger: hello, Answer: answer},
			Bad:      Example{Given: `{"agent":` + declared + `,"proposed":` + answer + `}`, Trigger: hello, Answer: `{"messages":[` + exampleUser + `],"actions":[` + ask + `]}`},
			Cause:    "The messages and actions of proposed were copied and its agent left out, or replaced by a config of the worker's own.",
		},
		{
			ID:       "client.leaves-answers-to-the-client",
			Level:    Should,
			Added:    thirdRegistry,
			Text:     "A worker does not make up the result of a call that the client is still to answer.",
			Why:      "The first answer wins: what the person then says is refused, and the model goes on with words that nobody said.",
			Source:   []string{"rule:J1", "rule:J2", "rule:F2"},
			Evidence: EvidenceEngine,
			Good:     Example{Given: asked, Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Given: asked, Trigger: exampleExecute, Answer: `{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}},{"type":"tool.result","id":"k1","result":{"content":[{"type":"text","text":"yes"}]}}]}`},
			Cause:    "The worker settles every call that the request lists, whoever is to run it.",
		},
	}
}

// stateRequirements are about the worker's state on branches (O3).
func stateRequirements() []Requirement {
	const forked = `{"state":{"lookups":0},"messages":[{"id":"m2","role":"user","content":"How is Bergen?","tool_calls":[]}],"message_tree":{"nodes":[{"message":{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}},{"message":{"id":"m2","role":"user","content":"How is Bergen?","tool_calls":[]}}],"head_id":"m2"}}`
	return []Requirement{
		{
			ID:       "state.stays-on-its-branch",
			Level:    Should,
			Added:    thirdRegistry,
			Text:     "On a branch of the conversation a worker writes the state and config that it would write if the other branches had never been.",
			Why:      "State belongs to the branch that it was written on. Kept anywhere else, it brings back what the user has taken back.",
			Source:   []string{"rule:O3", "rule:O7"},
			Evidence: EvidenceProvoked,
			Good:     Example{Given: forked, Trigger: exampleExecute, Answer: `{"state":{"lookups":1},"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}]}`},
			Bad:      Example{Given: forked, Trigger: exampleExecute, Answer: `{"state":{"lookups":2},"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}]}`},
			Cause:    "A variable holds the state by session_id. Start from the state of the request, each time.",
		},
	}
}
