package judge

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// Options say how to judge. The zero value is what every command uses.
type Options struct {
	// MaxFindings bounds the findings kept per requirement; the rest is
	// counted in the reason. 0 means 1000.
	MaxFindings int
	// Readings, when set, shares what is decoded with other readers of the same
	// events. It holds all of it, so the memory then grows with the recording.
	Readings *spec.Readings
}

const defaultMaxFindings = 1000

// Judge takes the events of one recording, one by one. Make one with [New]. It
// is not safe for concurrent use.
type Judge struct {
	header   *spec.HeaderEvent
	wire     *assembler
	ledger   *ledger
	sessions map[string]*session
	// aliases lists the keys of sessions in order of arrival.
	aliases []string
	starts  [2]startForm
	worker  declared
	// restarts counts how often the worker was restarted so far.
	restarts int
	// forgeries is what is known of badly signed requests.
	forgeries forgeries
	// branches are what is compared across sessions.
	branches branches
	// ordeals are those that no later exchange has told of, lingering those that
	// one has told of and another may still; fell says that the worker went down
	// with one.
	ordeals, lingering []ordeal
	fell               bool
	// down says that the last exchange met nobody.
	down bool
	// configs are those that sessions were started with, by their ids.
	configs map[string]ownConfig
	// close is the reason of the last line, "" when there was none.
	close string
}

// New returns a Judge of a recording whose first event is yet to come.
func New(o Options) *Judge {
	if o.MaxFindings <= 0 {
		o.MaxFindings = defaultMaxFindings
	}
	return &Judge{
		wire:     newAssembler(o.Readings),
		ledger:   newLedger(o.MaxFindings),
		sessions: map[string]*session{},
	}
}

// Add takes the next event. Events must come in the order of the recording.
// It does not keep e, and never fails: what cannot be judged is not observed.
func (j *Judge) Add(e spec.Event) {
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		if j.header == nil {
			j.header = d
			j.ledger.permit(d.Evidence)
		}
		return
	case *spec.CloseEvent:
		j.flush()
		j.close, _ = spec.SplitCloseReason(d.Why)
		return
	case *spec.WorkerEvent:
		if d.Event == "restarted" {
			j.flush()
			j.restarts++
			j.ordeals, j.lingering, j.fell, j.down = nil, nil, false, false
			for _, alias := range j.aliases {
				j.sessions[alias].restarted()
			}
		}
		return
	}
	s := j.session(e.Session)
	switch d := e.Data.(type) {
	case *spec.SessionEvent:
		s.twinOf = d.Twin
	case *spec.StepEvent:
		if !d.PassedOver {
			s.step, s.waiting = &d.Step, d.Verb == "wait"
		}
	case *spec.TimeEvent:
		if s.waiting && d.Why == "deadline" {
			j.settle(s)
			s.drop(d.Of)
		}
	case *spec.InputEvent:
		j.settle(s)
		switch {
		case d.From == "worker" && d.Decision != "":
			s.submitted(j, d)
		case d.From == "worker":
			s.outside(j, d)
		default:
			s.input(j, d)
		}
	case *spec.TurnEvent:
		j.settle(s)
		s.turn(d)
	case *spec.RequestEvent:
		j.settle(s)
		if d.Adds() == spec.AddsTrigger {
			s.foreign = keep(s.foreign, maxTold, d.Decision)
		}
		j.wire.request(e, d, s.step)
	case *spec.PieceEvent:
		j.wire.piece(e.Session, d)
	case *spec.ResponseEvent:
		j.heard(j.wire.response(e.Session, d))
	case *spec.OutcomeEvent:
		j.wire.outcome(e, d)
	case *spec.DisturbEvent:
		j.branches.disturbed = true
		j.wire.disturb(e.Session, d)
	}
}

// Verdict returns what the recording says of each requirement, in the order of
// the registry. It may be called again; events added in between count.
func (j *Judge) Verdict() Verdict {
	j.flush()
	l := j.ledger.clone()
	for _, c := range checks() {
		if c.sum != nil {
			c.sum(j, l)
		}
	}
	return Verdict{Observations: l.observations(j)}
}

// Verdict is what one recording says.
type Verdict struct {
	// Observations holds one for each requirement, in registry order.
	Observations []spec.Observation
}

// Of returns the observation of a requirement, and whether the registry has
// that id.
func (v Verdict) Of(id string) (spec.Observation, bool) {
	i := slices.IndexFunc(v.Observations, func(o spec.Observation) bool { return o.Requirement == id })
	if i < 0 {
		return spec.Observation{}, false
	}
	return v.Observations[i], true
}

// session returns the state of a session, a new one at its first event.
func (j *Judge) session(alias string) *session {
	s := j.sessions[alias]
	if s == nil {
		s = &session{alias: alias}
		j.sessions[alias] = s
		j.aliases = append(j.aliases, alias)
	}
	return s
}

// settle judges the answered exchanges of a session. It is put off until the
// next thing happens there, since what was done to a delivery may stand after
// its response.
func (j *Judge) settle(s *session) {
	for _, w := range j.wire.take(s.alias) {
		j.exchange(s, w)
	}
}

func (j *Judge) flush() {
	for _, alias := range j.aliases {
		j.settle(j.sessions[alias])
	}
}

// exchange lets one exchange climb the ladder and enters what it showed.
func (j *Judge) exchange(s *session, w *wired) {
	if len(w.Disturbed) > 0 {
		s.disturbed(j, w)
		return
	}
	if w.over {
		return
	}
	j.idle(s, w)
	if j.badlySigned(w) {
		j.forged(s, w)
		return
	}
	if w.Request.IsRaw() || !j.tolerates(s, w) {
		return
	}
	x, ok := j.open(s, w)
	if !ok {
		return
	}
	j.worker.note(x.req.Agent)
	s.hand(x)
	s.before(x)
	if slices.Contains(s.late.submitted, x.req.DecisionID) {
		x.answeredBefore()
		j.ledger.enter(x.notes)
		return
	}
	x.climb()
	if x.accepted && !x.dropped() {
		j.worker.note(x.decision.Agent)
		j.keepConfig(x)
		j.took(x)
		s.telling(x)
		s.after(x)
	}
	if x.trigger() == spec.OnSessionStart && !x.isChild() {
		j.starts[formOf(x)].add(x)
		return
	}
	j.ledger.enter(x.notes)
}
