package simulator

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// session drives one session of a case: an engine, a script and the requests
// that are out. Everything but the posting itself happens in one goroutine, so
// the events have one order.
type session struct {
	in    CaseInput
	alias string
	// said is what the session's event says besides.
	said   spec.SessionEvent
	t      Poster
	sink   func(spec.Event)
	ids    Ids
	labels map[string]string
	target string
	// headers are those that the run and the case add.
	headers [][2]string

	eng    *engine.Engine
	script script
	// baton keeps the steps of several sessions in their order; nil with one.
	baton *baton
	part  int
	// nudged says that another session's step has acted.
	nudged chan struct{}
	// rounds say when deliveries go out where several sessions run, place is this
	// one's in them; permit says that it may, queued are those that wait for it.
	rounds *rounds
	place  int
	permit chan struct{}
	queued []func()

	// inbox brings what comes from outside: connections, pieces, answers and
	// the end of real-time bounds.
	inbox chan func()
	// quit lets senders go once nobody listens any more.
	quit chan struct{}

	// exchanges are all requests so far, open the ones without an answer yet.
	exchanges int
	// received counts the bytes of all answers.
	received int64
	open     []*delivery
	// sent are all deliveries that went out.
	sent map[deliveryKey]*delivery
	// hung counts, by decision, the deliveries that were not answered in time.
	hung      map[string]int
	decisions int
	// deadlines and retries are the moments of calls that wait steps name.
	deadlines, retries map[string]time.Duration
	// executes are the latest deliveries that asked for a call, by its id.
	executes map[string]*delivery
	// due are the moments, on the worker's clock, at which the attempts end
	// that the worker was given.
	due map[string]time.Time
	// asked are the model calls without a reply, in order.
	asked      []engine.AskModel
	turnFailed bool
	// latest is the delivery that the engine wanted last.
	latest *delivery
	disturbances
	// exited is closed when the worker's process ends by itself; nil when there
	// is none to watch.
	exited <-chan struct{}
	// engineDown says that the engine loses the next delivery, since it restarts
	// before that goes out; pausing that an until step acts before what follows
	// from an answer goes out.
	engineDown, pausing bool
	// patient says that the worker is waited for in real time; waits counts
	// these waits.
	patient bool
	waits   int
	// settles are those that wait for their turn; awaitBegan is when the await
	// step that acts began.
	settles []*heldSettle
	// replaying is what a session needs that lives by a tape.
	replaying
	awaitBegan time.Time
	// restarts counts how often the session restarted the worker.
	restarts int
	// startOnly opens the session and does no more (R2).
	startOnly bool
	// planted says that nothing is left to be planted.
	planted bool
	// acted is the step whose window is open, -1 for none; alives counts the
	// sessions that were opened to see whether the worker is alive.
	acted, alives int
	reached       bool
	// declared is the config that session.start was answered with, nil while
	// there is none.
	declared *spec.AgentConfig

	// parent is the session that spawned this one as a subagent, nil for one of the
	// script's own; root is that at the top of them, itself for the latter.
	parent, root *session
	// kin are the subagents below a session of the script's own.
	kin *kin

	// why is the reason of the end, "" while the case runs.
	why string
}

// role says which session of a case one is.
type role struct {
	alias string
	// said is what its session event says besides: label, copy, twin.
	said spec.SessionEvent
	// at is the engine time at which it begins.
	at time.Duration
}

func newSession(in CaseInput, r role, t Poster, sink func(spec.Event)) (*session, error) {
	ids := in.ids(r.alias)
	cfg, err := engineConfig(in, ids)
	if err != nil {
		return nil, err
	}
	return begin(in, r, cfg, ids, t, sink)
}

// begin makes a session whose engine is set as cfg says.
func begin(in CaseInput, r role, cfg engine.Config, ids Ids, t Poster, sink func(spec.Event)) (*session, error) {
	eng, err := engine.New(cfg)
	if err != nil {
		return nil, err
	}
	s := &session{
		in: in, alias: r.alias, said: r.said, t: t, sink: sink, ids: ids, labels: labelIDs(in.Case, ids), target: targetOf(in.Worker.URL), headers: in.headers(),
		eng:    eng,
		script: script{steps: in.Case.Steps, spare: in.Case.Engine.SpareReplies},
		inbox:  make(chan func(), 64), quit: make(chan struct{}), nudged: make(chan struct{}, 1), permit: make(chan struct{}, 1),
		sent: map[deliveryKey]*delivery{}, hung: map[string]int{}, deadlines: map[string]time.Duration{}, retries: map[string]time.Duration{}, due: map[string]time.Time{}, executes: map[string]*delivery{},
		disturbances: disturbances{kept: map[string]keptAnswer{}}, acted: -1,
		kin: &kin{},
	}
	s.root = s
	identity := eng.Identity()
	event := r.said
	event.SessionID, event.AgentID, event.Identity, event.Origin = cfg.SessionID, cfg.AgentID, &identity, "new"
	if r.alias != mainSession && in.Case.Steps != nil {
		event.Labels = s.labels
	}
	s.emit(r.at.Milliseconds(), &event)
	return s, nil
}

