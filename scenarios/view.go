package scenarios

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// view is what the events of a case show: its exchanges, the window of each
// step, and the session as it stood at the end of each window.
type view struct {
	c Case
	// idOf and labelOf translate labels of calls to wire ids and back.
	idOf, labelOf map[string]string
	firstAttempt  uint32
	exchanges     []*spec.Exchange
	windows       map[int]*window
	passed        map[int]bool
	end           snapshot
	closed        string
	// sessions counts the sessions whose session.start was accepted.
	sessions int
}

// window is what happened between a step and the next.
type window struct {
	exchanges []*spec.Exchange
	end       snapshot
}

// snapshot is the session at one moment.
type snapshot struct {
	turn  *spec.TurnEvent
	calls map[string]callView
	// state, agent and messages are JSON text, nil when there is none.
	state, agent jsontext.Value
	messages     []spec.DraftMessage
}

// callView is where one call stands.
type callView struct {
	is      string
	handler spec.Handler
	tries   int
	// text is what the model reads; nil before the call has ended.
	text *string
}

func newView(c Case, events []spec.Event) *view {
	v := &view{c: c, idOf: map[string]string{}, labelOf: map[string]string{}, windows: map[int]*window{}, passed: map[int]bool{}}
	main := ""
	byD := map[[2]string]*spec.Exchange{}
	for x := range spec.Exchanges(slices.Values(events)) {
		if main == "" {
			main = x.Session
		}
		byD[[2]string{x.Session, x.D}] = x
	}
	step := -1
	v.end.calls = map[string]callView{}
	for _, e := range events {
		if h, ok := e.Data.(*spec.HeaderEvent); ok {
			v.header(h)
		}
		if s, ok := e.Data.(*spec.StepEvent); ok && s.PassedOver {
			v.passed[s.Step] = true
		} else if ok {
			if w := v.windows[step]; w != nil {
				w.end = v.end.clone()
			}
			step = s.Step
			v.windows[step] = &window{}
		}
		if c, ok := e.Data.(*spec.CloseEvent); ok {
			v.closed = c.Why
		}
		x := exchangeOf(e, byD)
		if o, ok := e.Data.(*spec.OutcomeEvent); ok && x != nil && o.As == spec.OutcomeAccepted && x.Request.Trigger == spec.OnSessionStart {
			v.sessions++
		}
		if e.Session != "" && e.Session != main {
			continue
		}
		if _, ok := e.Data.(*spec.RequestEvent); ok && x != nil && x.IsDelivery() {
			v.exchanges = append(v.exchanges, x)
			if w := v.windows[step]; w != nil {
				w.exchanges = append(w.exchanges, x)
			}
		}
		v.end.apply(e, x, v.firstAttempt)
	}
	if w := v.windows[step]; w != nil {
		w.end = v.end.clone()
	}
	return v
}

func (v *view) header(h *spec.HeaderEvent) {
	if h.Dialect != nil {
		v.firstAttempt = h.Dialect.FirstAttempt
	}
	if h.Case == nil {
		return
	}
	for label, id := range h.Case.Labels {
		v.idOf[label], v.labelOf[id] = id, label
	}
}

// exchangeOf is the exchange that an event is about, nil for none.
func exchangeOf(e spec.Event, byD map[[2]string]*spec.Exchange) *spec.Exchange {
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		return byD[[2]string{e.Session, d.D}]
	case *spec.OutcomeEvent:
		return byD[[2]string{e.Session, d.D}]
	default:
		return nil
	}
}

func (s *snapshot) clone() snapshot {
	c := *s
	c.calls = make(map[string]callView, len(s.calls))
	for id, call := range s.calls {
		c.calls[id] = call
	}
	return c
}

// apply takes in one event. Only a request and an accepted answer tell of the
// session: what a worker merely said does not count until the engine took it.
func (s *snapshot) apply(e spec.Event, x *spec.Exchange, first uint32) {
	switch d := e.Data.(type) {
	case *spec.TurnEvent:
		s.turn = d
	case *spec.RequestEvent:
		if x == nil {
			return
		}
		if req, fault := x.Asked(); fault == nil {
			s.asked(req, first)
		}
	case *spec.OutcomeEvent:
		if d.As == spec.OutcomeAccepted && x != nil {
			s.accepted(x)
		}
		s.settled(d)
	}
}

func (s *snapshot) asked(req *spec.DecisionRequest, first uint32) {
	s.state, s.agent = nil, nil
	if jsonv.Kind(req.State) != 'n' {
		s.state = req.State
	}
	if req.Agent != nil {
		s.agent = marshaled(req.Agent)
	}
	s.messages = s.messages[:0:0]
	for _, m := range req.Messages {
		s.messages = append(s.messages, m.Draft())
	}
	for _, c := range req.Calls {
		call := s.calls[c.ID]
		call.is, call.handler = isOf(c.Status), c.Handler
		call.tries = max(call.tries, int(c.Attempt)-int(first)+1)
		s.calls[c.ID] = call
	}
	if t, ok := req.Trigger.(spec.ToolFinishedTrigger); ok {
		call := s.calls[t.ID]
		text := textOf(t)
		call.text, call.is = &text, "failed"
		if t.OK {
			call.is = "done"
		}
		s.calls[t.ID] = call
	}
}

// isOf is the word of the language for a status on the wire.
func isOf(status spec.CallStatus) string {
	if status == spec.CallRetryScheduled {
		return "waiting"
	}
	return "open"
}

func textOf(t spec.ToolFinishedTrigger) string {
	if t.OK && t.Result != nil {
		return toolcall.Rendered(*t.Result)
	}
	if t.Error != nil {
		return t.Error.Message
	}
	return ""
}

func (s *snapshot) accepted(x *spec.Exchange) {
	d, failure := x.Decided()
	if failure != nil {
		return
	}
	if d.State != nil {
		s.state = d.State
	}
	if d.Agent != nil {
		s.agent = marshaled(d.Agent)
	}
	if len(d.Messages) > 0 {
		s.messages = d.Messages
	}
}

// settled moves calls on before their tool.finished tells how they ended.
func (s *snapshot) settled(d *spec.OutcomeEvent) {
	for _, settled := range d.Settled {
		call, known := s.calls[settled.Call]
		if !known || settled.Then == "dropped" {
			continue
		}
		switch {
		case settled.Then == "retry":
			call.is = "waiting"
		case settled.By == string(spec.DoToolResult):
			call.is = "done"
		default:
			call.is = "failed"
		}
		s.calls[settled.Call] = call
	}
}

// marshaled is v as JSON text; a value of package spec always has one.
func marshaled(v any) jsontext.Value {
	text, err := spec.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}
