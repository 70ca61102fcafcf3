package scenarios

import (
	"fmt"
	"net/http"

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
	// settles are the calls that the worker has settled so far, in that order,
	// hasty those whose settle was let through before its turn.
	settles, hasty []string
	// endpoint says that the worker had where to settle.
	endpoint bool
	end      snapshot
	closed   string
	// lives is what was seen of the worker being alive, by step.
	lives map[int]string
	// session is named in findings where a case has several.
	session string
}

// window is what happened between a step and the next.
type window struct {
	exchanges []*spec.Exchange
	end       snapshot
	// refused is what the engine said to an input that it did not take.
	refused string
	// settled is how many settles of the worker's there were at its end.
	settled int
	// raw is the request outside the protocol that was made in it, nil for none.
	raw *spec.Exchange
	// inputs are what came to the engine from outside.
	inputs []*spec.InputEvent
}

// close marks the end of the window of a step.
func (v *view) close(step int) {
	if w := v.windows[step]; w != nil {
		w.end, w.settled = v.end.clone(), len(v.settles)
	}
}

// snapshot is the session at one moment. What it shares with requests and
// answers is never changed.
type snapshot struct {
	turn  *spec.TurnEvent
	calls map[string]callView
	// state and agent are nil when there is none.
	state jsontext.Value
	agent *spec.AgentConfig
	// The transcript is what was recorded last, or else what was asked last.
	asked    []spec.Message
	recorded []spec.DraftMessage
}

// messages is the transcript, root to head.
func (s *snapshot) messages() []spec.DraftMessage {
	if s.recorded != nil {
		return s.recorded
	}
	drafts := make([]spec.DraftMessage, len(s.asked))
	for i, m := range s.asked {
		drafts[i] = m.Draft()
	}
	return drafts
}

// callView is where one call stands.
type callView struct {
	is      string
	handler spec.Handler
	tries   int
	// text is what the model reads; nil before the call has ended.
	text *string
}

// newView looks at one session of a case, by its events and those of the file,
// and by the exchanges of the file.
func newView(c Case, events []spec.Event, byD map[[2]string]*spec.Exchange) *view {
	v := &view{c: c, idOf: map[string]string{}, labelOf: map[string]string{}, windows: map[int]*window{}, passed: map[int]bool{}}
	step := -1
	v.end.calls = map[string]callView{}
	for _, e := range events {
		if h, ok := e.Data.(*spec.HeaderEvent); ok {
			v.header(h)
		}
		if c, ok := e.Data.(*spec.CloseEvent); ok {
			v.closed = c.Why
		}
		if d, ok := e.Data.(*spec.SessionEvent); ok && d.Labels != nil {
			v.labels(d.Labels)
		}
		if s, ok := e.Data.(*spec.StepEvent); ok && s.PassedOver {
			v.passed[s.Step] = true
		} else if ok {
			v.close(step)
			step = s.Step
			v.windows[step] = &window{}
		}
		x := exchangeOf(e, byD)
		if d, ok := e.Data.(*spec.RequestEvent); ok && x != nil && d.IsRaw() {
			if w := v.windows[step]; w != nil {
				w.raw = x
			}
			continue
		}
		if _, ok := e.Data.(*spec.RequestEvent); ok && x != nil && x.IsDelivery() {
			v.exchanges = append(v.exchanges, x)
			if w := v.windows[step]; w != nil {
				w.exchanges = append(w.exchanges, x)
			}
		}
		if d, ok := e.Data.(*spec.InputEvent); ok && d.From != "machine" && d.Status >= http.StatusBadRequest && v.windows[step] != nil {
			v.windows[step].refused = fmt.Sprintf("the engine refused the %s with %d: %s", d.From, d.Status, d.Reply)
		}
		v.heard(e, step)
		v.end.apply(e, x, v.firstAttempt)
	}
	v.close(step)
	return v
}

func (v *view) header(h *spec.HeaderEvent) {
	if h.Dialect != nil {
		v.firstAttempt = h.Dialect.FirstAttempt
	}
	endpoint, _ := jsonv.Get(h.Engine, "/endpoint")
	v.endpoint = jsonv.Kind(endpoint) == 't'
	if h.Case == nil {
		return
	}
	v.labels(h.Case.Labels)
}

// labels takes the wire ids of the labels, in place of those before.
func (v *view) labels(ids map[string]string) {
	v.idOf, v.labelOf = ids, spec.LabelsByID(ids)
}

// exchangeOf is the exchange that an event is about, nil for none.
func exchangeOf(e spec.Event, byD map[[2]string]*spec.Exchange) *spec.Exchange {
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		return byD[[2]string{e.Session, d.D}]
	case *spec.OutcomeEvent:
		return byD[[2]string{e.Session, d.D}]
	case *spec.InputEvent:
		if d.Decision == "" {
			return nil
		}
		for _, x := range byD {
			if x.Submission == d {
				return x
			}
		}
		return nil
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
	case *spec.InputEvent:
		s.input(d)
		if x == nil {
			return
		}
		if submitted := x.Submitted(); submitted != nil {
			s.accepted(submitted)
		}
	case *spec.TimeEvent:
		s.passed(d)
	case *spec.RequestEvent:
		if x == nil {
			return
		}
		if req, fault := x.Asked(); fault == nil {
			s.request(req, first)
		}
	case *spec.OutcomeEvent:
		// A late answer counts like any other that was taken (D6).
		if x != nil && (d.As == spec.OutcomeAccepted || d.As == spec.OutcomeLate) {
			s.accepted(x)
		}
		s.settled(d.Settled)
	}
}

func (s *snapshot) request(req *spec.DecisionRequest, first uint32) {
	s.state, s.agent = nil, req.Agent
	if jsonv.Kind(req.State) != 'n' {
		s.state = req.State
	}
	s.asked, s.recorded = req.Messages, nil
	for _, c := range req.Calls {
		call := s.calls[c.ID]
		call.is, call.handler = isOf(c.Status), c.Handler
		call.tries = int(c.Attempt) - int(first) + 1
		s.calls[c.ID] = call
	}
	if t, ok := req.Trigger.(spec.ToolFinishedTrigger); ok {
		call := s.calls[t.ID]
		text := textOf(t)
		call.text, call.is = &text, "failed"
		if req.Agent.RunsOnEngine(t.Name) {
			call.handler = spec.HandlerServer
		}
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
		s.agent = d.Agent
	}
	if len(d.Messages) > 0 {
		s.recorded = d.Messages
	}
	for _, a := range d.Actions {
		if call, ok := a.(spec.ToolCallAction); ok && call.ID != nil {
			s.started(*call.ID, call)
		}
	}
}

// started takes in a call before any request lists it: one that runs on the
// client may never bring one about.
func (s *snapshot) started(id string, call spec.ToolCallAction) {
	if _, known := s.calls[id]; known {
		return
	}
	s.calls[id] = callView{is: "open", handler: handlerOf(s.agent, call.Name, call.RawArguments()), tries: 1}
}

// settled moves calls on before their tool.finished tells how they ended.
func (s *snapshot) settled(all []spec.Settled) {
	for _, settled := range all {
		call, known := s.calls[settled.Call]
		if !known || settled.Then == "dropped" {
			continue
		}
		switch {
		case settled.Then == "retry":
			call.is = "waiting"
		case settled.By == string(spec.DoToolResult), settled.By == string(spec.DoLlmResult):
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
