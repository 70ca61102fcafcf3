package spec

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// EventKind names a kind of event of a recording.
type EventKind string

// The kinds of events.
const (
	KindHeader   EventKind = "header"
	KindSession  EventKind = "session"
	KindStep     EventKind = "step"
	KindInput    EventKind = "input"
	KindAsk      EventKind = "ask"
	KindReply    EventKind = "reply"
	KindRequest  EventKind = "request"
	KindPiece    EventKind = "piece"
	KindResponse EventKind = "response"
	KindOutcome  EventKind = "outcome"
	KindTime     EventKind = "time"
	KindDisturb  EventKind = "disturb"
	KindTurn     EventKind = "turn"
	KindWorker   EventKind = "worker"
	KindGap      EventKind = "gap"
	KindClose    EventKind = "close"
)

// Event is one line of a recording. It carries nothing that is not in the
// file, so a judge of events and a judge of files see the same.
type Event struct {
	// N is the line number, from 1. A writer sets it.
	N int64
	// Session is the alias of the session, "" for an event about the file.
	Session string
	// T is engine time in milliseconds since the header's At (captures: since
	// Started).
	T int64
	// W is measured time in microseconds since the file was opened. It may
	// differ between two equal runs.
	W int64
	// Data is what happened: a pointer to one of the *Event structs.
	Data EventData
}

// EventData is the part of an event that depends on its kind.
type EventData interface {
	// EventKind is the `k` member.
	EventKind() EventKind
}

// SessionEvent introduces a session and its alias.
type SessionEvent struct {
	SessionID string    `json:"session_id"`
	AgentID   string    `json:"agent_id"`
	Identity  *Identity `json:"identity,omitzero"`
	Parent    string    `json:"parent,omitzero"`
	// Origin is "new", "joined" for a capture that begins in the middle, or, for
	// a twin that cannot be made, [NotMade] with the reason (R11).
	Origin string `json:"origin"`
	// Label is the label of the session in its scenario, "" for the default one.
	Label string `json:"label,omitzero"`
	// Copy is the number of the script's copy, from 1; 0 where there is but one.
	Copy int `json:"copy,omitzero"`
	// Twin is the alias of the session that this one is the twin of, and Right
	// the label of the call that was put right in it, "" where it is no call
	// (R11).
	Twin  string `json:"twin,omitzero"`
	Right string `json:"right,omitzero"`
	// Alive is set for a session that was opened only to see whether the worker
	// is alive: it belongs to no script.
	Alive *AliveOf `json:"alive,omitzero"`
	// Labels maps the labels of calls to wire ids, where they differ from those
	// of the header: in every session but the first.
	Labels map[string]string `json:"labels,omitzero"`
}

// AliveOf says for whom a session asks whether the worker is alive.
type AliveOf struct {
	// Of is the alias of the session whose script wants to know, Step the step
	// at the end of whose window it was, nil for the end of the script.
	Of   string `json:"of"`
	Step *int   `json:"step,omitzero"`
}

// NotMade begins the origin of a twin that could not be made; the reason
// follows.
const NotMade = "not made: "

// StepEvent says that a step of the scenario acted, or was passed over. Step
// counts from 0.
type StepEvent struct {
	Step       int    `json:"step"`
	Verb       string `json:"verb"`
	PassedOver bool   `json:"passed_over,omitzero"`
}

// InputEvent is something that reached the engine from outside.
type InputEvent struct {
	// From is client, machine or worker.
	From string `json:"from"`
	Body Body   `json:",embed"`
	// Status is what the engine answered, 0 when nothing was.
	Status int    `json:"status,omitzero"`
	Reply  string `json:"reply,omitzero"`
	// Call is the call that a settle names, by its wire id.
	Call   string `json:"call,omitzero"`
	TurnID string `json:"turn_id,omitzero"`
	// Decision is the decision that a submitted answer names (wire 11).
	Decision string `json:"decision,omitzero"`
	// Settled says what became of each settle that the engine took with it.
	Settled []Settled `json:"settled,omitzero"`
	// Dropped says why a submitted answer changed nothing: its decision was no
	// longer live (I2).
	Dropped string `json:"dropped,omitzero"`
}

// AskEvent says what the model was asked.
type AskEvent struct {
	Call string `json:"call"`
	// To is script or worker.
	To   string `json:"to"`
	Body Body   `json:",embed"`
}

// ReplyEvent is what the model answered.
type ReplyEvent struct {
	Call  string     `json:"call"`
	From  string     `json:"from"`
	Body  Body       `json:",embed"`
	Error *ErrorInfo `json:"error,omitzero"`
}

// BodyEnd says how a body ended. Only a whole one may be judged or served as
// an answer.
type BodyEnd string

// The ends of bodies.
const (
	// EndWhole is a complete response.
	EndWhole BodyEnd = "whole"
	// EndCut is a body that ended before its announced end.
	EndCut BodyEnd = "cut"
	// EndReset is a connection that was refused, closed or reset before a
	// whole response head.
	EndReset BodyEnd = "reset"
	// EndTimeout is an answer that was not there when the bound passed.
	EndTimeout BodyEnd = "timeout"
	// EndOverLimit is a body larger than the bound.
	EndOverLimit BodyEnd = "over-limit"
	// EndClientGone is a proxy's client that left.
	EndClientGone BodyEnd = "client-gone"
	// EndStale is a reused idle connection that the worker had closed: no
	// delivery took place (R17).
	EndStale BodyEnd = "stale"
	// EndOmitted is a body left out on purpose.
	EndOmitted BodyEnd = "omitted"
)

