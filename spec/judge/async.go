package judge

import (
	"crypto/sha256"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

const (
	asyncThrough = "async.settles-through-endpoint"
	asyncCall    = "async.settles-the-asked-call"
	asyncAttempt = "async.settles-the-asked-attempt"
	asyncOnce    = "async.settles-once"
	asyncNames   = "async.names-the-attempt"
	asyncGivesUp = "async.gives-up-when-refused"
)

func asyncChecks() []check {
	const moment = "no settle came: the worker needs an engine to settle at, by --start or --engine-listen"
	return []check{
		{id: asyncThrough, moment: moment},
		{id: asyncCall, moment: moment},
		{id: asyncAttempt, moment: "no settle came that named an attempt"},
		{id: asyncOnce, moment: moment, see: seeSettledOutside},
		{id: asyncNames, moment: "no call was settled outside a decision that had been tried before"},
		{id: asyncGivesUp, moment: "no settle of the worker was refused"},
	}
}

// The bounds of what is kept of one session for settles outside of decisions.
const (
	maxHanded  = 128
	maxTaken   = 256
	maxRefused = 64
)

// handed is one delivery of a tool.execute to the worker.
type handed struct {
	call    string
	attempt uint32
	// n orders the requests of the recording.
	n int
	// x is the exchange, as far as a settle of its call is judged by it.
	x *exchange
}

// tookSettle is a settle that an engine took for a call.
type tookSettle struct {
	call    string
	attempt uint32
	kind    string
	words   [sha256.Size]byte
	// n counts the requests that went before, life the restarts of the worker;
	// where says how it came.
	n     int
	life  int
	where string
	// outside says that it came by the settle endpoint, unnamed that it did not
	// say of which of several attempts it is.
	outside, unnamed bool
}

// refused is a settle of the worker that an engine did not take.
type refused struct {
	sum [sha256.Size]byte
	n   int
}

// lateSettles is what is kept of a session for its settles outside of decisions.
type lateSettles struct {
	handed  []handed
	taken   []tookSettle
	refused []refused
	// elsewhere are calls that somebody else settled.
	elsewhere []string
	// submitted are the latest decisions whose answer came over the worker-submit
	// endpoint.
	submitted []string
	// excused are calls whose settle went wrong, in a way that has a name, before
	// they were let go.
	excused []string
}

// keep appends within a bound; the oldest goes first.
func keep[T any](list []T, most int, v T) []T {
	if len(list) == most {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, v)
}

// hand keeps that the worker was asked to run a call. Only our own recordings
// hold settles, so nothing is kept of others.
func (s *session) hand(x *exchange) {
	t, ok := x.asked()
	if !ok || !slices.Contains(x.judge.ledger.evidence, spec.EvidenceEngine) {
		return
	}
	s.late.handed = keep(s.late.handed, maxHanded, handed{call: t.ID, attempt: t.Attempt, n: x.N, x: x.slim()})
}

// slim is the exchange without what a settle of its call does not need.
func (x *exchange) slim() *exchange {
	w := &wired{Exchange: &spec.Exchange{Session: x.Session, D: x.D, N: x.N, Step: x.Step, T: x.T}}
	req := &spec.DecisionRequest{DecisionID: x.req.DecisionID, Trigger: x.req.Trigger, Agent: x.req.Agent}
	req.Proposed.Actions = x.req.Proposed.Actions
	return &exchange{wired: w, judge: x.judge, state: x.state, req: req}
}

// deliveries are those of a call, in order, with the ones that have no answer
// yet: a worker may settle a call before it lets it go (I2).
func (j *Judge) deliveries(s *session, call string) []handed {
	var all []handed
	for _, h := range s.late.handed {
		if h.call == call {
			all = append(all, h)
		}
	}
	for _, w := range j.wire.open[s.alias] {
		if w.Request.Trigger != spec.OnToolExecute || w.Damage != "" {
			continue
		}
		req, fault := w.Asked()
		if fault != nil {
			continue
		}
		x := &exchange{wired: w, judge: j, state: s, req: req}
		if t, ok := x.asked(); ok && t.ID == call {
			all = append(all, handed{call: call, attempt: t.Attempt, n: w.N, x: x.slim()})
		}
	}
	return all
}

// latest is the last delivery of any call, for what is about none.
func (j *Judge) latest(s *session) *exchange {
	if open := j.wire.open[s.alias]; len(open) > 0 {
		if req, fault := open[len(open)-1].Asked(); fault == nil && req.Trigger != nil {
			return (&exchange{wired: open[len(open)-1], judge: j, state: s, req: req}).slim()
		}
	}
	if n := len(s.late.handed); n > 0 {
		x := *s.late.handed[n-1].x
		return &x
	}
	return &exchange{
		wired: &wired{Exchange: &spec.Exchange{Session: s.alias, Step: s.step}}, judge: j, state: s,
		req: &spec.DecisionRequest{Trigger: spec.UnknownTrigger{}},
	}
}

// seeSettledOutside wants nothing settled in a decision that was settled at the
// engine before. What settles at the engine later is compared there.
func seeSettledOutside(x *exchange) {
	if x.stopped || x.dropped() {
		return
	}
	for _, s := range x.settles() {
		attempt := x.attemptOf(s)
		i := slices.IndexFunc(x.state.late.taken, func(t tookSettle) bool { return t.outside && t.call == s.call && t.attempt == attempt })
		if i < 0 {
			continue
		}
		x.again(x.state.late.taken[i], x.tell(s), s.pointer(""), x.judge.deliveries(x.state, s.call), x.judge.wire.n)
	}
}

// attemptOf is the attempt that a settle in a decision is of (F1).
func (x *exchange) attemptOf(s settle) uint32 {
	if s.attempt != nil {
		return *s.attempt
	}
	t, _ := x.asked()
	return t.Attempt
}

// remember keeps the settles of an answer that the engine took.
func (s *session) remember(x *exchange) {
	if x.now == nil || len(s.late.handed) == 0 && !x.submitted {
		return
	}
	where := "the answer in " + x.D
	if x.submitted {
		where = whereSubmitted
	}
	for i, settle := range x.settles() {
		if i == maxToldSettles {
			return
		}
		s.late.taken = keep(s.late.taken, maxTaken, tookSettle{
			call: settle.call, attempt: x.attemptOf(settle), kind: x.now[i].kind, words: x.now[i].words, n: x.judge.wire.n, life: x.judge.restarts,
			where: where,
		})
	}
}

// settledOutside reports whether the asked call needs no settle any more: it
// was settled at the engine before its decision was answered, or its settle
// went wrong in a way that has a name.
func (s *session) settledOutside(t spec.ToolExecuteTrigger) (settled, excused bool) {
	settled = slices.ContainsFunc(s.late.taken, func(k tookSettle) bool { return k.outside && k.call == t.ID && k.attempt == t.Attempt })
	if i := slices.Index(s.late.excused, t.ID); i >= 0 {
		s.late.excused = slices.Delete(s.late.excused, i, i+1)
		excused = true
	}
	return settled, excused
}
