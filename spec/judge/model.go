package judge

import (
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

func modelChecks() []check {
	const (
		asked  = "no llm.execute was answered"
		result = "no hosted model gave a result"
	)
	return []check{
		{id: "model.settles-once", moment: asked, see: seeModelSettled, sum: sumModels},
		{id: "model.response-reads", moment: result, see: seeModelResponse},
		{id: "model.tool-call-ids-are-new", moment: "no hosted model called a tool"},
		{id: "model.tool-calls-are-functions", moment: "no hosted model called a tool"},
		{id: "model.finish-reason-fits", moment: "no hosted model said why it stopped"},
		{id: "model.usage-adds-up", moment: "no hosted model said how many tokens it took"},
		{id: "model.error-has-text", moment: "no hosted model failed", see: seeModelError},
	}
}

// modelSettle is an llm.result or llm.error of an answer.
type modelSettle struct {
	settle
	result *spec.LlmResultAction
	err    *spec.LlmErrorAction
}

// modelSettles returns those of the answer, with the call that each is about:
// in the answer to an llm.execute that is the asked one where none is named.
func (x *exchange) modelSettles() []modelSettle {
	t, _ := x.req.Trigger.(spec.LlmExecuteTrigger)
	var all []modelSettle
	for i, a := range x.decision.Actions {
		s := modelSettle{settle: settle{at: fmt.Sprintf("/actions/%d", i), call: t.ID}}
		var id *string
		switch a := a.(type) {
		case spec.LlmResultAction:
			s.result, s.attempt, id = &a, a.Attempt, a.ID
		case spec.LlmErrorAction:
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

// seeModelSettled wants one settle of the asked model call, at once or later.
func seeModelSettled(x *exchange) {
	const id = "model.settles-once"
	t, ok := x.req.Trigger.(spec.LlmExecuteTrigger)
	if !ok || x.dropped() {
		return
	}
	const want = "one llm.result or llm.error for the call that was asked"
	settled := 0
	for _, s := range x.modelSettles() {
		switch {
		case s.call != t.ID && x.listsModel(s.call):
			continue
		case s.call != t.ID:
			x.broke(id, spec.Finding{Pointer: s.pointer("/id"), Got: quote(s.call) + ", a call that nobody asked", Want: want,
				Hint: "echo the trigger's id, or leave it out"})
			return
		case s.attempt != nil && *s.attempt != t.Attempt:
			x.broke(id, spec.Finding{Pointer: s.pointer("/attempt"), Got: fmt.Sprint(*s.attempt), Want: fmt.Sprintf("%d, or no attempt", t.Attempt),
				Hint: "a settle of another attempt is dropped, and the call stays open"})
			return
		}
		if settled++; settled > 1 {
			x.broke(id, spec.Finding{Pointer: s.pointer(""), Got: "a second settle of the call", Want: want, Hint: "the first one counts"})
			return
		}
	}
	x.state.dropModel(t.ID)
	if settled == 1 {
		x.held(id)
		return
	}
	if len(x.state.models) == maxOpen {
		return
	}
	x.state.models = append(x.state.models, openCall{call: t.ID, id: id, n: x.N, place: x.place(id, spec.Finding{Pointer: "/actions"})})
}

// listsModel reports whether the request lists an open model call of that id.
func (x *exchange) listsModel(call string) bool {
	return slices.ContainsFunc(x.req.Calls, func(c spec.Call) bool { return c.ID == call && c.Kind == spec.CallLlm })
}

// askedIn keeps the format of a model call.
func (s *session) askedIn(t spec.LlmExecuteTrigger) {
	if t.Format == "" || len(s.formats) == maxOpen {
		return
	}
	if s.formats == nil {
		s.formats = map[string]string{}
	}
	s.formats[t.ID] = t.Format
}

// formatOf is the format in which a model call was asked, "" for the protocol's
// own (F3).
func (s *session) formatOf(call string) string { return s.formats[call] }

// dropModel forgets an open model call and returns it.
func (s *session) dropModel(call string) (openCall, bool) {
	i := slices.IndexFunc(s.models, func(c openCall) bool { return c.call == call })
	if i < 0 {
		return openCall{}, false
	}
	c := s.models[i]
	s.models = slices.Delete(s.models, i, i+1)
	return c, true
}

// modelEnded takes what an llm.finished tells of a call that was left open.
func (s *session) modelEnded(j *Judge, t spec.LlmFinishedTrigger) {
	c, open := s.dropModel(t.ID)
	if !open {
		return
	}
	if !t.OK && t.Error != nil && t.Error.Code == spec.CodeDeadlineExceeded {
		j.ledger.enter([]note{c.modelUnsettled("the call passed its deadline: " + t.Error.Message)})
		return
	}
	j.ledger.enter([]note{{id: c.id, n: c.n, at: c.place.Place()}})
}

func (c openCall) modelUnsettled(got string) note {
	f := c.place
	f.Got, f.Want = got, "an llm.result or llm.error for call "+quote(c.call)
	if c.carried {
		return c.lost(f)
	}
	f.Hint = "a provider that fails is an llm.error; one that takes long is answered by {} and settled later"
	return note{id: c.id, n: c.n, finding: &f}
}

// sumModels names the model calls that are still open when a case has run to
// its end.
func sumModels(j *Judge, l *ledger) {
	if !j.ranToItsEnd() {
		return
	}
	for _, alias := range j.aliases {
		for _, c := range j.sessions[alias].models {
			l.enter([]note{c.modelUnsettled("the call is still open at the end of the session")})
		}
	}
}

func seeModelError(x *exchange) {
	const id = "model.error-has-text"
	for _, s := range x.modelSettles() {
		switch {
		case s.err == nil:
		case !blank(s.err.Error):
			x.held(id)
		default:
			x.broke(id, spec.Finding{Pointer: s.pointer("/error"), Got: quote(s.err.Error), Want: "a text that says what went wrong",
				Hint: "hand the provider's message on; without one, say which model did not answer"})
		}
	}
}
