package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const (
	onFinished = `{"type":"tool.finished","id":"c1","ok":true,"name":"get_weather","result":{"content":[{"type":"text","text":"Sunny."}]}}`
	onFlagged  = `{"type":"tool.finished","id":"c1","ok":true,"name":"get_weather","result":{"content":[{"type":"text","text":"No."}],"isError":true}}`
	onDeadline = `{"type":"tool.finished","id":"c1","ok":false,"name":"get_weather","error":{"message":"deadline exceeded","code":"deadline_exceeded"}}`
	onBroken   = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{","input":{"status":"malformed","error":"EOF"},"attempt":0}`
	onInvalid  = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{}","input":{"status":"invalid","value":{},"error":"city"},"attempt":0}`
	calls      = `{"calls":[{"id":"c1","kind":"tool_call","status":"pending","attempt":0,"name":"get_weather","arguments":"{}","handler":"worker"}],"pending_calls":1}`
)

var _ = Describe("A call that is left open", func() {
	It("is settled by a later answer that names it", func() {
		t := newTape().exchange("s1", onExecute, "", `{}`)
		t.exchange("s1", onTurnEnd, calls, `{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny."}]}}]}`)
		Expect(t.done().of("execute.settles").Status).To(Equal(spec.StatusPass))
	})

	It("is settled where tool.finished shows a result that came another way", func() {
		o := newTape().exchange("s1", onExecute, "", `{}`).exchange("s1", onFinished, "", `{}`).done().of("execute.settles")
		Expect(o.Status).To(Equal(spec.StatusPass))
		Expect(o.Count).To(Equal(1))
	})

	It("fails where tool.finished shows its deadline, in a capture too", func() {
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceCapture, Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession}})
		o := t.exchange("s1", onExecute, "", `{}`).exchange("s1", onDeadline, "", `{}`).of("execute.settles")
		Expect(o.Status).To(Equal(spec.StatusFail))
		Expect(o.Findings[0].Exchange).To(Equal("d1"))
	})

	It("proves nothing at the end of a capture", func() {
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceCapture, Evidence: allEvidence})
		Expect(t.exchange("s1", onExecute, "", `{}`).done().of("execute.settles").Status).To(Equal(spec.StatusNotObserved))
	})

	DescribeTable("is judged by how the case ended",
		func(why string, want spec.Status) {
			t := newTape().exchange("s1", onExecute, "", `{}`)
			t.add("", &spec.CloseEvent{Why: why})
			Expect(t.of("execute.settles").Status).To(Equal(want))
		},
		Entry("script done", spec.CloseScriptDone, spec.StatusFail),
		Entry("script dry", spec.CloseReason(spec.CloseScriptDry, "no reply left"), spec.StatusFail),
		Entry("gave up", spec.CloseReason(spec.CloseGaveUp, "no answer"), spec.StatusNotObserved),
		Entry("a bound", spec.CloseReason(spec.CloseReal, "60s"), spec.StatusNotObserved),
		Entry("turn failed", spec.CloseTurnFailed, spec.StatusNotObserved),
		Entry("harness", spec.CloseReason(spec.CloseHarness, "x"), spec.StatusNotObserved),
	)

	It("is not judged when its turn has failed", func() {
		t := newTape().exchange("s1", onExecute, "", `{}`)
		t.add("s1", &spec.TurnEvent{TurnID: "t1", Event: spec.TurnFailed})
		Expect(t.done().of("execute.settles").Status).To(Equal(spec.StatusNotObserved))
	})

	It("is not judged when the session was parked", func() {
		t := newTape().exchange("s1", onExecute, "", `{"actions":[{"type":"interrupt","reason":"may I?"}]}`)
		Expect(t.done().of("execute.settles").Status).To(Equal(spec.StatusNotObserved))
	})

	It("is not judged when the delivery failed", func() {
		o := newTape().exchange("s1", onExecute, "", "5").done().of("execute.settles")
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
	})

	It("is not settled by an answer that the engine dropped", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.reply("s1", d, sunny)
		t.add("s1", &spec.OutcomeEvent{D: d, As: spec.OutcomeDropped})
		Expect(t.done().of("execute.settles").Status).To(Equal(spec.StatusNotObserved))
	})

	It("counts as settled by the worker, and not by us, when it came from outside", func() {
		for from, want := range map[string]spec.Status{"worker": spec.StatusPass, "machine": spec.StatusNotObserved} {
			t := newTape().exchange("s1", onExecute, "", `{}`)
			t.add("s1", &spec.InputEvent{From: from, Status: 200, Body: spec.BodyOf([]byte(`{"type":"tool.result","id":"c1","result":{}}`))})
			Expect(t.done().of("execute.settles").Status).To(Equal(want), from)
		}
	})

	It("is settled from outside by an error, and by nothing else than a settle", func() {
		for kind, want := range map[string]spec.Status{"tool.error": spec.StatusPass, "client.action": spec.StatusFail} {
			t := newTape().exchange("s1", onExecute, "", `{}`)
			t.add("s1", &spec.InputEvent{From: "worker", Status: 200, Body: spec.BodyOf([]byte(`{"type":"` + kind + `","id":"c1","error":"no"}`))})
			Expect(t.done().of("execute.settles").Status).To(Equal(want), kind)
		}
	})

	It("is settled where tool.finished shows a failure that is no deadline", func() {
		failed := `{"type":"tool.finished","id":"c1","ok":false,"name":"get_weather","error":{"message":"no","code":"handler_error"}}`
		o := newTape().exchange("s1", onExecute, "", `{}`).exchange("s1", failed, "", `{}`).done().of("execute.settles")
		Expect(o.Status).To(Equal(spec.StatusPass))
	})

	It("stays open when the settle from outside was refused", func() {
		t := newTape().exchange("s1", onExecute, "", `{}`)
		t.add("s1", &spec.InputEvent{From: "worker", Status: 409, Body: spec.BodyOf([]byte(`{"type":"tool.result","id":"c1","result":{}}`))})
		Expect(t.done().of("execute.settles").Status).To(Equal(spec.StatusFail))
	})

	It("has the name of the class of its arguments", func() {
		Expect(broken(newTape().exchange("s1", onBroken, "", `{}`).done().verdict())).To(Equal([]string{"execute.answers-malformed"}))
		Expect(broken(newTape().exchange("s1", onInvalid, "", `null`).done().verdict())).To(Equal([]string{"execute.answers-invalid"}))
	})

	It("may be run, repaired or refused when its arguments are bad", func() {
		for _, answer := range []string{sunny, refused} {
			for trigger, id := range map[string]string{onBroken: "execute.answers-malformed", onInvalid: "execute.answers-invalid"} {
				t := newTape().exchange("s1", trigger, "", answer).done()
				Expect(broken(t.verdict())).To(BeEmpty())
				Expect(t.of(id).Status).To(Equal(spec.StatusPass))
			}
		}
	})

	It("is told from the same id in another session", func() {
		t := newTape().exchange("s1", onExecute, "", `{}`).exchange("s2", onExecute, "", sunny)
		o := t.done().of("execute.settles")
		Expect(o.Status).To(Equal(spec.StatusFail))
		Expect(o.Count).To(Equal(2))
		Expect(o.Findings[0].Session).To(Equal("s1"))
	})
})

