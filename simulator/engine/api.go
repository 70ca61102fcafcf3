// Package engine is the simulated agent engine: a state machine without I/O.
// It takes events (a client's input, a worker's answer, a model's reply, the
// passing of time) and returns effects (deliver this decision, ask the model
// this). It has no clock, goroutine, socket or source of randomness of its
// own, so the same events always give the same effects, byte for byte (R20).
//
// Rule numbers (A1, D5, G6 …) in comments and tests are those of the protocol.
package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// Config fixes a session before its first event.
type Config struct {
	SessionID string
	AgentID   string
	Identity  spec.Identity
	// Agent is the config that session.start proposes; nil proposes none (A3).
	Agent *spec.AgentConfig
	// At is the moment at which engine time starts.
	At time.Time
	// Pace is the engine time that each worker's answer and each model reply
	// takes (R20). The driver uses 1 ms.
	Pace time.Duration
	// Retry is the engine's own layer, over its defaults and under the
	// worker's config (H1, H2).
	Retry Retry
	// Dialect is the permitted reading to follow.
	Dialect spec.Dialect
	// Blocks names the model blocks that exist; nil means any (F3).
	Blocks []string
	// Hosted is the form in which the worker hosts the model of every block, one
	// of [spec.HostedForms]; empty asks the model by [AskModel] (wire 4).
	Hosted string
	// Tenant stands in the uris of stored blobs; empty means "simulated" (F8).
	Tenant string
	// ID mints the ordinal-th id of a kind, both counted from 1. It must be a
	// pure function that never returns the same text twice.
	ID func(kind IDKind, ordinal int) string
	// ChildID makes the id of the session that a decision spawns for a call. It
	// must be a pure function that gives each pair another text; nil is one of the
	// engine's own (L2).
	ChildID func(decision, call string) string
	// Ancestry are the sessions that this one is a descendant of, the root first;
	// none for a root session.
	Ancestry []string
}

// Retry is the engine's own layer of retry policies, by kind (H2).
type Retry struct {
	Default, Tool, Client, Llm, Subagent, Decision *spec.RetryOverride
}

// IDKind says what an id is for.
type IDKind string

// The kinds of ids that an engine mints.
const (
	IDDecision  IDKind = "decision"
	IDTurn      IDKind = "turn"
	IDMessage   IDKind = "message"
	IDCall      IDKind = "call"
	IDLlmCall   IDKind = "llm_call"
	IDInterrupt IDKind = "interrupt"
	IDBlob      IDKind = "blob"
)

// Event is something that happens to the engine: one of [Input], [Settle],
// [Submit], [Answer], [Reply], [Tick], [Plant], [Interrupt],
// [ChildEnded] and [Restart].
type Event interface{ event() }

// Input is what a client sends (B1 to B5, B7, B8, J1, J2, M3).
type Input struct {
	Input spec.ClientInput
	// Stranger says that it came from an end user who does not own the session:
	// it is refused and changes nothing (J2).
	Stranger bool
}

// Settle is what came through the settle endpoint, whose caller may settle any
// call that is open (I2, J2). Action is a tool.result, tool.error, llm.result
// or llm.error that names its id, as [spec.ParseSettle] reads it. The reply is
// the first effect; a settle that is refused changes nothing (F4).
type Settle struct{ Action spec.Action }

// Submit is what came through the worker-submit endpoint: an answer to a
// decision, ahead of the answer to its request, which is dropped when it comes
// (I2, D6). The reply is the first effect. An answer to a decision that is no
// longer live succeeds and changes nothing.
type Submit struct {
	Decision string
	Answer   spec.Decision
}

// Answer is what came back for one delivery (D1, D2, D6).
type Answer struct {
	Decision string
	// Delivery counts from 1.
	Delivery int
	Answer   spec.Answer
}

// Reply is what the model answered to [AskModel]: a response or an error (C1,
// C2, C5).
type Reply struct {
	Call     string
	Response *spec.LlmResponse
	Error    *spec.ErrorInfo
}

// Tick says that engine time is now To after Config.At. Timers that are due by
// then fire in order. A To in the past does nothing.
type Tick struct{ To time.Duration }

// Plant puts messages, state and config in place, as if they had been recorded
// before; nil members change nothing. Planted assistant calls count as made by
// a request that offered the tools of the config in force.
type Plant struct {
	Messages []spec.DraftMessage
	State    jsontext.Value
	Agent    *spec.AgentConfig
}

// Interrupt is what the session's owner sends to have it wait (M1, wire 11). The
// reply is the first effect and names the interrupt that the session then waits
// for. ID is minted when nil.
type Interrupt struct {
	ID      *string
	Reason  string
	Payload jsontext.Value
}

