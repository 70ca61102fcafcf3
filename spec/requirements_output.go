package spec

// outputRequirements are about tools that declare a schema for their results
// (F11, F12).
func outputRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "output.matches-schema",
			Level:    Must,
			Text:     "A worker's result matches the output schema that the tool declares.",
			Why:      "A result that does not match never reaches the model: the call ends in an error that cannot be retried.",
			Source:   []string{"rule:F11", "field-report:064"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleOutputAgent, Trigger: exampleExecute, Answer: resulting(`{"content":[],"structuredContent":{"celsius":18}}`)},
			Bad:      Example{Given: exampleOutputAgent, Trigger: exampleExecute, Answer: resulting(`{"content":[{"type":"text","text":"18 degrees"}]}`)},
			Cause:    "Prose where the schema wants an object. Put the value into structuredContent.",
		},
		{
			ID:       "output.failure-keeps-its-reason",
			Level:    Should,
			Text:     "A worker reports a failure of a tool with an output schema as a tool.error, not as a flagged result that breaks the schema.",
			Why:      "The schema is applied to flagged results too, so the model reads a complaint about the schema and never the reason.",
			Source:   []string{"rule:F12", "gap:17", "field-report:070"},
			Evidence: EvidenceExchange,
			Good:     Example{Given: exampleOutputAgent, Trigger: exampleExecute, Answer: `{"actions":[{"type":"tool.error","error":"rate limited: try again in a minute"}]}`},
			Bad:      Example{Given: exampleOutputAgent, Trigger: exampleExecute, Answer: resulting(`{"content":[{"type":"text","text":"rate limited"}],"isError":true}`)},
			Cause:    "One helper that flags every failure, whatever the tool declares.",
		},
	}
}
