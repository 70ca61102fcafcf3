package simulator

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hallmarkdev/hallmark/internal/outgoing"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// delivery is one delivery and the exchange that carries it. A stale
// connection gives it a second exchange (R17).
type delivery struct {
	engine.Deliver
	// body is what the engine says, wire what is sent for it: the same, unless
	// that was changed after it was signed.
	body, wire []byte
	// forgery is how it is signed on purpose in place of the right way, ""
	// where it is signed right; signature is what the recording says of that.
	forgery, signature string
	// adds is what it holds on purpose beyond the protocol, "" for nothing.
	adds string
	// then is the delivery that this one is a copy of and goes out ahead of; nil
	// for a delivery itself.
	then *delivery
	// at is the wire time of sending, `now` in the recording (R1).
	at time.Time
	// d is the alias of the exchange, headers what it sends.
	d       string
	headers [][2]string
	conn    string
	// recorded says that the request event was handed out.
	recorded bool
	pieces   int
	// stop ends the real-time bound of the answer; passed says that it has passed
	// where no clock does.
	stop   func() bool
	passed func()
	// answered says that the answer has come, abandoned that nobody waits for
	// it any more.
	answered, abandoned bool
	// disturbed is what is done to it on purpose, nil for nothing; redelivered
	// says that we repeat it and the engine does not know.
	disturbed   *disturbance
	redelivered bool
	// lost says that the engine restarted while it was out, so that nobody takes
	// its answer.
	lost bool
	// holds says that no other decision goes out before it is answered.
	holds bool
	// onSent is done once when the request is on its way.
	onSent func()
	// closed is what had come when the end of the case closed the request.
	closed *Got
}

// start posts x in a goroutine of its own. What it reports comes back through
// the inbox, in order.
func (s *session) start(ctx context.Context, x *delivery, fresh bool) {
	s.name(x)
	s.open = append(s.open, x)
	if s.in.tape != nil {
		// Nothing is sent: what came back is on the tape.
		return
	}
	p := Post{
		Body: x.wire, Headers: x.headers, Fresh: fresh, Cut: s.in.Case.Engine.CutLetters,
		OnConn: func(conn string) {
			s.send(func() { x.conn = conn; s.reached = true; s.onItsWay(x) })
		},
		OnPiece: func(offset int, b []byte) {
			s.send(func() { s.piece(x, offset, b) })
		},
	}
	go func() {
		got := s.t.Post(ctx, p)
		s.send(func() { s.came(ctx, x, got) })
	}()
}

// name makes x the next exchange of the session.
func (s *session) name(x *delivery) {
	s.exchanges++
	x.d = exchangeAlias(s.exchanges)
	x.headers = WireHeaders(s.ids.Traceparent(s.exchanges), s.headers)
	s.sign(x)
	x.recorded, x.conn, x.pieces = false, "", 0
	if x.then == nil {
		s.sent[deliveryKey{x.Decision, x.Delivery}] = x
	}
}

// exchangeAlias names the n-th exchange of a session.
func exchangeAlias(n int) string { return "d" + strconv.Itoa(n) }

// onItsWay says that the request of x goes out on a connection that stands.
func (s *session) onItsWay(x *delivery) {
	s.record(x)
	if then := x.onSent; then != nil && s.why == "" {
		x.onSent = nil
		then()
	}
}

// record hands out the request event, once the connection is known.
func (s *session) record(x *delivery) {
	if x.recorded {
		return
	}
	x.recorded = true
	request := s.requestOf(x)
	outgoing.Say(x.wire, request.Broken)
	s.emit(x.Sent.Milliseconds(), request)
	s.disturb(x)
}

// requestOf is the event of a delivery that has its name.
func (s *session) requestOf(x *delivery) *spec.RequestEvent {
	return &spec.RequestEvent{
		D: x.d, Decision: x.Decision, Delivery: x.Delivery,
		Trigger: x.Request.Trigger.TriggerType(), Call: x.Call, Try: x.Try,
		Method: http.MethodPost, Target: s.target, Proto: "HTTP/1.1", Conn: x.conn,
		Now:       spec.At(x.at).String(),
		Headers:   append(slices.Clone(x.headers), [2]string{"content-length", strconv.Itoa(len(x.wire))}),
		Signature: x.signature, Broken: x.broken(), Ahead: x.then != nil,
		Body: spec.BodyOf(x.wire), Trace: s.ids.Trace(),
	}
}

