package simulator

import (
	"context"
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// DefaultAt is the moment at which engine time starts when none is given. It
// is the date of the protocol's baseline and no wall time, so that ids do not
// depend on when a run was made (R1, R20).
var DefaultAt = time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC)

// Pace is the engine time that each answer and each model reply takes (R20).
const Pace = time.Millisecond

// The bounds of a case that no scenario sets (R7, R16).
const (
	// DefaultSettlePatience is the real time in which an asynchronous worker
	// may settle a call before engine time jumps.
	DefaultSettlePatience = 5 * time.Second
	// MaxCaseBytes bounds all answers of one case together: what a worker
	// says comes back to it in every later request, and stays in memory until
	// the case is judged.
	MaxCaseBytes = 128 << 20
	// debuggerSecs is the deadline on the wire when nothing bounds an answer.
	debuggerSecs = 3600
)

// Settings are what all cases of a run have in common.
type Settings struct {
	// Seed is that of R20.
	Seed uint64
	// Fixed makes wire time follow engine time. It is for tests and replay:
	// only the live clock certifies (R1).
	Fixed bool
	// At is the start of engine time, [DefaultAt] when zero. It is cut to
	// milliseconds.
	At time.Time
	// Agent is the config that session.start proposes by default, what
	// discovery found; nil proposes none (R2).
	Agent *spec.AgentConfig
	// AgentID is used by cases that name none; "agent" when empty.
	AgentID string
	// Dialect is the one that discovery speaks; each case has its own. The zero
	// value is the default.
	Dialect scenarios.Dialect
	// Headers are added to each request.
	Headers [][2]string
	// Secret signs each request (D10); nil signs none. SignatureHeader is the
	// header that carries the signature, [SignatureHeader] when empty.
	Secret          []byte
	SignatureHeader string
	// Patience bounds one answer in real time. 0 is the delivery's own
	// deadline, a longer bound than that has no effect, and a negative one
	// lifts every bound in real time and moves the deadlines on the wire an
	// hour away, for debuggers (R16). One that is set also bounds the wait for
	// a call that the worker holds, in place of the scenario's own (R7).
	Patience time.Duration
	// Worker and MadeBy stand in the header of each recording.
	Worker spec.WorkerHeader
	MadeBy spec.MadeBy
	// RunOf stands there too: the run that the case is of.
	RunOf spec.RunHeader
	// Vars are the values given for $var.
	Vars map[string]string
	// Process is the worker's own, when this run started it: its end is
	// recorded in the cases that it concerns.
	Process *Process
	// Restart, when set, restarts the worker and returns when it accepts
	// connections again (R15). Requests that are out need not be answered.
	Restart func(context.Context) error
	// Clock is [SystemClock] when nil.
	Clock Clock
	// Endpoint is where the worker settles calls that it keeps (I2). Nil is
	// none: then nothing but a late answer can come from such a worker, and it
	// is not waited for (R19).
	Endpoint *Endpoint

	// settling is what the run learns of how the worker settles later.
	settling *settling
	// tape is what a recording says came from outside, when the case is driven
	// again from it; nil in a live run.
	tape *tape
}

// CaseInput is one case to drive.
type CaseInput struct {
	Settings
	Case scenarios.Case
	// Built says that the case is of the built-in corpus; Folder names the
	// folder of a user's own. Ordinal is its place in the run, from 1: it
	// orders the cases of a report.
	Built   bool
	Folder  string
	Ordinal int
	// Features are those that the case was planned with, as Vars are.
	Features []string
	// Alone says that the case failed in company and now runs with no other
	// beside it (R18). Its ids differ from those of the first run, since a
	// worker may remember what it answered to them (D5).
	Alone bool
}

// Result is how a case ended.
type Result struct {
	// Why is the reason for the recording's last line, with particulars; see
	// [spec.SplitCloseReason].
	Why string
	// T is engine time at the end in milliseconds.
	T int64
	// Decisions counts decisions, Exchanges what was sent for them.
	Decisions, Exchanges int
	// Reached says that there was somebody: a connection was made, whether or
	// not an answer came.
	Reached bool
}

// GaveUp reports whether the worker did not answer twice in time (R16).
func (r Result) GaveUp() bool {
	why, _ := spec.SplitCloseReason(r.Why)
	return why == spec.CloseGaveUp
}

// Drive runs one case, all its sessions, and hands every event of its
// recording, the header first, to sink, never twice at once and for each
// session in order. N and W of the events and
// the closing line are the recorder's to set. It returns when the case has
// ended and every request is closed. Cancelling ctx ends the case early, with
// the reason "not run".
//
// Drive judges nothing and does not fail: what keeps a case from running is
// the reason in its result. Several cases may be driven at once.
func Drive(ctx context.Context, in CaseInput, t Poster, sink func(spec.Event)) Result {
	in.Settings = in.withDefaults()
	if why := undriven(in.Case); why != "" {
		return skip(in, why, sink)
	}
	skip(in, "", sink)
	return newStage(in, t, sink).run(ctx)
}

// skip hands out the header, all of the recording of a case that is not run.
// The result carries why, so that a report needs recordings and nothing else.
func skip(in CaseInput, why string, sink func(spec.Event)) Result {
	sink(spec.Event{Data: header(in, labelIDs(in.Case, in.ids(mainSession)))})
	return Result{Why: why}
}

// undriven is the reason why a case does not run at all.
func undriven(c scenarios.Case) string {
	if c.NotApplicable == "" {
		return ""
	}
	return spec.CloseReason(spec.CloseNotApplicable, c.NotApplicable)
}

func (s Settings) withDefaults() Settings {
	if s.At.IsZero() {
		s.At = DefaultAt
	}
	s.At = s.At.UTC().Truncate(time.Millisecond)
	if s.AgentID == "" {
		s.AgentID = "agent"
	}
	if s.Clock == nil {
		s.Clock = SystemClock
	}
	if s.settling == nil {
		s.settling = &settling{}
	}
	return s
}

// mainSession is the alias of a case's own session.
const mainSession = "s1"

func (in CaseInput) ids(session string) Ids {
	if in.Alone {
		session += " alone"
	}
	return Ids{Seed: in.Seed, Case: in.Case.ID, Session: session, At: in.At}
}

// headers are those that are added to each request of the case.
func (in CaseInput) headers() [][2]string {
	out := slices.Clone(in.Headers)
	for _, h := range in.Case.Engine.Headers {
		out = append(out, [2]string{h.Name, h.Value})
	}
	return out
}

// bound is the real time that the answer to d may take (R16); 0 is no bound.
func (s Settings) bound(d engine.Deliver) time.Duration {
	left := d.Deadline - d.Sent
	switch {
	case s.Patience < 0, s.Patience == 0 && left > longestDeadline:
		return 0
	case s.Patience > 0 && s.Patience < left:
		return s.Patience
	default:
		return left
	}
}

// settlePatience is the real time that the worker may take to settle a call
// that it holds, within the call's own deadline (R7).
func (in CaseInput) settlePatience() time.Duration {
	switch limit := in.Case.Limits.Patience; {
	case in.Patience < 0:
		return longestDeadline
	case in.Patience > 0:
		return in.Patience
	case limit > 0:
		return limit
	default:
		return DefaultSettlePatience
	}
}

// longestDeadline tells a deadline that a policy set from the engine's "never".
const longestDeadline = 100 * 365 * 24 * time.Hour
