package scenarios_test

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// changed is t with some of its events replaced by others: by what change gives
// for each, which is the event itself where nothing changes.
func (t told) changed(change func(spec.Event) []spec.Event) told {
	var events []spec.Event
	for _, e := range t.events {
		events = append(events, change(e)...)
	}
	return told{text: t.text, events: events}
}

// until is t cut off before the first request with a trigger.
func (t told) until(trigger spec.TriggerType) told {
	GinkgoHelper()
	i := slices.IndexFunc(t.events, func(e spec.Event) bool {
		r, ok := e.Data.(*spec.RequestEvent)
		return ok && r.Trigger == trigger
	})
	Expect(i).To(BeNumerically(">", 0))
	end := spec.Event{Data: &spec.CloseEvent{Why: spec.CloseGaveUp}}
	return told{text: t.text, events: append(slices.Clone(t.events[:i]), end)}
}

// outcomes is t with every outcome of an exchange changed.
func (t told) outcomes(trigger spec.TriggerType, change func(*spec.OutcomeEvent)) told {
	asked := map[string]spec.TriggerType{}
	return t.changed(func(e spec.Event) []spec.Event {
		switch d := e.Data.(type) {
		case *spec.RequestEvent:
			asked[d.D] = d.Trigger
		case *spec.OutcomeEvent:
			if asked[d.D] == trigger {
				o := *d
				o.Settled = slices.Clone(d.Settled)
				change(&o)
				e.Data = &o
			}
		}
		return []spec.Event{e}
	})
}

// again is t with the exchange d once more before it, under another name:
// delivered before, with that answer.
func (t told) again(d, session string, body string, end spec.BodyEnd) told {
	return t.changed(func(e spec.Event) []spec.Event {
		r, ok := e.Data.(*spec.RequestEvent)
		if !ok || r.D != d {
			return []spec.Event{e}
		}
		first, second := *r, *r
		first.D, second.Delivery = "d0", 2
		asked, answered := e, e
		asked.Session, asked.Data = session, &first
		answered.Session = session
		answered.Data = &spec.ResponseEvent{D: "d0", Status: 200, Body: spec.BodyOf([]byte(body)), Bytes: int64(len(body)), End: end}
		e.Data = &second
		return []spec.Event{asked, answered, e}
	})
}

// padder answers as the puppet does, with a member more that means nothing.
type padder struct{ puppet }

func (p padder) answer(body []byte) string {
	return strings.ReplaceAll(p.puppet.answer(body), `"role":"tool"`, `"role":"tool","tool_calls":[]`)
}

var _ = Describe("what an answer changes", func() {
	says := func(answer string) told {
		return tell(conversation(says("c1", resultOf(`"one"`))), puppet{map[spec.TriggerType]string{spec.OnTurnFinished: answer}})
	}

	It("counts when it was taken, in time or late, and not when it was dropped", func() {
		t := says(`{"state":{"z":1},"agent":{"model":"other"}}`)
		const want = "{state: {equals: {z: 1}}, agent: {subset: {model: other}}}"
		t.holds("", want, true)
		t.outcomes(spec.OnTurnFinished, func(o *spec.OutcomeEvent) { o.As = spec.OutcomeLate }).holds("", want, true)
		t.outcomes(spec.OnTurnFinished, func(o *spec.OutcomeEvent) { o.As = spec.OutcomeDropped }).holds("", "{state: {absent: true}}", true)
	})

	It("does not begin a call that is known", func() {
		t := tell(conversation(`{as: c1, id: call-1, tool: say, raw: '{"actions":[{"type":"tool.result","result":"x"}]}'}`),
			puppet{map[spec.TriggerType]string{spec.OnTurnFinished: `{"actions":[{"type":"tool.call","id":"call-1","name":"confirm","arguments":"{}"}]}`}})
		t.holds("", "{calls: {c1: {is: done, handler: worker, text: x}}}", true)
	})

	It("ends a call before its end was told, unless the engine did not take it", func() {
		t := says(`{}`).until(spec.OnToolFinished)
		t.holds("", "{calls: {c1: {is: done}}}", true)
		t.outcomes(spec.OnToolExecute, func(o *spec.OutcomeEvent) { o.Settled[0].By = string(spec.DoToolError) }).
			holds("", "{calls: {c1: {is: failed}}}", true)
		t.outcomes(spec.OnToolExecute, func(o *spec.OutcomeEvent) { o.Settled[0].Then = "retry" }).
			holds("", "{calls: {c1: {is: waiting}}}", true)
		t.outcomes(spec.OnToolExecute, func(o *spec.OutcomeEvent) { o.Settled[0].Then = "dropped" }).
			holds("", "{calls: {c1: {is: open}}}", true)
	})

	It("does not reach back into the windows before", func() {
		t := tell("scenario: A\nlimits: {patience: 1ms}\nsteps:\n  - user: Go.\n  - model: {calls: [{as: c1, tool: say, raw: '{}'}]}\n    expect: EXPECT\n"+
			"  - wait: 200s\n  - model: done\nfinally: FINALLY\n", puppet{})
		t.holds("{calls: {c1: {is: open}}}", "{calls: {c1: {is: failed}}}", true)
		t.holds("{calls: {c1: {is: failed}}}", "", false)
	})

	It("counts tries from one, whatever the engine counts from", func() {
		t := tell("scenario: A\nengine: {dialect: {first_attempt: 1}, retry: {tool: {max_attempts: 2}}}\nsteps:\n  - user: Go.\n"+
			"  - model: {calls: [{as: c1, tool: say, arguments: {tries: [{}, {actions: [{type: tool.error, error: a, retryable: true}]}, {actions: [{type: tool.result, result: b}]}]}}]}\n"+
			"    expect: EXPECT\n  - model: done\nfinally: FINALLY\n", puppet{})
		t.holds("{trigger: tool.execute, try: 1, calls: {c1: {tries: 1}}}, {trigger: tool.execute, try: 2, calls: {c1: {tries: 2}}}", "{calls: {c1: {is: done, tries: 2}}}", true)
	})
})

