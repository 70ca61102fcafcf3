package spec

// Level says how much a requirement weighs.
type Level string

// The levels. An advice never fails a run.
const (
	// Must: the turn fails, data is lost, or the protocol says so.
	Must Level = "must"
	// Should: tolerated, but harmful.
	Should Level = "should"
	// Advice: what good tools do.
	Advice Level = "advice"
)

// Evidence is what a recording must hold for a requirement to be judged (R4).
type Evidence string

// The classes of evidence.
const (
	// EvidenceExchange: one request with its answer.
	EvidenceExchange Evidence = "exchange"
	// EvidenceSession: the chain of exchanges of one session.
	EvidenceSession Evidence = "session"
	// EvidenceEngine: events that only the simulated engine writes.
	EvidenceEngine Evidence = "engine"
	// EvidenceProvoked: something that the run did on purpose.
	EvidenceProvoked Evidence = "provoked"
)

// RegistryVersion changes whenever a requirement is added or a verdict
// changes. A verdict is a function of the recording and this version.
const RegistryVersion = fourthRegistry

// Requirement is one numbered duty.
type Requirement struct {
	// ID is a readable path, stable for ever: "execute.settles-once".
	ID    string
	Level Level
	// Binds says whom it binds; today always "worker".
	Binds string
	// Since is the protocol version from which it holds.
	Since string
	// Added is the version of the registry that brought it; versions sort as
	// text.
	Added string
	// Text is the duty in one sentence.
	Text string
	// Why says what goes wrong when it does not hold.
	Why string
	// Source lists the rules it comes from: "rule:F1", "gap:17",
	// "wire:3", "field-report:080".
	Source   []string
	Evidence Evidence
	// Good and Bad are one exchange each, as JSON text of request trigger and
	// answer; Cause is the usual cause of the bad one.
	Good, Bad Example
	Cause     string
}

// Example is an exchange that shows a requirement kept or broken.
type Example struct {
	// Given holds further members of the request as one JSON object, "" when
	// none matters.
	Given string
	// Declares is what the worker says in hallmark.yaml that it does with bad
	// arguments, "" when that does not matter.
	Declares string
	// Before is the answer that was given to an earlier delivery of the same
	// decision, "" when there was none. BeforeTrigger is the trigger of that
	// delivery where it is not the same: an earlier attempt of the call.
	Before, BeforeTrigger string
	// Signature is how the request is signed, in the words of
	// [SignatureKinds]; "" when that does not matter. Where it is not valid and
	// Before is set, that was answered to a copy of the request which is signed
	// so, and Answer to the request itself.
	Signature string
	// Adds is what the request holds on purpose beyond the protocol, [AddsFields]
	// or [AddsTrigger]; "" for nothing.
	Adds string
	// Trigger and Answer are JSON text. Where the status or the headers
	// matter, Answer is an HTTP response as on the wire; where nothing of the
	// kind was sent, it is words in parentheses.
	Trigger, Answer string
	// Settles are what reaches the settle endpoint after the answer, in order.
	Settles []ExampleSettle
}

// ExampleSettle is one settle of a call outside a decision (I2).
type ExampleSettle struct {
	// From is who sends it: the worker where it is empty.
	From string
	// Body is what is sent, Status what the engine answers, Reply the error in
	// that answer.
	Body   string
	Status int
	Reply  string
}

// Area returns the part of the id before the first dot.
func (r Requirement) Area() string {
	for i := range len(r.ID) {
		if r.ID[i] == '.' {
			return r.ID[:i]
		}
	}
	return r.ID
}
