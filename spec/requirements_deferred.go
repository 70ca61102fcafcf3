package spec

// deferredRequirements are about tools that the model is not shown: it finds and
// calls them by tool_search and call_tool, which the engine runs (K1, K3, K4, K5).
func deferredRequirements() []Requirement {
	const (
		agent   = `"agent":{"model":"m","llm":"main","tools":[{"name":"get_weather","defer":true}]}`
		wrapper = `{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"call_tool","arguments":"{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Oslo\"}}"}}]}`
		through = `{` + agent + `,"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]},` + wrapper + `]}`

		searching = `{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"tool_search","arguments":"{\"query\":\"weather\"}"}}]}`
		found     = `{\"call_with\":\"call_tool\",\"matched\":1,\"searched\":1,\"tools\":[{\"description\":\"\",\"input\":null,\"name\":\"get_weather\"}]}`
		search    = `{"type":"tool.finished","id":"c1","ok":true,"name":"tool_search","result":{"content":[{"type":"text","text":"` + found + `"}]}}`
		recorded  = `{"messages":[` + exampleUser + `,` + searching + `,{"role":"tool","tool_call_id":"c1","name":"tool_search","content":"` + found + `"}],"actions":[` + exampleAsk + `]}`
		searched  = `{` + agent + `,"proposed":` + recorded + `,"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]},` + searching + `]}`
	)
	return added(fourthRegistry, []Requirement{
		{
			ID:       "deferred.runs-the-inner-tool",
			Level:    Must,
			Text:     "A worker answers a call that came through call_tool as it answers the same call made outright: by the name and the arguments of the trigger.",
			Why:      "A deferred tool is called in no other way. One that fails whenever it comes so is a tool that nobody has.",
			Source:   []string{"rule:K4", "wire:4"},
			Evidence: EvidenceSession,
			Good:     Example{Given: through, Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Given: through, Trigger: exampleExecute, Answer: failing(`there is no tool call_tool`)},
			Cause:    "The name and the arguments are read from the assistant message, which keeps call_tool and the object around the inner arguments.",
		},
		{
			ID:       "deferred.records-what-the-engine-ran",
			Level:    Must,
			Text:     "A worker records the tool message of a tool_search, and of a call_tool that the engine refused, although it ran neither.",
			Why:      "A call without a result in the transcript is refused by model providers, and the engine never proposes the next step: the model does not learn what it has found.",
			Source:   []string{"rule:K3", "rule:K5", "rule:G12"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: searched, Trigger: search, Answer: recorded},
			Bad:      Example{Given: searched, Trigger: search, Answer: `{"actions":[` + exampleAsk + `]}`},
			Cause:    "A tool.finished is looked up by the tools that the worker has, and one of another name is passed over.",
		},
		{
			ID:       "deferred.leaves-the-pair-to-the-engine",
			Level:    Should,
			Text:     "A worker that defers tools declares none of its own named tool_search or call_tool.",
			Why:      "A declared tool takes the name and the engine's is dropped: the model can no longer find the deferred tools, or no longer call them.",
			Source:   []string{"rule:K1", "rule:K8", "wire:8"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","defer":true},{"name":"find_part"}`)},
			Bad:      Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","defer":true},{"name":"tool_search"}`)},
			Cause:    "A tool that searches for tools of another kind, or a search from the time before the engine had one.",
		},
	})
}
