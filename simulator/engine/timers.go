package engine

import (
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// maxFirings bounds how many timers one Step may fire: a worker could declare a
// policy of a billion attempts of no length.
const maxFirings = 10_000

// timer is something that engine time alone makes happen.
type timer struct {
	at   time.Duration
	why  string
	of   string
	fire func()
}

// The values of Timer.Why.
const (
	whyRetry    = "retry"
	whyDeadline = "deadline"
)

// NextTimer returns the next moment at which engine time alone makes something
// happen: a deadline, the retry of a call, or a redelivery that could go out.
// Timers of one moment come in a fixed order: tool calls, model calls,
// decisions, each in order of their making.
func (e *Engine) NextTimer() (Timer, bool) {
	t, ok := e.nextTimer()
	return Timer{At: t.at, Why: t.why, Of: t.of}, ok
}

func (e *Engine) nextTimer() (next timer, ok bool) {
	consider := func(t timer) {
		if !ok || t.at < next.at {
			next, ok = t, true
		}
	}
	calls := func(a *attempts, expire func()) {
		switch {
		case (a.status == statusPending || a.status == statusRunning) && a.expires != nil:
			consider(timer{*a.expires, whyDeadline, a.id, expire})
		case a.status == statusWaiting:
			consider(timer{a.retryAt, whyRetry, a.id, func() {}})
		}
	}
	for _, c := range e.open.tools {
		calls(&c.attempts, func() { e.expireTool(c) })
	}
	for _, c := range e.open.llms {
		calls(&c.attempts, func() { e.expireLlm(c) })
	}
	if d := e.live; d != nil && d.expires != never {
		consider(timer{d.expires, whyDeadline, d.id, func() { e.expireDelivery(d) }})
	}
	if d := e.nextWaiting(); d != nil && e.slotFree() {
		consider(timer{d.retryAt, whyRetry, d.id, func() {}})
	}
	return next, ok
}

// advance lets engine time pass up to to and fires what is due on the way, each
// at its own moment. Retries need no firing: pump takes them up when they are
// due.
func (e *Engine) advance(to time.Duration) {
	for range maxFirings {
		e.pump()
		t, ok := e.nextTimer()
		if !ok || t.at > to {
			e.now = max(e.now, to)
			e.pump()
			return
		}
		e.now = max(e.now, t.at)
		t.fire()
	}
	e.unsupported("more than 10000 timers at one step")
}

var deadlineExceeded = spec.ErrorInfo{Message: "deadline exceeded", Code: spec.CodeDeadlineExceeded}

// expireTool ends an attempt that got no answer in time (H4, H8).
func (e *Engine) expireTool(c *toolCall) {
	e.failTool(c, deadlineExceeded, !c.final)
}

// expireLlm ends an attempt of a model call that got no reply in time (H4).
func (e *Engine) expireLlm(c *llmCall) {
	e.failLlm(c, deadlineExceeded, !c.final)
}

// expireDelivery gives up a delivery that was not answered in time; when the
// total is used up there is no other (D2).
func (e *Engine) expireDelivery(d *decision) {
	f := spec.Failure{Class: spec.FailureRetryable, Info: deadlineExceeded}
	if d.final {
		f.Class = spec.FailureFatal
	}
	e.failDelivery(d, d.deliveries, &f)
}
