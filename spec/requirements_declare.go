package spec

// declareRequirements are about the tools in a config that a worker returns
// (wire 8, D12).
func declareRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "declare.tool-names-unique",
			Level:    Must,
			Text:     "A worker declares each tool name once.",
			Why:      "Model providers refuse a request with two tools of one name, and which of the two a call means is chance.",
			Source:   []string{"wire:8", "field-report:052"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStart, Answer: declaring(`{"name":"search"},{"name":"find"}`)},
			Bad:      Example{Trigger: exampleStart, Answer: declaring(`{"name":"search"},{"name":"search"}`)},
			Cause:    "Two modules register a tool of the same name.",
		},
		{
			ID:       "declare.tool-names-acceptable",
			Level:    Should,
			Text:     "A worker's tool names are 1 to 64 ASCII letters, digits, underscores and hyphens.",
			Why:      "A provider that does not take one name refuses the whole request, with every tool in it.",
			Source:   []string{"field-report:049", "rule:K8"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStart, Answer: declaring(`{"name":"calendar_respond"}`)},
			Bad:      Example{Trigger: exampleStart, Answer: declaring(`{"name":"calendar.respond"}`)},
			Cause:    "A namespace in the name, written with a dot or a slash.",
		},
		{
			ID:       "declare.handler-is-worker-or-client",
			Level:    Must,
			Text:     "A worker declares tools that run on the worker or on the client, and no other handler.",
			Why:      "A declared tool with handler server, or with one that nobody knows, spoils the response that declares it.",
			Source:   []string{"rule:D12", "rule:F3", "wire:8"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleTurnEnds, Answer: declaring(`{"name":"get_weather"},{"name":"pick_colour","handler":"client"}`)},
			Bad:      Example{Trigger: exampleTurnEnds, Answer: declaring(`{"name":"get_weather"},{"name":"pick_colour","handler":"server"}`)},
			Cause:    "The handler was copied from a call that the engine runs itself. Leave it out.",
		},
		{
			ID:       "declare.input-takes-objects",
			Level:    Must,
			Text:     "The root of a worker's input schema admits an object.",
			Why:      "Arguments are always an object, so every call of such a tool is invalid; some providers drop the tool, or all tools, in silence.",
			Source:   []string{"wire:8", "field-report:050"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStart, Answer: declaring(`{"name":"lookup","input":{"type":"object","properties":{"key":{"type":"string"}}}}`)},
			Bad:      Example{Trigger: exampleStart, Answer: declaring(`{"name":"lookup","input":{"type":"string"}}`)},
			Cause:    "The schema of the only parameter was given in place of an object that has it as a property.",
		},
		{
			ID:       "declare.schemas-compile",
			Level:    Should,
			Text:     "A worker's schemas are valid JSON Schema and refer to nothing outside themselves.",
			Why:      "A schema that cannot be built is skipped: the tool goes unchecked in both directions and nobody is told.",
			Source:   []string{"rule:E6", "gap:18"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStart, Answer: declaring(`{"name":"lookup","input":{"type":"object","properties":{"n":{"type":"integer"}}}}`)},
			Bad:      Example{Trigger: exampleStart, Answer: declaring(`{"name":"lookup","input":{"type":"object","properties":{"n":{"type":"int"}}}}`)},
			Cause:    "A type name of the programming language, or a $ref to a file or a URL.",
		},
		{
			ID:       "declare.defaults-fit",
			Level:    Should,
			Text:     "Each default, example, enum value and const in a worker's schemas fits the schema it stands in.",
			Why:      "Models and clients copy these values, and are then refused by the same schema.",
			Source:   []string{"field-report:053"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStart, Answer: declaring(`{"name":"list","input":{"type":"object","properties":{"project":{"type":["string","null"],"default":null}}}}`)},
			Bad:      Example{Trigger: exampleStart, Answer: declaring(`{"name":"list","input":{"type":"object","properties":{"project":{"type":"string","default":null}}}}`)},
			Cause:    "A generated schema writes null for a parameter without a default.",
		},
	}
}
