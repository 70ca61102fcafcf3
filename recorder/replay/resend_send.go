package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

const (
	// decisionDeadline is how long a decision may take where its request does not
	// say (D4), and longestLeft what a deadline may leave before it counts as
	// none that was meant.
	decisionDeadline = 20 * time.Second
	longestLeft      = 24 * time.Hour
	// HungSessions in a row end the run (R16), and so do as many connections that
	// could not be made.
	HungSessions = 3
	// timedOut deliveries end their session (R16).
	timedOut = 2
)

// Send sends what was planned to a worker, and compares its answers with the
// recorded ones. Recordings go side by side, as many as cfg.Jobs; inside of one
// the order is the recorded one, and each request waits for the answer to the one
// before it. A redelivery is one again. Memory is that of the exchanges open. The
// error is that of reading; the result then says what came of the rest.
func (p *ResendPlan) Send(ctx context.Context, t simulator.Poster, cfg ResendConfig) (Resent, error) {
	if cfg.Clock == nil {
		cfg.Clock = simulator.SystemClock
	}
	r := &run{cfg: cfg, t: t}
	results := make([][]ResentSession, len(p.chains))
	errs := make([]error, len(p.chains))
	next := make(chan int)
	var jobs sync.WaitGroup
	if cfg.Jobs < 1 {
		cfg.Jobs = runtime.GOMAXPROCS(0)
	}
	for range cfg.Jobs {
		jobs.Go(func() {
			for i := range next {
				results[i], errs[i] = r.chain(ctx, p.chains[i])
			}
		})
	}
	for i := range p.chains {
		next <- i
	}
	close(next)
	jobs.Wait()
	out := Resent{Sessions: slices.Concat(results...), Recordings: p.Recordings, Ended: r.ended, EndedBy: r.endedBy}
	out.sum()
	return out, errors.Join(errs...)
}

// run is what all recordings have in common while they are sent.
type run struct {
	cfg ResendConfig
	t   simulator.Poster

	mu             sync.Mutex
	ended, endedBy string
	// hung and unreached count what came in a row.
	hung, unreached int
}

// over is why nothing more is sent, "" while something is.
func (r *run) over() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

func (r *run) end(why, by string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended == "" {
		r.ended, r.endedBy = why, by
	}
}

// heard says that the worker is there and answers.
func (r *run) heard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hung, r.unreached = 0, 0
}

func (r *run) sessionHung(by string) {
	r.mu.Lock()
	r.hung++
	enough := r.hung >= HungSessions
	r.mu.Unlock()
	if enough {
		r.end(EndedHung, by)
	}
}

func (r *run) notReached(by string) {
	r.mu.Lock()
	r.unreached++
	enough := r.unreached >= HungSessions
	r.mu.Unlock()
	if enough {
		r.end(EndedUnreachable, by)
	}
}

// told calls f with the others kept out.
func (r *run) told(a Answered) {
	if r.cfg.Differ != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.cfg.Differ(a)
	}
}

// sending is one recording on its way, with all its parts.
type sending struct {
	*run
	// file is the file that is read, first the first of the recording, of its id.
	file, first, of string
	gate            gate
	ids             *renew.IDs
	compare         comparer
	sessions        map[string]*sent
	order           []*sent
	// notYet are notes on sessions of which no request has come.
	notYet map[string][]ResentNote
	at     time.Time
	// restarted says that the recorded worker restarted after the last exchange.
	restarted bool
}

// sent is one session on its way.
type sent struct {
	ResentSession
	// last is the last exchange that agreed.
	last string
	// over says that nothing more of it is sent, with the code of why.
	over, why string
	timeouts  int
	compared  int
}

// chain sends one recording.
func (r *run) chain(ctx context.Context, c chain) ([]ResentSession, error) {
	s := &sending{run: r, gate: gate{consent: r.cfg.Consent}, sessions: map[string]*sent{}, notYet: map[string][]ResentNote{}}
	var made renew.H
	if !r.cfg.SameIDs {
		made = renew.Seeded(r.cfg.Seed, "")
	}
	s.ids = renew.New(made)
	s.compare = comparer{rules: r.cfg.Ignore, exact: r.cfg.Exact, ids: s.ids, telling: r.cfg.Heard != nil}
	s.first = c[0]
	var failed error
	for _, file := range c {
		s.file = file
		var fault error
		err := exchangesOf(file, withoutEngine, s.event, &fault, func(x *spec.Exchange) error {
			s.exchange(ctx, x)
			return nil
		})
		if err == nil {
			err = fault
		}
		if err != nil {
			failed = &FileError{file, err}
			break
		}
	}
	out := make([]ResentSession, 0, len(s.order))
	for _, one := range s.order {
		switch {
		case one.Divergence != nil:
			one.Verdict = SessionDiverges
		case one.Agree > 0:
			one.Verdict = SessionAgrees
		default:
			one.Verdict = SessionUntold
		}
		out = append(out, one.ResentSession)
	}
	return out, failed
}

