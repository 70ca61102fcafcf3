package spec

import (
	"github.com/go-json-experiment/json/jsontext"
)

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
	// Accepted counts the answers that are not those that came then: a user
	// accepted others in their place.
	Accepted int `json:"accepted,omitzero"`
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
