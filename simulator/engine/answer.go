package engine

import (
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// The reasons why an answer is dropped whole (D6).
const (
	reasonNoDecision = "no such decision"
	reasonNotOut     = "the decision is not out yet"
	reasonWaits      = "the decision waits for its retry"
	reasonAnswered   = "the decision was answered already"
	reasonVoided     = "the decision was dropped"
)

// answered takes what came back for a delivery and returns the time that it
// took. An answer, or a failure, is taken for the decision and not for the
// delivery: that of an earlier one counts while a later one is out (D6).
func (e *Engine) answered(a Answer) time.Duration {
	d := e.decisions[a.Decision]
	if reason := whyDropped(d); reason != "" {
		e.emit(Outcome{
			Decision: a.Decision, Delivery: a.Delivery, At: e.now,
			Event: spec.OutcomeEvent{As: spec.OutcomeDropped, Reason: reason},
		})
		return 0
	}
	e.publish(d, a.Answer)
	decision, failure := e.read(d, a.Answer)
	if failure != nil {
		e.failDelivery(d, a.Delivery, failure)
		return e.cfg.Pace
	}
	outcome := Outcome{Decision: d.id, Delivery: a.Delivery, At: e.now}
	outcome.Event.As = spec.OutcomeAccepted
	if a.Delivery != d.deliveries {
		outcome.Event.As = spec.OutcomeLate
	}
	// The outcome stands before what the answer brings about.
	place := len(e.out)
	e.emit(outcome)
	outcome.Applied, outcome.Event.Settled = e.apply(d, decision)
	e.out[place] = outcome
	return e.cfg.Pace
}

func whyDropped(d *decision) string {
	if d == nil {
		return reasonNoDecision
	}
	switch d.state {
	case decisionLive:
		return ""
	case decisionQueued:
		return reasonNotOut
	case decisionWaiting:
		return reasonWaits
	case decisionSettled:
		return reasonAnswered
	default:
		return reasonVoided
	}
}

// read parses and resolves an answer against what is in force (D1, D2, F3, D12).
func (e *Engine) read(d *decision, a spec.Answer) (spec.Decision, *spec.Failure) {
	decision, failure := spec.ReadAnswerTo(d.trigger, a)
	if failure != nil {
		return spec.Decision{}, failure
	}
	return decision, spec.ResolveDecision(decision, d.trigger, e.known())
}

// known is what an answer is resolved against.
func (e *Engine) known() spec.ResolveContext {
	return spec.ResolveContext{Agent: e.config.current, Blocks: e.cfg.Blocks, CallFormat: e.callFormat}
}

// callFormat is the format in which a model call was asked, "" for the
// protocol's own and for calls that nobody knows (F3).
func (e *Engine) callFormat(id string) string {
	if c := e.llms[id]; c != nil {
		return spec.FormatOf(c.hosted)
	}
	return ""
}

// failDelivery takes one failure of the live delivery of d: it waits for its
// retry or is lost (D2, D4).
func (e *Engine) failDelivery(d *decision, delivery int, f *spec.Failure) {
	e.emit(Outcome{
		Decision: d.id, Delivery: delivery, At: e.now, Failure: f,
		Event: spec.OutcomeEvent{
			As: spec.OutcomeFailed, Class: string(f.Class),
			Code: f.Info.Code, Param: f.Info.Param, Reason: f.Info.Message,
		},
	})
	e.live = nil
	d.failures++
	if f.Class == spec.FailureRetryable && d.failures < e.mostDeliveries() {
		d.state = decisionWaiting
		d.retryAt = e.now + toolcall.Wait(e.policy, d.failures)
		e.waiting = append(e.waiting, d)
		return
	}
	d.state = decisionDropped
	e.lose(d, f.Info)
	d.release()
}

// restart fails the delivery that was out, as an engine does when it comes up
// again; open calls stay as they are (D8).
func (e *Engine) restart() {
	if d := e.live; d != nil {
		e.failDelivery(d, d.deliveries, &spec.Failure{
			Class: spec.FailureRetryable,
			Info:  spec.ErrorInfo{Message: "dispatch lost on engine restart", Code: spec.CodeInternal},
		})
	}
}

// lose draws the consequences of a decision that failed for good (D3).
func (e *Engine) lose(d *decision, info spec.ErrorInfo) {
	switch d.kind {
	case spec.OnClientAction: // B9: ends nothing.
	case spec.OnSessionStart: // A5
		e.session.start, e.session.failed = nil, true
		if e.turns.running != nil {
			e.failTurn(info)
		}
	case spec.OnTurnFinished:
		if t := e.turns.running; t != nil && t.ending == d {
			e.completeTurn(&info)
		}
	default:
		e.failTurn(info)
	}
}

// release lets go of what only a live decision needs.
func (d *decision) release() {
	d.news, d.trigger = nil, nil
}

// forget takes a decision out that can no longer be delivered (O5).
func (e *Engine) forget(d *decision) {
	d.state = decisionDropped
	e.waiting = slices.DeleteFunc(e.waiting, func(w *decision) bool { return w == d })
}
