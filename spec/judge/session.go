package judge

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// session is what is kept of one session: the calls that wait for their
// settle, and whether a twin ran.
type session struct {
	// stale is the exchange before, when its connection had been closed while idle.
	stale *wired
	alias string
	step  *int
	// foreign are the decisions that no engine knows of, since the run made them
	// up: what the worker submits for them is refused, and rightly sent.
	foreign []string
	// waiting says that the step which acts lets engine time pass. A call whose
	// deadline it passes, however fast the worker is, is none that was forgotten.
	waiting bool
	// twinOf is the alias of the session that this is the twin of, "" for none.
	twinOf string
	// calls are the calls that an accepted answer left open, in order of
	// arrival.
	calls []openCall
	// ran says that a valid call of a declared tool ended in a result that is
	// not flagged (R11).
	ran bool
	// refusals counts refused undeclared calls that need such a twin.
	refusals int
	// proven are the calls that ran, for those after a restart.
	proven []proven
	// tales are the calls that forged copies may have come ahead of.
	tales []*tale
	// models are the model calls that an answer left open, as calls are;
	// formats are those in which calls of the session were asked.
	models  []openCall
	formats map[string]string
	// told are the answers to the latest decisions, for their redeliveries.
	told []told
	// turnedDown are the latest calls that were refused, for those that come again.
	turnedDown []turnedDown
	// offered are the names of tools that the client brought (B4).
	offered map[string]bool
	late    lateSettles
	// parked are the calls that were answered with an interrupt.
	parked []string
	// inner is about calls through call_tool.
	inner inner
}

// openCall is a call that the worker was asked to run and has not settled yet.
type openCall struct {
	call string
	// id is the requirement that says it has to be settled.
	id string
	n  int
	// place says where the question stands.
	place spec.Finding
	// twin says that its plain result is a twin of a refusal.
	twin bool
	// tooLate says that its settle was submitted when its decision had been
	// answered already.
	tooLate bool
	// carried says that the worker was restarted while it held the call.
	carried bool
}

// maxOpen bounds the open calls that are kept of one session.
const maxOpen = 1000

func (s *session) expect(c openCall) {
	s.drop(c.call)
	if len(s.calls) < maxOpen {
		s.calls = append(s.calls, c)
	}
}

// drop forgets an open call and returns it.
func (s *session) drop(call string) (openCall, bool) {
	i := slices.IndexFunc(s.calls, func(c openCall) bool { return c.call == call })
	if i < 0 {
		return openCall{}, false
	}
	c := s.calls[i]
	s.calls = slices.Delete(s.calls, i, i+1)
	return c, true
}

// before takes what a request tells of earlier calls, before it is judged.
func (s *session) before(x *exchange) {
	s.offer(x)
	switch m := x.req.Trigger.(type) {
	case spec.LlmExecuteTrigger:
		s.askedIn(m)
	case spec.LlmFinishedTrigger:
		s.modelEnded(x.judge, m)
	}
	t, ok := x.req.Trigger.(spec.ToolFinishedTrigger)
	if !ok {
		return
	}
	s.innerFinished(x.judge, t)
	c, open := s.drop(t.ID)
	if !open {
		return
	}
	if !t.OK && t.Error != nil && t.Error.Code == spec.CodeDeadlineExceeded {
		x.judge.ledger.enter([]note{c.unsettled("the call passed its deadline: " + t.Error.Message)})
		return
	}
	if c.twin && t.OK && t.Result != nil && !t.Result.IsError {
		s.ran = true
	}
	x.judge.ledger.enter([]note{{id: c.id, n: c.n, at: c.place.Place()}})
}

// offer remembers the tools that a client offers, so that the worker is not
// held to what it did not write. A name that the worker declares stays its own.
func (s *session) offer(x *exchange) {
	t, ok := x.req.Trigger.(spec.ClientMessagesTrigger)
	if !ok {
		return
	}
	for _, tool := range t.Client.Tools {
		if _, own := x.req.Agent.Tool(tool.Name); own || len(s.offered) >= maxOpen {
			continue
		}
		if s.offered == nil {
			s.offered = map[string]bool{}
		}
		s.offered[tool.Name] = true
	}
}

// disturbed takes what a delivery that we disturbed tells of the session. It is
// no moment of any requirement, but a call that ended there is not left open;
// and where it was the one that was asked, it was settled, whichever of two
// answers to one decision came first (D6).
func (s *session) disturbed(j *Judge, w *wired) {
	x, ok := j.open(s, w)
	if !ok {
		return
	}
	s.hand(x)
	s.before(x)
	if slices.Contains(s.late.submitted, x.req.DecisionID) {
		return
	}
	x.compareDisturbed()
	if w.Outcome == nil || w.Outcome.As != spec.OutcomeAccepted && w.Outcome.As != spec.OutcomeLate {
		return
	}
	if d, failure := w.Decided(); failure == nil {
		x.decision = *d
		s.remember(x)
		s.park(x)
		t, asked := x.asked()
		for _, settle := range x.settles() {
			s.drop(settle.call)
			if asked && settle.call == t.ID {
				j.ledger.enter([]note{{id: settlesID(t.Input.Status), n: x.N}})
			}
		}
	}
}

