package recorder

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// DiffOptions say what may differ. The zero value is: nothing.
type DiffOptions struct {
	// Accept are the places that may differ, nil for none. They note what they
	// were good for.
	Accept *Rules
}

// Difference is the first place where two recordings differ.
type Difference struct {
	// Session is the alias of the session, ExchangeA and ExchangeB name the
	// exchanges in it, "" for one that is not there; LineA and LineB are those
	// of their requests.
	Session   string `json:"session"`
	ExchangeA string `json:"exchange_a,omitzero"`
	ExchangeB string `json:"exchange_b,omitzero"`
	LineA     int64  `json:"line_a,omitzero"`
	LineB     int64  `json:"line_b,omitzero"`
	// What differs is one of the What constants.
	What string `json:"what"`
	// Delivery names the exchange by what it is about.
	Delivery string `json:"delivery,omitzero"`
	// Pointer is the place in the answer, or in the request when it begins with
	// "request:"; A and B are what stands there, by the aliases of ids.
	Pointer string `json:"pointer,omitzero"`
	A       string `json:"a"`
	B       string `json:"b"`
}

// What may differ.
const (
	// WhatOrder: another delivery comes at this place, or none.
	WhatOrder = "order"
	// WhatRequest and WhatAnswer: the bodies do not mean the same.
	WhatRequest = "request"
	WhatAnswer  = "answer"
	// WhatOutcome: the engine made something else of the answer.
	WhatOutcome = "outcome"
)

// Comparison is what [Diff] found.
type Comparison struct {
	// Exchanges and Sessions count what agreed.
	Exchanges int64 `json:"exchanges"`
	Sessions  int   `json:"sessions"`
	// First is nil when the recordings agree.
	First *Difference `json:"first,omitzero"`
	// Refused are the rules of Accept that are not to be given: where nothing
	// differed, or not all of what they cover. They are told only where the
	// recordings agree, since a difference ends the comparison.
	Refused []*RuleError `json:"refused,omitzero"`
}

// maxWaitingBytes bounds the bodies that wait for their counterparts, when
// sessions went side by side in another order.
const maxWaitingBytes = 256 << 20

// Diff compares two recordings by meaning and stops at the first difference:
// which deliveries came in which order, session by session; what the requests
// say, but for deadlines (R1); what was answered; and, where both hold it, what
// the engine made of it. Ids compare by what they are of and the order in which
// they appear, numbers by value, and what a reader takes for absent is absent.
// Sessions pair by their aliases, and are not compared across: their order is
// not promised (R20). The error is that of reading one of them, and says which.
func Diff(a, b iter.Seq2[spec.Event, error], opts DiffOptions) (Comparison, error) {
	left, right := newSide("first recording", a), newSide("second recording", b)
	defer left.stop()
	defer right.stop()
	d := differ{accept: opts.Accept, left: left, right: right}
	c, err := d.run()
	if c.First == nil && err == nil {
		c.Refused = opts.Accept.Check()
	}
	return c, err
}

// side is one of two recordings under way.
type side struct {
	name    string
	meaning *Meaning
	next    func() (*spec.Exchange, bool)
	stop    func()
	waiting map[string][]*spec.Exchange
	// order holds the sessions with an exchange that waits.
	order []string
	bytes int
	ended bool
	err   error
	// engine says that the recording holds outcomes.
	engine bool
}

func newSide(name string, events iter.Seq2[spec.Event, error]) *side {
	s := &side{name: name, meaning: NewMeaning(), waiting: map[string][]*spec.Exchange{}}
	s.next, s.stop = iter.Pull(spec.Exchanges(func(yield func(spec.Event) bool) {
		for e, err := range events {
			if err != nil {
				s.err = err
				return
			}
			if h, ok := e.Data.(*spec.HeaderEvent); ok {
				s.engine = holdsEngine(h)
			}
			if !yield(e) {
				return
			}
		}
	}))
	return s
}

// waitingBytes is what an exchange that waits costs, about.
func waitingBytes(x *spec.Exchange) int { return len(x.RequestBody) + len(x.ResponseBody) + 512 }