// ChildEnded says that the turn of a child session is over, with its result or
// its error (L3), and what it cost (L5). See [EndOf].
type ChildEnded struct {
	Session string
	Result  *string
	Error   *spec.ErrorInfo
	Usage   spec.Usage
	Cost    string
}

// Restart says that the engine went down and came up again: the delivery that
// was out is lost and goes out again, open calls are left as they are (D8).
type Restart struct{}

func (Input) event()      {}
func (Settle) event()     {}
func (Submit) event()     {}
func (Answer) event()     {}
func (Reply) event()      {}
func (Tick) event()       {}
func (Plant) event()      {}
func (Interrupt) event()  {}
func (ChildEnded) event() {}
func (Restart) event()    {}

// Effect is something that the engine wants done or known: one of [Deliver],
// [AskModel], [Replied], [Delta], [Outcome], [Turn], [Spawn],
// [InputReply] and [Unsupported].
type Effect interface{ effect() }

// Deliver asks for one delivery of a decision. Request carries its deadlines
// in engine time; [Deliver.Body] gives the bytes to send.
type Deliver struct {
	Decision string
	// Delivery counts from 1.
	Delivery int
	// Call is the id of the trigger's call, Try its attempt from 1.
	Call    string
	Try     int
	Request spec.DecisionRequest
	// Deadline is the engine time at which the engine gives this delivery up.
	Deadline time.Duration
	// Sent is the engine time of the delivery.
	Sent time.Duration

	at time.Time
}

// AskModel asks for a model's reply (G10, C8).
type AskModel struct {
	Call    string
	Request spec.LlmRequest
	Stream  bool
	// Worker says that the worker hosts the model, so that its llm.execute asks
	// and nobody else replies.
	Worker bool
}

// Replied says what a worker that hosts the model answered, in the protocol's
// own form whatever the format was: exactly one of Response and Error is set.
type Replied struct {
	Call     string
	Response *spec.LlmResponse
	Error    *spec.ErrorInfo
}

// Delta is one piece of a streamed model answer, as an engine hands it on. It is
// in no log (D11).
type Delta struct {
	Call string
	// Sequence counts the pieces of the call from 0.
	Sequence int
	// Data is the piece as the worker sent it.
	Data jsontext.Value
}

// Outcome says what became of one answer or of one delivery that ran out of
// time.
type Outcome struct {
	Decision string
	Delivery int
	// Event is what a recording keeps; its D is not set.
	Event spec.OutcomeEvent
	// Applied says of each action of the answer, in order, whether it was
	// applied; one that could not be is skipped without an error (D13).
	Applied []bool
	// Failure holds the whole error when Event.As is failed.
	Failure *spec.Failure
	// At is the engine time at which the answer was taken, before [Config.Pace]
	// was added.
	At time.Duration
}

// Turn says that a turn started, completed or failed.
type Turn struct {
	Event spec.TurnEvent
	// At is the engine time at which it happened.
	At time.Duration
	// Usage and Cost are what the turn has cost so far, its children's included.
	Usage spec.Usage
	Cost  string
}

// Spawn asks for a message to be given to a child session (L2): a new one, made
// by [Engine.Child], unless it continues one that was spawned before. The child
// hears it as a client.message of its user, and the end of the turn which that
// opens comes back as [ChildEnded].
type Spawn struct {
	// Call is the tool call that the child answers.
	Call      string
	Session   string
	AgentID   string
	Continues bool
	Message   spec.DraftMessage
}

// InputReply is what the engine answers to an [Input], a [Settle], a [Submit] or
// an [Interrupt]: an HTTP status, the turn that took it, and an error text when it
// was refused (B5, F4).
type InputReply struct {
	Status int
	TurnID string
	Queued bool
	Error  string
	// Settled says what became of each settle that a [Settle] or [Submit] held.
	Settled []spec.Settled
	// Dropped says why a [Submit] that succeeded changed nothing.
	Dropped string
	// Interrupt is the id of the interrupt that an [Interrupt] left the session
	// waiting for.
	Interrupt string
}

// Unsupported says that the session came to something that is not simulated.
// Each text is told once a session.
type Unsupported struct{ What string }

func (Deliver) effect()     {}
func (AskModel) effect()    {}
func (Replied) effect()     {}
func (Delta) effect()       {}
func (Outcome) effect()     {}
func (Turn) effect()        {}
func (Spawn) effect()       {}
func (InputReply) effect()  {}
func (Unsupported) effect() {}

// Timer is the next moment at which engine time makes something happen.
type Timer struct {
	At time.Duration
	// Why is "retry" or "deadline"; Of is the id of the call or decision.
	Why, Of string
}

// Assumed lists, in words, the facts that [Resume] could not read off a request.
type Assumed []string

// Identity is the owner of the session as requests say it, in the form of the
// dialect (wire 2).
func (e *Engine) Identity() spec.Identity { return e.cfg.Identity }
