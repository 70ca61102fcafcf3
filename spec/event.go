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

// HeaderEvent is the first line: what made the recording, and from what.
type HeaderEvent struct {
	Format    string         `json:"format"`
	Version   int            `json:"version"`
	Source    Source         `json:"source"`
	ID        string         `json:"id"`
	MadeBy    MadeBy         `json:"made_by"`
	Started   string         `json:"started"`
	At        string         `json:"at,omitzero"`
	Clock     string         `json:"clock,omitzero"`
	Seed      uint64         `json:"seed,omitzero"`
	Dialect   *Dialect       `json:"dialect,omitzero"`
	Engine    jsontext.Value `json:"engine,omitzero"`
	Run       RunHeader      `json:"run,omitzero"`
	Case      *CaseHeader    `json:"case,omitzero"`
	Worker    WorkerHeader   `json:"worker"`
	Signing   *string        `json:"signing"`
	Redaction *Redaction     `json:"redaction,omitzero"`
	Evidence  []Evidence     `json:"evidence"`
	Continues string         `json:"continues,omitzero"`
}

// RecordingFormat and RecordingVersion are what a header must say.
const (
	RecordingFormat  = "hallmark-recording"
	RecordingVersion = 1
)

// Source says what kind of recording it is.
type Source string

// The sources of recordings.
const (
	SourceTest    Source = "test"
	SourceCapture Source = "capture"
	SourceReplay  Source = "replay"
	SourceImport  Source = "import"
)

// MadeBy names the versions on which a verdict depends.
type MadeBy struct {
	Hallmark string `json:"hallmark"`
	Corpus   string `json:"corpus,omitzero"`
	Registry string `json:"registry"`
}

// Dialect says which of the permitted readings the engine follows (gaps 1, 2
// and 9, wire 2).
type Dialect struct {
	Protocol      string `json:"protocol"`
	FirstAttempt  uint32 `json:"first_attempt"`
	EmptyProposed string `json:"empty_proposed"`
	FailedCall    string `json:"failed_call,omitzero"`
	// Identity is [IdentityOlder], or empty for the form of the baseline.
	Identity string `json:"identity,omitzero"`
}

// IdentityOlder is the identity as builds before 0.7 sent it: an id in place of
// a subject, and no visibility (wire 2, gap 20).
const IdentityOlder = "older"

// DefaultDialect is the reading of the baseline: attempts from 0, the full
// empty proposal, an interrupt for a failed model call.
func DefaultDialect() Dialect {
	return Dialect{Protocol: ProtocolVersion, FirstAttempt: 0, EmptyProposed: "full", FailedCall: "interrupt"}
}

// CaseHeader says which case was run. With Text, the recording can be judged
// without a second file.
type CaseHeader struct {
	// Scenario is the slash path of the scenario file.
	Scenario string `json:"scenario"`
	Name     string `json:"name"`
	// Bound maps the labels of needs to tool names.
	Bound map[string]string `json:"bound"`
	// Labels maps the labels of calls to wire ids.
	Labels map[string]string `json:"labels"`
	// Text is the scenario file, byte for byte.
	Text string `json:"text"`
	// Folder is the folder that a scenario of a user was read from.
	Folder string `json:"folder,omitzero"`
	// Built says that the scenario is of the built-in corpus.
	Built bool `json:"built,omitzero"`
	// Ordinal is the place of the case in its run, from 1; 0 is discovery. It
	// orders the cases of a report.
	Ordinal int `json:"ordinal,omitzero"`
	// Alone says that the case ran with no other beside it, after it had
	// failed in company (R18).
	Alone bool `json:"alone,omitzero"`
	// Control numbers the calm runs of a case that is run disturbed as well, from
	// 1; 0 where there are none. Disturbed is nil in a calm run (R6).
	Control   int        `json:"control,omitzero"`
	Disturbed *Disturbed `json:"disturbed,omitzero"`
	// Vars are the values given for $var.
	Vars map[string]string `json:"vars,omitzero"`
	// Samples are the sample arguments of the bound tools, by label.
	Samples map[string]jsontext.Value `json:"samples,omitzero"`
	// Declared is a config with the declarations of the bound tools, as far as
	// a planner needs them, and Features are those that were claimed: with
	// them the case can be planned again from its own recording.
	Declared *AgentConfig `json:"declared,omitzero"`
	Features []string     `json:"features,omitzero"`
}

