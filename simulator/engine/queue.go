package engine

import (
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// decision is one question to the worker, over all its deliveries (D1, D5).
type decision struct {
	id   string
	kind spec.TriggerType
	// trigger is the stored trigger, equal at each delivery; client.messages
	// is completed by news at each (D5).
	trigger spec.Trigger
	news    *news
	// call is the tool call of tool.execute and tool.finished, llm the model
	// call of llm.finished.
	call *toolCall
	llm  *llmCall
	// try is the attempt of the call, from 1.
	try   int
	state decisionState

	deliveries int
	failures   int
	first      time.Duration
	sent       time.Duration
	expires    time.Duration
	// final says that the total ends this delivery, so it is the last (D2).
	final   bool
	retryAt time.Duration
	// order breaks ties between decisions that wait.
	order int
}

type decisionState int

const (
	decisionQueued decisionState = iota
	decisionLive
	decisionWaiting
	decisionSettled
	// decisionDropped went with its turn or with its branch, or failed for
	// good (D3, O5).
	decisionDropped
)

// item is something that waits for its turn: a decision to deliver, a call to
// dispatch, or one that the engine runs itself. Exactly one is set.
type item struct {
	decision *decision
	tool     *toolCall
	llm      *llmCall
	run      *toolCall
}

// queue holds items in order of arrival (G5).
type queue struct{ items []item }

func (q *queue) push(i item)      { q.items = append(q.items, i) }
func (q *queue) pushFront(i item) { q.items = append([]item{i}, q.items...) }

// head drops what was voided meanwhile and returns the first item that is left.
func (q *queue) head() (item, bool) {
	for len(q.items) > 0 {
		i := q.items[0]
		switch {
		case i.decision != nil && i.decision.state != decisionQueued,
			i.tool != nil && i.tool.status != statusQueued,
			i.llm != nil && i.llm.status != statusQueued,
			i.run != nil && i.run.status != statusPending:
			q.items = q.items[1:]
		default:
			return i, true
		}
	}
	q.items = nil
	return item{}, false
}

func (q *queue) pop() { q.items = q.items[1:] }

// remove takes d out, wherever it stands.
func (q *queue) remove(d *decision) {
	for n, i := range q.items {
		if i.decision == d {
			q.items = append(q.items[:n:n], q.items[n+1:]...)
			return
		}
	}
}

// enqueue makes a decision and puts it behind everything queued so far.
func (e *Engine) enqueue(d *decision) *decision {
	e.register(d)
	e.queue.push(item{decision: d})
	return d
}

func (e *Engine) register(d *decision) {
	d.id = e.mint(IDDecision)
	d.kind = d.trigger.TriggerType()
	d.order = len(e.decisions)
	e.decisions[d.id] = d
}

// pump starts everything that can start now. Items go in order of arrival, a
// blocked one holds back those behind it; a retry is taken up only when nothing
// queued can go (G5), and one decision is live at a time (G1).
func (e *Engine) pump() {
	e.open.sweep()
	for e.takeQueued() || e.retryCall() || e.redeliver() {
	}
}

func (e *Engine) takeQueued() bool {
	if e.parked() != nil {
		return e.takeParked()
	}
	i, ok := e.queue.head()
	if !ok || e.startUnsettled(i) {
		return false
	}
	switch {
	case i.tool != nil:
		e.queue.pop()
		e.dispatchTool(i.tool)
	case i.llm != nil:
		e.queue.pop()
		e.dispatchLlm(i.llm)
	case i.run != nil:
		e.queue.pop()
		e.runHere(i.run)
	case e.live != nil:
		return false
	default:
		e.queue.pop()
		e.deliver(i.decision)
	}
	return true
}

// startUnsettled reports whether i must wait for session.start, which nothing
// overtakes, not even while it waits for its retry (A1).
func (e *Engine) startUnsettled(i item) bool {
	return e.session.start != nil && i.decision != e.session.start
}

// takeParked takes what goes on in a parked session: calls of tools start, and
// the first queued client.action is delivered, the only decision that reaches
// the worker (B8, M1). A session.start that is owed goes before all.
func (e *Engine) takeParked() bool {
	if start := e.session.start; start != nil {
		if e.live != nil || start.state != decisionQueued {
			return false
		}
		e.queue.remove(start)
		e.deliver(start)
		return true
	}
	for n, i := range e.queue.items {
		switch d := i.decision; {
		case i.tool != nil && i.tool.status == statusQueued:
			e.queue.items = append(e.queue.items[:n:n], e.queue.items[n+1:]...)
			e.dispatchTool(i.tool)
			return true
		case i.run != nil && i.run.status == statusPending:
			e.queue.items = append(e.queue.items[:n:n], e.queue.items[n+1:]...)
			e.runHere(i.run)
			return true
		case d != nil && d.kind == spec.OnClientAction && d.state == decisionQueued && e.live == nil:
			e.queue.remove(d)
			e.deliver(d)
			return true
		}
	}
	return false
}

// retryCall dispatches the next attempt of the call whose wait ended first.
// That needs no free slot: its tool.execute queues like any other (H6).
func (e *Engine) retryCall() bool {
	var due *attempts
	var start func()
	consider := func(a *attempts, dispatch func()) {
		if a.status == statusWaiting && a.retryAt <= e.now && (due == nil || earlier(a, due)) {
			due, start = a, dispatch
		}
	}
	for _, c := range e.open.tools {
		consider(&c.attempts, func() { e.dispatchTool(c) })
	}
	for _, c := range e.open.llms {
		consider(&c.attempts, func() { e.dispatchLlm(c) })
	}
	if due == nil {
		return false
	}
	if d := e.nextWaiting(); d != nil && e.slotFree() && d.retryAt <= due.retryAt {
		return false
	}
	start()
	return true
}

func earlier(a, b *attempts) bool {
	if a.retryAt != b.retryAt {
		return a.retryAt < b.retryAt
	}
	return a.order < b.order
}

// redeliver delivers again the decision whose wait ended first.
func (e *Engine) redeliver() bool {
	d := e.nextWaiting()
	if d == nil || !e.slotFree() || d.retryAt > e.now {
		return false
	}
	e.forgetWaiting(d)
	e.deliver(d)
	return true
}

// slotFree reports whether a redelivery could go out: nothing is live and
// nothing queued could go instead.
func (e *Engine) slotFree() bool {
	if e.live != nil || e.session.start == nil && e.parked() != nil {
		return false
	}
	i, ok := e.queue.head()
	return !ok || e.startUnsettled(i)
}

// nextWaiting returns the decision that may be delivered again first. While
// session.start waits nothing else may (A1).
func (e *Engine) nextWaiting() *decision {
	var next *decision
	for _, d := range e.waiting {
		if e.session.start != nil && d != e.session.start {
			continue
		}
		if next == nil || d.retryAt < next.retryAt || d.retryAt == next.retryAt && d.order < next.order {
			next = d
		}
	}
	return next
}

func (e *Engine) forgetWaiting(d *decision) {
	for n, w := range e.waiting {
		if w == d {
			e.waiting = append(e.waiting[:n:n], e.waiting[n+1:]...)
			return
		}
	}
}
