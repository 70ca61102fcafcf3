package engine

import (
	"fmt"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// checkDeliveries plays the timeline of a decision under the fixed policy.
func (v retriesVector) checkDeliveries() []string {
	cfg := testConfig()
	cfg.Pace = 0
	b := newBench(cfg)
	b.step(user("Is berth 7 free?"))
	b.step(Tick{To: 7 * time.Second})
	b.answer(`{}`)
	r := &deliveryRun{bench: b, first: b.last().Sent, at: b.last()}
	r.same("policy", string(marshal(b.Engine.policy)), string(marshal(v.policy())))
	r.follow(b.last())
	var want []string
	for _, m := range v.Timeline {
		r.until(r.first + time.Duration(m.At)*time.Second)
		switch m.Event {
		case "delivery":
			want = append(want, fmt.Sprintf("%d delivery %d", m.At, m.Attempt))
			if m.Deadline != nil {
				r.same("deadline", r.at.Request.Deadline.Sub(start)-r.first, time.Duration(*m.Deadline)*time.Second)
			}
			if v.Name == "decision-always-503-at-once" && m.Attempt < 10 {
				r.answerWith(m.Attempt, httpStatus(503), spec.OutcomeFailed)
			}
		case "decided", "turn fails":
			want = append(want, fmt.Sprintf("%d %s %s", m.At, m.Event, m.Code))
		default:
			r.act(m)
		}
	}
	r.until(r.Now() + time.Hour)
	r.same("what happens", r.got, want)
	return r.problems
}

type deliveryRun struct {
	problems
	*bench
	first time.Duration
	// at is the newest delivery of the decision.
	at  Deliver
	got []string
}

func (r *deliveryRun) note(format string, args ...any) {
	r.got = append(r.got, fmt.Sprintf("%d ", (r.Now()-r.first)/time.Second)+fmt.Sprintf(format, args...))
}

func (r *deliveryRun) follow(effects ...Effect) {
	for _, f := range effects {
		switch f := f.(type) {
		case Deliver:
			r.at = f
			r.note("delivery %d", f.Delivery)
			r.same("attempts on the wire", f.Request.Attempts, f.Delivery-1)
		case Outcome:
			if f.Event.As == spec.OutcomeAccepted || f.Event.As == spec.OutcomeLate {
				r.note("decided ")
			}
		case Turn:
			r.note("turn fails %s", f.Event.Error.Code)
		}
	}
}

func (r *deliveryRun) until(to time.Duration) {
	for {
		t, ok := r.NextTimer()
		if !ok || t.At > to {
			r.follow(r.step(Tick{To: to})...)
			return
		}
		r.follow(r.step(Tick{To: t.At})...)
	}
}

func (r *deliveryRun) answerWith(delivery int, a spec.Answer, as string) {
	effects := r.step(Answer{Decision: r.at.Decision, Delivery: delivery, Answer: a})
	r.same("outcome", of[Outcome](effects)[0].Event.As, as)
	r.follow(effects...)
}

func (r *deliveryRun) act(m retriesMoment) {
	switch m.Event {
	case "answer":
		r.answerWith(r.at.Delivery, ok200(`{}`), spec.OutcomeAccepted)
	case "answer 503":
		r.answerWith(r.at.Delivery, httpStatus(503), spec.OutcomeFailed)
	case "answer 500":
		r.answerWith(r.at.Delivery, httpStatus(500), spec.OutcomeFailed)
	case "answer 400":
		r.answerWith(r.at.Delivery, httpStatus(400), spec.OutcomeFailed)
	case "answer of delivery 1":
		r.answerWith(1, ok200(`{}`), spec.OutcomeLate)
	case "answer of delivery 1 (dropped)":
		r.answerWith(1, ok200(`{}`), spec.OutcomeDropped)
	case "answer of delivery 2 (dropped)":
		r.answerWith(2, ok200(`{}`), spec.OutcomeDropped)
	case "answer 500 of delivery 1":
		r.answerWith(1, httpStatus(500), spec.OutcomeFailed)
	default:
		panic("event " + m.Event)
	}
}