// LabelsByID turns labels of calls and their wire ids around. Where two labels
// have one id, since a scenario gives it to calls of two sessions, the first in
// the order of the alphabet has it, so that every reader finds the same one.
func LabelsByID(byLabel map[string]string) map[string]string {
	labels := make(map[string]string, len(byLabel))
	for label, id := range byLabel {
		if other, taken := labels[id]; !taken || label < other {
			labels[id] = label
		}
	}
	return labels
}

// RunHeader says which run a recording is of, so that the recordings of two
// runs are never taken for one.
type RunHeader struct {
	// ID is the same in all recordings of a run and in those of no other.
	ID string `json:"id"`
	// Cases is how many cases the run has, each with an ordinal from 1; 0 where
	// it was not known yet, as in the recording of discovery.
	Cases int `json:"cases,omitzero"`
}

// Disturbed says what was done on purpose to one delivery of a run, which is to
// end like the calm runs of the same case all the same (R6). The delivery is the
// first of a decision.
type Disturbed struct {
	// Do is one of the disturbances of the scenario language.
	Do string `json:"do"`
	// Session is the alias of the session, Trigger, Call (a label) and Try are
	// those of the decision, and Nth says which of such decisions it is, from 1.
	// They are empty while the place is not chosen.
	Session string      `json:"session,omitzero"`
	Trigger TriggerType `json:"trigger,omitzero"`
	Call    string      `json:"call,omitzero"`
	Try     int         `json:"try,omitzero"`
	Nth     int         `json:"nth,omitzero"`
	// By is how late or slow the answer is.
	By string `json:"by,omitzero"`
}

// WorkerHeader names the worker that was spoken to.
type WorkerHeader struct {
	URL       string `json:"url,omitzero"`
	Name      string `json:"name,omitzero"`
	Version   string `json:"version,omitzero"`
	StartedBy string `json:"started_by,omitzero"`
	// Start is the command that Hallmark started it with.
	Start string `json:"start,omitzero"`
	// Args are further words of the command that made the run, so that a line
	// which repeats a case asks in the same way. They name secrets by their
	// variables only.
	Args []string `json:"args,omitzero"`
	// Form is the form of session.start in use: agent or bare (R2).
	Form string `json:"form,omitzero"`
	// BadArguments is what the worker declares to do with arguments that do not
	// fit, by tool; [AllTools] stands for every tool that is not named. Each
	// value is one of [ArgumentsRefused], [ArgumentsRepaired] and
	// [ArgumentsRun]. Without it all three are free (E8).
	BadArguments map[string]string `json:"bad_arguments,omitzero"`
}

// AllTools is the key of WorkerHeader.BadArguments for every tool that has no
// key of its own. It is no name of a tool that a model could call.
const AllTools = "*"

// The things that a worker may declare to do with arguments that are malformed
// or break the schema of a tool: all three are legal (E8).
const (
	ArgumentsRefused  = "refuse"
	ArgumentsRepaired = "repair"
	ArgumentsRun      = "run"
)

// StandInPrefix begins everything that stands in a recording in place of a
// secret: a stand-in is the prefix, a class in letters, a dash, and eight
// characters of a-z and 2-7, padded (R9).
const StandInPrefix = "hm-red-"

// Redaction says by which policy secrets were replaced.
type Redaction struct {
	Policy   string `json:"policy"`
	Key      string `json:"key,omitzero"`
	Replaced int    `json:"replaced"`
	// Variables maps stand-ins to the variables of the environment that held
	// the secrets, so that a line which repeats a request can take them from
	// there.
	Variables map[string]string `json:"variables,omitzero"`
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
