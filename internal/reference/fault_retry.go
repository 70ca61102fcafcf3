package reference

import (
	"strconv"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// retryDefects break what is answered to a decision that was answered before
// (D5).
func retryDefects() []defect {
	return []defect{
		{
			Fault:  named("acts-twice", "Runs a call again when its decision comes again, and fails for what it did the first time.", "retry.survives-redelivery"),
			at:     askedAgain,
			answer: says(`{"actions":[{"type":"tool.error","error":"this was done already, so it cannot be done"}]}`),
		},
		{
			Fault: named("remembers-by-call-id", "Gives a call the answer that another session got for a call of the same id.", "execute.refuses-undeclared"),
			// The id that servers give which give every call the same.
			at: func(x *exchange) bool {
				return x.asked.kind == spec.OnToolExecute && x.asked.text("id") == "call_0"
			},
			answer: func(x *exchange) []byte {
				return x.worker.byCall.once(fingerprint("call_0"), func() []byte { return x.answer })
			},
		},
		{
			Fault:  named("answers-anew", "Words the answer anew when its decision comes again.", "retry.answers-alike"),
			at:     askedAgain,
			answer: (*exchange).reword,
		},
		{
			Fault: Fault{
				Name:    "notes-being-asked-again",
				Text:    "Notes in its state how often a decision came, so that a session which lost an answer ends in another state.",
				Breaks:  []string{"disturbed.ends-the-same"},
				Disturb: "lose-answer",
			},
			at: askedAgain,
			answer: func(x *exchange) []byte {
				return with(x.answer, "state", jsontext.Value(`{"deliveries":`+strconv.FormatInt(x.delivery, 10)+`}`))
			},
		},
		{
			Fault: Fault{
				Name:    "notices-a-lost-request",
				Text:    "Words an answer otherwise when an earlier delivery of the decision never arrived.",
				Breaks:  []string{"disturbed.reads-the-same"},
				Disturb: "lose-request",
			},
			at:     askedLate,
			answer: (*exchange).reword,
		},
	}
}

// askedLate picks the first delivery of a valid call that is not the engine's
// first: of those before it nobody here knows. It waits for the quiet tool, whose
// deliveries nothing lets overlap: of two on their way at once, either may come
// first.
func askedLate(x *exchange) bool {
	attempts, _ := jsonv.Get(x.asked.body, "/attempts")
	t, declared := find(x.worker.tools, x.asked.text("name"))
	return x.asked.text("name") == quietTool && x.delivery == 1 && whole(attempts, 0) > 0 && declared && t.Output == nil && x.asked.status() == spec.InputValid && len(x.asked.actions()) == 0
}

// deliveries counts a delivery of a tool.execute, and says the how many of its
// decision it is.
func (w *worker) deliveries(a *asked) int64 {
	if a.kind != spec.OnToolExecute || a.decision == "" {
		return 0
	}
	return w.delivered.once(fingerprint(a.session, a.decision), func() *atomic.Int64 { return new(atomic.Int64) }).Add(1)
}

// askedAgain picks later deliveries of a valid call, of any tool without an
// output schema that another text would break.
func askedAgain(x *exchange) bool {
	t, declared := find(x.worker.tools, x.asked.text("name"))
	return x.delivery > 1 && !x.worker.endsLater(x.asked) && declared && t.Output == nil && x.asked.status() == spec.InputValid && len(x.asked.actions()) == 0
}

// reword answers with one more text block where the right answer is a result.
func (x *exchange) reword() []byte {
	action := onlyAction(x.answer)
	content, _ := jsonv.Get(action, "/result/content")
	blocks, err := jsonv.Elements(content)
	if err != nil {
		return x.answer
	}
	blocks = append(blocks, jsontext.Value(`{"type":"text","text":"You have asked before."}`))
	result, _ := jsonv.Get(action, "/result")
	return with(x.answer, "actions", array(with(action, "result", with(result, "content", array(blocks...)))))
}