var _ = Describe("A settle", func() {
	DescribeTable("names an open call",
		func(answer string, want ...string) {
			Expect(broken(newTape().exchange("s1", onExecute, calls, answer).done().verdict())).To(ConsistOf(want))
		},
		Entry("the asked one", `{"actions":[{"type":"tool.error","id":"c1","attempt":0,"error":"x"}]}`),
		Entry("an empty id", `{"actions":[{"type":"tool.error","id":"","error":"x"}]}`, "execute.settles-the-asked-call"),
		Entry("another attempt", `{"actions":[{"type":"tool.error","attempt":7,"error":"x"}]}`, "execute.settles-the-asked-attempt"),
		Entry("null is absent", `{"actions":[{"type":"tool.error","id":null,"attempt":null,"error":"x"}]}`),
		Entry("twice in two forms", `{"actions":[{"type":"tool.error","id":"c1","error":"x"},{"type":"tool.error","error":"y"}]}`, "execute.settles-once"),
	)

	It("of another open call is legal beside the asked one", func() {
		others := `{"calls":[{"id":"c0","kind":"tool_call","status":"pending","attempt":0,"name":"get_weather","arguments":"{}","handler":"worker"},{"id":"c1","kind":"tool_call","status":"pending","attempt":0,"name":"get_weather","arguments":"{}","handler":"worker"}]}`
		v := newTape().exchange("s1", onExecute, others, `{"actions":[{"type":"tool.error","id":"c0","error":"x"},{"type":"tool.error","error":"y"}]}`).done().verdict()
		Expect(broken(v)).To(BeEmpty())
	})

	It("may be of a subagent's call, and not of a model's", func() {
		for kind, want := range map[string]int{"tool_call": 0, "subagent": 0, "llm_call": 1} {
			given := `{"calls":[{"id":"x","kind":"` + kind + `","status":"pending","attempt":0}]}`
			o := newTape().exchange("s1", onTurnEnd, given, `{"actions":[{"type":"tool.error","id":"x","error":"e"}]}`).done().of("execute.settles-the-asked-call")
			Expect(o.Findings).To(HaveLen(want), kind)
			o = newTape().exchange("s1", onTurnEnd, given, `{"actions":[{"type":"tool.error","id":"y","error":"e"}]}`).done().of("execute.settles-the-asked-call")
			Expect(o.Findings).To(HaveLen(1), kind)
		}
	})

	It("that is not there is not observed", func() {
		Expect(newTape().exchange("s1", onTurnEnd, "", `{}`).done().of("execute.settles-once").Count).To(BeZero())
	})

	It("of a call that is over is named outside tool.execute too", func() {
		v := newTape().exchange("s1", onTurnEnd, "", `{"actions":[{"type":"tool.error","id":"c9","error":"x"}]}`).done().verdict()
		Expect(broken(v)).To(Equal([]string{"execute.settles-the-asked-call"}))
	})
})