// piece hands out a part of a streamed answer as it came.
func (s *session) piece(x *delivery, offset int, b []byte) {
	s.record(x)
	x.pieces++
	s.emit(s.now(), &spec.PieceEvent{D: x.d, Of: "response", Offset: int64(offset), Body: spec.BodyOf(b)})
}

// came records what came back and gives it to the engine.
func (s *session) came(ctx context.Context, x *delivery, got Got) {
	if s.why != "" {
		// Closed by us: no answer of the worker's.
		x.closed = &got
		return
	}
	s.respond(x, got)
	s.open = slices.DeleteFunc(s.open, func(o *delivery) bool { return o == x })
	a := got.Answer
	s.reached = s.reached || a.Status != 0 || got.Conn != ""
	if s.root.received += int64(len(a.Body)); s.root.received > MaxCaseBytes {
		s.end(spec.CloseReason(spec.CloseBytes, strconv.Itoa(MaxCaseBytes)))
		return
	}
	if a.End == spec.EndStale {
		// No delivery took place. It goes out once more, on a connection that
		// cannot be stale (R17).
		s.start(ctx, x, true)
		return
	}
	x.answered, x.body, x.wire = true, nil, nil
	if x.stop != nil {
		x.stop()
	}
	s.heardFamily()
	if x.then != nil {
		// No engine knows of the copy, nor of what it was answered.
		if !x.abandoned {
			s.goOut(ctx, x.then)
		}
		s.unreachable(got)
		return
	}
	s.onItsWay(x)
	// What follows from the answer waits for the step that acts now.
	s.pausing = s.awaits(momentAnswered, x.Deliver)
	switch {
	case x.lost:
	case x.redelivered:
		s.take(ctx, x, a)
	default:
		s.disturbAnswer(ctx, x, a)
	}
	if s.pausing {
		s.reach(ctx, momentAnswered, x.Deliver)
		s.pausing = false
		if !x.holds && !s.holding("") {
			s.release(ctx)
		}
	}
	if x.holds && !s.holding("") {
		s.release(ctx)
	}
	s.unreachable(got)
}

// take gives the engine what came for a delivery.
func (s *session) take(ctx context.Context, x *delivery, a spec.Answer) {
	effects := s.eng.Step(engine.Answer{Decision: x.Decision, Delivery: x.Delivery, Answer: a})
	s.learn(x, a, effects)
	s.apply(ctx, effects)
}

// respond hands out the response event.
func (s *session) respond(x *delivery, got Got) {
	x.conn = got.Conn
	s.record(x)
	a := got.Answer
	event := &spec.ResponseEvent{
		D: x.d, Status: a.Status, Proto: got.Proto, Headers: a.Headers,
		Bytes: int64(len(a.Body)), Pieces: x.pieces, End: a.End, Reason: a.Reason,
	}
	if x.pieces == 0 {
		event.Body = spec.BodyOf(a.Body)
	}
	s.emit(s.now(), event)
}

// learn keeps what the worker declared at session.start, once the engine took
// it.
func (s *session) learn(x *delivery, a spec.Answer, effects []engine.Effect) {
	if x.Request.Trigger.TriggerType() != spec.OnSessionStart {
		return
	}
	for _, e := range effects {
		if o, ok := e.(engine.Outcome); ok && o.Decision == x.Decision && o.Failure == nil && o.Event.As != spec.OutcomeDropped {
			if d, failure := spec.ReadAnswerTo(x.Request.Trigger, a); failure == nil {
				s.declared = d.Agent
			}
		}
	}
}

// unreachable ends a case whose worker is not there: waiting for ten
// redeliveries would show nothing more.
func (s *session) unreachable(got Got) {
	if s.reached || got.Answer.End != spec.EndReset || got.Conn != "" {
		return
	}
	s.end(spec.CloseReason(spec.CloseUnreachable, got.Answer.Reason))
}

// waitedFor reports whether an answer is still waited for.
func (s *session) waitedFor() bool {
	return slices.ContainsFunc(s.open, func(x *delivery) bool { return !x.abandoned })
}

// isLive reports whether the engine still waits for this delivery and no later
// one.
func (s *session) isLive(x *delivery) bool { return s.latest == x && s.eng.InFlight() }
