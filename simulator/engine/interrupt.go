package engine

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// interrupt is what parks a head: the session waits there until somebody
// answers it (M1).
type interrupt struct {
	id string
	// anchor is the head that it was raised at. A branch that does not hold that
	// message is not parked by it (gap 5).
	anchor string
}

// parked returns the interrupt that the active path waits for, nil when it
// waits for none.
func (e *Engine) parked() *interrupt {
	for i := range e.interrupts {
		if e.tree.onPath(e.interrupts[i].anchor) {
			return &e.interrupts[i]
		}
	}
	return nil
}

// OpenInterrupt returns the id of the interrupt that the session waits for, if
// it waits for one (M1).
func (e *Engine) OpenInterrupt() (id string, ok bool) {
	if i := e.parked(); i != nil {
		return i.id, true
	}
	return "", false
}

// park raises an interrupt at the head and reports whether it did: model calls
// of the path are voided, tools and subagents go on. A second one on a parked
// head is ignored (M1, M2).
func (e *Engine) park(t spec.InterruptAction) bool {
	if e.parked() != nil {
		return false
	}
	e.interrupts = append(e.interrupts, interrupt{e.given(t.InterruptID, IDInterrupt), e.tree.head})
	for _, c := range e.open.llms {
		e.voidLlm(c)
	}
	return true
}

// resume answers the interrupt of that id, if the active path waits for it, and
// reports whether it does. Its decision goes ahead of all that waits (G5, M3).
func (e *Engine) resume(id string, payload jsontext.Value) bool {
	i := e.parked()
	if i == nil || i.id != id {
		return false
	}
	for n := range e.interrupts {
		if &e.interrupts[n] == i {
			e.interrupts = append(e.interrupts[:n:n], e.interrupts[n+1:]...)
			break
		}
	}
	d := &decision{trigger: spec.InterruptResumedTrigger{InterruptID: id, Payload: payload.Clone()}}
	e.register(d)
	start := e.session.start
	if start == nil || start.state != decisionQueued {
		e.queue.pushFront(item{decision: d})
		return true
	}
	// Nothing goes ahead of session.start (A1).
	e.queue.remove(start)
	e.queue.pushFront(item{decision: d})
	e.queue.pushFront(item{decision: start})
	return true
}

// resumeAsClient takes the client's answer to an interrupt. An id that nothing
// waits for changes nothing (M3).
func (e *Engine) resumeAsClient(c spec.ClientInput) InputReply {
	e.resume(c.InterruptID, c.Payload)
	return InputReply{Status: http.StatusAccepted, TurnID: e.runningTurn()}
}

// interruptAsClient parks the session for its owner (wire 11). The live decision
// is voided with the model calls: its answer is dropped when it comes (M1). A
// session.start hangs on no head and stays.
func (e *Engine) interruptAsClient(in Interrupt) InputReply {
	reply := InputReply{Status: http.StatusOK}
	if i := e.parked(); i != nil {
		reply.Interrupt = i.id // M2
		return reply
	}
	e.oweStart(nil)
	if d := e.live; d != nil && d.kind != spec.OnSessionStart {
		e.live = nil
		d.state = decisionDropped
		if t := e.turns.running; t != nil && t.ending == d {
			t.ending = nil
		}
		d.release()
	}
	e.park(spec.InterruptAction{InterruptID: in.ID, Reason: in.Reason, Payload: in.Payload})
	reply.Interrupt = e.parked().id
	return reply
}

// proposeResumed goes on from where the session was parked: it asks the model
// over the path, by the config of now (M4). Without a config there is nothing
// to ask with.
func (e *Engine) proposeResumed() spec.Decision {
	if e.config.current == nil {
		return spec.Decision{}
	}
	return e.proposeAsking(e.tree.transcript(), e.config.current)
}
