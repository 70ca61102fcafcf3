package spec

// exampleRefused is how a worker turns a request away.
const exampleRefused = "HTTP/1.1 401 Unauthorized\r\nContent-Type: text/plain\r\n\r\nthe signature does not fit"

// exampleLetters is a state that an encoder may write in another way.
const exampleLetters = `{"state":{"city":"Malmö","rain":1.50}}`

// signatureRequirements are about requests that carry a signature (D10, wire
// 1). They apply to runs that have a secret to sign with. A worker that takes
// the right code in another spelling, without its prefix or in capitals, is
// free to do so.
func signatureRequirements() []Requirement {
	return []Requirement{
		{
			ID:       "signature.accepts-valid",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker that has the secret takes a request whose signature is right.",
			Why:      "A request that is turned away ends the whole turn, since no engine asks again after a 401.",
			Source:   []string{"rule:D10", "rule:D2", "wire:1"},
			Evidence: EvidenceExchange,
			Good:     Example{Signature: SignatureValid, Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Signature: SignatureValid, Trigger: exampleExecute, Answer: exampleRefused},
			Cause:    "The two sides do not have the same secret, or the worker compares another spelling of it: the header is sha256= and lower-case hex.",
		},
		{
			ID:       "signature.covers-the-bytes",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker computes the signature over the body's bytes as they came, before it parses or decodes them.",
			Why:      "A body that is written anew from what was parsed differs in a number, an escape or a letter from what was signed, so some conversations fail and most do not.",
			Source:   []string{"rule:D10", "wire:1", "gap:25"},
			Evidence: EvidenceExchange,
			Good:     Example{Signature: SignatureValid, Given: exampleLetters, Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Signature: SignatureValid, Given: exampleLetters, Trigger: exampleExecute, Answer: exampleRefused},
			Cause:    "A body parser ran first and the HMAC is made over JSON.stringify of its result, or each chunk is turned into text by itself, which breaks letters at its edges. Keep the raw bytes.",
		},
		{
			ID:       "signature.refuses-forged",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker with a secret does not act on a request whose signature was made up or made with another secret.",
			Why:      "Whoever finds the worker's address can then call every tool as any user.",
			Source:   []string{"rule:D10", "wire:1"},
			Evidence: EvidenceProvoked,
			Good:     Example{Signature: SignatureForged, Trigger: exampleExecute, Answer: exampleRefused},
			Bad:      Example{Signature: SignatureForged, Trigger: exampleExecute, Answer: exampleResult},
			Cause:    "The check looks at the form of the header, runs on some routes only, or its outcome is logged and not acted on.",
		},
		{
			ID:       "signature.refuses-changed-body",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker with a secret does not act on a body that was changed after it was signed.",
			Why:      "The signature is what vouches for the user behind a session and for the arguments of a call; whoever stands in between could change them.",
			Source:   []string{"rule:D10", "wire:1"},
			Evidence: EvidenceProvoked,
			Good:     Example{Signature: SignatureChangedBody, Trigger: exampleExecute, Answer: exampleRefused},
			Bad:      Example{Signature: SignatureChangedBody, Trigger: exampleExecute, Answer: exampleResult},
			Cause:    "The HMAC is made over a part of the request, or over the members that the worker's own types know.",
		},
		{
			ID:       "signature.refuses-unsigned",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker with a secret does not act on a request without a signature.",
			Why:      "A check that leaving the header out gets around is none.",
			Source:   []string{"rule:D10", "wire:1"},
			Evidence: EvidenceProvoked,
			Good:     Example{Signature: SignatureAbsent, Trigger: exampleExecute, Answer: exampleRefused},
			Bad:      Example{Signature: SignatureAbsent, Trigger: exampleExecute, Answer: exampleResult},
			Cause:    "The check runs only where the header is there. Let the secret decide, not the request.",
		},
		{
			ID:       "signature.refuses-with-401",
			Level:    Should,
			Added:    thirdRegistry,
			Text:     "A worker turns a request with a wrong signature away with status 401.",
			Why:      "Another status reads as a fault of the worker, and a 2xx as an answer; with a 401 whoever set the secret knows where to look.",
			Source:   []string{"rule:D10", "wire:1"},
			Evidence: EvidenceProvoked,
			Good:     Example{Signature: SignatureForged, Trigger: exampleExecute, Answer: exampleRefused},
			Bad:      Example{Signature: SignatureForged, Trigger: exampleExecute, Answer: "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n\r\nbad signature"},
			Cause:    "The check throws, and the framework makes a 500 of it; or the handler answers 200 with an error text.",
		},
		{
			ID:       "signature.checks-first",
			Level:    Must,
			Added:    thirdRegistry,
			Text:     "A worker does nothing for a request before it has checked the signature: one that it turned away leaves nothing behind.",
			Why:      "A forged request that is refused only after the tool has run did all its harm, and the real one may find the work done.",
			Source:   []string{"rule:D10"},
			Evidence: EvidenceProvoked,
			Good:     Example{Signature: SignatureForged, Before: exampleRefused, Trigger: exampleExecute, Answer: exampleResult},
			Bad:      Example{Signature: SignatureForged, Before: exampleRefused, Trigger: exampleExecute, Answer: `{"actions":[{"type":"tool.error","error":"this call was made already"}]}`},
			Cause:    "The check is a step behind the handler, or beside it. It has to be the first thing that happens to a request.",
		},
	}
}
