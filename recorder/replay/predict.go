package replay

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// judge predicts the request of x from the exchange before it, and compares.
func (s *walked) judge(step *Step, before, x *spec.Exchange) {
	asked, fault := before.Asked()
	if fault != nil {
		step.unexplained(because{CodeUnread, "the request before it does not read: " + fault.Error()})
		return
	}
	next, fault := x.Asked()
	if fault != nil {
		step.unexplained(because{CodeUnread, "the request does not read: " + fault.Error()})
		return
	}
	predicted := s.predict(step, before, asked, next, x, seen{})
	if step.Verdict != StepDiffers {
		return
	}
	// What a worker does not see of its engine may explain it.
	for _, unseen := range unseenBetween(before, asked, next) {
		other := &Step{}
		if s.predict(other, before, asked, next, x, unseen.seen); other.Verdict == StepAgrees {
			step.unexplained(unseen.because)
			return
		}
	}
	if why := s.hole(before, asked, next, predicted); why.code != "" {
		step.unexplained(why)
	}
}

// hole says what shows that something between two requests of a capture is not in
// it: it passed another proxy, or none.
func (s *walked) hole(before *spec.Exchange, asked, next, predicted *spec.DecisionRequest) because {
	const elsewhere = ": what came between is not in the recording"
	known := func(id string) bool {
		return slices.ContainsFunc(predicted.Calls, func(c spec.Call) bool { return c.ID == id })
	}
	switch {
	case s.ours:
		// All of it is here.
	case !succeeded(before) && asked.DecisionID != next.DecisionID:
		return because{CodeDeliveryUnseen, "the request before it had no good answer, and another delivery of it is not in the recording"}
	case len(next.Messages) > len(predicted.Messages), len(next.MessageTree.Nodes) > len(predicted.MessageTree.Nodes):
		return because{CodeExchangeUnseen, "the conversation holds messages of which nothing before it tells" + elsewhere}
	case slices.ContainsFunc(next.Calls, func(c spec.Call) bool { return !known(c.ID) }):
		return because{CodeExchangeUnseen, "a call is open of which nothing before it tells" + elsewhere}
	}
	return because{}
}

// because says why a step is unexplained.
type because struct{ code, text string }

func (s *Step) unexplained(why because) {
	s.Verdict, s.Code, s.Reason = StepUnexplained, why.code, why.text
}

// seen is what is taken to have happened between two requests, although nobody
// saw it at the worker's door (R4).
type seen struct {
	// settled are calls that were settled meanwhile by another way.
	settled []string
	// lost says that the engine did not hear of the answer.
	lost bool
}

// hypothesis is something that cannot be seen, and its words.
type hypothesis struct {
	seen
	because
}

// unseenBetween lists what may have happened between two requests.
func unseenBetween(before *spec.Exchange, asked, next *spec.DecisionRequest) (all []hypothesis) {
	settled := endedBetween(asked, next)
	if settled != nil {
		all = append(all, hypothesis{seen{settled: settled}, because{CodeSettledElsewhere,
			"it is what follows where " + strings.Join(settled, " and ") + " had been settled meanwhile by another way"}})
	}
	if succeeded(before) {
		unheard := because{CodeUnheard, "it is what follows where the engine had not heard of the answer before it"}
		all = append(all, hypothesis{seen{lost: true}, unheard})
		if settled != nil {
			all = append(all, hypothesis{seen{settled: settled, lost: true}, unheard})
		}
	}
	return all
}

