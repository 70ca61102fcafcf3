package judge

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// exchange is one delivery and its answer on the way up the ladder.
type exchange struct {
	*wired
	judge *Judge
	state *session
	req   *spec.DecisionRequest
	// text is the JSON text of the decision: the body, or what a stream ended
	// with.
	text     jsontext.Value
	decision spec.Decision
	// accepted says that the answer reads and resolves, so that an engine
	// applies it.
	accepted bool
	// stopped ends the climb: a must does not hold, or there is no more to see.
	stopped bool
	// bare says that the decision is one settle, sent to the settle endpoint.
	bare bool
	// submitted says that the decision came over the worker-submit endpoint.
	submitted bool
	// now is what is kept of its settles, once they were compared.
	now   []toldSettle
	notes []note
	// stands is where it stands in the recording.
	stands spec.Place
	// deltas are the pieces of a streamed model answer.
	deltas deltas
}

// open prepares an exchange, and says whether it may be judged at all: not
// when no delivery took place (R17), when the worker could not be reached
// (R10), or when the request was broken on purpose.
func (j *Judge) open(s *session, w *wired) (*exchange, bool) {
	if w.Damage != "" {
		return nil, false
	}
	switch w.Response.End {
	case spec.EndStale, spec.EndClientGone, spec.EndOmitted:
		return nil, false
	case spec.EndReset:
		switch w.Response.Reason {
		case spec.ReasonRefused, spec.ReasonUnreachable, spec.ReasonTLS:
			return nil, false
		}
	}
	req, fault := w.Asked()
	if fault != nil || req.Trigger == nil {
		return nil, false
	}
	at := spec.Place{Session: w.Session, Exchange: w.D, Line: w.Line}
	return &exchange{wired: w, judge: j, state: s, req: req, stands: at}, true
}

// climb takes the exchange up the ladder, rung by rung.
func (x *exchange) climb() { x.climbOn(0, len(rungs)) }

// climbOn takes it up from one rung until before another.
func (x *exchange) climbOn(from, to int) {
	for _, rung := range rungs[from:to] {
		for _, c := range rung {
			if c.see != nil {
				c.see(x)
			}
		}
		if x.stopped {
			return
		}
	}
}

// dropped reports whether the engine did not take the answer (D6).
func (x *exchange) dropped() bool { return x.Outcome != nil && x.Outcome.As == spec.OutcomeDropped }

func (x *exchange) trigger() spec.TriggerType { return x.req.Trigger.TriggerType() }

// held notes that a requirement's moment came and that it held.
func (x *exchange) held(id string) {
	if x.assumes(id) {
		return
	}
	x.notes = append(x.notes, note{id: id, n: x.N, at: &x.stands})
}

// broke notes a finding. Where, session and exchange are filled in here.
func (x *exchange) broke(id string, f spec.Finding) { x.enter(note{finding: &f}, id) }

// bent notes a finding that weighs no more than a should.
func (x *exchange) bent(id string, f spec.Finding) { x.enter(note{finding: &f, mild: true}, id) }

func (x *exchange) enter(n note, id string) {
	if x.assumes(id) {
		return
	}
	n.id, n.n = id, x.N
	*n.finding = x.place(id, *n.finding)
	x.notes = append(x.notes, n)
	if r, ok := spec.LookupRequirement(id); ok && r.Level == spec.Must {
		x.stopped = true
	}
}

// hangsOn are the requirements that depend on what an import may not know.
var hangsOn = map[string][]string{
	spec.AssumedStatus:  {"delivery.answers-2xx", "delivery.does-not-redirect"},
	spec.AssumedHeaders: {"delivery.answers-uncompressed", "advice.keep-alive-outlives-idle"},
	spec.AssumedTime:    {"delivery.answers-in-time"},
}

// assumes reports whether a requirement depends on what nobody recorded.
func (x *exchange) assumes(id string) bool {
	return x.Response != nil && slices.ContainsFunc(x.Response.Assumed, func(what string) bool { return slices.Contains(hangsOn[what], id) })
}

// place says where a finding was made.
func (x *exchange) place(id string, f spec.Finding) spec.Finding {
	f.Requirement = id
	f.Session, f.Exchange, f.At = x.Session, x.D, x.Line
	f.Step, f.Trigger = x.Step, x.trigger()
	if x.submitted {
		f.Pointer = atSubmit + f.Pointer
	}
	return f
}

// settles returns the settles of the answer with their index among the actions.
func (x *exchange) settles() []settle {
	var all []settle
	asked, _ := x.req.Trigger.(spec.ToolExecuteTrigger)
	for i, a := range x.decision.Actions {
		s := settle{at: fmt.Sprintf("/actions/%d", i), call: asked.ID}
		if x.bare {
			s.at = atEndpoint
		}
		var id *string
		switch a := a.(type) {
		case spec.ToolResultAction:
			s.result, s.attempt, id = &a, a.Attempt, a.ID
		case spec.ToolErrorAction:
			s.err, s.attempt, id = &a, a.Attempt, a.ID
		default:
			continue
		}
		if id != nil {
			s.call = *id
		}
		all = append(all, s)
	}
	return all
}

// settle is a tool.result or a tool.error of an answer (F1).
type settle struct {
	// at is where it stands.
	at      string
	call    string
	attempt *uint32
	result  *spec.ToolResultAction
	err     *spec.ToolErrorAction
}

func (s settle) pointer(rest string) string { return s.at + rest }

// by names the kind of the settle.
func (s settle) by() spec.ActionType {
	if s.err != nil {
		return spec.DoToolError
	}
	return spec.DoToolResult
}
