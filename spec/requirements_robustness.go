package spec

// exampleGone is what is met where nobody is any more.
const exampleGone = "(the connection closes before a response head)"

// robustnessRequirements are about what a worker lives through, and what of a
// later protocol it bears. What it answers to something odd is its own matter
// where the protocol says nothing of it; that it is still there for the next
// request is not. The examples of the first ten show that next request.
func robustnessRequirements() []Requirement {
	survives := func(id, text, why, cause string, evidence Evidence, source ...string) Requirement {
		return Requirement{
			ID: "robustness." + id, Level: Must, Added: fourthRegistry, Text: text, Why: why, Source: source, Evidence: evidence,
			Good: Example{Trigger: exampleTurnEnds, Answer: `{}`}, Bad: Example{Trigger: exampleTurnEnds, Answer: exampleGone},
			Cause: cause,
		}
	}
	return []Requirement{
		survives("survives-large-arguments",
			"A worker is still there after a call with a megabyte of arguments.",
			"A model that pastes a file into a call ends the process otherwise, and with it every session.",
			"The request is held several times over in memory, or a pattern that backtracks runs over the whole text. Bound the body and what is matched.",
			EvidenceEngine, "gap:32", "field-report:032", "field-report:077"),
		survives("survives-long-history",
			"A worker is still there after a request with 200 messages of history.",
			"Long conversations are where most was said: that they end the process is noticed when it hurts most.",
			"Work for each message grows with all before it, or a stack grows by one frame a message.",
			EvidenceEngine, "rule:O4", "rule:O7", "gap:32"),
		survives("survives-deep-nesting",
			"A worker is still there after a call whose arguments nest deeper than its parser likes.",
			"A stack that overflows ends the process in most languages, where no handler catches it.",
			"The arguments are parsed or walked by recursion without a bound. Take input.status from the request, and parse with a limit.",
			EvidenceEngine, "gap:26", "gap:32", "field-report:038"),
		survives("survives-odd-text",
			"A worker is still there after text with unpaired surrogates, NUL, control characters, bidirectional marks, combining characters or emoji.",
			"Such text comes from web pages and spreadsheets every day; half a pair makes encoders throw far from any handler.",
			"A text is encoded, hashed or logged outside the try block, by an encoder that refuses half a surrogate pair.",
			EvidenceEngine, "gap:26", "gap:32", "field-report:013", "field-report:034", "field-report:035"),
		survives("survives-odd-names",
			"A worker is still there after a call of a tool whose name is a path, a property of every object, of odd characters or without end.",
			"Models invent names; one that is found in the prototype of an object is called as if it were a tool.",
			"Tools are looked up in a plain object, a module or a folder. Use a map and compare whole names.",
			EvidenceEngine, "gap:28", "gap:32", "field-report:041", "field-report:047"),
		survives("survives-odd-ids",
			"A worker is still there after a call whose id is long, or holds quotes, slashes or the name of a property.",
			"Ids are opaque: each provider writes its own kind, and an engine passes them on.",
			"The id is used as a file's name, put into a query or taken for a key of a plain object.",
			EvidenceEngine, "wire:2", "gap:32", "field-report:047"),
		survives("survives-many-calls",
			"A worker is still there after 32 calls that are open at once.",
			"A model that works through a list calls for each entry; workers with a pool or a table of fixed size end there.",
			"A resource is taken for each open call and never given back, or a table has a fixed size.",
			EvidenceEngine, "gap:29", "gap:32", "field-report:089"),
		survives("survives-empty-text",
			"A worker is still there after an empty message, an empty tool name or an empty argument string.",
			"Empty is what a parser makes of nothing; code that takes the first character ends the process.",
			"The first character or element is taken without a look whether there is one.",
			EvidenceEngine, "gap:27", "gap:32", "field-report:005", "field-report:044"),
		survives("survives-what-it-does-not-know",
			"A worker is still there after a request with fields or a trigger that it does not know.",
			"An engine is updated before its workers are; a worker that goes down with the first new field takes the service along.",
			"An unknown value reaches a switch without a default, and what it throws is caught by nobody.",
			EvidenceProvoked, "gap:13", "gap:14", "gap:32", "rule:D14"),
		survives("survives-broken-requests",
			"A worker is still there after a request that is no decision: another method, no body, no JSON, a body that is cut off or announces another length.",
			"Health checks, scanners and networks that break send such requests to every address; each one would end all sessions of the process.",
			"An error of the request's stream has no listener, or the body is parsed outside the try block.",
			EvidenceProvoked, "wire:1", "gap:32"),
		{
			ID:       "robustness.tolerates-unknown-fields",
			Level:    Should,
			Added:    fourthRegistry,
			Text:     "A worker answers a request with fields that it does not know as if they were not there.",
			Why:      "A later engine sends more than this one, and each turn fails until the worker is changed.",
			Source:   []string{"gap:13", "gap:14"},
			Evidence: EvidenceProvoked,
			Good:     Example{Adds: AddsFields, Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Adds: AddsFields, Trigger: exampleExecute, Answer: "HTTP/1.1 422 Unprocessable Entity\r\nContent-Type: text/plain\r\n\r\nunknown field"},
			Cause:    "The types that read the request forbid extra keys, or a schema with additionalProperties: false guards the route.",
		},
		{
			ID:       "robustness.answers-unknown-triggers",
			Level:    Should,
			Added:    fourthRegistry,
			Text:     "A worker answers a trigger that it does not know with a decision, best with the proposal as it came.",
			Why:      "Triggers are added in later versions; a worker that fails them ends turns which it could have let pass.",
			Source:   []string{"rule:D14", "gap:14"},
			Evidence: EvidenceProvoked,
			Good:     Example{Adds: AddsTrigger, Trigger: `{"type":"weather.changed"}`, Answer: `{}`},
			Bad:      Example{Adds: AddsTrigger, Trigger: `{"type":"weather.changed"}`, Answer: "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\nunknown trigger"},
			Cause:    "A switch over the trigger's type that throws by default. Return proposed there.",
		},
	}
}
