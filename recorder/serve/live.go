package serve

import (
	"cmp"
	"slices"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/spec"
)

// live is a session of the engine.
type live struct {
	id string
	// to is the recorded session that it stands for; firm says that this does not
	// change any more.
	to   *session
	firm bool
	// got are the exchanges that answered it while it was not firm.
	got  []*recorded
	seen counter
	// decided are the exchanges that answered a decision, in order.
	decided map[string][]*recorded
}

// maxLive bounds the sessions of the engine that are remembered.
const maxLive = 1 << 16

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
	fresh := l == nil
	if fresh {
		l = &live{id: r.SessionID, seen: newCounter(), decided: map[string][]*recorded{}}
	}
	r.try, r.delivery = l.seen.count(r.DecisionRequest, false)
	r.key = recorder.NewKeys().Find("", r.Trigger, clip(r.Trigger.CallID()), r.try, r.delivery)
	for _, c := range s.candidates(l, r) {
		rec, before := s.find(c, l, r)
		if rec == nil {
			near = closer(near, closest(c, r), r)
			continue
		}
		if fresh && len(s.lives) >= maxLive {
			return nil, rec, false
		}
		s.lives[r.SessionID] = l
		l.seen.count(r.DecisionRequest, true)
		s.bind(l, c, rec, r)
		l.decided[r.DecisionID] = append(l.decided[r.DecisionID], rec)
		s.use(rec)
		return rec, nil, before
	}
	return nil, near, false
}

// candidates are the recorded sessions that a request may be of, the likeliest
// first.
func (s *Server) candidates(l *live, r *request) []*session {
	if l.firm || len(l.decided[r.DecisionID]) > 0 {
		return []*session{l.to}
	}
	all := s.sessions
	if n := len(r.Ancestry); n > 0 {
		if p := s.lives[r.Ancestry[n-1]]; p != nil && p.firm {
			all = p.to.children
			// A request of the session above may have said already which it is.
			if id, is := p.to.family.ids.From(r.SessionID); is {
				if i := slices.IndexFunc(all, func(c *session) bool { return c.id == id }); i >= 0 {
					return all[i : i+1]
				}
			}
		}
	}
	type scored struct {
		*session
		score int
	}
	var fit []scored
	for _, c := range all {
		if c.bound != nil || c.agent != r.AgentID || (c.parent != nil || c.orphan) != (len(r.Ancestry) > 0) {
			continue
		}
		start := r.Trigger.TriggerType() == spec.OnSessionStart
		if start && c.asked != nil && c.asked != l {
			continue
		}
		score := 0
		if c.says(r) {
			score += 8
		}
		if c == l.to {
			score += 4
		}
		if c.asked == nil {
			score += 2
		}
		if len(c.all) > 1 {
			// Of those that begin alike, one that goes on.
			score++
		}
		fit = append(fit, scored{c, score})
	}
	slices.SortStableFunc(fit, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]*session, len(fit))
	for i := range fit {
		out[i] = fit[i].session
	}
	return out
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
	if l.firm {
		if old, is := c.family.ids.From(call); is {
			call, known = old, true
		}
	}
	k := c.keys.Find(c.alias, r.Trigger, call, r.try, r.delivery)
	if known {
		if rec = c.unused(func(x *recorded) bool { return x.key == k }); rec != nil {
			return rec, false
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

// bind lets a session of the engine stand for a recorded one: for good once it
// says more than that it begins.
func (s *Server) bind(l *live, c *session, rec *recorded, r *request) {
	if !l.firm && l.to != c {
		s.exchange(l, c)
	}
	if rec.key.Trigger == spec.OnSessionStart && !l.firm {
		l.got = append(l.got, rec)
		return
	}
	if !l.firm {
		l.firm, c.bound, l.got = true, l, nil
		c.family.ids.Bind(c.id, l.id)
	}
	if asked, fault := spec.ParseRequest(rec.x.RequestBody); fault == nil {
		pair(c.family.ids, &asked, r.DecisionRequest)
	}
}

// exchange gives a session of the engine another recorded one than it had. Who
// had that takes the other, and what was answered is counted where it belongs.
func (s *Server) exchange(l *live, c *session) {
	had, other := l.to, c.asked
	l.to, c.asked = c, l
	if had != nil {
		had.asked = other
	}
	if other != nil && other != l {
		other.to = had
		l.got, other.got = other.got, l.got
		for _, of := range []*live{l, other} {
			for id := range of.decided {
				of.decided[id] = slices.Clone(of.got)
			}
		}
		return
	}
	for i, x := range l.got {
		if same := c.unused(func(y *recorded) bool { return y.key.Trigger == x.key.Trigger }); same != nil {
			same.used, x.used = x.used, 0
			l.got[i] = same
		}
	}
	for id := range l.decided {
		l.decided[id] = slices.Clone(l.got)
	}
}

// pair learns which ids stand for which, from equal places of two requests.
func pair(ids *renew.IDs, then, now *spec.DecisionRequest) {
	common := commonParts(then, now)
	at := map[recorder.IDPlace]string{}
	recorder.RequestIDs(now, func(p recorder.IDPlace, id string) { at[p] = id })
	recorder.RequestIDs(then, func(p recorder.IDPlace, id string) {
		if p.Name == "calls/id" || p.Name == "calls/session_id" || !common.has(p) {
			return
		}
		ids.Bind(id, at[p])
	})
	pairCalls(ids, then.Calls, now.Calls)
}

// pairCalls pairs the calls in flight, which are listed by their ids and so in
// another order.
func pairCalls(ids *renew.IDs, then, now []spec.Call) {
	for _, t := range then {
		if t.Kind == spec.CallConnectorSync {
			continue
		}
		id, known := ids.To(t.ID)
		var fits []spec.Call
		for _, n := range now {
			_, taken := ids.From(n.ID)
			if known && n.ID == id || !known && !taken && sameCall(t, n) {
				fits = append(fits, n)
			}
		}
		if len(fits) == 1 {
			ids.Bind(t.ID, fits[0].ID)
			ids.Bind(t.SessionID, fits[0].SessionID)
		}
	}
}

func sameCall(a, b spec.Call) bool {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return a.Kind == b.Kind && a.Name == b.Name && text(a.Arguments) == text(b.Arguments) && a.AgentID == b.AgentID
}
