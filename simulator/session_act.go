package simulator

import (
	"context"
	"net/http"

	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/simulator/model"
	"github.com/hallmarkdev/hallmark/spec"
)

// act lets a step act.
func (s *session) act(ctx context.Context, n int) {
	step := &s.script.steps[n]
	s.emit(s.now(), &spec.StepEvent{Step: s.script.number(n), Verb: step.Verb()})
	switch {
	case step.User != nil:
		in, err := s.userInput(step.User)
		s.inputOr(ctx, in, err)
	case step.Client != nil:
		in, err := s.clientInput(step.Client)
		s.inputOr(ctx, in, err)
	case step.Model != nil:
		ask := s.asked[0]
		response, failure, err := model.Reply(step.Model, ask.Request.Model, s.wireID)
		if err != nil {
			s.broken(err)
			return
		}
		s.reply(ctx, response, failure)
	case step.Await != nil:
		s.beginAwait(ctx)
	case step.Settle != nil:
		s.settleStep(ctx, step.Settle)
	case step.Disturb != nil:
		s.arm(step.Disturb)
	case step.Restart != nil:
		s.restart(ctx, step.Restart)
	case step.Send != nil:
		s.sendRaw(ctx, step.Send)
	}
}

// wireID is the id of a label. Labels that nobody made are caught when the
// scenario is read.
func (s *session) wireID(label string) string { return s.labels[label] }

// inputOr sends an input that could be made.
func (s *session) inputOr(ctx context.Context, in spec.ClientInput, err error) {
	if err != nil {
		s.broken(err)
		return
	}
	s.input(ctx, in)
}

// input hands a client's input to the engine and records it with the engine's
// answer.
func (s *session) input(ctx context.Context, in spec.ClientInput) { s.inputFrom(ctx, "client", in) }

// inputFrom hands an input to the engine and returns how it was answered.
func (s *session) inputFrom(ctx context.Context, from string, in spec.ClientInput) *spec.InputEvent {
	body, err := spec.Marshal(in)
	event := &spec.InputEvent{From: from, Body: spec.BodyOf(body), Call: in.ID}
	if err != nil {
		s.broken(err)
		return event
	}
	t := s.now()
	effects := s.eng.Step(engine.Input{Input: in})
	for _, e := range effects {
		if r, ok := e.(engine.InputReply); ok {
			event.Status, event.Reply, event.TurnID, event.Settled = r.Status, r.Error, r.TurnID, r.Settled
			break
		}
	}
	s.emit(t, event)
	s.apply(ctx, effects)
	if event.Status == http.StatusUnprocessableEntity {
		s.end(spec.CloseReason(spec.CloseHarness, event.Reply))
	}
	return event
}

// reply gives the model's answer to the call that was asked first.
func (s *session) reply(ctx context.Context, response *spec.LlmResponse, failure *spec.ErrorInfo) {
	ask := s.asked[0]
	s.asked = s.asked[1:]
	event := &spec.ReplyEvent{Call: ask.Call, From: "script", Error: failure}
	if response != nil {
		body, err := spec.Marshal(response)
		if err != nil {
			s.broken(err)
			return
		}
		event.Body = spec.BodyOf(body)
	}
	s.emit(s.now(), event)
	s.apply(ctx, s.eng.Step(engine.Reply{Call: ask.Call, Response: response, Error: failure}))
}

func (s *session) spareReply(ctx context.Context) {
	s.reply(ctx, model.Spare(s.asked[0].Request.Model), nil)
}

// openEarly opens the session ahead of the first step when something is to be
// planted, since that happens once session.start has been answered, and when
// there is nothing else to do. A client.message that is no user's opens a
// session and reaches no worker (A1, B1).
func (s *session) openEarly(ctx context.Context) {
	given := s.in.Case.Given
	s.planted = given.Messages == nil && given.State == nil && given.Agent == nil
	if s.planted && !s.startOnly {
		return
	}
	s.input(ctx, spec.ClientInput{
		Type: spec.InputClientMessage, AgentID: s.in.agentID(),
		Message: &spec.DraftMessage{Role: spec.RoleSystem},
	})
}

// plantGiven puts what the case gives in place once session.start is settled,
// and reports whether anything went on.
func (s *session) plantGiven(ctx context.Context, v scene) bool {
	switch {
	case v.busy:
		return false
	case v.redelivery:
		s.jump(ctx, move{to: v.timer.At, why: v.timer.Why, of: v.timer.Of})
		return true
	}
	s.planted = true
	s.plant(ctx)
	return true
}

func (s *session) plant(ctx context.Context) {
	messages, err := givenMessages(s.in.Case.Given.Messages, s.wireID)
	if err != nil {
		s.broken(err)
		return
	}
	p := engine.Plant{Messages: messages, State: s.in.Case.Given.State}
	if v := s.in.Case.Given.Agent; v != nil {
		if p.Agent, err = agentOf(v); err != nil {
			s.broken(err)
			return
		}
	}
	s.apply(ctx, s.eng.Step(p))
}
