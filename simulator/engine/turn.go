package engine

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// turns is the turn that runs, the ones that are over, and the inputs held
// back until it is over (B5).
type turns struct {
	running *turn
	// last is the turn that was completed last (wire 2).
	last string
	over map[string]bool
	held []heldInput
}

type turn struct {
	id string
	// ending is the turn.finished of the turn, nil before done (N1).
	ending *decision
	// data is the frozen output.
	data  jsontext.Value
	usage spec.Usage
	cost  string
}

type heldInput struct {
	turn string
	news *news
}

func newTurns() turns { return turns{over: map[string]bool{}} }

// id is the turn_id of a delivery of d: the running turn, else the last one.
// The first delivery of session.start does not see the turn of the input that
// waits behind it; a redelivery does (A2).
func (t *turns) id(d *decision) *string {
	id := t.last
	if t.running != nil && !(d.kind == spec.OnSessionStart && d.deliveries == 1) {
		id = t.running.id
	}
	if id == "" {
		return nil
	}
	return &id
}

// taken reports whether a turn of that id runs, is over or is held (B5).
func (t *turns) taken(id string) bool {
	if id == "" {
		return false
	}
	for _, h := range t.held {
		if h.turn == id {
			return true
		}
	}
	return t.over[id] || t.running != nil && t.running.id == id
}

func (e *Engine) openTurn(id string) {
	e.turns.running = &turn{id: id, cost: "0"}
	e.emitTurn(spec.TurnEvent{TurnID: id, Event: spec.TurnStarted}, e.turns.running)
}

func (e *Engine) emitTurn(ev spec.TurnEvent, of *turn) {
	e.emit(Turn{Event: ev, At: e.now, Usage: of.usage, Cost: of.cost})
}

// done freezes the output and queues turn.finished (N1). A second one while
// that is queued or out completes the turn at once; outside a turn it only
// marks the session (N3).
func (e *Engine) done(data jsontext.Value) {
	t := e.turns.running
	switch {
	case t == nil:
	case t.ending != nil:
		e.completeTurn(nil)
	default:
		if data != nil && string(data) != "null" {
			t.data = data.Clone()
		}
		t.ending = e.enqueue(&decision{trigger: spec.TurnFinishedTrigger{
			TurnID: t.id, Data: t.data, Cost: t.cost, Usage: t.usage,
		}})
	}
}

// completeTurn ends the running turn with its output, and with an error when
// its turn.finished failed (N1, D3).
func (e *Engine) completeTurn(err *spec.ErrorInfo) {
	t := e.turns.running
	e.closeTurn()
	e.emitTurn(spec.TurnEvent{TurnID: t.id, Event: spec.TurnCompleted, Data: t.data, Error: err}, t)
	e.startHeld()
}

func (e *Engine) closeTurn() {
	t := e.turns.running
	e.turns.over[t.id] = true
	e.turns.last = t.id
	e.turns.running = nil
}

// failTurn ends everything that runs: calls are voided and queued decisions
// dropped. Held inputs, decisions that wait for their own retry and children that
// run stay (D3).
func (e *Engine) failTurn(info spec.ErrorInfo) {
	for _, c := range e.open.tools {
		if c.status != statusRunning {
			c.status = statusVoided
		}
	}
	for _, c := range e.open.llms {
		c.status = statusVoided
	}
	e.open.sweep()
	for _, i := range e.queue.items {
		switch {
		case i.decision != nil:
			i.decision.state = decisionDropped
		case i.tool != nil:
			i.tool.status = statusVoided
		case i.llm != nil:
			i.llm.status = statusVoided
		}
	}
	e.queue.items = nil
	e.interrupts = nil
	e.unseen = 0
	if t := e.turns.running; t != nil {
		e.closeTurn()
		e.emitTurn(spec.TurnEvent{TurnID: t.id, Event: spec.TurnFailed, Error: &info}, t)
	}
	e.startHeld()
}

// startHeld starts the input that was held first, once no turn runs (B5).
func (e *Engine) startHeld() {
	if e.turns.running != nil || len(e.turns.held) == 0 {
		return
	}
	h := e.turns.held[0]
	e.turns.held = e.turns.held[1:]
	e.startTurn(h.turn, h.news)
}

// startTurn opens a turn and queues its client.messages, behind session.start
// when that is still owed (A1, A5).
func (e *Engine) startTurn(id string, n *news) {
	e.oweStart(n)
	e.openTurn(id)
	e.enqueue(&decision{news: n, trigger: spec.ClientMessagesTrigger{}})
}

// oweStart queues session.start ahead of an input: ahead of the first one, and
// after a failed one ahead of the next that brings a user's message (A1, A5).
func (e *Engine) oweStart(n *news) {
	first := !e.session.begun
	again := e.session.failed && n != nil && !n.full && n.fromUser()
	if !first && !again {
		return
	}
	e.session.begun, e.session.failed = true, false
	d := &decision{trigger: spec.SessionStartTrigger{}}
	e.register(d)
	e.session.start = d
	e.queue.pushFront(item{decision: d})
}