// The reasons that accompany EndReset, so that a judge can tell a worker that
// is not there from one that hung up.
const (
	ReasonRefused     = "connection refused"
	ReasonUnreachable = "not reachable"
	ReasonTLS         = "TLS failure"
	ReasonClosed      = "closed before a response head"
	ReasonNotHTTP     = "not an HTTP response"
	ReasonHeadTooBig  = "response head over the limit"
)

// OutcomeEvent says what the engine made of an answer (D2, D6, F2).
type OutcomeEvent struct {
	D string `json:"d"`
	// As is accepted, late, dropped or failed.
	As string `json:"as"`
	// Class is retryable or fatal when failed.
	Class   string    `json:"class,omitzero"`
	Code    ErrorCode `json:"code,omitzero"`
	Param   string    `json:"param,omitzero"`
	Reason  string    `json:"reason,omitzero"`
	Settled []Settled `json:"settled,omitzero"`
}

// The values of OutcomeEvent.As.
const (
	OutcomeAccepted = "accepted"
	OutcomeLate     = "late"
	OutcomeDropped  = "dropped"
	OutcomeFailed   = "failed"
)

// Settled is one settle of a call that an answer held, and what became of it.
type Settled struct {
	Call string `json:"call"`
	// By is tool.result or tool.error.
	By string `json:"by"`
	// Then is finished, retry or dropped.
	Then string `json:"then"`
	// At is the engine time of the retry, in ms.
	At int64 `json:"at,omitzero"`
	// Reason says why a settle was dropped (F2).
	Reason string `json:"reason,omitzero"`
}

// TimeEvent says that engine time jumped.
type TimeEvent struct {
	// Why is retry, deadline, wait or patience.
	Why string `json:"why"`
	// Of is the call or decision whose timer fired; with patience it is the call
	// whose settle waited in vain for its turn, "" for the worker as a whole.
	Of string `json:"of,omitzero"`
	// Then is retry when the attempt of a call ended and another one follows.
	Then string `json:"then,omitzero"`
	// Passed is the jump in ms.
	Passed int64 `json:"passed"`
}

// DisturbEvent says what was done to a delivery on purpose.
type DisturbEvent struct {
	D  string `json:"d"`
	Do string `json:"do"`
	By string `json:"by,omitzero"`
}

// TurnEvent says that a turn started, completed or failed.
type TurnEvent struct {
	TurnID string `json:"turn_id"`
	// Event is started, completed or failed.
	Event string `json:"event"`
	// Data is the final output of a completed turn.
	Data  jsontext.Value `json:"data,omitzero"`
	Error *ErrorInfo     `json:"error,omitzero"`
}

// The values of TurnEvent.Event.
const (
	TurnStarted   = "started"
	TurnCompleted = "completed"
	TurnFailed    = "failed"
)

// WorkerEvent is something that happened to the worker's process.
type WorkerEvent struct {
	// Event is started, ready, restarted or exited.
	Event   string `json:"event"`
	AfterMs int64  `json:"after_ms,omitzero"`
	Exit    string `json:"exit,omitzero"`
	Stderr  string `json:"stderr,omitzero"`
}

// GapEvent says that something is missing here.
type GapEvent struct {
	Lost   int64  `json:"lost"`
	Bytes  int64  `json:"bytes,omitzero"`
	Reason string `json:"reason"`
}

// CloseEvent is the last line.
type CloseEvent struct {
	// Why is the reason that a case or a capture ended.
	Why       string `json:"why"`
	Events    int64  `json:"events"`
	Sessions  int64  `json:"sessions"`
	Exchanges int64  `json:"exchanges"`
	Pieces    int64  `json:"pieces"`
	Lost      int64  `json:"lost"`
	SHA256    string `json:"sha256"`
	Asked     string `json:"asked"`
	Answered  string `json:"answered"`
}

// The reasons why a case ends ("how a scenario runs", 5).
const (
	CloseScriptDone    = "script done"
	CloseTurnFailed    = "turn failed"
	CloseScriptDry     = "script dry"
	CloseGaveUp        = "gave up"
	CloseDecisions     = "bound: decisions"
	CloseReal          = "bound: real time"
	CloseNotApplicable = "not applicable"
	CloseNotRun        = "not run"
	CloseHarness       = "harness error"
)

// UnknownEvent is an event of a kind that this version does not know. It is
// kept so that nothing recorded is lost.
type UnknownEvent struct {
	Kind EventKind
	Raw  jsontext.Value
}

// CloseUnreachable is the reason of a case whose worker could not be reached
// or started at all.
const CloseUnreachable = "unreachable"

// CloseBytes is the reason of a case whose worker answered with more bytes than
// one case may keep.
const CloseBytes = "bound: bytes"

// CloseReason joins a reason of the Close constants with its particulars:
// "not applicable: needs a tool with an output schema".
func CloseReason(why, particulars string) string {
	if particulars == "" {
		return why
	}
	return why + ": " + particulars
}

// SplitCloseReason undoes [CloseReason]: it returns the constant and the
// particulars. A text that begins with no known reason is returned whole.
func SplitCloseReason(text string) (why, particulars string) {
	for _, known := range []string{
		CloseScriptDone, CloseTurnFailed, CloseScriptDry, CloseGaveUp, CloseDecisions, CloseReal,
		CloseNotApplicable, CloseNotRun, CloseHarness, CloseUnreachable, CloseBytes,
	} {
		if text == known {
			return known, ""
		}
		if rest, ok := strings.CutPrefix(text, known+": "); ok {
			return known, rest
		}
	}
	return text, ""
}