// targetOf is the request target of a worker's address.
func targetOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.RequestURI() != "" {
		return u.RequestURI()
	}
	return "/"
}

// deliveryKey names one delivery of a decision.
type deliveryKey struct {
	decision string
	delivery int
}

// run is the session's life: do what the script says until it listens, then
// take what comes from outside.
func (s *session) run(ctx context.Context) Result {
	posts, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	stop := s.boundRealTime()
	defer stop()
	s.watchProcess()
	s.armVariant()
	defer s.listen(posts, s.eng.SessionID())()
	s.openEarly(posts)
	for s.why == "" {
		if s.advanceAll(posts) {
			continue
		}
		s.rest()
		select {
		case f := <-s.inbox:
			s.rounds.wake(s.place)
			f()
		case <-s.nudged:
			s.rounds.wake(s.place)
		case <-s.permit:
			s.permitted()
		case <-s.exited:
			s.rounds.wake(s.place)
			s.processEnded()
		case <-ctx.Done():
			s.end(spec.CloseReason(spec.CloseNotRun, "the run was stopped"))
		}
	}
	select {
	case <-s.exited:
		// What ended the case may have come at the same time.
		s.processEnded()
	default:
	}
	for _, m := range s.family() {
		m.dropSettles()
	}
	s.closeOpen(cancel)
	s.kin.stopListening()
	close(s.quit)
	s.baton.leave(s.part)
	s.kin.leave(s.baton)
	s.rounds.leave(s.place)
	return s.result()
}

// boundRealTime ends the case after limits.real, unless every bound is lifted.
func (s *session) boundRealTime() (stop func() bool) {
	limit := s.in.Case.Limits.Real
	if limit <= 0 || s.in.Patience < 0 {
		return func() bool { return true }
	}
	return s.in.Clock.AfterFunc(limit, func() {
		s.send(func() { s.end(spec.CloseReason(spec.CloseReal, limit.String())) })
	})
}

// send hands f to the session's goroutine.
func (s *session) send(f func()) {
	select {
	case s.inbox <- f:
	case <-s.quit:
	}
}

// advance does the script's next move and reports whether it did anything.
func (s *session) advance(ctx context.Context) bool {
	if s.letTurns(ctx); s.why != "" {
		return true
	}
	if len(s.soon) > 0 {
		next := s.soon[0]
		s.soon = s.soon[1:]
		next()
		return true
	}
	if s.holding("") {
		return false
	}
	v := s.scene()
	if !s.planted {
		return s.plantGiven(ctx, v)
	}
	m, mine := s.move(v)
	if !mine {
		return false
	}
	switch m.kind {
	case moveAct:
		if s.endWindow(ctx); s.why != "" {
			return true
		}
		s.acted = m.step
		s.act(ctx, m.step)
		s.baton.acted(s.script.number(m.step))
	case movePass:
		s.emit(s.now(), &spec.StepEvent{Step: s.script.number(m.step), Verb: s.script.steps[m.step].Verb(), PassedOver: true})
		s.baton.acted(s.script.number(m.step))
	case moveSpare:
		s.spareReply(ctx)
	case moveJump:
		s.jump(ctx, m)
	case movePatience:
		return s.bePatient()
	case moveAwait:
		return s.awaitInReal(ctx)
	case moveEnd:
		if s.parent != nil {
			return s.atRest(m.end)
		}
		if s.endWindow(ctx); s.why == "" && !s.startOnly && asksAlive(s.in.Case.Finally) {
			s.seeAlive(ctx, nil)
		}
		s.end(m.end)
	default:
		return false
	}
	return true
}

