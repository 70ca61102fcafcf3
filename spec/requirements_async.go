package spec

// The pieces of examples in which a call is let go and settled later.
const (
	exampleSettle      = `{"type":"tool.result","id":"c1","attempt":0,"result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}`
	exampleSettleAgain = `{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}`
	exampleTriedAgain  = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{\"city\":\"Oslo\"}","input":{"status":"valid","value":{"city":"Oslo"}},"attempt":1}`
)

// asyncRequirements are about calls that a worker lets go and settles later, at
// the engine's settle endpoint (I1 to I5, F4, H10).
func asyncRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "async.settles-through-endpoint",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker that let a call go settles it in a form that the engine takes: with the API key, and with a tool.result or a tool.error that names the call and, for an error, says whether it is retryable. An answer that it submits names the decision and whatever an answer to the request may leave out.",
			Why:      "A settle that is refused is lost: the call stays open until its deadline, and the model reads deadline exceeded in place of what happened.",
			Source:   []string{"rule:I2", "rule:F4", "wire:11"},
			Evidence: EvidenceEngine,
			Good:     Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{{Body: exampleSettle, Status: 200}}},
			Bad: Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{{
				Body: `{"type":"tool.error","id":"c1","error":"the station does not answer"}`, Status: 422, Reply: "tool.error must state error and retryable",
			}}},
			Cause: "The API key is missing or of another environment, the body is a whole decision, or retryable was left out, which only a decision fills in.",
		},
		{
			ID:       "async.settles-the-asked-call",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker settles a call that it let go under the call's own id, at the session that the call is of.",
			Why:      "An id that the session does not know is refused, and one of another session ends somebody else's call.",
			Source:   []string{"rule:I2", "rule:F4", "field-report:083", "field-report:088"},
			Evidence: EvidenceEngine,
			Good:     Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{{Body: exampleSettle, Status: 200}}},
			Bad: Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{{
				Body: `{"type":"tool.result","id":"job_1","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}`, Status: 404, Reply: "effect not found",
			}}},
			Cause: "The job keeps an id of its own or the decision's, or one variable holds the session of the request that came last. Keep session_id, id and attempt of the trigger with the job.",
		},
		{
			ID:       "async.settles-the-asked-attempt",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker that names an attempt in a later settle names one that it was asked to make.",
			Why:      "A settle of another attempt is refused, and the call stays open until its deadline.",
			Source:   []string{"rule:F4", "rule:H10", "gap:1"},
			Evidence: EvidenceEngine,
			Good:     Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{{Body: exampleSettle, Status: 200}}},
			Bad: Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{{
				Body: `{"type":"tool.result","id":"c1","attempt":1,"result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}`, Status: 409, Reply: "effect attempt mismatch",
			}}},
			Cause: "A constant attempt, or one that the worker counts itself. Echo the trigger's.",
		},
		{
			ID:       "async.settles-once",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker settles a call that it let go once per attempt: not at the engine and in a decision as well, and not twice because its decision came twice while the work was going on.",
			Why:      "The first settle counts and the other is refused. Two of them mostly mean that the work was done twice, with whatever else it did.",
			Source:   []string{"rule:F2", "rule:I2", "rule:D5", "gap:12", "field-report:104"},
			Evidence: EvidenceEngine,
			Good:     Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{{Body: exampleSettle, Status: 200}}},
			Bad: Example{Trigger: exampleExecute, Answer: exampleResult, Settles: []ExampleSettle{{
				Body: exampleSettle, Status: 409, Reply: "effect is not pending",
			}}},
			Cause: "Each delivery of a decision begins a job of its own. Keep the job under its decision_id, and let a second delivery find it. Or one path of the handler both answers and settles.",
		},
		{
			ID:       "async.names-the-attempt",
			Level:    Should,
			Added:    thirdRegistry,
			Text:     "A worker that settles a call which was tried before names the attempt that the settle is of.",
			Why:      "Without it the engine takes the settle for the attempt that runs now, so the late result of one that was given up ends the one that replaced it.",
			Source:   []string{"rule:H10"},
			Evidence: EvidenceEngine,
			Good: Example{Before: `{}`, BeforeTrigger: exampleExecute, Trigger: exampleTriedAgain, Answer: `{}`, Settles: []ExampleSettle{{
				Body: `{"type":"tool.result","id":"c1","attempt":1,"result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}`, Status: 200,
			}}},
			Bad:   Example{Before: `{}`, BeforeTrigger: exampleExecute, Trigger: exampleTriedAgain, Answer: `{}`, Settles: []ExampleSettle{{Body: exampleSettleAgain, Status: 200}}},
			Cause: "The job keeps the call's id and not its attempt. A decision fills the attempt in from its trigger; the settle endpoint has no trigger to look at.",
		},
		{
			ID:       "async.gives-up-when-refused",
			Level:    Should,
			Added:    thirdRegistry,
			Text:     "A worker does not send a settle again that the engine has refused.",
			Why:      "A refusal is final: the call has ended, waits for its retry or was never there. The same settle again is refused again, or taken for an attempt that it does not belong to.",
			Source:   []string{"rule:F4", "rule:H10", "wire:11"},
			Evidence: EvidenceEngine,
			Good: Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{
				{From: "machine", Body: exampleSettle, Status: 200}, {Body: exampleSettle, Status: 409, Reply: "effect is not pending"},
			}},
			Bad: Example{Trigger: exampleExecute, Answer: `{}`, Settles: []ExampleSettle{
				{From: "machine", Body: exampleSettle, Status: 200}, {Body: exampleSettle, Status: 409, Reply: "effect is not pending"}, {Body: exampleSettle, Status: 409, Reply: "effect is not pending"},
			}},
			Cause: "A loop that sends until the status is 200. Send again only what got no answer, or a status of 500 and above.",
		},
	}
}
