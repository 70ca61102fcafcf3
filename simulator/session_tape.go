package simulator

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// A session that is driven again lives by its tape. It has no clock, sends
// nothing and hears nothing: whatever came from outside in the live run (a
// connection, a piece, an answer, a settle, the end of a wait) comes when the
// tape has it next. What the session does itself it does as ever, and every event
// that it hands out is held against the tape.

// replaying is the state of such a session.
type replaying struct {
	// over is what follows when the wait in real time that goes on was in vain.
	over func()
	// done says that the session has ended and all that its end brings about was
	// handed out.
	done bool
	// midst says that a step acts in the midst of an exchange.
	midst bool
	// several says that other sessions act in the same case.
	several bool
}

// live lives the life of a session that is alone, or lives it again from a tape.
func (s *session) live(ctx context.Context) Result {
	if s.in.tape != nil {
		return replayTogether(ctx, []*session{s})
	}
	return s.run(ctx)
}

// replayTogether drives sessions again, by turns: no order is promised across
// sessions, so each goes as far as its own track leads. When none can go on, a
// bound that left no trace of its own may have passed; else the recording and
// the engine disagree.
func replayTogether(ctx context.Context, all []*session) Result {
	t := all[0].in.tape
	for _, s := range all {
		s.several = len(all) > 1
		s.armVariant()
		s.openEarly(ctx)
	}
	for slices.ContainsFunc(all, func(s *session) bool { return !s.done }) {
		moved := false
		for _, s := range all {
			for !s.done && s.goOn(ctx) {
				moved = true
			}
		}
		if !moved && !slices.ContainsFunc(all, func(s *session) bool { return !s.done && s.boundPassed() }) {
			stuck := all[slices.IndexFunc(all, func(s *session) bool { return !s.done })].stuck()
			t.diverge(stuck.alias, stuck.wanted(), "")
		}
	}
	results := make([]Result, len(all))
	for i, s := range all {
		results[i] = s.result()
	}
	return joinedAll(results)
}

// goOn does one thing, and reports whether there was one to do.
func (s *session) goOn(ctx context.Context) bool {
	switch {
	case s.in.tape.diverged != nil:
		s.end(spec.CloseReason(spec.CloseNotRun, "the replay diverged"))
	case ctx.Err() != nil:
		s.end(spec.CloseReason(spec.CloseNotRun, "the run was stopped"))
	}
	if s.why != "" {
		for _, m := range s.kin.all {
			m.endTaped()
		}
		s.endTaped()
		return true
	}
	if len(s.queued) > 0 && !s.inputNext() {
		s.permitted()
		return true
	}
	if s.advanceAll(ctx) {
		return true
	}
	for _, m := range s.inTapedOrder() {
		if m.takeTaped(ctx) {
			return true
		}
	}
	return false
}

// inTapedOrder is the family in the order in which the recording goes on: what
// one of them hears is in step with the others (R20).
func (s *session) inTapedOrder() []*session {
	family := s.family()
	slices.SortStableFunc(family, func(a, b *session) int { return cmp.Compare(a.nextLine(), b.nextLine()) })
	return family
}

// nextLine is the line of what the tape has next, behind all lines at its end.
func (s *session) nextLine() int64 {
	if e := s.next(); e != nil {
		return e.N
	}
	return math.MaxInt64
}

// stuck is the session of the family that wants something of the tape, this one
// where none does.
func (s *session) stuck() *session {
	for _, m := range s.family() {
		if m.wanted() != nil {
			return m
		}
	}
	return s
}

// next is what the tape has next, nil at its end.
func (s *session) next() *spec.Event { return s.in.tape.peek(s.alias, 0) }

// inputNext reports whether something that a worker sent comes next.
func (s *session) inputNext() bool {
	e := s.next()
	if e == nil {
		return false
	}
	switch d := e.Data.(type) {
	case *spec.InputEvent:
		return d.From == fromWorker
	case *spec.TimeEvent:
		return d.Why == whyPatience && d.Of != ""
	}
	return false
}

// comesNext reports whether the tape has something next that comes from outside
// and can come now.
func (s *session) comesNext() bool {
	e := s.next()
	if e == nil {
		return false
	}
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		return s.unrecorded(d.D) != nil && !s.in.tape.ending(s.alias)
	case *spec.PieceEvent:
		return s.openAs(d.D) != nil && !s.in.tape.ending(s.alias)
	case *spec.ResponseEvent:
		return s.openAs(d.D) != nil && !s.in.tape.ending(s.alias)
	case *spec.TimeEvent:
		return d.Why == whyPatience && (d.Of != "" || s.patient)
	}
	return s.inputNext()
}

