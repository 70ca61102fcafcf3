package replay

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// judge predicts the request of x from the exchange before it, and compares.
func (s *walked) judge(step *Step, before, x *spec.Exchange) {
	step.Verdict = StepUnexplained
	asked, fault := before.Asked()
	if fault != nil {
		step.Reason = "the request before it does not read: " + fault.Error()
		return
	}
	next, fault := x.Asked()
	if fault != nil {
		step.Reason = "the request does not read: " + fault.Error()
		return
	}
	s.predict(step, before, asked, next, x, seen{})
	if step.Verdict != StepDiffers {
		return
	}
	// What a worker does not see of its engine may explain it.
	for _, unseen := range unseenBetween(before, asked, next) {
		other := &Step{Verdict: StepUnexplained}
		if s.predict(other, before, asked, next, x, unseen.seen); other.Verdict == StepAgrees {
			step.Verdict, step.Reason = StepUnexplained, unseen.reason
			return
		}
	}
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
	reason string
}

// unseenBetween lists what may have happened between two requests.
func unseenBetween(before *spec.Exchange, asked, next *spec.DecisionRequest) (all []hypothesis) {
	settled := endedBetween(asked, next)
	if settled != nil {
		all = append(all, hypothesis{seen{settled: settled}, "it is what follows where " + strings.Join(settled, " and ") + " had been settled meanwhile by another way"})
	}
	if succeeded(before) {
		const unheard = "it is what follows where the engine had not heard of the answer before it"
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
// and compares.
func (s *walked) predict(step *Step, before *spec.Exchange, asked, next *spec.DecisionRequest, x *spec.Exchange, unseen seen) {
	p, err := s.load(before, asked, next)
	if err != nil {
		step.Reason = err.Error()
		return
	}
	d, why := p.predict(before, unseen)
	step.Assumed = p.assumed
	if d == nil {
		step.Reason = why
		return
	}
	body, err := d.Body(p.at.Add(d.Sent))
	if err != nil {
		step.Reason = err.Error()
		return
	}
	s.compare(step, before, asked, x, body)
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
	switch {
	case strings.Contains(step.Got+step.Want, standIn):
		step.Reason = "a stand-in stands there for a secret"
	case asksAgain(step.Pointer, step.About):
		step.Reason = "the model is asked as it was asked before, and that request is not in the one before this (G10)"
	case step.Pointer == "/turn_id" && x.Request.Trigger == spec.OnSessionStart:
		step.Reason = "a session.start that is delivered again may show the turn of the input behind it (A2)"
	case s.ours && asked.Trigger.TriggerType() == spec.OnSessionStart && mayBeGiven(step.Pointer):
		step.Reason = "a scenario may put messages, a state or a config in place behind session.start"
	case ofReading(step.Pointer) && !declared(asked, x):
		step.Reason = "the request that the model saw, and with it the schema of the tool, is not in the one before this (E2)"
	case ofBranch(step.Pointer) && !goesOn(asked, x):
		step.Reason = "the conversation moved to another branch, whose state and config are not in the request before this (O3)"
	case strings.HasPrefix(step.Pointer, "/trigger/request") && bytes.Contains(before.RequestBody, []byte("blob://")):
		step.Reason = "the model is shown bytes that are not in the request before this (F8)"
	default:
		step.Verdict = StepDiffers
	}
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

// standIn begins what stands in place of a secret (R9).
const standIn = "hm-red-"

// asksAgain reports whether a place is within the proposal, made for a finished
// call, to ask the model again: by a request that only the engine remembers.
func asksAgain(pointer, about string) bool {
	parts := strings.Split(pointer, "/")
	return len(parts) > 4 && parts[1] == "proposed" && parts[2] == "actions" && parts[4] != "type" &&
		(strings.HasPrefix(about, string(spec.OnToolFinished)) || strings.HasPrefix(about, string(spec.OnSubagentFinished)))
}

// prediction is an engine on its way from one request to the next.
type prediction struct {
	engine  *engine.Engine
	at      time.Time
	next    *spec.DecisionRequest
	again   bool
	assumed []string
	// first is what the wire counts attempts from.
	first uint32
	// unseen says that finished calls were queued that the request before does not
	// name.
	unseen bool
	// told says that what the next request tells of the world was given.
	told bool
}

// load loads an engine from the request of an exchange.
func (s *walked) load(before *spec.Exchange, asked, next *spec.DecisionRequest) (*prediction, error) {
	p := &prediction{next: next, again: asked.DecisionID == next.DecisionID, at: momentOf(before, asked)}
	cfg := engine.Config{
		At: p.at, Pace: time.Millisecond, ID: idsFrom(next), Dialect: spec.DefaultDialect(), Hosted: hostedForm(asked, next),
	}
	cfg.Dialect.FailedCall = failedForm(next)
	if s.firstSet {
		cfg.Dialect.FirstAttempt = s.first
	}
	resumed := *asked
	if asked.Trigger.TriggerType() == spec.OnSessionStart {
		cfg.Agent = asked.Proposed.Agent
		// The turn that a redelivery shows is that of the input behind it, which is
		// given anew (A2).
		resumed.TurnID = nil
	}
	e, assumed, err := engine.Resume(cfg, resumed)
	if err != nil {
		return nil, err
	}
	p.unseen = asked.PendingCalls > 0
	p.engine, p.assumed, p.first = e, assumed, cfg.Dialect.FirstAttempt
	return p, nil
}

// momentOf is when a request was sent, as far as can be seen.
func momentOf(x *spec.Exchange, r *spec.DecisionRequest) time.Time {
	if now, err := time.Parse(time.RFC3339Nano, x.Request.Now); err == nil {
		return now
	}
	if r.Deadline != nil {
		return r.Deadline.Add(-20 * time.Second)
	}
	return time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC)
}

// hostedForm is the form in which the worker hosts the model, "" where neither
// request shows that it does.
func hostedForm(requests ...*spec.DecisionRequest) string {
	for _, r := range requests {
		if t, ok := r.Trigger.(spec.LlmExecuteTrigger); ok {
			if t.Format != "" {
				return t.Format
			}
			return spec.HostedNative
		}
	}
	return ""
}

// failedForm is what an engine proposes for a model call that failed, as far as
// the request shows it (C5).
func failedForm(next *spec.DecisionRequest) string {
	if t, ok := next.Trigger.(spec.LlmFinishedTrigger); ok && !t.OK && len(next.Proposed.Actions) > 0 && next.Proposed.Actions[0].ActionType() == "fail" {
		return "fail"
	}
	return spec.DefaultDialect().FailedCall
}

// idsFrom gives the ids that the next request shows to what is minted first, and
// others of its own to the rest: they compare by the order in which they appear.
func idsFrom(next *spec.DecisionRequest) func(engine.IDKind, int) string {
	shown := map[engine.IDKind]string{engine.IDDecision: next.DecisionID}
	if next.TurnID != nil {
		shown[engine.IDTurn] = *next.TurnID
	}
	switch t := next.Trigger.(type) {
	case spec.LlmFinishedTrigger:
		shown[engine.IDLlmCall] = t.ID
	case spec.LlmExecuteTrigger:
		shown[engine.IDLlmCall] = t.ID
	}
	return func(kind engine.IDKind, ordinal int) string {
		if id := shown[kind]; id != "" && ordinal == 1 {
			return id
		}
		return fmt.Sprintf("hm-step-%s-%d", kind, ordinal)
	}
}

// maxMoves bounds what is tried to come from one request to the next.
const maxMoves = 64

// predict lets the engine go on from the answer to an exchange until it delivers
// what was captured next. why says what is in the way.
func (p *prediction) predict(before *spec.Exchange, unseen seen) (d *engine.Deliver, why string) {
	asked, _ := before.Asked()
	delivery := 1
	if asked.Attempts > p.first {
		delivery = int(asked.Attempts-p.first) + 1
	}
	if t, unknown := p.next.Trigger.(spec.UnknownTrigger); unknown {
		return nil, "the trigger is not known: " + string(t.Type)
	}
	if !p.again && p.next.Attempts > p.first {
		return nil, fmt.Sprintf("it is delivery %d of its decision, and those before it are not here", p.next.Attempts-p.first+1)
	}
	if e, _ := p.tells(); len(unseen.settled) > 0 {
		// The call that comes next was settled before them.
		if settle, ok := e.(engine.Settle); ok {
			p.engine.Step(settle)
			p.told = true
		}
	}
	for _, id := range unseen.settled {
		p.engine.Step(engine.Settle{Action: spec.ToolResultAction{ID: &id}})
	}
	var effects []engine.Effect
	if a := before.Answer(); unseen.lost {
		effects = p.engine.Step(engine.Answer{Decision: asked.DecisionID, Delivery: delivery, Answer: spec.Answer{End: spec.EndCut}})
	} else if p.again && a.End == spec.EndWhole && succeeded(before) {
		return nil, "the decision was answered, and is delivered again all the same: the engine had not heard of the answer"
	} else if a.End == spec.EndClientGone || before.Response == nil {
		p.assumed = append(p.assumed, "the engine gave the delivery up when its time had passed")
	} else {
		effects = p.engine.Step(engine.Answer{Decision: asked.DecisionID, Delivery: delivery, Answer: a})
	}
	other := ""
	for range maxMoves {
		for _, effect := range effects {
			switch e := effect.(type) {
			case engine.Deliver:
				if p.isNext(e) {
					return &e, ""
				}
				other = about(&spec.Event{Data: &spec.RequestEvent{Trigger: e.Request.Trigger.TriggerType(), Call: e.Call, Try: e.Try, Delivery: e.Delivery}})
			case engine.Unsupported:
				return nil, "not simulated: " + e.What
			case engine.InputReply:
				if e.Error != "" {
					return nil, "what the request tells of the world would be refused: " + e.Error
				}
			}
		}
		event, reason := p.outside()
		if _, waits := event.(engine.Tick); event == nil || waits && other != "" {
			return nil, p.elsewhere(other, reason)
		}
		effects = p.engine.Step(event)
	}
	return nil, "no way leads to it that can be seen"
}

// elsewhere says why the engine did not come to the captured request.
func (p *prediction) elsewhere(other, reason string) string {
	t, ok := p.next.Trigger.(spec.ToolExecuteTrigger)
	switch {
	case other == "":
		return reason
	case ok && t.Attempt > p.first:
		return "the policy that lets the call be tried again is not in the request before it (H2)"
	case p.unseen:
		return "a finished call was queued that the request before it does not name"
	}
	return "the simulated engine delivers " + other + " before it"
}

func succeeded(x *spec.Exchange) bool {
	_, failure := x.Decided()
	return failure == nil
}

// isNext reports whether a delivery is the one that was captured.
func (p *prediction) isNext(d engine.Deliver) bool {
	got, want := d.Request.Trigger, p.next.Trigger
	if got.TriggerType() != want.TriggerType() || p.again != (d.Delivery > 1) {
		return false
	}
	if a, ok := got.(spec.ToolExecuteTrigger); ok {
		return a.ID == want.(spec.ToolExecuteTrigger).ID && a.Attempt == want.(spec.ToolExecuteTrigger).Attempt
	}
	return got.CallID() == want.CallID()
}

// outside is the next thing from outside of which the captured request tells,
// nil when there is none, and then why not.
func (p *prediction) outside() (engine.Event, string) {
	if p.again {
		return p.tick("nothing is left that would deliver it again")
	}
	if e, why := p.tells(); !p.told {
		p.told = e != nil
		if e != nil || why != "" {
			return e, why
		}
	}
	return p.tick("nothing in the request before it, in its answer or in itself leads to it")
}

// tick lets time pass to the next timer.
func (p *prediction) tick(otherwise string) (engine.Event, string) {
	t, ok := p.engine.NextTimer()
	if !ok {
		return nil, otherwise
	}
	return engine.Tick{To: t.At}, ""
}

// tells is what the captured trigger tells of the world outside. Without an event
// and a reason nothing from outside led to it.
func (p *prediction) tells() (engine.Event, string) {
	switch t := p.next.Trigger.(type) {
	case spec.ClientMessagesTrigger:
		return p.said(t)
	case spec.ClientActionTrigger:
		return engine.Input{Input: spec.ClientInput{Type: spec.InputClientAction, AgentID: p.next.AgentID, Name: t.Name, Args: t.Args}}, ""
	case spec.InterruptResumedTrigger:
		return engine.Input{Input: spec.ClientInput{
			Type: spec.InputInterruptResume, AgentID: p.next.AgentID, InterruptID: t.InterruptID, Payload: t.Payload,
		}}, ""
	case spec.LlmFinishedTrigger:
		return p.replied(t)
	case spec.ToolFinishedTrigger:
		return p.settled(t)
	case spec.SubagentFinishedTrigger:
		return engine.ChildEnded{Session: t.SessionID, Result: t.Result, Error: t.Error}, ""
	}
	return nil, ""
}

// said is what the client said. Where its view does not go on from the path, it
// showed a whole view (B1, B2).
func (p *prediction) said(t spec.ClientMessagesTrigger) (engine.Event, string) {
	in := spec.ClientInput{Type: spec.InputClientMessages, AgentID: p.next.AgentID, Messages: t.Messages}
	path := p.engine.Transcript()
	if n := int(t.NewFrom); n == len(path) && n < len(t.Messages) && sameIDs(path, t.Messages[:n]) && !answers(t.Messages[n:]) {
		in.Type, in.Messages = spec.InputClientAppend, t.Messages[n:]
	}
	if c := t.Client; c.Tools != nil || c.Context != nil || c.State != nil || c.ForwardedProps != nil {
		in.Client = &c
	}
	return engine.Input{Input: in}, ""
}

// answers reports whether messages of a client answer calls (B7).
func answers(list []spec.DraftMessage) bool {
	return slices.ContainsFunc(list, func(m spec.DraftMessage) bool { return m.Role == spec.RoleTool })
}

func sameIDs(path []spec.Message, view []spec.DraftMessage) bool {
	return slices.EqualFunc(path, view, func(m spec.Message, d spec.DraftMessage) bool { return m.ID == d.ID })
}

// replied is what the model replied.
func (p *prediction) replied(t spec.LlmFinishedTrigger) (engine.Event, string) {
	call, waits := p.engine.Asked()
	if !waits {
		return nil, ""
	}
	if t.Error != nil {
		return engine.Reply{Call: call, Error: t.Error}, ""
	}
	r := &spec.LlmResponse{FinishReason: "stop", Usage: t.Usage, Cost: t.Cost}
	switch {
	case t.Truncated:
		r.FinishReason = "length"
	case t.Refused:
		r.FinishReason = "refusal"
	}
	if m := t.Message; m != nil {
		if m.Content != nil {
			text, ok := jsonv.Text(m.Content)
			if !ok && jsonv.Kind(m.Content) != 'n' {
				return nil, "the model answered in parts, whose bytes are not in the request"
			}
			if ok {
				r.Content = &text
			}
		}
		r.ToolCalls, r.Reasoning = m.ToolCalls, m.Reasoning
		if len(r.ToolCalls) > 0 && r.FinishReason == "stop" {
			r.FinishReason = "tool_calls"
		}
	}
	return engine.Reply{Call: call, Response: r}, ""
}

// settled is the settle of a call that came by another way than the answer (I2,
// J1). A call whose time passed is settled by nobody.
func (p *prediction) settled(t spec.ToolFinishedTrigger) (engine.Event, string) {
	id := t.ID
	if !t.OK {
		info := spec.ErrorInfo{}
		if t.Error != nil {
			info = *t.Error
		}
		if info.Code == spec.CodeDeadlineExceeded {
			return nil, ""
		}
		retryable := false
		return p.settle(spec.ToolErrorAction{ID: &id, Error: info.Message, Retryable: &retryable, Code: info.Code, Detail: info.Detail})
	}
	if t.Result == nil {
		return p.settle(spec.ToolResultAction{ID: &id})
	}
	for _, c := range t.Result.Content {
		if c.Type != spec.BlockText && c.Type != spec.BlockLink {
			return nil, "the result holds bytes that are not in the request"
		}
	}
	content := make([]spec.ToolContent, len(t.Result.Content))
	for i, c := range t.Result.Content {
		content[i] = spec.ToolContent{Type: spec.BlockText, Text: c.Text}
		if c.Type != spec.BlockText {
			uri := c.URI
			content[i] = spec.ToolContent{Type: spec.BlockResourceLink, URI: &uri, Name: c.Name, MimeType: c.MimeType}
		}
	}
	flagged := t.Result.IsError
	return p.settle(spec.ToolResultAction{ID: &id, Content: content, StructuredContent: t.Result.StructuredContent, IsError: &flagged})
}

func (p *prediction) settle(a spec.Action) (engine.Event, string) {
	if !p.engine.CanSettle(a) {
		return nil, "the call is not open in the request before it: what ended it cannot be seen"
	}
	p.assumed = append(p.assumed, "the call was settled by another way than the answer")
	return engine.Settle{Action: a}, ""
}
