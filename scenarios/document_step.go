package scenarios

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Step is one step of the script. Exactly one of the verb fields is set.
type Step struct {
	Pos
	User    *UserStep
	Model   *ModelStep
	Client  *ClientStep
	Await   *AwaitStep
	Settle  *SettleStep
	Wait    *WaitStep
	Until   *UntilStep
	Disturb *DisturbStep
	Restart *RestartStep
	Send    *SendStep

	// Session is the label of the session it acts in; empty is the default.
	Session string
	// Expect speaks of the step's window.
	Expect []Check
	// Exactly forbids exchanges that no item of Expect matches.
	Exactly bool
	Note    string
}

// Verb returns the name of the verb that is set: user, model, client, await,
// settle, wait, until, disturb, restart or send.
func (s *Step) Verb() string {
	switch {
	case s.User != nil:
		return "user"
	case s.Model != nil:
		return "model"
	case s.Client != nil:
		return "client"
	case s.Await != nil:
		return "await"
	case s.Settle != nil:
		return "settle"
	case s.Wait != nil:
		return "wait"
	case s.Until != nil:
		return "until"
	case s.Disturb != nil:
		return "disturb"
	case s.Restart != nil:
		return "restart"
	case s.Send != nil:
		return "send"
	default:
		return ""
	}
}

// UserStep is a message of the client.
type UserStep struct {
	Pos
	// Text is set for a message of text alone. Content is a list of content
	// parts; both may be nil, for instance when only View is sent.
	Text    *Text
	Content jsontext.Value
	ID      string
	// Queue holds the message while a turn runs (B5).
	Queue bool
	// Now acts as soon as all is quiet, also while a turn runs.
	Now bool
	// Tools are client tools offered with the message, Context and State are
	// client.context and client.state; nil when absent.
	Tools, Context, State jsontext.Value
	// Append and View are nil when absent.
	Append, View []Message
}

// ModelStep is one reply of the model.
type ModelStep struct {
	Pos
	Text  *Text
	Calls []Call
	// Stop is length, refusal, content_filter or empty.
	Stop string
	// Fail makes the model call fail. Nil: it succeeds.
	Fail *ModelFailure
	// Usage is an object, or nil for the model's own count.
	Usage jsontext.Value
	ID    string
}

// ModelFailure is the error that the engine gets in place of a reply.
type ModelFailure struct {
	Pos
	Code, Message string
}

// Call is one tool call of the model. Exactly one of Arguments, Raw and
// Generate is set.
type Call struct {
	Pos
	// As is the label (never the wire id).
	As   string
	Tool Text
	// Arguments is an object in the order and spelling written.
	Arguments jsontext.Value
	// Raw is the argument string as it is.
	Raw *Text
	// Generate is valid, invalid, boundary, malformed or empty.
	Generate string
	ID       string
	// Via is direct or call_tool.
	Via string
	// Repeat asks for N calls c_1 … c_N; 0 means one call. In a planned case
	// the calls are written out and Repeat is 0.
	Repeat int
}

// ClientStep is what the session's owner does besides talking: answer a client
// tool (Call), act (Action), or resume an interrupt (Resume).
type ClientStep struct {
	Pos
	Call   string
	Result *Result
	// Error is nil when the call is answered with a result.
	Error     *string
	Retryable *bool
	Attempt   *int

	Action string
	Args   jsontext.Value

	// Resume is the id of an interrupt, or [ResumeOpen] for the one that is open.
	Resume  string
	Payload jsontext.Value
}

// ResumeOpen names the interrupt that the session waits for, whoever raised it
// and whatever its id: there is one at most (gap 5).
const ResumeOpen = "open"

// Result is what a tool gives back.
type Result struct {
	Pos
	Text                *Text
	Content, Structured jsontext.Value
	IsError             *bool
}

// AwaitStep waits in real time until the worker has settled calls.
type AwaitStep struct {
	Pos
	Settled []string
	// Order is arrival or listed.
	Order  string
	Within time.Duration
}

// SettleStep settles a call at the endpoint, on the worker's behalf.
type SettleStep struct {
	Pos
	Call      string
	Result    *Result
	Error     *string
	Retryable *bool
	Attempt   *int
	// Status is the HTTP status that the endpoint must answer with.
	Status int
}

// WaitStep lets engine time pass: by For, or until a moment of a call.
type WaitStep struct {
	Pos
	For time.Duration
	// Until is deadline, retry or empty.
	Until      string
	Call       string
	Less, Plus time.Duration
}

// UntilStep goes on only at a moment of an exchange.
type UntilStep struct {
	Pos
	Trigger, Call string
	Try           *int
	// Is is due, sent or answered.
	Is string
}

// DisturbStep arms a disturbance for the next matching delivery.
type DisturbStep struct {
	Pos
	// Do is lose-answer, lose-request, repeat, overlap, late, slow or restart.
	Do            string
	Trigger, Call string
	Try           *int
	By            time.Duration
	Times         int
}

// RestartStep restarts the worker or the engine.
type RestartStep struct {
	Pos
	// What is worker or engine.
	What string
}

// SendStep is a raw request outside the protocol.
type SendStep struct {
	Pos
	Method, Path string
	Headers      []Header
	// Body and Base64 exclude each other; both nil sends none.
	Body     *Text
	Base64   []byte
	CutAfter *int
	// Status is the wanted HTTP status; nil wants none in particular.
	Status *int
}