// read takes the next exchange of the recording and says of which session it is;
// nothing more is read once the recording has ended.
func (s *side) read() (session string, err error) {
	x, ok := s.next()
	if !ok {
		s.ended = true
		if s.err != nil {
			return "", fmt.Errorf("%s: %w", s.name, s.err)
		}
		return "", nil
	}
	if len(s.waiting[x.Session]) == 0 {
		s.order = append(s.order, x.Session)
	}
	s.waiting[x.Session] = append(s.waiting[x.Session], x)
	s.bytes += waitingBytes(x)
	if s.bytes > maxWaitingBytes {
		return "", errors.New("the recordings hold their sessions in orders too far apart to be compared")
	}
	return x.Session, nil
}

// take takes the first exchange of a session that waits, nil for none.
func (s *side) take(session string) *spec.Exchange {
	list := s.waiting[session]
	if len(list) == 0 {
		return nil
	}
	x := list[0]
	s.bytes -= waitingBytes(x)
	if s.waiting[session] = list[1:]; len(list) == 1 {
		delete(s.waiting, session)
		s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == session })
	}
	return x
}

type differ struct {
	accept      *Rules
	left, right *side
}

// run compares pair by pair, as they come.
func (d *differ) run() (Comparison, error) {
	var c Comparison
	sessions := map[string]bool{}
	for {
		// Only what was read just now can have found its counterpart.
		var came []string
		for _, s := range []*side{d.left, d.right} {
			if s.ended {
				continue
			}
			session, err := s.read()
			if err != nil {
				return c, err
			}
			came = append(came, session)
		}
		for _, session := range came {
			for len(d.left.waiting[session]) > 0 && len(d.right.waiting[session]) > 0 {
				x, y := d.left.take(session), d.right.take(session)
				if c.First = d.pair(x, y); c.First != nil {
					return c, nil
				}
				c.Exchanges++
				sessions[session] = true
				c.Sessions = len(sessions)
			}
		}
		if d.left.ended && d.right.ended {
			c.First = d.alone()
			return c, nil
		}
	}
}

// alone is the first exchange that has no counterpart.
func (d *differ) alone() *Difference {
	if len(d.left.order) > 0 {
		x := d.left.take(d.left.order[0])
		k := keyOf(x, d.left.meaning.ids)
		return &Difference{Session: x.Session, ExchangeA: x.D, LineA: x.Line, What: WhatOrder, A: k.String(), B: "nothing more"}
	}
	if len(d.right.order) > 0 {
		x := d.right.take(d.right.order[0])
		k := keyOf(x, d.right.meaning.ids)
		return &Difference{Session: x.Session, ExchangeB: x.D, LineB: x.Line, What: WhatOrder, A: "nothing more", B: k.String()}
	}
	return nil
}

// pair compares two exchanges that stand at the same place.
func (d *differ) pair(x, y *spec.Exchange) *Difference {
	d.left.meaning.tell(x)
	d.right.meaning.tell(y)
	k, l := keyOf(x, d.left.meaning.ids), keyOf(y, d.right.meaning.ids)
	found := &Difference{Session: x.Session, ExchangeA: x.D, ExchangeB: y.D, LineA: x.Line, LineB: y.Line, Delivery: k.String()}
	if k != l {
		found.What, found.A, found.B, found.Delivery = WhatOrder, k.String(), l.String(), ""
		return found
	}
	if found.differs(WhatRequest, d.accept.Requests(d.left.meaning.request(x.RequestBody), d.right.meaning.request(y.RequestBody))) ||
		found.differs(WhatAnswer, d.accept.Answers(d.left.meaning.answer(x), d.right.meaning.answer(y))) {
		return found
	}
	if d.left.engine && d.right.engine && found.differs(WhatOutcome, (*Rules)(nil).Answers(outcomeOf(x), outcomeOf(y))) {
		return found
	}
	return nil
}

// valueWidth is how much of a value a difference shows.
const valueWidth = 200

// differs fills in the first of the places where two texts differ.
func (f *Difference) differs(what string, places []Place) bool {
	if len(places) == 0 {
		return false
	}
	p := places[0]
	f.What, f.Pointer, f.A, f.B = what, p.Pointer, jsonv.Short(p.A, valueWidth), jsonv.Short(p.B, valueWidth)
	if what == WhatRequest {
		f.Pointer = inRequest + p.Pointer
	}
	return true
}

func outcomeOf(x *spec.Exchange) jsontext.Value {
	if x.Outcome == nil {
		return jsontext.Value("{}")
	}
	o := *x.Outcome
	o.D, o.Settled = "", nil
	text, err := spec.Marshal(o)
	if err != nil {
		return jsontext.Value("{}")
	}
	return text
}
