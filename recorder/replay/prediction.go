package replay

import (
	"fmt"
	"time"

	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

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
func (p *prediction) predict(before *spec.Exchange, unseen seen) (d *engine.Deliver, why because) {
	asked, _ := before.Asked()
	delivery := 1
	if asked.Attempts > p.first {
		delivery = int(asked.Attempts-p.first) + 1
	}
	if t, unknown := p.next.Trigger.(spec.UnknownTrigger); unknown {
		return nil, because{CodeUnknownTrigger, "the trigger is not known: " + string(t.Type)}
	}
	if !p.again && p.next.Attempts > p.first {
		return nil, because{CodeDeliveryUnseen,
			fmt.Sprintf("it is delivery %d of its decision, and those before it are not here", p.next.Attempts-p.first+1)}
	}
	if len(unseen.settled) > 0 {
		// The call that comes next was settled before them.
		e, _ := p.tells()
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
		return nil, because{CodeUnheard, "the decision was answered, and is delivered again all the same: the engine had not heard of the answer"}
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
					return &e, because{}
				}
				other = about(&spec.Event{Data: &spec.RequestEvent{Trigger: e.Request.Trigger.TriggerType(), Call: e.Call, Try: e.Try, Delivery: e.Delivery}})
			case engine.Unsupported:
				return nil, because{CodeNotSimulated, "not simulated: " + e.What}
			case engine.InputReply:
				if e.Error != "" {
					return nil, because{CodeRefused, "what the request tells of the world would be refused: " + e.Error}
				}
			}
		}
		event, reason := p.outside()
		if _, waits := event.(engine.Tick); event == nil || waits && other != "" {
			return nil, p.elsewhere(other, reason)
		}
		effects = p.engine.Step(event)
	}
	return nil, because{CodeNoWay, "no way leads to it that can be seen"}
}

// elsewhere says why the engine did not come to the captured request.
func (p *prediction) elsewhere(other string, reason because) because {
	t, ok := p.next.Trigger.(spec.ToolExecuteTrigger)
	switch {
	case other == "":
		return reason
	case ok && t.Attempt > p.first:
		return because{CodePolicyUnseen, "the policy that lets the call be tried again is not in the request before it (H2)"}
	case p.unseen:
		return because{CodeQueueUnseen, "a finished call was queued that the request before it does not name"}
	}
	return because{CodeOtherFirst, "the simulated engine delivers " + other + " before it"}
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