// unsettled is the finding about a call that was never answered.
func (c openCall) unsettled(got string) note {
	f := c.place
	if c.tooLate {
		got += "; the answer with its settle was submitted when the decision had been answered, and changed nothing"
	}
	f.Got = got
	f.Want = "a tool.result or tool.error for call " + quote(c.call)
	if c.carried {
		return c.lost(f)
	}
	f.Hint = "return the proposed tool.error, or run the tool and answer with its result; each branch of the handler has to answer. " +
		"A worker that settles later needs an engine to settle at: --start gives it one, --engine-listen opens one"
	return note{id: c.id, n: c.n, finding: &f}
}

// after takes what an accepted answer settles.
func (s *session) after(x *exchange) {
	s.remember(x)
	s.park(x)
	for _, settle := range x.settles() {
		c, open := s.drop(settle.call)
		if open {
			x.held(c.id)
			if c.twin && x.plain(settle) {
				s.ran = true
			}
		}
	}
	for _, a := range x.decision.Actions {
		if a.ActionType() == spec.DoInterrupt {
			// A parked session settles its calls when somebody resumes it (M5),
			// which may be after the recording.
			s.calls, s.models = nil, nil
		}
	}
	for _, settle := range x.modelSettles() {
		if c, open := s.dropModel(settle.call); open {
			x.held(c.id)
		}
	}
}

// input takes a settle that reached the engine from outside a decision (I2).
func (s *session) input(j *Judge, d *spec.InputEvent) {
	if d.From != "worker" && d.Call != "" && d.Status/100 == 2 {
		s.late.elsewhere = keep(s.late.elsewhere, maxTaken, d.Call)
	}
	if len(s.calls)+len(s.models) == 0 || d.Status >= 300 {
		return
	}
	body, err := d.Body.Bytes()
	if err != nil {
		return
	}
	kind, _ := jsonv.Text(textAt(body, "/type"))
	drop := s.drop
	switch kind {
	case spec.InputToolResult, spec.InputToolError:
	case string(spec.DoLlmResult), string(spec.DoLlmError):
		drop = s.dropModel
	default:
		return
	}
	call, _ := jsonv.Text(textAt(body, "/id"))
	if c, open := drop(call); open && d.From == "worker" {
		j.ledger.enter([]note{{id: c.id, n: c.n, at: c.place.Place()}})
	}
}

func textAt(body []byte, pointer string) jsontext.Value {
	v, _ := jsonv.Get(jsontext.Value(body), pointer)
	return v
}

// turn forgets the calls that a failed turn has voided (D3).
func (s *session) turn(d *spec.TurnEvent) {
	if d.Event == spec.TurnFailed {
		s.calls, s.models = nil, nil
	}
}

// sumOpen names the calls that are still open when a case has run to its end.
// A capture may end at any moment, so there only a deadline proves it.
func sumOpen(j *Judge, l *ledger) {
	if !j.ranToItsEnd() {
		return
	}
	for _, alias := range j.aliases {
		for _, c := range j.sessions[alias].calls {
			l.enter([]note{c.unsettled("the call is still open at the end of the session")})
		}
	}
}

// ranToItsEnd reports whether the recording is that of a case whose script ran
// to its end.
func (j *Judge) ranToItsEnd() bool {
	if j.header == nil || j.header.Source == spec.SourceCapture || j.header.Source == spec.SourceImport {
		return false
	}
	return j.close == spec.CloseScriptDone || j.close == spec.CloseScriptDry
}

// twinRan reports whether a valid call ran in a twin of a session (R11).
func (j *Judge) twinRan(of string) bool {
	return slices.ContainsFunc(j.aliases, func(alias string) bool {
		s := j.sessions[alias]
		return s.twinOf == of && s.ran
	})
}

// sumRefusals gives refusals their weight: they prove something only where
// some call of a declared tool has run (R11).
func sumRefusals(j *Judge, l *ledger) {
	const id = "execute.refuses-undeclared"
	for _, alias := range j.aliases {
		s := j.sessions[alias]
		if s.refusals == 0 {
			continue
		}
		if !s.ran && !j.twinRan(alias) {
			l.because(id, "no call of a declared tool ran, so a refusal proves nothing")
			continue
		}
		for range s.refusals {
			l.enter([]note{{id: id}})
		}
	}
}