// scene is the session as the script sees it.
func (s *session) scene() scene {
	v := scene{
		now: s.eng.Now(), asked: len(s.asked) > 0, busy: s.busy() || s.busyBeside(), pressed: s.blockedBeside(),
		turnOpen: s.eng.TurnOpen(), turnFailed: s.turnFailed,
		// Without an endpoint to settle at, all that can still come from a
		// worker that holds a call is the late answer to an earlier delivery.
		awaited:   s.awaitedInFamily(),
		owed:      s.unsettled,
		requested: func(label string) bool { return s.eng.Requested(s.labels[label]) }, moment: s.moment,
		turn: s.script.next == len(s.script.steps) || s.baton.has(s.script.number(s.script.next)),
	}
	_, v.parked = s.eng.OpenInterrupt()
	if owner, t := s.nextInFamily(); owner != nil {
		v.timer, v.hasTimer = t, true
		_, isDecision := owner.hung[t.Of]
		v.redelivery = t.Why == "retry" && isDecision
	}
	return v
}

// moment is the engine time of a call's deadline or retry, by label.
func (s *session) moment(label, kind string) (time.Duration, bool) {
	id := s.labels[label]
	if t, ok := s.eng.NextTimer(); ok && t.Of == id && t.Why == kind {
		return t.At, true
	}
	moments := s.retries
	if kind == whyDeadline {
		moments = s.deadlines
	}
	at, ok := moments[id]
	return at, ok && at >= s.eng.Now()
}

// jump moves engine time and says so (R7), in the session whose timer it is. The
// others of its family go with it.
func (s *session) jump(ctx context.Context, m move) {
	s = s.ownerOf(m)
	event := &spec.TimeEvent{Why: m.why, Of: m.of, Passed: (m.to - s.eng.Now()).Milliseconds()}
	effects := s.eng.Step(engine.Tick{To: m.to})
	if m.why == whyDeadline && s.eng.RetryDue(m.of) {
		event.Then = "retry"
	}
	s.emit(m.to.Milliseconds(), event)
	s.apply(ctx, effects)
	for _, other := range s.family() {
		if other != s {
			other.apply(ctx, other.eng.Step(engine.Tick{To: m.to}))
		}
	}
}

// bePatient waits in real time for what a worker that holds a call may still
// send, and says so when nothing came (R7).
func (s *session) bePatient() bool {
	limit := s.in.settlePatience()
	if s.in.Patience >= 0 {
		limit = s.in.settling.within(limit)
	}
	s.waitInReal(limit, s.in.settling.waited)
	return true
}

// waitInReal waits in real time until something comes, at most limit and no
// longer than the calls that the worker holds live. When nothing came it says so
// and calls over.
func (s *session) waitInReal(limit time.Duration, over func()) {
	s.waits++
	s.patient = true
	if s.in.tape != nil {
		s.over = over
		return
	}
	wait := s.waits
	s.in.Clock.AfterFunc(s.untilDue(max(0, limit)), func() {
		s.send(func() {
			if s.patient && wait == s.waits {
				s.patient = false
				s.emit(s.now(), &spec.TimeEvent{Why: whyPatience})
				over()
			}
		})
	})
}

// untilDue shortens a wait in real time to the end of the attempt that ends
// first of those that the worker holds. What it settles after that is late,
// however patient we are.
func (s *session) untilDue(limit time.Duration) time.Duration {
	now := s.in.Clock.Now()
	for _, id := range s.eng.Held() {
		if due, ok := s.due[id]; ok {
			limit = min(limit, max(0, due.Sub(now)))
		}
	}
	return limit
}

func (s *session) now() int64 { return s.eng.Now().Milliseconds() }

func (s *session) emit(t int64, d spec.EventData) {
	s.sink(spec.Event{Session: s.alias, T: t, Data: d})
}

// end ends the case; the first reason stands.
func (s *session) end(why string) {
	for _, m := range s.family() {
		if m.why == "" {
			m.why = why
		}
	}
}

// broken ends the case for a fault of our own, which is never the worker's.
func (s *session) broken(err error) {
	s.end(spec.CloseReason(spec.CloseHarness, err.Error()))
}

// closeOpen closes the requests that nobody waits for any more and records how
// far their answers had come, in the order of the requests (R16).
func (s *session) closeOpen(cancel context.CancelCauseFunc) {
	cancel(errors.New(closedBy + s.why))
	out := func(m *session) bool {
		return slices.ContainsFunc(m.open, func(x *delivery) bool { return x.closed == nil })
	}
	for slices.ContainsFunc(s.family(), out) {
		(<-s.inbox)()
	}
	for _, m := range s.family() {
		for _, x := range m.open {
			m.respond(x, *x.closed)
		}
	}
}
