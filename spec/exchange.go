package spec

import (
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// Exchange is one delivery of a decision with all that a recording says of it:
// what was sent, what came back, and what the engine made of it. Its methods
// decode on first use and keep the result: an Exchange is not safe for
// concurrent first use, and its bodies must not change after it.
type Exchange struct {
	// Session is the alias of the session: "s1".
	Session string
	// D names the exchange within its session: "d4".
	D string
	// N counts the exchanges of the file from 1, in the order of the requests.
	N int
	// Line is the line of the request in its file, from 1.
	Line int64
	// Step is the scenario step that was acting when the request went out, from
	// 0; nil when none was.
	Step *int
	// T and W are the engine time (ms) and the measured time (µs) of the
	// request.
	T, W int64
	// Request is what was sent; RequestBody is its body, pieces put together.
	Request     *RequestEvent
	RequestBody []byte
	// Response is what came back, nil when nothing is known of it.
	Response     *ResponseEvent
	ResponseBody []byte
	// Outcome is what the engine made of it at last, nil in captures. Outcomes
	// are all of them in order: a delivery that ran out of time and was
	// answered late has two (D6).
	Outcome  *OutcomeEvent
	Outcomes []*OutcomeEvent
	// Submission is the answer to the decision that the worker submitted while the
	// request was open, and that the engine took in place of the response (I2);
	// nil where there was none.
	Submission *InputEvent
	// Disturbed is what was done to the delivery on purpose.
	Disturbed []*DisturbEvent
	// Damage says which body could not be put together, "" when all could.
	Damage string

	// Readings, when set, keeps what the bodies say for other readers of the
	// same events too.
	Readings *Readings

	asked   *askedOnce
	decided *decidedOnce
}

type askedOnce struct {
	request *DecisionRequest
	fault   *Fault
}

type decidedOnce struct {
	decision *Decision
	failure  *Failure
}

// Asked returns the decoded request, or why it does not read. The result is
// shared: do not change it.
func (x *Exchange) Asked() (*DecisionRequest, *Fault) {
	if x.asked == nil {
		x.asked = x.Readings.asked(x)
	}
	return x.asked.request, x.asked.fault
}

func (x *Exchange) readRequest(known *memo) *askedOnce {
	once := &askedOnce{}
	if r, fault := parseOnce(x.RequestBody, readRequest, lenient, known); fault != nil {
		once.fault = fault
	} else {
		once.request = &r
	}
	return once
}

// Answer returns what came back as the transport saw it. Without a response
// event it is a delivery that nothing came back for.
func (x *Exchange) Answer() Answer {
	if x.Response == nil {
		return Answer{End: EndReset}
	}
	r := x.Response
	body := x.ResponseBody
	if r.Was != "" {
		// The coding was undone for the recording; an engine undoes none, and so
		// does not read what it gets (wire 1).
		body = packed
	}
	return Answer{Status: r.Status, Headers: r.Headers, Body: body, End: r.End, Reason: r.Reason}
}

// Decided returns the decision that the worker sent, or how the delivery failed
// (D1, D2, D11). F3 is not looked at: see [ResolveDecision]. The result is
// shared: do not change it.
func (x *Exchange) Decided() (*Decision, *Failure) {
	if x.decided == nil {
		x.decided = x.Readings.decided(x)
	}
	return x.decided.decision, x.decided.failure
}

// packed is how a body begins that gzip packed.
var packed = []byte{0x1f, 0x8b}

func (x *Exchange) readAnswer() *decidedOnce {
	once := &decidedOnce{}
	var t Trigger = UnknownTrigger{Type: x.triggerType()}
	if r, fault := x.Asked(); fault == nil {
		t = r.Trigger
	}
	if d, failure := ReadAnswerTo(t, x.Answer()); failure != nil {
		once.failure = failure
	} else {
		once.decision = &d
	}
	return once
}

func (x *Exchange) triggerType() TriggerType {
	if x.Request == nil {
		return ""
	}
	return x.Request.Trigger
}

// Submitted returns the exchange with what was submitted in place of its answer,
// nil where nothing was.
func (x *Exchange) Submitted() *Exchange {
	if x.Submission == nil {
		return nil
	}
	body, err := x.Submission.Body.Bytes()
	if err != nil {
		return nil
	}
	return x.AnsweredBy(body)
}

// AnsweredBy returns the exchange as if it had been answered by a submission of
// the worker: the two ids that stand there beside a decision are left out. What
// the engine made of it is not known then.
func (x *Exchange) AnsweredBy(submission []byte) *Exchange {
	y := &Exchange{
		Session: x.Session, D: x.D, N: x.N, Line: x.Line, Step: x.Step, T: x.T, W: x.W,
		Request: x.Request, RequestBody: x.RequestBody, ResponseBody: submission, Damage: x.Damage, asked: x.asked,
	}
	if members, err := jsonv.Members(submission); err == nil {
		text := []byte{'{'}
		for _, m := range members {
			if m.Name == "session_id" || m.Name == "decision_id" {
				continue
			}
			if len(text) > 1 {
				text = append(text, ',')
			}
			text = append(append(append(text, jsonv.Quote(m.Name)...), ':'), m.Value...)
		}
		y.ResponseBody = append(text, '}')
	}
	y.Response = &ResponseEvent{D: x.D, Status: 200, End: EndWhole, Bytes: int64(len(y.ResponseBody))}
	return y
}

// IsDelivery reports whether the request is a delivery of its decision: it is
// false when an idle connection of ours had been closed, so that the request
// went out again as an exchange of its own (R17), for a copy that no engine
// knows of, and for a request outside the protocol.
func (x *Exchange) IsDelivery() bool {
	return (x.Request == nil || !x.Request.Ahead && !x.Request.IsRaw()) && (x.Response == nil || x.Response.End != EndStale)
}

// RequestHeader returns the first request header of that name in any case, ""
// when there is none.
func (x *Exchange) RequestHeader(name string) string {
	if x.Request == nil {
		return ""
	}
	for _, h := range x.Request.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}
