package reference

import (
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
			Fault:  named("answers-anew", "Words the answer anew when its decision comes again.", "retry.answers-alike"),
			at:     askedAgain,
			answer: (*exchange).reword,
		},
	}
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
	return x.delivery > 1 && declared && t.Output == nil && x.asked.status() == spec.InputValid && len(x.asked.actions()) == 0
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