// move is the script's next move. Where the tape has something from outside
// before it, the script has to wait: then it is not its turn.
func (s *session) move(v scene) (m move, its bool) {
	if s.in.tape == nil {
		return s.script.move(v), true
	}
	before := s.script
	m = s.script.move(v)
	switch m.kind {
	case moveListen, movePatience, moveAwait:
		return m, true
	}
	if s.inTapedOrder()[0].comesNext() || s.comesNext() {
		s.script = before
		return m, false
	}
	return m, true
}

// letTaped gives the engine what was held for its turn in the live run: what the
// tape has next, in the midst of whatever goes on. Between two moves it is given
// where the script has to wait for it.
func (s *session) letTaped(ctx context.Context) {
	for s.why == "" && (len(s.soon) > 0 || s.midst) && s.inputNext() {
		s.takeTaped(ctx)
	}
}

// takeTaped lets come what the tape has next, and reports whether that was
// something from outside.
func (s *session) takeTaped(ctx context.Context) bool {
	if why := s.in.tape.endReason(s.alias); why != "" {
		s.end(why)
		return true
	}
	e := s.next()
	if e == nil {
		return false
	}
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		return s.connected(ctx, d)
	case *spec.PieceEvent:
		return s.pieceTaped(d)
	case *spec.ResponseEvent:
		return !s.ofTheEnd(d) && s.answered(ctx, d.D)
	case *spec.InputEvent:
		return s.inputTaped(ctx, d)
	case *spec.TimeEvent:
		return s.inVain(d)
	}
	return false
}

// ofTheEnd reports whether a response came when the session had ended: the end
// closed it, or it was whole in that very moment, and then no engine took it.
func (s *session) ofTheEnd(d *spec.ResponseEvent) bool {
	if strings.HasPrefix(d.Reason, closedBy) {
		return true
	}
	x := s.openAs(d.D)
	taken := x == nil || x.lost || x.then != nil || d.End == spec.EndStale
	return !taken && s.in.tape.ending(s.alias)
}

// connected lets a request be on its way. One that never had a connection was
// recorded with what came of it.
func (s *session) connected(ctx context.Context, d *spec.RequestEvent) bool {
	x := s.unrecorded(d.D)
	switch {
	case x == nil:
		return false
	case d.Conn != "":
		x.conn, s.reached = d.Conn, true
		s.onItsWay(x)
		return true
	}
	for n := 1; ; n++ {
		e := s.in.tape.peek(s.alias, n)
		if e == nil {
			return false
		}
		switch next := e.Data.(type) {
		case *spec.DisturbEvent:
			if next.D == d.D {
				continue
			}
		case *spec.PieceEvent:
			return next.D == d.D && s.pieceTaped(next)
		case *spec.ResponseEvent:
			return next.D == d.D && s.answered(ctx, d.D)
		}
		return false
	}
}

func (s *session) pieceTaped(d *spec.PieceEvent) bool {
	x := s.openAs(d.D)
	b, err := d.Body.Bytes()
	if x == nil || err != nil {
		return false
	}
	s.piece(x, int(d.Offset), b)
	return true
}

func (s *session) answered(ctx context.Context, d string) bool {
	x := s.openAs(d)
	if x == nil {
		return false
	}
	got, ok := s.in.tape.got(s.alias, d)
	if ok {
		s.came(ctx, x, got)
	}
	return ok
}

// inputTaped gives the engine what a worker sent. One that no engine looked at
// is told as it stands.
func (s *session) inputTaped(ctx context.Context, d *spec.InputEvent) bool {
	body, err := d.Body.Bytes()
	if d.From != fromWorker || err != nil {
		return false
	}
	if over := d.Reply == sessionNotFound; over || d.Status == 0 {
		if over && s.why == "" {
			return false
		}
		same := *d
		s.emit(s.now(), &same)
		return true
	}
	if s.root.received += int64(len(body)); s.root.received > MaxCaseBytes || s.why != "" {
		return false
	}
	a := arrival{body: body}
	if d.Decision != "" || strings.HasPrefix(d.Reply, noSubmission) {
		a.readSubmission()
	} else {
		a.readSettle()
	}
	if refusedBefore(d) {
		// What the caller showed of itself is in no recording.
		a.status, a.text, a.event = d.Status, d.Reply, nil
	}
	s.settle(ctx, fromWorker, a)
	return true
}