var _ = Describe("which exchanges count", Ordered, func() {
	var t told
	BeforeAll(func() { t = tell(conversation(says("c1", resultOf(`"one"`))), puppet{}) })
	answer := resultOf(`"one"`)

	It("leaves out what never reached the worker, and other sessions", func() {
		const once = "{trigger: tool.execute, call: c1, times: 1}"
		t.holds(once, "", true)
		t.again("d4", "s1", answer, spec.EndWhole).holds(once, "", false)
		t.again("d4", "s1", "", spec.EndStale).holds(once, "", true)
		t.again("d4", "s2", answer, spec.EndWhole).holds(once, "", true)
	})

	It("compares an answer with that to another delivery", func() {
		const same = "{trigger: tool.execute, call: c1, delivery: 2, answer: {same_as: 1}}"
		t.again("d4", "s1", answer, spec.EndWhole).holds(same, "", true)
		t.again("d4", "s1", `{ "actions": [ {"result":"one","type":"tool.result"} ] }`, spec.EndWhole).holds(same, "", true)
		Expect(t.again("d4", "s1", resultOf(`"two"`), spec.EndWhole).unmet(same, "")).To(Equal([]string{
			`steps[1].expect[0] d4 /actions/0/result: "one" | as in delivery 1: "two"`,
		}))
		t.again("d4", "s1", "no JSON", spec.EndWhole).holds(same, "", false)
		Expect(t.unmet("{trigger: tool.execute, call: c1, answer: {same_as: 2}}", "")).To(Equal([]string{
			"steps[1].expect[0] d4: no delivery 2 | a delivery to compare with",
		}))
		empty := tell(conversation(says("c1", "{}")), puppet{})
		empty.again("d4", "s1", "null", spec.EndWhole).holds(same, "", true)
	})

	It("takes what means nothing for equal to what was proposed", func() {
		padded := tell(conversation(says("c1", resultOf(`"one"`))), posting{padder{}.answer})
		padded.holds("{trigger: tool.finished, answer: proposed}", "", true)
	})

	It("does not take messages for a record of the call when its own is missing", func() {
		two := tell(aTalk, puppet{})
		two.holds("{trigger: tool.finished, call: c1, proposed: records}", "", true)
		other := two.changed(func(e spec.Event) []spec.Event {
			if r, ok := e.Data.(*spec.RequestEvent); ok && r.Trigger == spec.OnToolFinished {
				asked := *r
				before, proposed, _ := strings.Cut(*r.Body.Text, `"proposed":`)
				proposed = strings.Replace(proposed, `"tool_call_id":"`+r.Call+`"`, `"tool_call_id":"other"`, 1)
				asked.Body = spec.BodyOf([]byte(before + `"proposed":` + proposed))
				e.Data = &asked
			}
			return []spec.Event{e}
		})
		other.holds("{trigger: tool.finished, call: c1, proposed: records}", "", false)
	})
})
