package simulator

import (
	"bytes"
	"slices"
	"strconv"
	"sync"
	"time"
)

// rounds decides which of several sessions of one case delivers next. In each
// round, once nobody is in the midst of anything, either one session delivers
// or all that are ready do, one right behind the other: which it is and in what
// order is H(seed, case, session, kind, ordinal) (R20). So the same seed meets
// the same worker in the same order, another seed in another, and requests do
// overlap. The nil rounds is that of a session that is alone. It is safe for
// concurrent use.
type rounds struct {
	ids   Ids
	clock Clock

	mu    sync.Mutex
	parts []*roundsPart
	// round counts the rounds; batch are those that still deliver in this one.
	round int
	batch []int
}

// roundsPart is one session as far as rounds go.
type roundsPart struct {
	state partState
	// since counts changes of state, so that a timer knows an old one.
	since int
	// nudged and permit wake the session: that a step acted, that it may
	// deliver.
	nudged, permit chan struct{}
}

type partState int

const (
	// partBusy: it is doing something, or about to.
	partBusy partState = iota
	// partReady: it has something to deliver and waits for its turn.
	partReady
	// partOut: its request is out.
	partOut
	// partIdle: it waits for something else.
	partIdle
	// partSlow: its request is out for so long that the others go on.
	partSlow
	// partGone: it has ended.
	partGone
)

// roundsPatience is how long the others wait for an answer in real time. Beyond
// it the order is that of the worker.
const roundsPatience = 5 * time.Second

// newRounds returns the rounds of sessions that run side by side, nil for one.
func newRounds(in CaseInput, all []*session) *rounds {
	if len(all) < 2 {
		return nil
	}
	r := &rounds{ids: Ids{Seed: in.Seed, Case: in.Case.ID}, clock: in.Clock}
	for i, s := range all {
		s.rounds, s.place = r, i
		r.parts = append(r.parts, &roundsPart{nudged: s.nudged, permit: s.permit})
	}
	return r
}

// wake says that a session has something to do.
func (r *rounds) wake(place int) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(place, partBusy)
}

// nudge wakes a session. From then on it counts as busy, so that no round begins
// before it has seen why.
func (r *rounds) nudge(place int, nudged chan struct{}) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.set(place, partBusy)
	}
	select {
	case nudged <- struct{}{}:
	default:
	}
}

// rest says that a session has nothing to do for now. One that was nudged
// meanwhile is not at rest.
func (r *rounds) rest(place int, state partState) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.parts[place]
	if len(p.nudged) > 0 || len(p.permit) > 0 {
		return
	}
	if p.state == partSlow && state == partOut {
		state = partSlow
	}
	r.set(place, state)
	if state == partOut {
		since := p.since
		r.clock.AfterFunc(roundsPatience, func() { r.lag(place, since) })
	}
	r.move()
}

// leave says that a session has ended.
func (r *rounds) leave(place int) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(place, partGone)
	r.move()
}

// lag lets the others go on when an answer takes long.
func (r *rounds) lag(place, since int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.parts[place]; p.since == since && p.state == partOut {
		r.set(place, partSlow)
		r.move()
	}
}

func (r *rounds) set(place int, state partState) {
	p := r.parts[place]
	if p.state != partGone {
		p.state = state
		p.since++
	}
}

// move lets the next session deliver, if it is anybody's turn.
func (r *rounds) move() {
	for !r.any(partBusy) {
		if len(r.batch) == 0 {
			if r.any(partOut) || !r.any(partReady) {
				return
			}
			r.batch = r.draw()
		}
		next := r.parts[r.batch[0]]
		place := r.batch[0]
		r.batch = r.batch[1:]
		if next.state == partReady {
			r.set(place, partBusy)
			next.permit <- struct{}{}
		}
	}
}

func (r *rounds) any(state partState) bool {
	return slices.ContainsFunc(r.parts, func(p *roundsPart) bool { return p.state == state })
}

// draw says who delivers in the next round, in order.
func (r *rounds) draw() []int {
	r.round++
	var ready []int
	key := map[int][]byte{}
	for i, p := range r.parts {
		if p.state == partReady {
			ready = append(ready, i)
			h := r.ids.sum("turn of "+strconv.Itoa(i), r.round)
			key[i] = h[:]
		}
	}
	slices.SortFunc(ready, func(a, b int) int { return bytes.Compare(key[a], key[b]) })
	// Mostly one: the order of requests that overlap is for the worker to say.
	if h := r.ids.sum("round", r.round); h[0]&3 != 0 {
		ready = ready[:1]
	}
	return ready
}

// turnOver posts a delivery, or lets it wait for the session's turn. What goes
// out beside a request of the same session does not wait.
func (s *session) turnOver(post func()) {
	switch {
	case s.waitedFor():
		post()
	case s.waitedForBeside():
		s.root.kin.queued = append(s.root.kin.queued, post)
	case s.in.tape != nil:
		s.turnOverTaped(post)
	case s.rounds == nil:
		post()
	default:
		s.root.queued = append(s.root.queued, post)
	}
}

// rest tells the rounds what the session waits for.
func (s *session) rest() {
	state := partIdle
	family := s.family()
	switch {
	case slices.ContainsFunc(family, (*session).leaving):
		// The next one goes out when this one is on its way.
		return
	case slices.ContainsFunc(family, (*session).waitedFor):
		state = partOut
	case len(s.queued) > 0:
		state = partReady
	}
	s.rounds.rest(s.place, state)
}

// leaving reports whether a request is not on its way yet.
func (s *session) leaving() bool {
	return slices.ContainsFunc(s.open, func(x *delivery) bool { return !x.recorded && !x.abandoned })
}

// permitted posts what waited for the session's turn.
func (s *session) permitted() {
	queued := s.queued
	s.queued = nil
	for _, post := range queued {
		if s.why == "" {
			post()
		}
	}
}
