package serve

import (
	"cmp"
	"slices"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// live is a session of the engine. It stands for a recorded one from its first
// request on. Several may begin alike: while others fit as well, what was told is
// kept, and once it says what only another has, it stands for that one.
type live struct {
	id   string
	to   *session
	seen counter
	// decided are the exchanges that answered a decision, in order.
	decided map[string][]*recorded
	// told is what it asked so far, as long as it may stand for another recorded
	// session just as well; others are these, once it has done more than begin.
	told   []told
	others []*session
	// kids are sessions below it.
	kids int
}

// told is a request and what it was answered like.
type told struct {
	q   *request
	rec *recorded
}

// Bounds on what is remembered: sessions of the engine, and the bodies of those
// that may stand for several.
const (
	maxLive   = 1 << 16
	maxTold   = 64 << 20
	maxOthers = 1 << 10
)

// request is what is asked now.
type request struct {
	*spec.DecisionRequest
	body          []byte
	text          string
	try, delivery int
	// key says what it is about, its call by the id of now.
	key recorder.Key
}

// match finds what was recorded for a request, nil for nothing; near is then the
// recorded exchange that comes closest, nil for none. again says that it answered
// the same decision before.
func (s *Server) match(r *request) (found, near *recorded, again bool) {
	l := s.lives[r.SessionID]
	if l == nil {
		l = &live{id: r.SessionID, seen: newCounter(), decided: map[string][]*recorded{}}
	}
	r.try, r.delivery = l.seen.count(r.DecisionRequest, false)
	r.key = recorder.NewKeys().Find("", r.Trigger, clip(r.Trigger.CallID()), r.try, r.delivery)
	if l.to == nil {
		found, near = s.begin(l, r)
	} else if found, again = s.find(l.to, l, r); !again && (found == nil || found.trigger != r.text) {
		if s.moves(l, r, found == nil) {
			found, _ = s.find(l.to, l, r)
		}
	}
	if found == nil {
		if l.to != nil {
			near = closest(l.to, r)
		}
		return nil, near, false
	}
	l.seen.count(r.DecisionRequest, true)
	s.give(l, found, r)
	return found, nil, again
}

// begin lets a session of the engine stand for a recorded one.
func (s *Server) begin(l *live, r *request) (found, near *recorded) {
	if len(s.lives) >= maxLive {
		return nil, nil
	}
	for _, c := range s.candidates(r) {
		rec, _ := s.find(c, l, r)
		if rec == nil {
			near = closer(near, closest(c, r), r)
			continue
		}
		s.lives[l.id] = l
		l.to, c.bound = c, l
		if c.parent != nil && c.parent.bound != nil {
			c.parent.bound.kids++
		}
		return rec, nil
	}
	return nil, near
}

// give counts an exchange as the answer to a request, and learns from it.
func (s *Server) give(l *live, rec *recorded, r *request) {
	s.use(rec)
	l.decided[r.DecisionID] = append(l.decided[r.DecisionID], rec)
	l.to.family.pair(l, rec, r)
	first := len(l.decided) == 1
	if !first && len(l.told) == 0 {
		return
	}
	spoke := !first && !l.silent()
	l.told = append(l.told, told{r, rec})
	s.told += len(r.body)
	switch {
	case l.silent():
	case spoke:
		l.others = slices.DeleteFunc(l.others, func(o *session) bool { return counterpart(rec, o) == nil })
	default:
		for _, o := range s.kin(r) {
			if o != l.to && len(l.others) < maxOthers && l.alike(o) {
				l.others = append(l.others, o)
			}
		}
	}
	if !l.silent() && len(l.others) == 0 || s.told > maxTold {
		// It stands for this one for good.
		for _, t := range l.told {
			s.told -= len(t.q.body)
		}
		l.told, l.others = nil, nil
	}
}

// kin are the recorded sessions that a session of the engine may stand for, by
// its agent and by the session that it was spawned in.
func (s *Server) kin(r *request) (all []*session) {
	from := s.sessions
	if n := len(r.Ancestry); n > 0 {
		if p := s.lives[r.Ancestry[n-1]]; p != nil {
			from = p.to.children
			// A request of the session above may have said already which it is.
			if id, is := p.to.family.ids.From(r.SessionID); is {
				if i := slices.IndexFunc(from, func(c *session) bool { return c.id == id }); i >= 0 {
					return from[i : i+1]
				}
			}
		}
	}
	for _, c := range from {
		if c.agent == r.AgentID && (c.parent != nil || c.orphan) == (len(r.Ancestry) > 0) {
			all = append(all, c)
		}
	}
	return all
}

// candidates are the recorded sessions that a new session of the engine may stand
// for, the likeliest first.
func (s *Server) candidates(r *request) []*session {
	all := slices.DeleteFunc(slices.Clone(s.kin(r)), func(c *session) bool { return c.bound != nil })
	score := make(map[*session]int, len(all))
	for _, c := range all {
		if c.says(r) {
			score[c] += 2
		}
		if len(c.all) > 1 {
			// Of those that begin alike, one that goes on.
			score[c]++
		}
	}
	slices.SortStableFunc(all, func(a, b *session) int { return cmp.Compare(score[b], score[a]) })
	return all
}

// says reports whether the session has a request, not yet used, of the same
// trigger in the same words.
func (c *session) says(r *request) bool {
	return slices.ContainsFunc(c.all, func(x *recorded) bool { return x.used == 0 && x.trigger == r.text })
}

// find finds what was recorded in a session for a request. before says that it
// answered the same decision already.
func (s *Server) find(c *session, l *live, r *request) (rec *recorded, before bool) {
	if given := l.decided[r.DecisionID]; len(given) > 0 {
		return c.redelivered(given, r)
	}
	call := r.Trigger.CallID()
	known := call == ""
	if old, is := c.family.ids.From(call); is {
		call, known = old, true
	}
	k := c.keys.Find(c.alias, r.Trigger, call, r.try, r.delivery)
	if known {
		for _, rec = range c.byKey[k] {
			if rec.used == 0 {
				return rec, false
			}
		}
		// Then the deliveries before it never came, or are not in the recording.
		if rec = c.unused(func(x *recorded) bool { return x.key == otherDelivery(k, x.key) && c.fresh(x) }); rec != nil {
			return rec, false
		}
	}
	// A call that the worker made up, or of which nothing was heard before, is
	// known by its words.
	alike := func(x *recorded) bool {
		return x.key.Trigger == k.Trigger && x.key.Tool == k.Tool && x.trigger == r.text && c.fresh(x)
	}
	if rec = c.unused(func(x *recorded) bool { return x.key.Try == k.Try && alike(x) }); rec == nil && !known {
		// Of one tool there may be only one call.
		rec = c.unused(func(x *recorded) bool {
			return x.key.Trigger == k.Trigger && x.key.Tool == k.Tool && x.key.Try == k.Try && x.key.Delivery == 1 && c.free(x)
		})
	}
	return rec, false
}

// otherDelivery is a key with the delivery of another.
func otherDelivery(k, of recorder.Key) recorder.Key {
	k.Delivery = of.Delivery
	return k
}

// fresh reports whether nothing of the decision of an exchange was used.
func (c *session) fresh(x *recorded) bool {
	return !slices.ContainsFunc(c.all, func(o *recorded) bool { return o.decision == x.decision && o.used > 0 })
}

// free reports whether the call of an exchange is none that an engine's call
// stands for.
func (c *session) free(x *recorded) bool {
	asked, fault := spec.ParseRequest(x.x.RequestBody)
	if fault != nil {
		return false
	}
	_, taken := c.family.ids.To(asked.Trigger.CallID())
	return !taken
}

// redelivered finds what was recorded for a further delivery of a decision, or
// what answered it last: a worker is safe to be asked again (D5).
func (c *session) redelivered(given []*recorded, r *request) (rec *recorded, before bool) {
	last := given[len(given)-1]
	same := func(x *recorded) bool { return x.decision == last.decision }
	if rec = c.unused(func(x *recorded) bool { return same(x) && x.key.Delivery == r.delivery }); rec == nil {
		rec = c.unused(same)
	}
	if rec == nil {
		return last, true
	}
	return rec, false
}

// unused is the first exchange that nobody asked for and that fits.
func (c *session) unused(fits func(*recorded) bool) *recorded {
	i := slices.IndexFunc(c.all, func(x *recorded) bool { return x.used == 0 && fits(x) })
	if i < 0 {
		return nil
	}
	return c.all[i]
}

// closest is what was recorded in a session and comes closest to a request.
func closest(c *session, r *request) *recorded {
	var best *recorded
	for _, x := range c.all {
		if best == nil || nearness(x, r) > nearness(best, r) {
			best = x
		}
	}
	return best
}

func nearness(x *recorded, r *request) int {
	n := 0
	if x.key.Trigger == r.key.Trigger {
		n += 8
	}
	if x.key.Tool == r.key.Tool {
		n += 4
	}
	if x.trigger == r.text {
		n += 2
	}
	if x.used == 0 {
		n++
	}
	return n
}

// closer is the closer of two exchanges.
func closer(a, b *recorded, r *request) *recorded {
	if a == nil || b != nil && nearness(b, r) > nearness(a, r) {
		return b
	}
	return a
}
