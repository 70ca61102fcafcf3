package serve

import (
	"slices"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/spec"
)

// family is a recorded session of a client's and all below it: one id is one
// thing in all of them.
type family struct {
	ids *renew.IDs
	// pairs are those that were learned, and from whom.
	pairs []learned
}

type learned struct {
	id, to string
	by     *live
}

// pair learns which ids stand for which from a request and the recorded one.
func (f *family) pair(l *live, rec *recorded, r *request) {
	b := by{f, l}
	b.Bind(rec.session.id, l.id)
	if asked, fault := spec.ParseRequest(rec.x.RequestBody); fault == nil {
		pair(b, &asked, r.DecisionRequest)
	}
}

// forget unlearns what a session of the engine told.
func (f *family) forget(l *live) {
	f.pairs = slices.DeleteFunc(f.pairs, func(p learned) bool { return p.by == l })
	f.ids = renew.New(nil)
	for _, p := range f.pairs {
		f.ids.Bind(p.id, p.to)
	}
}

// binder learns which id stands for which.
type binder interface {
	Bind(id, to string) bool
	To(id string) (string, bool)
	From(id string) (string, bool)
}

// by is what a family learns from one session of the engine.
type by struct {
	f *family
	l *live
}

func (b by) Bind(id, to string) bool {
	_, known := b.f.ids.To(id)
	bound := b.f.ids.Bind(id, to)
	if bound && !known {
		b.f.pairs = append(b.f.pairs, learned{id, to, b.l})
	}
	return bound
}

func (b by) To(id string) (string, bool)   { return b.f.ids.To(id) }
func (b by) From(id string) (string, bool) { return b.f.ids.From(id) }

// pair learns which ids stand for which, from equal places of two requests.
func pair(ids binder, then, now *spec.DecisionRequest) {
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
func pairCalls(ids binder, then, now []spec.Call) {
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
