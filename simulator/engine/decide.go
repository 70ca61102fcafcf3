package engine

import (
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// deliver sends d out, for the first time or again. Everything but the stored
// trigger is worked out from the session as it stands now (D5, O7).
func (e *Engine) deliver(d *decision) {
	e.open.sweep()
	if d.deliveries == 0 {
		d.first = e.now
	}
	d.deliveries++
	d.state = decisionLive
	d.sent = e.now
	e.live = d

	deadline, final := e.deliveryEnd(d)
	d.expires, d.final = deadline, final
	e.emit(Deliver{
		Decision: d.id, Delivery: d.deliveries,
		Call: d.trigger.CallID(), Try: d.try,
		Request:  e.request(d),
		Deadline: deadline, Sent: e.now, at: e.cfg.At,
	})
}

// deliveryEnd returns when this delivery is given up. The total counts from the
// first delivery and is final (D2, D4, H7).
func (e *Engine) deliveryEnd(d *decision) (end time.Duration, final bool) {
	end = never
	if run := e.shownDeadline(d); run != nil {
		end = *run
	}
	if total := e.policy.TotalTimeoutSecs; total != nil {
		if cut := after(d.first, total); cut <= end {
			return cut, true
		}
	}
	return end, false
}

// shownDeadline is the deadline on the wire: this delivery's own, not cut by
// the total (H7).
func (e *Engine) shownDeadline(d *decision) *time.Duration {
	if e.policy.RunTimeoutSecs == nil {
		return nil
	}
	at := after(d.sent, e.policy.QueueTimeoutSecs, e.policy.RunTimeoutSecs)
	return &at
}

func (e *Engine) request(d *decision) spec.DecisionRequest {
	trigger := d.trigger
	if d.news != nil {
		trigger = e.view(d.news)
	}
	pending := e.pendingCalls(d)
	return spec.DecisionRequest{
		SessionID:    e.cfg.SessionID,
		DecisionID:   d.id,
		AgentID:      e.cfg.AgentID,
		Identity:     e.cfg.Identity,
		Trigger:      trigger,
		Proposed:     e.propose(d, trigger, pending),
		State:        e.state.current,
		Agent:        e.config.current,
		Calls:        e.wireCalls(),
		PendingCalls: pending,
		Messages:     e.tree.messages(),
		MessageTree:  e.tree.wire(),
		Ancestry:     append([]string{}, e.cfg.Ancestry...),
		Attempts:     e.wireAttempt(d.failures),
		Deadline:     e.wireTime(e.shownDeadline(d)),
		TurnID:       e.turns.id(d),
	}
}

// pendingCalls counts tool calls in flight and the other finished-call
// decisions that are queued; d itself is the live one, and one that waits for
// its retry is not counted (G6).
func (e *Engine) pendingCalls(d *decision) uint32 {
	n := e.unseen
	for _, c := range e.open.tools {
		if c.status.open() {
			n++
		}
	}
	for _, i := range e.queue.items {
		if o := i.decision; o != nil && o != d && o.state == decisionQueued && finishes(o.kind) {
			n++
		}
	}
	return n
}

func finishes(kind spec.TriggerType) bool {
	return kind == spec.OnToolFinished || kind == spec.OnSubagentFinished
}

// dispatchTool starts an attempt of c: its clock runs from here (G2), and a
// call that the worker runs queues its tool.execute (H6, J1).
func (e *Engine) dispatchTool(c *toolCall) {
	c.begin(e.now)
	e.startTool(c)
}

// startTool hands an attempt that has begun to whoever runs it.
func (e *Engine) startTool(c *toolCall) {
	c.handed = false
	if c.child != nil {
		e.spawn(c)
		return
	}
	switch c.handler {
	case spec.HandlerWorker:
		e.enqueue(&decision{
			call: c, try: c.failures + 1,
			trigger: spec.ToolExecuteTrigger{
				ID: c.id, Name: c.name, Arguments: c.arguments,
				Input:    e.classify(c),
				Attempt:  e.wireAttempt(c.failures),
				Deadline: e.wireTime(c.deadline),
			},
		})
	case spec.HandlerServer:
		e.queue.push(item{run: c})
	}
}

// dispatchLlm asks the model, or the worker that hosts it (C8, G10).
func (e *Engine) dispatchLlm(c *llmCall) {
	c.begin(e.now)
	if c.hosted != "" {
		e.executeLlm(c)
		return
	}
	e.emit(AskModel{Call: c.id, Request: shown(c.request), Stream: c.stream})
}