// loseTaped tells what was lost with a worker that went down.
func (s *session) loseTaped() {
	for e := s.next(); e != nil; e = s.next() {
		d, ok := e.Data.(*spec.InputEvent)
		if !ok || d.From != fromWorker || d.Status != 0 {
			return
		}
		s.inputTaped(context.Background(), d)
	}
}

// refusedBefore reports whether an input was refused for its caller or its form,
// before any engine saw it.
func refusedBefore(d *spec.InputEvent) bool {
	switch d.Status {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge:
		return true
	}
	return false
}

// inVain ends a wait in real time for which nothing came.
func (s *session) inVain(d *spec.TimeEvent) bool {
	switch {
	case d.Why != whyPatience:
		return false
	case d.Of != "":
		// A settle whose turn did not come is let through: it comes next.
		s.emit(s.now(), &spec.TimeEvent{Why: whyPatience, Of: d.Of})
		return true
	case !s.patient || s.over == nil:
		return false
	}
	s.patient = false
	s.emit(s.now(), &spec.TimeEvent{Why: whyPatience})
	s.over()
	return true
}

// boundPassed lets the bound of the oldest answer pass that is still waited for.
// In the live run that may have left no event of its own.
func (s *session) boundPassed() bool {
	for _, m := range s.family() {
		for _, x := range m.open {
			if then := x.passed; then != nil && !x.answered && !x.abandoned {
				x.passed = nil
				then()
				return true
			}
		}
	}
	return false
}

// wanted is what the session wants to do and the tape has no place for: a
// request, nil for nothing.
func (s *session) wanted() *spec.Event {
	for _, x := range s.open {
		if !x.recorded {
			return &spec.Event{Session: s.alias, T: x.Sent.Milliseconds(), Data: s.requestOf(x)}
		}
	}
	return nil
}

// endTaped is the end of a session: what arrived too late, and the requests that
// nobody waits for any more.
func (s *session) endTaped() {
	if s.done {
		return
	}
	s.done = true
	for s.in.tape.diverged == nil {
		e := s.next()
		if e == nil {
			break
		}
		closing := false
		switch d := e.Data.(type) {
		case *spec.InputEvent:
			closing = s.inputTaped(context.Background(), d)
		case *spec.RequestEvent:
			if x := s.unrecorded(d.D); x != nil {
				x.conn, closing = d.Conn, true
				s.record(x)
			}
		case *spec.PieceEvent:
			closing = s.pieceTaped(d)
		}
		if !closing {
			break
		}
	}
	for _, x := range s.open {
		switch got, ok := s.in.tape.got(s.alias, x.d); {
		case ok:
			s.respond(x, got)
		case !s.several:
			// With others beside it, it may have waited for its turn until the end.
			s.in.tape.diverge(s.alias, s.wanted(), s.why)
		}
	}
	if s.next() != nil {
		s.in.tape.diverge(s.alias, nil, s.why)
	}
	s.baton.leave(s.part)
}

// unrecorded is the open request of that name whose event was not handed out
// yet, openAs the one of that name; nil for none.
func (s *session) unrecorded(d string) *delivery {
	if x := s.openAs(d); x != nil && !x.recorded {
		return x
	}
	return nil
}

func (s *session) openAs(d string) *delivery {
	for _, x := range s.open {
		if x.d == d {
			return x
		}
	}
	return nil
}

// wallTime is the wire time of the request that goes out next (R1). On a tape it
// is an input.
func (s *session) wallTime() time.Time { return s.wallTimeOf(s.exchanges + 1) }

// wallTimeOf is the wire time of the n-th exchange, which goes out now.
func (s *session) wallTimeOf(n int) time.Time {
	if s.in.tape == nil {
		return spec.At(s.in.Clock.Now()).Time
	}
	if tr := s.in.tape.tracks[s.alias]; tr != nil {
		if now, ok := tr.nows[exchangeAlias(n)]; ok {
			return now
		}
	}
	return s.in.At
}

// turnOverTaped posts a delivery. With several sessions, what the worker sent may
// have come while it waited for its turn.
func (s *session) turnOverTaped(post func()) {
	if s.several && !s.waitedFor() && s.inputNext() {
		s.root.queued = append(s.root.queued, post)
		return
	}
	post()
}
