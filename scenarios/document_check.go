package scenarios

import "github.com/go-json-experiment/json/jsontext"

// Check is one expectation. Exactly one of Exchange and State is set.
type Check struct {
	Pos
	// Exchange speaks of exchanges; it is written with the key trigger.
	Exchange *ExchangeCheck
	// State speaks of the session at the end of the window.
	State *StateCheck
}

// ExchangeCheck wants one exchange (or Times of them, or none) that fits every
// field that is set.
type ExchangeCheck struct {
	Trigger string
	// Call is the label of the trigger's call; empty means any.
	Call string
	// Try counts the call's attempts from 1, Delivery the decision's
	// deliveries from 1.
	Try, Delivery *int
	// Input is valid, invalid, malformed or empty.
	Input string
	// OK and Error speak of a finished trigger.
	OK    *bool
	Error *ErrorCheck
	// Open is the wanted pending_calls.
	Open *int
	// Calls speaks of the request's own calls.
	Calls []CallCheck
	// Proposed is empty, error, records, continues or the empty string.
	Proposed string
	// Request speaks of places in the request.
	Request []PointerCheck
	Answer  *Answer
	// Times is the wanted number of matches; nil means once. Never is Times 0.
	Times *int
	Never bool
}

// ErrorCheck speaks of the error of a finished trigger. Nil fields want
// nothing.
type ErrorCheck struct {
	Pos
	Message, Code, Param *Match
}

// CallCheck speaks of one call by label. In a request's calls Is, Handler,
// Tries and Text are read from the wire; in a state check from the session.
type CallCheck struct {
	Pos
	Label string
	// Is is open, waiting, done, failed or empty.
	Is string
	// Handler is worker, client, server or empty.
	Handler string
	Tries   *int
	// Text is what the model reads.
	Text *Match
}

// PointerCheck is a match at a JSON pointer.
type PointerCheck struct {
	Pos
	Pointer string
	Match   Match
}

// Answer is what the worker's answer must be.
type Answer struct {
	Pos
	// Is holds words of which one must hold; empty wants none.
	Is         []Word
	Text       *Match
	Structured *Match
	// Blocks lists the kinds of content blocks in order; nil wants nothing.
	Blocks    []string
	IsError   *bool
	Error     *Match
	Retryable *bool
	Code      *string
	State     *Match
	Agent     *Match
	At        []PointerCheck
	Status    *int
	// SameAs is the delivery number whose answer this one must equal.
	SameAs *int
}

// Word names a form of answer.
type Word string

// The words of the language.
const (
	// WordResult is one tool.result, flagged or not; for an llm.execute it is one
	// llm.result.
	WordResult Word = "result"
	// WordError is one tool.error, or llm.error.
	WordError Word = "error"
	// WordSettles is exactly one of result and error.
	WordSettles Word = "settles"
	// WordRuns is a result that is not flagged as an error.
	WordRuns Word = "runs"
	// WordRefuses is an error or a flagged result.
	WordRefuses Word = "refuses"
	// WordPending settles nothing.
	WordPending Word = "pending"
	// WordProposed equals the request's proposed by meaning.
	WordProposed Word = "proposed"
	// WordRecords has the call's tool message in its messages.
	WordRecords Word = "records"
	// WordAsksModel records and calls the model.
	WordAsksModel Word = "asks-model"
	// WordWaits records and does not call the model.
	WordWaits Word = "waits"
	// WordEmpty is the empty decision.
	WordEmpty Word = "empty"
	// WordDone ends the turn.
	WordDone Word = "done"
	// WordInterrupt holds the turn for a person.
	WordInterrupt Word = "interrupt"
	// WordFails is a delivery that failed (D2).
	WordFails Word = "fails"
)

// StateCheck speaks of the session. Each field that is set must hold.
type StateCheck struct {
	Turn         *TurnCheck
	Calls        []CallCheck
	State, Agent *Match
	// Transcript lists messages that must appear in this order; others may
	// stand between them. Nil wants nothing.
	Transcript []TranscriptCheck
	// Alive wants a fresh session.start to be answered.
	Alive bool
}

// TurnCheck speaks of the last turn.
type TurnCheck struct {
	Pos
	// Is is completed, failed, open or empty.
	Is   string
	Code *string
	Data *Match
}

// TranscriptCheck fits one message of the transcript.
type TranscriptCheck struct {
	Pos
	Role string
	// Call is the label that a tool message answers; Calls are the labels of
	// an assistant message's calls, in order. Nil wants nothing.
	Call  string
	Calls []string
	Text  *Match
}

// Match is a demand on a value. Every field that is set must hold. A plain
// scalar or list in the scenario sets Equals.
type Match struct {
	Pos
	// Equals compares by meaning.
	Equals jsontext.Value
	// Contains is text to find in a text, or a value to find in a list.
	Contains jsontext.Value
	// Matches is an RE2 expression, checked when the scenario is read.
	Matches *string
	// Like is the exact text with * for anything and \* for a star.
	Like  *string
	OneOf []jsontext.Value
	Not   *Match
	// Subset is JSON that must be part of the value.
	Subset jsontext.Value
	// Schema is a JSON Schema, checked when the scenario is read.
	Schema jsontext.Value
	Length *Length
	// Under is a number of bytes that the value's text must not exceed.
	Under *int
	// Type is string, number, boolean, null, array, object or empty.
	Type            string
	Absent, Present bool
}

// Length bounds a number of characters, items or members, both ends included.
// A plain number sets both ends.
type Length struct {
	Pos
	Min, Max *int
}
