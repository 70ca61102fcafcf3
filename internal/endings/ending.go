// Package endings compares how sessions ended: a disturbed run with the calm
// runs of the same case, or a repeated run with its recording (R6). It reads
// events and nothing else, so the same recordings always compare the same.
package endings

import (
	"iter"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// Ending is how the sessions of one recording ended. It is only to be read.
type Ending struct {
	// Why is the reason of the recording's end, without particulars; Full has
	// them.
	Why, Full string
	// Async says that a worker let a call go and meant to settle it later (I1).
	Async bool
	// stale says that the engine took a late answer which was written before
	// other decisions moved the transcript on. It moves the head back (O4), and
	// that is nobody's fault.
	stale    bool
	sessions []*session
}

// session is what is compared of one session.
type session struct {
	alias   string
	labels  map[string]string
	turns   []spec.TurnEvent
	calls   []*call
	state   jsontext.Value
	asked   []spec.Message
	written []spec.DraftMessage
	// shape is the kind and order of the decisions.
	shape []string
	// heard is how many messages the latest delivery of each decision had.
	heard map[string]int
}

// call is one call of a tool and how it ended.
type call struct {
	id, label string
	// is is result, flagged, error or open.
	is   string
	text string
	// late says that it passed its deadline, settled that the worker gave an
	// answer to it, whether or not that was taken.
	late, settled bool
}

// Read reads how the sessions of a recording ended. Twins are left out: they
// are there for another comparison (R11).
func Read(events iter.Seq[spec.Event]) *Ending {
	all := slices.Collect(events)
	byD := map[[2]string]*spec.Exchange{}
	for x := range spec.Exchanges(slices.Values(all)) {
		byD[[2]string{x.Session, x.D}] = x
	}
	n := &Ending{}
	var first map[string]string
	for _, e := range all {
		switch d := e.Data.(type) {
		case *spec.HeaderEvent:
			if d.Case != nil {
				first = d.Case.Labels
			}
		case *spec.SessionEvent:
			if d.Twin == "" && d.Alive == nil {
				n.sessions = append(n.sessions, &session{alias: e.Session, labels: labelsOf(first, d.Labels), heard: map[string]int{}})
			}
		case *spec.CloseEvent:
			n.Full = d.Why
			n.Why, _ = spec.SplitCloseReason(d.Why)
		case *spec.TurnEvent:
			if s := n.session(e.Session); s != nil && d.Event != spec.TurnStarted {
				s.turns = append(s.turns, *d)
			}
		case *spec.RequestEvent:
			n.request(n.session(e.Session), d, byD[[2]string{e.Session, d.D}])
		case *spec.InputEvent:
			if s := n.session(e.Session); s != nil && d.Decision != "" && d.Status/100 == 2 && d.Dropped == "" {
				s.submitted(d)
			}
		case *spec.OutcomeEvent:
			n.outcome(n.session(e.Session), d, byD[[2]string{e.Session, d.D}])
		}
	}
	return n
}

// labelsOf maps wire ids to labels.
func labelsOf(first, own map[string]string) map[string]string {
	if own == nil {
		own = first
	}
	return spec.LabelsByID(own)
}

func (n *Ending) session(alias string) *session {
	for _, s := range n.sessions {
		if s.alias == alias {
			return s
		}
	}
	return nil
}

// request takes what a delivery tells of the session, and what any answer to it
// settles.
func (n *Ending) request(s *session, d *spec.RequestEvent, x *spec.Exchange) {
	if s == nil || x == nil || !x.IsDelivery() {
		return
	}
	req, fault := x.Asked()
	if fault != nil {
		return
	}
	s.state, s.asked, s.written = req.State, req.Messages, nil
	s.heard[req.DecisionID] = len(req.Messages)
	if d.Delivery <= 1 {
		s.shape = append(s.shape, s.named(req.Trigger))
	}
	t, execute := req.Trigger.(spec.ToolExecuteTrigger)
	if execute {
		s.call(t.ID)
	}
	if f, ok := req.Trigger.(spec.ToolFinishedTrigger); ok {
		s.finished(f)
	}
	if submitted := x.Submitted(); submitted != nil {
		x = submitted
	}
	decision, failure := x.Decided()
	if failure != nil {
		return
	}
	settles := 0
	for _, a := range decision.Actions {
		var id *string
		switch a := a.(type) {
		case spec.ToolResultAction:
			id = a.ID
		case spec.ToolErrorAction:
			id = a.ID
		default:
			continue
		}
		settles++
		switch {
		case id != nil:
			s.call(*id).settled = true
		case execute:
			s.call(t.ID).settled = true
		}
	}
	n.Async = n.Async || execute && settles == 0
}

// submitted takes what the engine took from an answer that was submitted.
func (s *session) submitted(d *spec.InputEvent) {
	body, err := d.Body.Bytes()
	if err != nil {
		return
	}
	if answer, fault := spec.ParseSubmission(body); fault == nil {
		s.wrote(&answer.Decision)
	}
}

func (s *session) wrote(d *spec.Decision) {
	if d.State != nil {
		s.state = d.State
	}
	if len(d.Messages) > 0 {
		s.written = d.Messages
	}
}

func (s *session) finished(f spec.ToolFinishedTrigger) {
	c := s.call(f.ID)
	switch {
	case f.OK && f.Result != nil:
		c.is, c.text = "result", toolcall.Rendered(*f.Result)
		if f.Result.IsError {
			c.is = "flagged"
		}
	case f.Error != nil:
		c.is, c.text = "error", f.Error.Message
		c.late = f.Error.Code == spec.CodeDeadlineExceeded
	}
}

// outcome takes what the engine took from an answer.
func (n *Ending) outcome(s *session, d *spec.OutcomeEvent, x *spec.Exchange) {
	if s == nil || x == nil || d.As != spec.OutcomeAccepted && d.As != spec.OutcomeLate {
		return
	}
	decision, failure := x.Decided()
	if failure != nil {
		return
	}
	if req, fault := x.Asked(); fault == nil && d.As == spec.OutcomeLate && len(decision.Messages) > 0 {
		n.stale = n.stale || s.heard[req.DecisionID] > len(req.Messages)
	}
	s.wrote(decision)
}

// call is the call of that id, a new one at its first mention.
func (s *session) call(id string) *call {
	for _, c := range s.calls {
		if c.id == id {
			return c
		}
	}
	c := &call{id: id, label: s.labels[id], is: "open"}
	if c.label == "" {
		// A call that the scenario does not make has no name of its own.
		c.label = "another call " + strconv.Itoa(len(s.calls)+1)
	}
	s.calls = append(s.calls, c)
	return c
}

// named is a decision in words that are the same in another run.
func (s *session) named(t spec.Trigger) string {
	name := string(t.TriggerType())
	switch t := t.(type) {
	case spec.ToolExecuteTrigger:
		name += " of " + s.call(t.ID).label
	case spec.ToolFinishedTrigger:
		name += " of " + s.call(t.ID).label
	}
	return name
}

// messages is the transcript, root to head.
func (s *session) messages() []spec.DraftMessage {
	if s.written != nil {
		return s.written
	}
	drafts := make([]spec.DraftMessage, len(s.asked))
	for i, m := range s.asked {
		drafts[i] = m.Draft()
	}
	return drafts
}

// readable is a text as it is compared: a text that is a JSON object or array
// is taken apart, so that one member of it may be unsteady and the rest is not.
func readable(text string) jsontext.Value {
	v := jsontext.Value(text)
	if jsonv.Valid(v, maxDepth) == nil && (jsonv.Kind(v) == '{' || jsonv.Kind(v) == '[') {
		return v
	}
	return jsonv.Quote(text)
}

// maxDepth bounds the texts that are taken apart.
const maxDepth = 64
