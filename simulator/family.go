package simulator

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// A session of the script and the sessions of its subagents are a family. All
// live in one goroutine, and one request of theirs is out at a time, so that what
// each of them says depends on no race (R20). They keep one engine time wherever
// it jumps and whenever one hears of another.

// kin is what a session of the script's own keeps of the subagents below it.
type kin struct {
	// all are the subagents of every depth, in the order of their spawns.
	all []*session
	// parts are the steps that act in sessions of subagents, by the labels of the
	// calls that these answer; early are disturbances that wait for one to begin.
	parts map[string]childPart
	early map[string][]*scenarios.DisturbStep
	// queued are deliveries that wait until no other of the family is out.
	queued []func()
	// decisions counts those of the whole family.
	decisions int
	// stops end the listening for settles.
	stops []func()
}

// childPart are the steps of one subagent, with their places in the script.
type childPart struct {
	part    int
	steps   []scenarios.Step
	numbers []int
}

func (k *kin) expect(label string, p childPart) {
	if k.parts == nil {
		k.parts = map[string]childPart{}
	}
	k.parts[label] = p
}

func (k *kin) stopListening() {
	for _, stop := range k.stops {
		stop()
	}
}

// leave says that none of the subagents acts in a step any more.
func (k *kin) leave(b *baton) {
	for _, label := range slices.Sorted(maps.Keys(k.parts)) {
		b.leave(k.parts[label].part)
	}
}

// family is the session of the script's own, then its subagents.
func (s *session) family() []*session {
	return append([]*session{s.root}, s.root.kin.all...)
}

// beside reports whether something holds of another session of the family.
func (s *session) beside(holds func(*session) bool) bool {
	return slices.ContainsFunc(s.family(), func(m *session) bool { return m != s && holds(m) })
}

// busy reports whether something is under way in a session itself.
func (s *session) busy() bool { return s.eng.InFlight() || s.patient || s.waitedFor() }

// blocked reports whether the model was asked in a session whose reply waits for
// its turn among the steps.
func (s *session) blocked() bool {
	n := s.script.next
	return len(s.asked) > 0 && n < len(s.script.steps) && s.script.steps[n].Model != nil && !s.baton.has(s.script.number(n))
}

func (s *session) busyBeside() bool {
	return s.beside(func(m *session) bool {
		return m.busy() || len(m.soon) > 0 || len(m.asked) > 0 && !m.blocked()
	})
}

func (s *session) blockedBeside() bool { return s.beside((*session).blocked) }

func (s *session) waitedForBeside() bool { return s.beside((*session).waitedFor) }

// awaitedInFamily reports whether the worker holds a call of any of them and
// something can still come of it.
func (s *session) awaitedInFamily() bool {
	return slices.ContainsFunc(s.family(), func(m *session) bool {
		return m.eng.HeldByWorker() && (m.in.Endpoint != nil || len(m.open) > 0)
	})
}

// heardFamily says that something came from outside: nobody of the family waits
// for it in real time any more.
func (s *session) heardFamily() {
	for _, m := range s.family() {
		m.patient = false
		m.script.heard()
	}
}

// nextInFamily is the timer that is due first in the family, with the session
// whose it is; nil when there is none. Of two at one moment the elder's is first.
func (s *session) nextInFamily() (owner *session, next engine.Timer) {
	for _, m := range s.family() {
		if t, ok := m.eng.NextTimer(); ok && (owner == nil || t.At < next.At) {
			owner, next = m, t
		}
	}
	return owner, next
}

// ownerOf is the session whose timer a jump fires: this one, where it has it.
func (s *session) ownerOf(m move) *session {
	has := func(x *session) bool {
		t, ok := x.eng.NextTimer()
		return ok && t.Of == m.of && t.At == m.to
	}
	if m.of == "" || has(s) {
		return s
	}
	if i := slices.IndexFunc(s.family(), has); i >= 0 {
		return s.family()[i]
	}
	return s
}

// advanceAll does the next move of the family and reports whether anybody did
// anything.
func (s *session) advanceAll(ctx context.Context) bool {
	if k := s.kin; len(k.queued) > 0 && !slices.ContainsFunc(s.family(), (*session).waitedFor) {
		post := k.queued[0]
		k.queued = k.queued[1:]
		s.turnOver(post)
		return true
	}
	for _, m := range s.family() {
		if m.advance(ctx) {
			return true
		}
		if s.why != "" {
			return true
		}
	}
	return s.passAbsent(ctx)
}

// atRest takes the end of a subagent's script: it is at rest then, and the case
// goes on, unless its model has no reply left.
func (s *session) atRest(why string) bool {
	if why != spec.CloseScriptDry {
		return false
	}
	s.end(why)
	return true
}

// passAbsent goes on where the next step belongs to a subagent that was never
// spawned and that nothing brings about any more (3). A disturbance waits for it.
func (s *session) passAbsent(ctx context.Context) bool {
	if s.baton == nil || s.busy() || s.busyBeside() {
		return false
	}
	label, n, absent := s.absentStep()
	if !absent {
		return false
	}
	step := &s.kin.parts[label].steps[n]
	number := s.kin.parts[label].numbers[n]
	if step.Disturb != nil {
		s.emit(s.now(), &spec.StepEvent{Step: number, Verb: step.Verb()})
		if s.kin.early == nil {
			s.kin.early = map[string][]*scenarios.DisturbStep{}
		}
		s.kin.early[label] = append(s.kin.early[label], step.Disturb)
		s.baton.acted(number)
		return true
	}
	v := s.scene()
	switch {
	case v.asked || v.pressed:
	case v.awaited && !s.script.waited:
		s.script.waited = true
		return s.bePatient()
	case v.hasTimer:
		s.jump(ctx, s.script.jump(v.timer))
		return true
	}
	s.emit(s.now(), &spec.StepEvent{Step: number, Verb: step.Verb(), PassedOver: true})
	s.baton.acted(number)
	return true
}