var _ = Describe("A refusal of an undeclared tool", func() {
	const id = "execute.refuses-undeclared"

	It("proves nothing without a twin", func() {
		o := newTape().exchange("s1", onUnknown, unknown, refused).done().of(id)
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
		Expect(o.Reason).To(Equal("no call of a declared tool ran, so a refusal proves nothing"))
		Expect(o.Weak).To(BeTrue())
	})

	It("proves nothing when the twin failed alike, was flagged, or ran in another session", func() {
		for _, twin := range []string{refused, `{"actions":[{"type":"tool.result","is_error":true,"content":[{"type":"text","text":"no"}]}]}`} {
			Expect(newTape().exchange("s1", onExecute, "", twin).exchange("s1", onUnknown, unknown, refused).done().of(id).Status).To(Equal(spec.StatusNotObserved))
		}
		Expect(newTape().exchange("s2", onExecute, "", sunny).exchange("s1", onUnknown, unknown, refused).done().of(id).Status).To(Equal(spec.StatusNotObserved))
	})

	It("passes with a twin before or after it, at once or later", func() {
		Expect(newTape().exchange("s1", onExecute, "", sunny).exchange("s1", onUnknown, unknown, refused).done().of(id).Status).To(Equal(spec.StatusPass))
		Expect(newTape().exchange("s1", onUnknown, unknown, refused).exchange("s1", onExecute, "", sunny).done().of(id).Status).To(Equal(spec.StatusPass))
		later := newTape().exchange("s1", onUnknown, unknown, refused).exchange("s1", onExecute, "", `{}`).exchange("s1", onFinished, "", `{}`)
		Expect(later.done().of(id).Status).To(Equal(spec.StatusPass))
		flagged := newTape().exchange("s1", onUnknown, unknown, refused).exchange("s1", onExecute, "", `{}`).exchange("s1", onFlagged, "", `{}`)
		Expect(flagged.done().of(id).Status).To(Equal(spec.StatusNotObserved))
	})

	It("needs no twin when it is the proposed one (R11)", func() {
		o := newTape().exchange("s1", onUnknown, unknown, `{"actions":[{"type":"tool.error","id":"c2","error":"unknown tool: get_whether","retryable":false}]}`).done().of(id)
		Expect(o.Status).To(Equal(spec.StatusPass))
	})

	It("is not a plain result, with a twin or without", func() {
		Expect(newTape().exchange("s1", onUnknown, unknown, sunny).done().of(id).Status).To(Equal(spec.StatusFail))
	})

	It("is told from a refusal of arguments, and from one of another call", func() {
		for _, proposed := range []string{
			`{"type":"tool.error","id":"c1","error":"invalid tool arguments: city","retryable":false}`,
			`{"type":"tool.error","id":"c9","error":"unknown tool: other","retryable":false}`,
			`{"type":"done"}`,
		} {
			o := newTape().exchange("s1", onInvalid, `{"proposed":{"actions":[`+proposed+`]}}`, sunny).done().of(id)
			Expect(o.Status).To(Equal(spec.StatusNotObserved), proposed)
			Expect(o.Reason).To(ContainSubstring("no call of an undeclared tool"))
		}
	})

	It("is known by a proposal without an id too", func() {
		o := newTape().exchange("s1", onUnknown, `{"proposed":{"actions":[{"type":"tool.error","error":"unknown tool: get_whether"}]}}`, sunny).done().of(id)
		Expect(o.Status).To(Equal(spec.StatusFail))
	})

	It("may be a flagged result", func() {
		t := newTape().exchange("s1", onExecute, "", sunny)
		t.exchange("s1", onUnknown, unknown, `{"actions":[{"type":"tool.result","result":{"isError":true,"content":[{"type":"text","text":"no such tool"}]}}]}`)
		Expect(t.done().of(id).Status).To(Equal(spec.StatusPass))
	})
})