// endedBetween are the calls that were open in one request and are no longer in
// the next, and that neither is about.
func endedBetween(asked, next *spec.DecisionRequest) (ids []string) {
	for _, c := range asked.Calls {
		over := !slices.ContainsFunc(next.Calls, func(o spec.Call) bool { return o.ID == c.ID })
		if over && c.Kind == spec.CallTool && c.ID != asked.Trigger.CallID() && c.ID != next.Trigger.CallID() {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// predict predicts the request of x, with what is taken to have happened unseen,
// and compares. It returns what was predicted, nil where nothing could be.
func (s *walked) predict(
	step *Step, before *spec.Exchange, asked, next *spec.DecisionRequest, x *spec.Exchange, unseen seen,
) *spec.DecisionRequest {
	p, err := s.load(before, asked, next)
	if err != nil {
		step.unexplained(because{CodeNotLoaded, err.Error()})
		return nil
	}
	d, why := p.predict(before, unseen)
	step.Assumed = p.assumed
	if d == nil {
		step.unexplained(why)
		return nil
	}
	body, err := d.Body(p.at.Add(d.Sent))
	if err != nil {
		step.unexplained(because{CodeNotLoaded, err.Error()})
		return nil
	}
	s.compare(step, before, asked, x, body)
	return &d.Request
}

// compare holds a request against the predicted one.
func (s *walked) compare(step *Step, before *spec.Exchange, asked *spec.DecisionRequest, x *spec.Exchange, predicted []byte) {
	answer, _ := before.Decided()
	captured, expected := recorder.NewMeaning(), recorder.NewMeaning()
	captured.Tell(asked, answer)
	expected.Tell(asked, answer)
	got, want := known(captured.Request(x.RequestBody)), known(expected.Request(predicted))
	var same bool
	if step.Pointer, step.Got, step.Want, same = jsonv.Diff(got, want); same {
		step.Verdict = StepAgrees
		return
	}
	step.Rules = rulesOf(step.Pointer, step.About)
	if why := s.hidden(step, before, asked, x); why.code != "" {
		step.unexplained(why)
		return
	}
	step.Verdict, step.Code = StepDiffers, CodeStep
}

// hidden says what may lie behind a difference that cannot be seen, nothing where
// all that leads to its place is in the recording.
func (s *walked) hidden(step *Step, before *spec.Exchange, asked *spec.DecisionRequest, x *spec.Exchange) because {
	switch {
	case strings.Contains(step.Got+step.Want, spec.StandInPrefix):
		return because{CodeStandIn, "a stand-in stands there for a secret"}
	case follows(step.Pointer) && standsIn(before, x):
		return because{CodeStandIn, "it follows from a text in which a stand-in stands for a secret"}
	case asksAgain(step.Pointer, step.About):
		return because{CodePromptUnseen, "the model is asked as it was asked before, and that request is not in the one before this (G10)"}
	case step.Pointer == "/turn_id" && x.Request.Trigger == spec.OnSessionStart:
		return because{CodeOlderTurn, "a session.start that is delivered again may show the turn of the input behind it (A2)"}
	case s.ours && asked.Trigger.TriggerType() == spec.OnSessionStart && mayBeGiven(step.Pointer):
		return because{CodeGiven, "a scenario may put messages, a state or a config in place behind session.start"}
	case ofReading(step.Pointer) && !declared(asked, x):
		return because{CodePromptUnseen, "the request that the model saw, and with it the schema of the tool, is not in the one before this (E2)"}
	case ofBranch(step.Pointer) && !goesOn(asked, x):
		return because{CodeBranchUnseen, "the conversation moved to another branch, whose state and config are not in the request before this (O3)"}
	case strings.HasPrefix(step.Pointer, "/trigger/request") && bytes.Contains(before.RequestBody, []byte("blob://")):
		return because{CodeBytesUnseen, "the model is shown bytes that are not in the request before this (F8)"}
	}
	return because{}
}

// follows reports whether a place is made of what other places say: how arguments
// and results are read, and what is proposed.
func follows(pointer string) bool {
	return strings.HasPrefix(pointer, "/trigger") || strings.HasPrefix(pointer, "/proposed")
}

// standsIn reports whether a stand-in stands in what a request is about, or in the
// answer that led to it.
func standsIn(before, x *spec.Exchange) bool {
	trigger, _ := jsonv.Get(x.RequestBody, "/trigger")
	stands := []byte(spec.StandInPrefix)
	return bytes.Contains(trigger, stands) || bytes.Contains(before.ResponseBody, stands)
}

// ofReading reports whether a place follows from how arguments are read (E1, E9).
func ofReading(pointer string) bool {
	return strings.HasPrefix(pointer, "/trigger/input") || strings.HasPrefix(pointer, "/proposed")
}

// declared reports whether the tool that x is to run is in the config in force,
// from which the request that the model saw is taken to be made. A call that is
// about no tool counts as declared.
func declared(asked *spec.DecisionRequest, x *spec.Exchange) bool {
	next, fault := x.Asked()
	if fault != nil {
		return true
	}
	t, ok := next.Trigger.(spec.ToolExecuteTrigger)
	if !ok || asked.Agent == nil {
		return !ok
	}
	_, known := asked.Agent.Tool(t.Name)
	return known
}

// mayBeGiven reports whether a place shows what a scenario can put in place, or
// what follows from that.
func mayBeGiven(pointer string) bool {
	return ofBranch(pointer) || strings.HasPrefix(pointer, "/message") || strings.HasPrefix(pointer, "/trigger")
}

// ofBranch reports whether a place shows the state or the config of a branch, or
// what follows from them.
func ofBranch(pointer string) bool {
	return strings.HasPrefix(pointer, "/agent") || strings.HasPrefix(pointer, "/state") || strings.HasPrefix(pointer, "/proposed")
}

// goesOn reports whether the path of x goes on from that of the request before.
func goesOn(asked *spec.DecisionRequest, x *spec.Exchange) bool {
	next, fault := x.Asked()
	if fault != nil || len(next.Messages) < len(asked.Messages) {
		return false
	}
	return slices.EqualFunc(asked.Messages, next.Messages[:len(asked.Messages)], func(a, b spec.Message) bool { return a.ID == b.ID })
}

// asksAgain reports whether a place is within the proposal, made for a finished
// call, to ask the model again: by a request that only the engine remembers.
func asksAgain(pointer, about string) bool {
	parts := strings.Split(pointer, "/")
	return len(parts) > 4 && parts[1] == "proposed" && parts[2] == "actions" && parts[4] != "type" &&
		(strings.HasPrefix(about, string(spec.OnToolFinished)) || strings.HasPrefix(about, string(spec.OnSubagentFinished)))
}
