package reference

import "github.com/go-json-experiment/json/jsontext"

// decisionDefects break the decision as a decision: what reads, what resolves,
// and which keys stand in it (wire 3, D2, F3).
func decisionDefects() []defect {
	const (
		fits    = "response.fits-the-protocol"
		noError = "response.carries-no-error-text"
		resolve = "response.actions-resolve"
		unknown = "response.has-no-unknown-keys"
		known   = "response.says-something-known"
	)
	return []defect{
		{
			Fault:  named("unknown-action", "Answers with an action of a type that does not exist.", fits),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.success","result":"east"}]}`),
		},
		{
			Fault:  named("null-actions", "Writes null where the list of actions belongs.", fits),
			at:     closing,
			answer: says(`{"actions":null}`),
		},
		{
			Fault:  named("unknown-code", "Gives a tool.error a code that does not exist.", fits),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","error":"the list took too long","code":"timeout"}]}`),
		},
		{
			Fault:  named("fractional-attempt", "Writes the attempt with a decimal point.", fits),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","attempt":0.0,"error":"the list is being rewritten"}]}`),
		},
		{
			Fault:  named("actions-twice", "Gives the key actions twice.", fits),
			at:     running(quietTool),
			answer: func(x *exchange) []byte { return append([]byte(`{"actions":[],`), x.answer[1:]...) },
		},
		{
			Fault:  named("error-key", "Puts a friendly message at the top of an empty decision.", noError),
			at:     closing,
			answer: says(`{"message":"ok"}`),
		},
		{
			Fault:  named("idless-settle-elsewhere", "Sends a tool.result without an id although no call was asked for.", resolve),
			at:     closing,
			answer: says(`{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Goodbye."}]}}]}`),
		},
		{
			Fault:  named("extra-key", "Adds a key of its own at the top of the decision.", unknown),
			at:     running(quietTool),
			answer: func(x *exchange) []byte { return with(x.answer, "debug", jsontext.Value(`{"took_ms":3}`)) },
		},
		{
			Fault:  named("misspells-an-optional-key", "Writes retriable where retryable is meant.", unknown),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","error":"list_kilns: the list is being rewritten","retriable":true}]}`),
		},
		{
			Fault:  named("only-unknown-keys", "Answers with an object that holds no key of the protocol.", known),
			at:     closing,
			answer: says(`{"status":"ok"}`),
		},
		{
			Fault:  named("capital-actions", "Writes Actions with a capital letter, and nothing else.", known),
			at:     closing,
			answer: says(`{"Actions":[{"type":"done"}]}`),
		},
	}
}
