package spec

// deliveryRequirements are about the transport: that an answer arrives at
// all, whole and in time (D1, D2, wire 1).
func deliveryRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "delivery.answers-2xx",
			Level:    Must,
			Text:     "A worker answers every decision request that it has understood with a 2xx status, whatever becomes of the tool.",
			Why:      "A 4xx ends the whole turn at once and a 5xx is delivered again up to nine times; in neither case does the model learn what went wrong.",
			Source:   []string{"rule:D1", "rule:D2", "gap:3", "field-report:097"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: `{"actions":[{"type":"tool.error","error":"the weather service is down"}]}`},
			Bad:      Example{Trigger: exampleExecute, Answer: "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n\r\nthe weather service is down"},
			Cause:    "A tool threw and the web framework turned the exception into a 500. Catch it and answer with a tool.error.",
		},
		{
			ID:       "delivery.does-not-redirect",
			Level:    Must,
			Text:     "A worker answers at the URL it was given and sends no redirect.",
			Why:      "A 301, 302 or 303 makes an engine repeat the request as a GET without its body, so the decision is lost; without a Location the turn fails.",
			Source:   []string{"rule:D2", "wire:1"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: "HTTP/1.1 301 Moved Permanently\r\nLocation: /decide/\r\n\r\n"},
			Cause:    "The framework adds or removes a trailing slash, or sends http on to https. Configure the URL that answers.",
		},
		{
			ID:       "delivery.answers-whole",
			Level:    Must,
			Text:     "A worker sends a whole HTTP response before it closes the connection.",
			Why:      "A connection that closes before the response head counts as fatal and ends the turn; a body cut off is delivered again, with the side effects of the first time.",
			Source:   []string{"rule:D2", "gap:32", "field-report:100"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: "(the connection closes before a response head)"},
			Cause:    "The process died in the handler, or a wrong Content-Length was announced. Catch everything and let the server write the length.",
		},
		{
			ID:       "delivery.answers-in-time",
			Level:    Must,
			Text:     "A worker answers each delivery before the request's deadline, or lets go of the call with an empty decision and settles it later.",
			Why:      "After 20 seconds the decision is delivered again while the first request is still open, so the tool runs twice at once.",
			Source:   []string{"rule:D4", "rule:D7", "gap:12", "field-report:094"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: "(no answer before the deadline)"},
			Cause:    "A tool without a time limit of its own. Give it one below the deadline in the request, and answer with a tool.error when it passes.",
		},
		{
			ID:       "delivery.answers-uncompressed",
			Level:    Must,
			Text:     "A worker sends its body as it is: no compression that the request did not ask for.",
			Why:      "An engine asks for no compression and undoes none, so packed bytes do not parse and the turn fails.",
			Source:   []string{"wire:1", "field-report:101"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"},
			Cause:    "Middleware that compresses without looking at Accept-Encoding. Exclude the worker's route.",
		},
		{
			ID:       "delivery.answer-is-bounded",
			Level:    Must,
			Text:     "A worker's answer comes to an end and fits in memory.",
			Why:      "An answer without an end holds the session until the delivery times out; a huge one is stored and sent along with every later request.",
			Source:   []string{"rule:D2", "field-report:077"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Trigger: exampleExecute, Answer: "(a body larger than the bound)"},
			Cause:    "A tool passes on whole files or logs. Cap the text, say how long it was and how to get the rest.",
		},
	}
}
