package engine

import (
	"slices"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// apply takes a whole answer, in the order that the protocol fixes: messages,
// what hangs off the new path, state, config, actions (D13). Channels are
// passed through unread, and nobody here reads them.
func (e *Engine) apply(d *decision, answer spec.Decision) (applied []bool, settled []spec.Settled) {
	d.state = decisionSettled
	e.live = nil
	if e.session.start == d {
		e.session.start = nil
	}
	if e.record(answer.Messages) {
		e.voidOffPath()
	}
	if answer.State != nil && !jsonv.Equal(answer.State, e.stateNow()) {
		e.state.set(e.tree.head, jsonv.Sorted(answer.State))
	}
	if answer.Agent != nil && !sameConfig(answer.Agent, e.config.current) {
		e.setConfig(ownConfig(answer.Agent))
	}
	a := &application{engine: e, decision: d, answer: answer}
	for _, action := range answer.Actions {
		applied = append(applied, a.apply(action))
	}
	if d.kind == spec.OnTurnFinished {
		if t := e.turns.running; t != nil && t.ending == d {
			e.completeTurn(nil)
		}
	}
	if d.kind == spec.OnClientAction && a.started && e.turns.running == nil {
		e.openTurn("action:" + d.id) // B8
	}
	if c := d.call; c != nil && d.kind == spec.OnToolExecute && c.status == statusPending && c.failures+1 == d.try {
		c.handed = true
		c.asks = slices.ContainsFunc(answer.Actions, func(a spec.Action) bool { return a.ActionType() == spec.DoInterrupt })
	}
	if c := d.llm; c != nil && d.kind == spec.OnLlmExecute && c.status == statusPending && c.failures+1 == d.try {
		c.handed = true
	}
	if d.kind == spec.OnInterruptResumed {
		for _, c := range e.open.tools {
			c.asks = false // what is still open waits for the worker again
		}
	}
	d.release()
	return applied, a.settled
}

func (e *Engine) stateNow() []byte {
	if e.state.current == nil {
		return null
	}
	return e.state.current
}

// sameConfig reports whether a config says nothing new: an equal one makes no
// new version (O1, O2).
func sameConfig(a, b *spec.AgentConfig) bool {
	if b == nil {
		return false
	}
	x, errX := spec.Marshal(a)
	y, errY := spec.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// setConfig replaces the whole config.
func (e *Engine) setConfig(c *spec.AgentConfig) { e.config.set(e.tree.head, c) }

// record takes a whole path: known ids advance, the first message that is new
// forks there (O4). It reports whether the old path was left.
func (e *Engine) record(messages []spec.DraftMessage) (left bool) {
	if len(messages) == 0 {
		return false
	}
	at, fresh := "", false
	// back says that the path goes on over messages recorded on another branch.
	back := false
	for _, m := range messages {
		if !fresh {
			if id, ok := e.recorded(m, at); ok {
				at = id
				back = back || !e.tree.onPath(id)
				continue
			}
			fresh = true
		}
		if m.ID == "" || e.tree.known(m.ID) {
			m.ID = e.mint(IDMessage)
		}
		m.Content = toolcall.StoreContent(m.Content, blobs{e})
		at = e.tree.add(ownDraft(m), at)
	}
	left = e.tree.moveTo(at)
	if left || back {
		// O3: what was written on the branch that is taken up is in force again.
		e.state.follow(&e.tree)
		e.config.follow(&e.tree)
	}
	return left
}

// recorded finds the node that m stands for: that of its id, or the tool
// message already recorded for its call (O4). The latter never leads back, so
// that results listed in another order than recorded are not lost.
func (e *Engine) recorded(m spec.DraftMessage, at string) (string, bool) {
	if e.tree.known(m.ID) {
		return m.ID, true
	}
	if m.Role != spec.RoleTool || m.ToolCallID == "" {
		return "", false
	}
	id, ok := e.tree.recordedAnswer(m.ToolCallID, at)
	if ok && e.tree.before(id, at) {
		id = at
	}
	return id, ok
}

// voidOffPath ends the open calls that were asked for on a branch that is left,
// and their decisions (O5). A child that runs is left alone.
func (e *Engine) voidOffPath() {
	for _, c := range e.open.tools {
		if c.status.open() && c.status != statusRunning && !e.tree.onPath(c.anchor) {
			c.status = statusVoided
			e.forgetDecisions(c)
		}
	}
	for _, c := range e.open.llms {
		if c.status.open() && !e.tree.onPath(c.anchor) {
			e.voidLlm(c)
		}
	}
}

// voidLlm ends an open model call that nobody waits for any more, and with it
// what asks a worker for its answer.
func (e *Engine) voidLlm(c *llmCall) {
	c.status = statusVoided
	e.forgetAbout(func(d *decision) bool { return d.llm == c })
}

func (e *Engine) forgetDecisions(c *toolCall) {
	e.forgetAbout(func(d *decision) bool { return d.call == c })
}

// forgetAbout drops the queued and waiting decisions that are about something.
func (e *Engine) forgetAbout(it func(*decision) bool) {
	for _, i := range e.queue.items {
		if i.decision != nil && i.decision.state == decisionQueued && it(i.decision) {
			e.forget(i.decision)
		}
	}
	for _, d := range append([]*decision(nil), e.waiting...) {
		if it(d) {
			e.forget(d)
		}
	}
}
