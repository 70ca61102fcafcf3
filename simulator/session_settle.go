package simulator

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// The values of InputEvent.From that are not a client's.
const (
	fromWorker  = "worker"
	fromMachine = "machine"
)

// listen makes the session known at the endpoint, if there is one, until stop
// is called. What arrives is handled in the session's own goroutine, so its
// place among the events is its place in time.
func (s *session) listen(ctx context.Context, id string) (stop func()) {
	return s.in.Endpoint.add(id, &receiver{take: func(caller context.Context, a arrival) (int, string) {
		done := make(chan engine.InputReply, 1)
		s.send(func() { s.arrived(ctx, a, done) })
		select {
		case reply := <-done:
			return reply.Status, reply.Error
		case <-caller.Done():
		case <-s.quit:
		}
		select {
		case reply := <-done:
			return reply.Status, reply.Error
		default:
			return http.StatusNotFound, sessionNotFound
		}
	}})
}

// arrived takes what came over the endpoint and replies to its caller.
func (s *session) arrived(ctx context.Context, a arrival, done chan<- engine.InputReply) {
	if s.why != "" {
		done <- engine.InputReply{Status: http.StatusNotFound, Error: sessionNotFound}
		return
	}
	if s.received += int64(len(a.body)); s.received > MaxCaseBytes {
		s.end(spec.CloseReason(spec.CloseBytes, strconv.Itoa(MaxCaseBytes)))
		done <- engine.InputReply{Status: http.StatusRequestEntityTooLarge, Error: "the case has ended: it holds too many bytes"}
		return
	}
	done <- s.settle(ctx, fromWorker, a)
}

// settle gives the engine a settle or a submitted answer, or records that it was
// refused before.
func (s *session) settle(ctx context.Context, from string, a arrival) engine.InputReply {
	event := &spec.InputEvent{From: from, Body: spec.BodyOf(a.body), Call: a.call, Decision: a.decision}
	reply := engine.InputReply{Status: a.status, Error: a.text}
	t := s.now()
	var effects []engine.Effect
	if a.event != nil {
		s.submits(a.event)
		effects = s.eng.Step(a.event)
		reply = replyOf(effects)
	}
	event.Status, event.Reply, event.Settled, event.Dropped = reply.Status, reply.Error, reply.Settled, reply.Dropped
	s.emit(t, event)
	if reply.Error == "" && reply.Dropped == "" {
		s.patient = false
		s.script.heard()
		s.settledNow(reply.Settled)
	}
	s.apply(ctx, effects)
	return reply
}

// submits keeps what a submitted answer to session.start declares, as that to
// its request would have.
func (s *session) submits(e engine.Event) {
	d, ok := e.(engine.Submit)
	if x := s.latest; ok && x != nil && x.Decision == d.Decision && s.isLive(x) && x.Request.Trigger.TriggerType() == spec.OnSessionStart {
		s.declared = d.Answer.Agent
	}
}

// replyOf is the engine's reply among its effects.
func replyOf(effects []engine.Effect) engine.InputReply {
	for _, e := range effects {
		if r, ok := e.(engine.InputReply); ok {
			return r
		}
	}
	return engine.InputReply{}
}

// settledNow notes what became of calls: their deadlines are over, a retry may
// have its moment.
func (s *session) settledNow(all []spec.Settled) {
	for _, settled := range all {
		delete(s.deadlines, settled.Call)
		if settled.Then == "retry" {
			s.retries[settled.Call] = time.Duration(settled.At) * time.Millisecond
		}
	}
}