// event takes from events that are no exchanges what is to be known.
func (s *sending) event(e spec.Event) {
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		s.at, _ = time.Parse(time.RFC3339Nano, d.Started)
		if s.of == "" {
			s.of = d.ID
		}
	case *spec.SessionEvent:
		one := s.session(e.Session)
		one.ID = d.SessionID
		if d.Origin == "joined" && len(s.order) > 0 && one.Requests == 0 {
			one.note(NoteJoined, "", "the recording begins in the middle of the session; each request is sent as it stands")
		}
	case *spec.GapEvent:
		if e.Session != "" {
			s.session(e.Session).note(NoteGap, "", "the recording lacks something here: "+d.Reason)
			return
		}
		for _, one := range s.order {
			one.note(NoteGap, "", "the recording lacks something here: "+d.Reason)
		}
	case *spec.WorkerEvent:
		s.restarted = s.restarted || d.Event == "restarted"
	}
}

// session is the session of an alias, a new one at its first appearance.
func (s *sending) session(alias string) *sent {
	one := s.sessions[alias]
	if one == nil {
		one = &sent{ResentSession: ResentSession{Recording: s.first, Of: s.of, Session: alias}}
		s.sessions[alias] = one
		s.order = append(s.order, one)
	}
	return one
}

// exchange sends one recorded request, unless something is in the way, and holds
// the answer against the recorded one.
func (s *sending) exchange(ctx context.Context, x *spec.Exchange) {
	if !x.IsDelivery() && !x.Request.Ahead && !x.Request.IsRaw() {
		// An idle connection of ours had been closed: it went out again (R17).
		return
	}
	one := s.session(x.Session)
	one.Requests++
	p := s.gate.look(x)
	switch why := s.over(); {
	case ctx.Err() != nil:
		s.end(EndedStopped, context.Cause(ctx).Error())
		one.note(NoteNotRun, x.D, "the run was stopped")
		return
	case why != "":
		one.note(NoteNotRun, x.D, "the run had ended: "+why)
		return
	case one.over != "":
		one.note(one.over, x.D, one.why)
		return
	case p.code != "":
		one.note(p.code, x.D, p.text)
		if p.code == NoteNotAllowed {
			one.over, one.why = p.code, p.text
		}
		return
	}
	if s.restarted {
		one.note(NoteRestart, x.D, "the recorded worker was restarted before this; now it is not")
		s.restarted = false
	}
	deadline, unread := s.learn(x)
	if unread != "" {
		one.note(NoteUnreadable, x.D, "no decision request: "+unread)
		return
	}
	at := s.cfg.Clock.Now()
	body, left := s.renewed(one, x, deadline, at)
	got, tooShort := s.post(ctx, one, x, body, left)
	if ctx.Err() != nil && got.Answer.End == spec.EndTimeout {
		s.end(EndedStopped, context.Cause(ctx).Error())
		one.note(NoteNotRun, x.D, "the run was stopped")
		return
	}
	if got.Conn == "" && got.Answer.End == spec.EndReset {
		one.note(NoteUnreached, x.D, got.Answer.Reason)
		s.notReached(got.Answer.Reason)
		return
	}
	one.Sent++
	s.answered(one, x, got.Answer, tooShort, at)
}

// answered holds an answer against the recorded one.
func (s *sending) answered(one *sent, x *spec.Exchange, now spec.Answer, tooShort bool, at time.Time) {
	if now.End == spec.EndTimeout {
		one.timeouts++
		if tooShort {
			one.stop(NoteHung, x.D, now.Reason+", which is less than its deadline leaves")
			s.sessionHung(now.Reason)
			return
		}
	} else {
		s.heard()
	}
	got := s.compare.answer(x, now)
	s.hear(x, got, at)
	switch d := got.divergence; {
	case got.untold != "":
		one.note(got.code, x.D, got.untold)
	case d == nil:
		one.compared++
		one.agrees(x)
	case s.accepts(x, got):
		one.compared++
		one.note(NoteAccepted, x.D, "accepted"+pointed(d.Pointer)+": "+d.Got)
		one.agrees(x)
	default:
		one.compared++
		got.answered.Recording = s.file
		s.told(got.answered)
		one.differs(x, d, got.answered)
	}
	if one.timeouts == timedOut || now.End == spec.EndTimeout && one.Divergence != nil {
		one.stop(NoteHung, "", now.Reason)
		s.sessionHung(now.Reason)
	}
}

// accepts takes what is accepted of an answer that differs, and reports whether
// that is all. The divergence is then about the first place that is left.
func (s *sending) accepts(x *spec.Exchange, got compared) bool {
	if s.cfg.Accept == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left, all := s.cfg.Accept.take(s.file, x, got)
	if !all && len(left) > 0 {
		got.divergence.at(left[0])
	}
	return all
}

func (one *sent) agrees(x *spec.Exchange) {
	one.Agree++
	if one.Divergence != nil {
		one.After++
		return
	}
	one.last = x.Session + "/" + x.D + " " + about(&spec.Event{Data: x.Request})
}

func (one *sent) differs(x *spec.Exchange, d *Divergence, a Answered) {
	switch {
	case a.Unsure:
		one.note(NoteUnsure, x.D, fmt.Sprintf("%s%s: got %s, want %s", d.Code, pointed(d.Pointer), d.Got, d.Want))
	case one.Divergence != nil:
		one.After++
		one.AfterDiffer++
	default:
		d.After = one.last
		one.Divergence = d
	}
	if a.OtherWay {
		one.over, one.why = NoteOtherWay, "after the answer to "+x.D+" an engine goes another way"
	}
}

// stop ends a session. What is left of it is noted as it comes.
func (one *sent) stop(code, exchange, why string) {
	if exchange != "" {
		one.note(code, exchange, why)
	}
	if one.over == "" || code == NoteHung {
		one.over, one.why = code, why
	}
}
