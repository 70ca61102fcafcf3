package spec

// The pieces that the examples of hosted models share.
const (
	exampleQuestion = `"request":{"model":"m","messages":[{"role":"user","content":"How is Oslo?"}]}`
	exampleHosted   = `{"type":"llm.execute","id":"l1",` + exampleQuestion + `,"stream":false,"attempt":0}`
	exampleStreamed = `{"type":"llm.execute","id":"l1",` + exampleQuestion + `,"stream":true,"attempt":0}`
	exampleOpenAI   = `{"type":"llm.execute","id":"l1",` + exampleQuestion + `,"format":"openai","stream":true,"attempt":0}`
	exampleModelSes = `{"calls":[{"id":"l1","kind":"llm_call","status":"pending","attempt":0,"handler":"worker","stream":false}]}`

	exampleReply      = `{"type":"llm.result","response":{"model":"m","content":"Sunny in Oslo."}}`
	exampleModelCalls = `{"id":"c2","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}`
)

// answering is an answer with one llm.result of this response.
func answering(response string) string {
	return `{"actions":[{"type":"llm.result","response":` + response + `}]}`
}

// modelRequirements are about models that a worker hosts: what it answers to an
// llm.execute (wire 4, wire 5, wire 9).
func modelRequirements() []Requirement {
	all := []Requirement{
		{
			ID:       "model.settles-once",
			Level:    Must,
			Text:     "A worker that hosts a model ends each model call that it is asked with exactly one llm.result or llm.error, at once or before the deadline.",
			Why:      "An open model call holds the turn; of two answers the second is dropped without a word.",
			Source:   []string{"wire:5", "rule:F2"},
			Evidence: EvidenceSession,
			Good:     Example{Given: exampleModelSes, Trigger: exampleHosted, Answer: `{"actions":[` + exampleReply + `]}`},
			Bad:      Example{Given: exampleModelSes, Trigger: exampleHosted, Answer: `{"actions":[` + exampleReply + `,{"type":"llm.error","error":"the log is full"}]}`},
			Cause:    "A branch that returns nothing, an id of the provider's in place of the trigger's, or an error added to a list that holds the result.",
		},
		{
			ID:       "model.response-reads",
			Level:    Must,
			Text:     "The response of a hosted model has the form that was asked for: with a format it is the provider's own response, without one an LlmResponse with its model.",
			Why:      "A response that does not read spoils the whole decision, and the turn fails.",
			Source:   []string{"rule:F3", "wire:5", "wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleHosted, Answer: answering(`{"model":"m","content":"Sunny in Oslo."}`)},
			Bad:      Example{Trigger: exampleHosted, Answer: answering(`{"content":"Sunny in Oslo."}`)},
			Cause:    "The provider's response was handed on although no format was named, arguments stand there as an object, or the cost is a number.",
		},
		{
			ID:       "model.tool-call-ids-are-new",
			Level:    Must,
			Text:     "Each tool call of a hosted model has an id that no call of the session had before.",
			Why:      "A call of a known id is ignored: the tool does not run, and the turn waits for a result that never comes.",
			Source:   []string{"rule:C7", "wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleAfter, Trigger: exampleHosted, Answer: answering(`{"model":"m","tool_calls":[` + exampleModelCalls + `]}`)},
			Bad: Example{Given: exampleAfter, Trigger: exampleHosted,
				Answer: answering(`{"model":"m","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]}`)},
			Cause: "Ids are counted anew in each reply: call_0, call_1.",
		},
		{
			ID:       "model.tool-calls-are-functions",
			Level:    Should,
			Text:     "Each tool call of a hosted model has an id, the type function, and the name of a tool.",
			Why:      "What has no name cannot be run, and other types are not defined.",
			Source:   []string{"wire:7", "wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleHosted, Answer: answering(`{"model":"m","tool_calls":[` + exampleModelCalls + `]}`)},
			Bad:      Example{Trigger: exampleHosted, Answer: answering(`{"model":"m","tool_calls":[{"id":"c2","type":"tool_use","function":{"name":"get_weather","arguments":"{}"}}]}`)},
			Cause:    "The type of the provider's block was kept.",
		},
		{
			ID:       "model.finish-reason-fits",
			Level:    Should,
			Text:     "The finish reason of a hosted model is tool_calls where it calls tools and only there, unless the answer was cut or refused.",
			Why:      "Engines and clients tell by it whether a turn goes on.",
			Source:   []string{"wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleHosted, Answer: answering(`{"model":"m","content":"Sunny.","finish_reason":"stop"}`)},
			Bad:      Example{Trigger: exampleHosted, Answer: answering(`{"model":"m","content":"Sunny.","finish_reason":"tool_calls"}`)},
			Cause:    "A constant, or a reason in the words of another provider.",
		},
		{
			ID:       "model.usage-adds-up",
			Level:    Should,
			Text:     "The usage of a hosted model adds up: input is uncached_input, cache_read and cache_write together, and total is input and output.",
			Why:      "Bills and budgets are computed from it.",
			Source:   []string{"wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleHosted, Answer: answering(`{"model":"m","content":"Sunny.","usage":{"input":10,"output":2,"uncached_input":4,"cache_read":6,"cache_write":0,"total":12}}`)},
			Bad:      Example{Trigger: exampleHosted, Answer: answering(`{"model":"m","content":"Sunny.","usage":{"input":4,"output":2,"uncached_input":4,"cache_read":6,"cache_write":0,"total":6}}`)},
			Cause:    "A provider that counts cached tokens apart was copied field by field.",
		},
		{
			ID:       "model.error-has-text",
			Level:    Must,
			Text:     "An llm.error says in words what went wrong.",
			Why:      "The text is all that a person who reads the failed turn is shown.",
			Source:   []string{"rule:F14", "wire:5"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleHosted, Answer: `{"actions":[{"type":"llm.error","error":"the provider is overloaded","retryable":true}]}`},
			Bad:      Example{Trigger: exampleHosted, Answer: `{"actions":[{"type":"llm.error","error":""}]}`},
			Cause:    "The message of an exception that has none.",
		},
	}
	return added(thirdRegistry, all)
}

// added says which version of the registry brought requirements.
func added(version string, all []Requirement) []Requirement {
	for i := range all {
		all[i].Added = version
	}
	return all
}
