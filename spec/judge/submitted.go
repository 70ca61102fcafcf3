package judge

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// atSubmit begins the pointers into an answer that was submitted.
const atSubmit = "submit:"

// whereSubmitted says how a settle came that a submitted answer held.
const whereSubmitted = "the submitted answer to its decision"

// submitted judges an answer that the worker gave at the worker-submit endpoint
// as one to the request that asked for it (I2, wire 11): the same rungs from its
// JSON on, the same duties. One that was refused is judged as far as it says what
// is wrong with it.
func (s *session) submitted(j *Judge, d *spec.InputEvent) {
	body, err := d.Body.Bytes()
	if err != nil || d.Status == 0 || d.Status >= 500 || slices.Contains(s.foreign, d.Decision) {
		return
	}
	w := j.asking(s, d.Decision)
	switch {
	case w == nil && d.Status >= 300:
		s.refusedAnswer(j.latest(s), d)
		return
	case w == nil:
		s.tooLate(j, d)
		return
	}
	x, ok := j.open(s, &wired{Exchange: w.AnsweredBy(body)})
	if !ok {
		return
	}
	x.submitted, x.text = true, jsontext.Value(x.ResponseBody)
	if d.Status >= 300 {
		// Its duties are those of the answer that the engine takes.
		if x.climbOn(rungJSON, rungDuties); x.stopped {
			j.ledger.enter(x.notes)
			s.excuseAsked(x)
			return
		}
		s.refusedAnswer(x, d)
		return
	}
	j.worker.note(x.req.Agent)
	s.before(x)
	if d.Dropped != "" {
		x.Outcome = &spec.OutcomeEvent{D: x.D, As: spec.OutcomeDropped}
		x.climbOn(rungJSON, rungDuties)
		j.ledger.enter(x.notes)
		s.tooLate(j, d)
		return
	}
	x.climbOn(rungJSON, len(rungs))
	if x.accepted {
		j.worker.note(x.decision.Agent)
		j.keepConfig(x)
		if x.now = x.told().settles; len(x.now) > 0 {
			x.held(asyncThrough)
		}
		s.late.submitted = keep(s.late.submitted, maxTold, x.req.DecisionID)
		s.after(x)
	}
	if x.trigger() == spec.OnSessionStart && !x.isChild() {
		j.starts[formOf(x)].add(x)
		return
	}
	j.ledger.enter(x.notes)
}

// asking is the open delivery of a decision, nil when none is.
func (j *Judge) asking(s *session, decision string) *wired {
	open := j.wire.open[s.alias]
	for _, w := range slices.Backward(open) {
		if req, fault := w.Asked(); fault == nil && req.DecisionID == decision && w.IsDelivery() {
			return w
		}
	}
	return nil
}

// refusedAnswer says that a submitted answer was refused, for no reason that the
// answer itself shows: the key, or an id that has to be named.
func (s *session) refusedAnswer(x *exchange, d *spec.InputEvent) {
	got := fmt.Sprintf("refused with %d", d.Status)
	if d.Reply != "" {
		got += ": " + quote(d.Reply)
	}
	hint := "name the id of every settle, and model and llm of every llm.call: only an answer to the request has them filled in"
	switch d.Status {
	case 401, 403:
		hint = hintOfRefusal(d.Status)
	case 404:
		hint = "send session_id and decision_id of the request that is answered"
	case 413:
		hint = "send less: large results belong behind a resource_link"
	}
	x.notes, x.submitted = nil, true
	x.broke(asyncThrough, spec.Finding{Got: got, Want: "an answer that the engine takes", Hint: hint})
	x.judge.ledger.enter(x.notes)
	s.excuseAsked(x)
}

// excuseAsked keeps a call from being called unsettled too, where the answer to
// its decision went wrong in a way that has a name.
func (s *session) excuseAsked(x *exchange) {
	if t, ok := x.asked(); ok {
		s.excuse(t.ID)
	}
}

// tooLate keeps with open calls that their settle came in an answer which changed
// nothing, since the decision had been answered.
func (s *session) tooLate(j *Judge, d *spec.InputEvent) {
	body, err := d.Body.Bytes()
	if err != nil {
		return
	}
	submission, fault := spec.ParseSubmission(body)
	if fault != nil {
		return
	}
	x := j.latest(s)
	x.decision = submission.Decision
	for _, settle := range x.settles() {
		for i := range s.calls {
			if s.calls[i].call == settle.call {
				s.calls[i].tooLate = true
			}
		}
	}
}

// answeredBefore judges the answer to a request whose decision was answered by a
// submission: the engine drops it, so only its form counts, and that it tells
// nothing else of a call.
func (x *exchange) answeredBefore() {
	x.climbOn(0, rungDuties)
	if !x.stopped && x.accepted {
		seeSettledAgain(x)
	}
}

// seeSettledAgain holds settles in an answer that the engine drops against those
// of the submitted one. The same once more does no harm.
func seeSettledAgain(x *exchange) {
	for _, s := range x.settles() {
		attempt := x.attemptOf(s)
		i := slices.IndexFunc(x.state.late.taken, func(t tookSettle) bool {
			return t.where == whereSubmitted && t.call == s.call && t.attempt == attempt
		})
		if i < 0 {
			continue
		}
		first, now := x.state.late.taken[i], x.tell(s)
		if first.kind == now.kind && first.words == now.words {
			x.held(asyncOnce)
			continue
		}
		x.again(first, now, s.pointer(""), x.judge.deliveries(x.state, s.call), x.judge.wire.n)
	}
}
