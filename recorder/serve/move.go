package serve

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// counterpart is the exchange of another recorded session that has the same place
// and says the same, nil for none; of a request that begins a session only the place
// counts. What was answered is not compared: it shows in what the engine says next.
func counterpart(x *recorded, in *session) *recorded {
	k := x.key
	k.Session = in.alias
	list := in.byKey[k]
	at := slices.Index(x.session.byKey[x.key], x)
	if at < 0 || at >= len(list) {
		return nil
	}
	if y := list[at]; x.key.Trigger == spec.OnSessionStart || y.trigger == x.trigger {
		return y
	}
	return nil
}

// moves lets a session of the engine stand for another recorded one, if one that
// was alike so far has the words of a request which the present one has not; or,
// where the present one has nothing for it at all, one that has other words for it
// and that nobody has spoken for. Who stands for that one takes the present one.
func (s *Server) moves(l *live, r *request, nothing bool) bool {
	if l.kids > 0 || len(l.told) == 0 {
		return false
	}
	return s.movesTo(l, r, true) || nothing && s.movesTo(l, r, false)
}

// alike reports whether a session may stand for another recorded one, by what it
// told.
func (l *live) alike(c *session) bool {
	return len(l.told) > 0 && !slices.ContainsFunc(l.told, func(t told) bool { return counterpart(t.rec, c) == nil })
}

// silent reports whether a session, whose requests are remembered, has done no more
// than begin.
func (l *live) silent() bool {
	return !slices.ContainsFunc(l.told, func(t told) bool { return t.rec.key.Trigger != spec.OnSessionStart })
}

// movesTo tries the others, for the words of a request or for any.
func (s *Server) movesTo(l *live, r *request, words bool) bool {
	was := l.to
	fits := func(x *recorded) bool {
		return x.key.Trigger == r.key.Trigger && (!words || x.trigger == r.text)
	}
	others := slices.Clone(l.others)
	if l.silent() {
		others = s.kin(r)
	}
	for _, c := range others {
		if c == was || !slices.ContainsFunc(c.all, fits) || !l.alike(c) {
			continue
		}
		if l2 := c.bound; l2 != nil && (l2.kids > 0 || !l2.alike(was) || !words && !l2.silent()) {
			continue
		}
		s.move(l, c)
		if rec, _ := s.find(c, l, r); rec != nil && fits(rec) {
			return true
		}
		s.move(l, was)
	}
	return false
}

// move lets l stand for c, and who stood for c for what l stood for.
func (s *Server) move(l *live, c *session) {
	was, l2 := l.to, c.bound
	s.leave(l)
	if l2 != nil {
		s.leave(l2)
		s.enter(l2, was)
	}
	s.enter(l, c)
}

// leave takes back what followed from what a session stands for.
func (s *Server) leave(l *live) {
	for _, t := range l.told {
		if t.rec.used--; t.rec.used == 0 {
			t.rec.drifted = false
			s.left++
		}
	}
	l.to.family.forget(l)
	l.to.bound = nil
	s.report.withdraw(l)
}

// enter lets a session stand for a recorded one from its first request on.
func (s *Server) enter(l *live, c *session) {
	if at := slices.Index(l.others, c); at >= 0 {
		l.others[at] = l.to
	}
	l.to, c.bound = c, l
	l.decided = map[string][]*recorded{}
	for i, t := range l.told {
		rec := counterpart(t.rec, c)
		l.told[i].rec = rec
		l.decided[t.q.DecisionID] = append(l.decided[t.q.DecisionID], rec)
		c.family.pair(l, rec, t.q)
		if rec.used++; rec.used == 1 {
			s.left--
			s.drift(t.q, rec)
		}
	}
}
