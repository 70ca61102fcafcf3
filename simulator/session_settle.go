package simulator

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
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
		s.send(func() {
			if caller.Err() != nil && s.root.restarts > 0 {
				// It was sent by a worker that is gone.
				s.loseSettle(a, done)
				return
			}
			s.arrived(ctx, a, done)
		})
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
		s.refuseEnded(a, done)
		return
	}
	if s.root.received += int64(len(a.body)); s.root.received > MaxCaseBytes {
		s.end(spec.CloseReason(spec.CloseBytes, strconv.Itoa(MaxCaseBytes)))
		done <- engine.InputReply{Status: http.StatusRequestEntityTooLarge, Error: "the case has ended: it holds too many bytes"}
		return
	}
	if s.arrivedForAwait(ctx, a, done) {
		return
	}
	done <- s.settle(ctx, fromWorker, a)
	s.letTurns(ctx)
}

// refuseEnded records what comes too late: the session has ended.
func (s *session) refuseEnded(a arrival, done chan<- engine.InputReply) {
	reply := engine.InputReply{Status: http.StatusNotFound, Error: sessionNotFound}
	s.emit(s.now(), &spec.InputEvent{
		From: fromWorker, Body: spec.BodyOf(a.body), Call: a.call, Decision: a.decision,
		Status: reply.Status, Reply: reply.Error,
	})
	done <- reply
}

// settleStep settles a call on the worker's behalf (R19). It goes the way of
// what comes over the endpoint, with no need of one.
func (s *session) settleStep(ctx context.Context, step *scenarios.SettleStep) {
	id := s.wireID(step.Call)
	var attempt *uint32
	if step.Attempt != nil {
		n := uint32(*step.Attempt)
		attempt = &n
	}
	var action spec.Action
	if step.Error != nil {
		retryable := step.Retryable != nil && *step.Retryable
		action = spec.ToolErrorAction{ID: &id, Attempt: attempt, Error: *step.Error, Retryable: &retryable}
	} else {
		result := spec.ToolResultAction{ID: &id, Attempt: attempt}
		if step.Result != nil {
			value, err := toolResult(step.Result)
			if err != nil {
				s.broken(err)
				return
			}
			result.Result = value
		}
		action = result
	}
	body, err := spec.Marshal(action)
	if err != nil {
		s.broken(err)
		return
	}
	a := arrival{body: body}
	a.readSettle()
	s.settle(ctx, fromMachine, a)
	s.letTurns(ctx)
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
		if from == fromWorker {
			s.in.settling.heard()
		}
		s.heardFamily()
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
