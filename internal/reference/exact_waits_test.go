package reference_test

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// resumes brings the answer to an interrupt, with what an engine proposes (M4).
func (t *talk) resumes(interrupt, payload string) spec.Answer {
	return t.send(t.request(
		spec.InterruptResumedTrigger{InterruptID: interrupt, Payload: jsontext.Value(payload)},
		spec.Decision{Messages: t.drafts(), Actions: []spec.Action{asking()}},
	))
}

// playWaits has a call wait for a person, and a turn whose model call failed.
func (p *tape) playWaits() {
	t := p.talk("waits")
	c := toolCall{"c1", "order_clay", `{"clay":"stoneware","kilos":500}`}
	t.says("Order a pallet.")
	t.replies("", c)
	t.send(t.executing(c, valid(c.arguments), false))
	t.open = []spec.Call{open(c)}
	a := t.resumes("order:c1", `{"approved":true}`)
	t.open = nil
	if d, failure := spec.ReadAnswer(a, false); failure == nil {
		for _, action := range d.Actions {
			if r, ok := action.(spec.ToolResultAction); ok && r.ID != nil {
				t.finishes(c, 0, nil)
			}
		}
	}
	t = p.talk("parked")
	t.says("Tell me everything.")
	t.resumes("interrupt-1", `null`)
}
