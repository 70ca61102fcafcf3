package reference

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// dialectDefects lean on one of the forms that engines are free to choose (gaps
// 1, 2, 9 and 20). They show only where an engine chooses the other.
func dialectDefects() []defect {
	const ok, attempt = "delivery.answers-2xx", "execute.settles-the-asked-attempt"
	const words = "text/plain; charset=utf-8"
	return []defect{
		{
			Fault:  named("counts-attempts-from-0", "Names the attempt by its own count from 0, and not as it was asked.", attempt),
			at:     countedFrom(0, runningAny),
			answer: func(x *exchange) []byte { return x.namingAttempt(0) },
		},
		{
			Fault:  named("counts-attempts-from-1", "Names the attempt by its own count from 1, and not as it was asked.", attempt),
			at:     countedFrom(1, running(quietTool)),
			answer: func(x *exchange) []byte { return x.namingAttempt(1) },
		},
		{
			Fault:   named("needs-a-full-proposal", "Looks into a list of the proposal that an empty one may leave out.", ok),
			at:      func(x *exchange) bool { return runningAny(x) && !x.asked.has("/proposed/messages") },
			deliver: status(http.StatusInternalServerError, words, "TypeError: cannot read properties of undefined (reading 'length')"),
		},
		{
			Fault:   named("expects-an-interrupt", "Looks for an interrupt in the proposal for a model call that failed.", ok),
			at:      func(x *exchange) bool { return modelFailed(x) && len(x.asked.proposals(spec.DoInterrupt)) == 0 },
			deliver: status(http.StatusInternalServerError, words, "TypeError: cannot read properties of undefined (reading 'reason')"),
		},
		{
			Fault: named("needs-a-visibility", "Looks into the visibility of the user, which older engines do not send.", ok),
			at: func(x *exchange) bool {
				return runningAny(x) && x.asked.has("/identity") && !x.asked.has("/identity/visibility")
			},
			deliver: status(http.StatusInternalServerError, words, "TypeError: cannot read properties of undefined (reading 'toLowerCase')"),
		},
	}
}

// has reports whether something stands at a pointer into the body.
func (a *asked) has(pointer string) bool {
	_, ok := jsonv.Get(a.body, pointer)
	return ok
}

// modelFailed picks model calls that gave no answer.
func modelFailed(x *exchange) bool {
	ok, _ := jsonv.Get(x.asked.trigger, "/ok")
	return x.asked.kind == spec.OnLlmFinished && jsonv.Kind(ok) == 'f'
}

// runningAny picks valid calls of whatever tool the worker runs.
func runningAny(x *exchange) bool {
	return running(x.asked.text("name"))(x) && !x.worker.endsLater(x.asked)
}

// countedFrom picks calls whose attempt has another number than a count from
// base gives.
func countedFrom(base uint64, which moment) moment {
	return func(x *exchange) bool {
		attempt, _ := jsonv.Get(x.asked.trigger, "/attempt")
		return which(x) && whole(attempt, 0) != base+x.worker.tries(x.asked)
	}
}

// namingAttempt is the answer with the attempt as counted from base.
func (x *exchange) namingAttempt(base uint64) []byte {
	counted := strconv.FormatUint(base+x.worker.tries(x.asked), 10)
	return with(x.answer, "actions", array(with(onlyAction(x.answer), "attempt", jsontext.Value(counted))))
}
