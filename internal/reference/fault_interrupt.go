package reference

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// interruptDefects break what becomes of a turn that waits for a person (M1 to
// M5).
func interruptDefects() []defect {
	return []defect{
		{
			Fault:  named("ignores-the-resume", "Does nothing when a turn that waited is resumed.", "interrupt.goes-on-when-resumed"),
			at:     resuming(false),
			answer: func(*exchange) []byte { return []byte(`{}`) },
		},
		{
			Fault:  named("asks-the-model-when-resumed", "Has the model asked on when a call that waited for a person is resumed, and leaves the call open.", "interrupt.settles-what-it-parked"),
			at:     resuming(true),
			answer: func(x *exchange) []byte { return x.asked.proposed },
		},
		{
			Fault: named("settles-without-an-id-when-resumed", "Settles a call that waited for a person without naming it.", "interrupt.names-the-call"),
			at:    resuming(true),
			answer: func(x *exchange) []byte {
				return answering(x.asked, with(onlyAction(x.answer), "id", nil))
			},
		},
		{
			Fault: named("asks-without-a-reason", "Has a person asked without saying what.", "interrupt.says-why"),
			at: func(x *exchange) bool {
				_, asks := x.worker.asksFirst(x.asked)
				return x.asked.kind == spec.OnToolExecute && asks
			},
			answer: func(x *exchange) []byte {
				return answering(x.asked, with(onlyAction(x.answer), "reason", jsontext.Value(`""`)))
			},
		},
	}
}

// resuming picks resumes of an interrupt: of one that holds a call of the
// studio's own, or of one that the engine proposed.
func resuming(own bool) moment {
	return func(x *exchange) bool {
		if x.asked.kind != spec.OnInterruptResumed {
			return false
		}
		if _, ours := x.worker.resumed(x.asked); ours {
			return own
		}
		return !own && len(x.asked.proposals(spec.DoLlmCall)) > 0
	}
}