// absentStep is the step whose turn it is, if it belongs to a subagent of the
// family that is not there.
func (s *session) absentStep() (label string, n int, absent bool) {
	for _, label := range slices.Sorted(maps.Keys(s.kin.parts)) {
		p := s.kin.parts[label]
		if n := slices.Index(p.numbers, s.baton.due()); n >= 0 {
			there := slices.ContainsFunc(s.kin.all, func(m *session) bool { return m.baton != nil && m.part == p.part })
			return label, n, !there
		}
	}
	return "", 0, false
}

// spawn gives a message to a subagent, a new one or one that is there (L2).
func (s *session) spawn(ctx context.Context, e engine.Spawn) {
	if s.why != "" {
		// What the engine wants after the end of a case is not begun.
		return
	}
	var c *session
	for _, m := range s.root.kin.all {
		if m.eng.SessionID() == e.Session {
			c = m
		}
	}
	if c == nil {
		var err error
		if c, err = s.newChild(ctx, e); err != nil {
			s.broken(err)
			return
		}
	}
	c.apply(ctx, c.eng.Step(engine.Tick{To: s.eng.Now()}))
	in := spec.ClientInput{Type: spec.InputClientMessage, AgentID: e.AgentID, Message: &e.Message}
	if reply := c.inputFrom(ctx, fromMachine, in); reply.Status >= http.StatusBadRequest {
		c.report(ctx, engine.ChildEnded{Session: e.Session, Error: &spec.ErrorInfo{Code: spec.CodeUnroutable, Message: reply.Reply}})
	}
}

// newChild begins the session of a subagent. Where the script has steps for the
// call that it answers, they are its steps.
func (s *session) newChild(ctx context.Context, e engine.Spawn) (*session, error) {
	spawned := 1
	for _, m := range s.root.kin.all {
		if m.parent == s {
			spawned++
		}
	}
	r := role{alias: s.alias + "." + strconv.Itoa(spawned), said: s.said, at: s.eng.Now()}
	r.said.Parent, r.said.Label, r.said.Right = s.alias, "", ""
	label := spec.LabelsByID(s.labels)[e.Call]
	p, named := s.root.kin.parts[label]
	if named && slices.ContainsFunc(s.root.kin.all, func(m *session) bool { return m.part == p.part && m.baton != nil }) {
		named = false
	}
	in := s.in
	in.Process = nil
	in.Case.Steps, in.Case.Given = []scenarios.Step{}, scenarios.Given{}
	in.Case.Engine.AgentID = e.AgentID
	if named {
		in.Case.Steps, r.said.Label = p.steps, label
	}
	ids := s.root.in.ids(r.alias)
	cfg := s.eng.Child(e)
	cfg.ID = ids.Engine(modelIDs(in.Case)...)
	c, err := begin(in, r, cfg, ids, s.t, s.sink)
	if err != nil {
		return nil, err
	}
	c.parent, c.root, c.kin = s, s.root, nil
	c.inbox, c.quit, c.nudged, c.permit = s.inbox, s.quit, s.nudged, s.permit
	c.rounds, c.place, c.planted, c.several = s.rounds, s.place, true, s.several
	if named {
		c.baton, c.part, c.script.numbers = s.root.baton, p.part, p.numbers
		for _, d := range s.root.kin.early[label] {
			c.arm(d)
		}
		for due := c.baton.due(); c.script.next < len(p.numbers) && p.numbers[c.script.next] < due; {
			c.script.next++ // it was armed ahead, or passed over
		}
	}
	c.armVariant()
	s.root.kin.all = append(s.root.kin.all, c)
	if s.in.tape == nil {
		s.root.kin.stops = append(s.root.kin.stops, c.listen(ctx, e.Session))
	}
	return c, nil
}

// tellParent passes the end of a subagent's turn on (L3).
func (s *session) tellParent(ctx context.Context, t engine.Turn) {
	if s.parent == nil {
		return
	}
	if end, over := engine.EndOf(s.eng.SessionID(), t); over {
		s.report(ctx, end)
	}
}

// report gives the parent the end of its subagent, once what happens now is done.
func (s *session) report(ctx context.Context, end engine.ChildEnded) {
	p := s.parent
	p.soon = append(p.soon, func() {
		p.apply(ctx, p.eng.Step(engine.Tick{To: s.eng.Now()}))
		p.apply(ctx, p.eng.Step(end))
	})
}

// result is how a session of the script's own ended, with all of its family.
func (s *session) result() Result {
	r := Result{Why: s.why, T: s.now()}
	for _, m := range s.family() {
		r.T = max(r.T, m.now())
		r.Decisions += m.decisions
		r.Exchanges += m.exchanges
		r.Reached = r.Reached || m.reached
	}
	return r
}
