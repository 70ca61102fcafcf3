package replay

// Code is a name that a program may rely on. A code that is renamed, or that
// comes to mean another thing, is a breaking change.
type Code struct {
	// Name is the word in reports; Text says what it means, for a person.
	Name, Text string
}

// The codes of divergences: something went another way than the recording says.
const (
	// CodeRequest: a request has another body.
	CodeRequest = "request"
	// CodeEvent: an event of the same kind says something else.
	CodeEvent = "event"
	// CodeKind: something else happens.
	CodeKind = "kind"
	// CodeMissing: what was recorded does not happen; a worker does not answer where
	// it did.
	CodeMissing = "missing"
	// CodeExtra: something happens after all that was recorded; a worker answers
	// where it did not.
	CodeExtra = "extra"
	// CodeEnd: the case ends for another reason.
	CodeEnd = "end"
	// CodeDigest: everything came out again, but not in the order recorded.
	CodeDigest = "digest"
	// CodeStep: played step by step, a request says something else than the simulated
	// engine makes of the one before it.
	CodeStep = "step"
	// CodeAnswer: a worker decides something else.
	CodeAnswer = "answer"
	// CodeStatus: a worker answers with another status, one of the two outside 2xx.
	CodeStatus = "status"
	// CodeFailure: of two answers with a good status one is no decision, or neither
	// is and they fail in different ways (D2).
	CodeFailure = "failure"
	// CodeStream: the pieces of a stream say something else, although what they come
	// to is the same.
	CodeStream = "stream"
	// CodeBytes: an answer means the same in other bytes, where equal ones were
	// wanted.
	CodeBytes = "bytes"
)

// The codes of what is unexplained: what led to a captured request cannot be seen
// in the recording, so it agrees with nothing and diverges from nothing.
const (
	// CodeUnread: a request does not read.
	CodeUnread = "unread"
	// CodeNotLoaded: no engine can be loaded from the request before.
	CodeNotLoaded = "not-loaded"
	// CodeGap: the recording says that something is missing before it.
	CodeGap = "gap"
	// CodeUnknownTrigger: the trigger is of no known type.
	CodeUnknownTrigger = "unknown-trigger"
	// CodeDeliveryUnseen: the deliveries of the decision before this one are not in
	// the recording.
	CodeDeliveryUnseen = "delivery-unseen"
	// CodeExchangeUnseen: something between it and the request before is not in the
	// recording.
	CodeExchangeUnseen = "exchange-unseen"
	// CodeUnheard: it follows where the engine had not heard of the answer before.
	CodeUnheard = "unheard"
	// CodeSettledElsewhere: a call was settled by another way than an answer.
	CodeSettledElsewhere = "settled-elsewhere"
	// CodeQueueUnseen: a call that had ended was queued, and no request says so.
	CodeQueueUnseen = "queue-unseen"
	// CodePolicyUnseen: the policy of retries is in no request (H2).
	CodePolicyUnseen = "policy-unseen"
	// CodeBytesUnseen: it shows bytes that are in no request (F8).
	CodeBytesUnseen = "bytes-unseen"
	// CodePromptUnseen: it rests on what the model was asked, which only the engine
	// remembers (E2, G10).
	CodePromptUnseen = "prompt-unseen"
	// CodeBranchUnseen: the conversation moved to a branch whose state and config
	// are in no request (O3).
	CodeBranchUnseen = "branch-unseen"
	// CodeOlderTurn: a session.start that is delivered again may show another turn
	// (A2).
	CodeOlderTurn = "older-turn"
	// CodeGiven: a scenario may have put it in place.
	CodeGiven = "given"
	// CodeStandIn: a stand-in stands there for a secret.
	CodeStandIn = "stand-in"
	// CodeRefused: what the request tells of the world would be refused by the
	// simulated engine.
	CodeRefused = "refused"
	// CodeNotSimulated: it rests on what Hallmark does not simulate.
	CodeNotSimulated = "not-simulated"
	// CodeOtherFirst: the simulated engine would deliver something else before it.
	CodeOtherFirst = "other-first"
	// CodeNoWay: nothing that can be seen leads to it.
	CodeNoWay = "no-way"
)

// DivergenceCodes lists the codes of divergences.
func DivergenceCodes() []Code {
	return []Code{
		{CodeRequest, "a request has another body"},
		{CodeEvent, "an event of the same kind says something else"},
		{CodeKind, "something else happens"},
		{CodeMissing, "what was recorded does not happen, or the worker does not answer where it did"},
		{CodeExtra, "something happens after all that was recorded, or the worker answers where it did not"},
		{CodeEnd, "the case ends for another reason"},
		{CodeDigest, "everything came out again, but not in the order recorded"},
		{CodeStep, "a request says something else than the simulated engine makes of the one before it"},
		{CodeAnswer, "the worker decides something else"},
		{CodeStatus, "the worker answers with another status"},
		{CodeFailure, "one of two answers with a good status is no decision, or they fail in different ways (D2)"},
		{CodeStream, "the pieces of a stream say something else, although what they come to is the same"},
		{CodeBytes, "an answer means the same in other bytes, and --exact wants equal ones"},
	}
}

// UnexplainedCodes lists the codes of what is unexplained.
func UnexplainedCodes() []Code {
	return []Code{
		{CodeUnread, "a request does not read"},
		{CodeNotLoaded, "no engine can be loaded from the request before"},
		{CodeGap, "the recording says that something is missing before it"},
		{CodeUnknownTrigger, "the trigger is of no known type"},
		{CodeDeliveryUnseen, "the deliveries of the decision before this one are not in the recording"},
		{CodeExchangeUnseen, "something between it and the request before is not in the recording"},
		{CodeUnheard, "it follows where the engine had not heard of the answer before"},
		{CodeSettledElsewhere, "a call was settled by another way than an answer"},
		{CodeQueueUnseen, "a call that had ended was queued, and no request says so"},
		{CodePolicyUnseen, "the policy of retries is in no request (H2)"},
		{CodeBytesUnseen, "it shows bytes that are in no request (F8)"},
		{CodePromptUnseen, "it rests on what the model was asked, which only the engine remembers (E2, G10)"},
		{CodeBranchUnseen, "the conversation moved to a branch whose state and config are in no request (O3)"},
		{CodeOlderTurn, "a session.start that is delivered again may show another turn (A2)"},
		{CodeGiven, "a scenario may have put it in place"},
		{CodeStandIn, "a stand-in stands there for a secret"},
		{CodeRefused, "what the request tells of the world would be refused by the simulated engine"},
		{CodeNotSimulated, "it rests on what Hallmark does not simulate"},
		{CodeOtherFirst, "the simulated engine would deliver something else before it"},
		{CodeNoWay, "nothing that can be seen leads to it"},
	}
}
