package spec

// sse is the head of a streamed answer; frameOf is one frame of it.
const sse = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

func frameOf(event, data string) string { return "event: " + event + "\ndata: " + data + "\n\n" }

// streamRequirements are about answers that come as an event stream, to whatever
// trigger (D11, wire 9, gap 24).
func streamRequirements() []Requirement {
	const (
		reply = `{"actions":[` + exampleReply + `]}`
		own   = `{"text":"Sunny in Oslo."}`
	)
	result := frameOf(FrameDecisionResult, exampleResult)
	all := []Requirement{
		{
			ID:       "stream.frames-are-known",
			Level:    Must,
			Text:     "Every frame of a streamed answer is named llm.token.delta, decision.result or decision.error.",
			Why:      "A frame of another name, or of none, spoils the answer: the turn fails.",
			Source:   []string{"rule:D11", "wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: sse + ": looking it up\n\n" + result},
			Bad:      Example{Trigger: exampleExecute, Answer: sse + "data: " + exampleResult + "\n\n"},
			Cause:    "A library that writes data lines only, or frames for progress and for [DONE].",
		},
		{
			ID:       "stream.frames-read",
			Level:    Must,
			Text:     "The data of each delta is a StreamDelta, or any JSON where a format was named; that of decision.error has a message.",
			Why:      "Data that does not read spoils the answer: the turn fails.",
			Source:   []string{"rule:D11", "wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: sse + frameOf(FrameDecisionError, `{"message":"the forecast is not in yet"}`)},
			Bad:      Example{Trigger: exampleExecute, Answer: sse + frameOf(FrameDecisionError, `{"error":"the forecast is not in yet"}`)},
			Cause:    "Bare text where JSON belongs, or line breaks inside the data that begin no data line.",
		},
		{
			ID:       "stream.ends-with-a-decision",
			Level:    Must,
			Text:     "A streamed answer ends with decision.result or decision.error, and the empty line after it.",
			Why:      "Without it the delivery has failed: it is repeated, and after ten times the turn fails.",
			Source:   []string{"rule:D11", "wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStreamed, Answer: sse + frameOf(FrameTokenDelta, own) + frameOf(FrameDecisionResult, reply)},
			Bad:      Example{Trigger: exampleStreamed, Answer: sse + frameOf(FrameTokenDelta, own)},
			Cause:    "An exception in the middle of the stream, or a last frame without its empty line.",
		},
		{
			ID:       "stream.deltas-only-where-asked",
			Level:    Must,
			Text:     "A worker sends llm.token.delta only in answer to an llm.execute whose stream is true.",
			Why:      "Anywhere else such a frame spoils the answer: the turn fails.",
			Source:   []string{"rule:D11", "gap:24"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStreamed, Answer: sse + frameOf(FrameTokenDelta, own) + frameOf(FrameDecisionResult, reply)},
			Bad:      Example{Trigger: exampleExecute, Answer: sse + frameOf(FrameTokenDelta, own) + result},
			Cause:    "Progress of a tool was sent as if it were the model's, or the flag was not looked at.",
		},
		{
			ID:       "stream.says-nothing-after-the-decision",
			Level:    Should,
			Text:     "A streamed answer says nothing after its decision.",
			Why:      "Nobody reads on: a second decision is lost.",
			Source:   []string{"rule:D11", "wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleExecute, Answer: sse + result},
			Bad:      Example{Trigger: exampleExecute, Answer: sse + result + frameOf(FrameDecisionResult, `{"state":{"asked":1}}`)},
			Cause:    "A generator that goes on after its last word, or a decision sent in two parts.",
		},
		{
			ID:       "stream.deltas-fit-the-format",
			Level:    Should,
			Text:     "Where a format was named, the deltas are the provider's own events.",
			Why:      "They are handed on as they are, to a reader who expects that provider's.",
			Source:   []string{"wire:9"},
			Evidence: EvidenceExchange,
			Good: Example{Trigger: exampleOpenAI, Answer: sse + frameOf(FrameTokenDelta, `{"choices":[{"index":0,"delta":{"content":"Sunny in Oslo."}}]}`) +
				frameOf(FrameDecisionResult, answering(`{"model":"m","choices":[{"message":{"content":"Sunny in Oslo."}}]}`))},
			Bad: Example{Trigger: exampleOpenAI, Answer: sse + frameOf(FrameTokenDelta, own) +
				frameOf(FrameDecisionResult, answering(`{"model":"m","choices":[{"message":{"content":"Sunny in Oslo."}}]}`))},
			Cause: "Pieces are built in the protocol's own shape, whatever the format says.",
		},
		{
			ID:       "stream.deltas-add-up",
			Level:    Should,
			Text:     "The pieces of a streamed model answer add up to the answer that ends the stream.",
			Why:      "People read the pieces, and only the answer is recorded: the two must not tell two stories.",
			Source:   []string{"rule:D11", "wire:9"},
			Evidence: EvidenceExchange,
			Good:     Example{Trigger: exampleStreamed, Answer: sse + frameOf(FrameTokenDelta, `{"text":"Sunny in"}`) + frameOf(FrameTokenDelta, `{"text":" Oslo."}`) + frameOf(FrameDecisionResult, reply)},
			Bad:      Example{Trigger: exampleStreamed, Answer: sse + frameOf(FrameTokenDelta, `{"text":"Sunny"}`) + frameOf(FrameDecisionResult, reply)},
			Cause:    "A last piece that was not flushed, or pieces that are trimmed on the way.",
		},
	}
	return added(thirdRegistry, all)
}
