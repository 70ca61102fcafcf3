package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("A turn that waits for a person", func() {
	const (
		goesOn  = "interrupt.goes-on-when-resumed"
		settles = "interrupt.settles-what-it-parked"
		names   = "interrupt.names-the-call"
		saysWhy = "interrupt.says-why"

		asking   = `{"actions":[{"type":"interrupt","interrupt_id":"i","reason":"may I?"}]}`
		resumed  = `{"type":"interrupt.resumed","interrupt_id":"i","payload":{"ok":true}}`
		listed   = `"calls":[{"id":"c1","kind":"tool_call","status":"pending","attempt":0,"name":"get_weather","arguments":"{}","handler":"worker"}],"pending_calls":1`
		proposes = `"proposed":{"messages":[` + user + `],"actions":[` + prompt + `]}`
		byID     = `{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny."}]}}]}`
		asks     = `{"messages":[` + user + `],"actions":[` + prompt + `]}`
	)
	waiting := func(given, answer string) *tape {
		return newTape().exchange("s1", onExecute, "", asking).exchange("s1", resumed, given, answer).done()
	}

	DescribeTable("goes on once it is resumed", func(given, answer string, want ...string) {
		Expect(broken(newTape().exchange("s1", resumed, given, answer).done().verdict())).To(ConsistOf(want))
	},
		Entry("by the proposal", `{`+proposes+`}`, asks),
		Entry("by a step of its own", `{`+proposes+`}`, `{"actions":[{"type":"done"}]}`),
		Entry("by work in flight", `{`+proposes+`,`+listed+`}`, `{}`),
		Entry("by nothing", `{`+proposes+`}`, `{}`, goesOn),
		Entry("by nothing, where nothing is proposed", `{}`, `{}`),
	)

	DescribeTable("has the call settled that it waited for", func(answer string, want ...string) {
		o := waiting(`{`+proposes+`,`+listed+`}`, answer)
		Expect(broken(o.verdict())).To(ConsistOf(want))
	},
		Entry("by its id", byID),
		Entry("by an error", `{"actions":[{"type":"tool.error","id":"c1","error":"no"}]}`),
		Entry("later", `{}`),
		Entry("by a message of the worker's own", `{"messages":[`+user+`,`+tool1+`],"actions":[`+prompt+`]}`),
		Entry("beside the model call", `{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny."}]}},{"type":"llm.call","model":"m","llm":"main","messages":[]}]}`),
		Entry("not before the model is asked", asks, settles),
		Entry("without its id", `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny."}]}}]}`, names),
		Entry("without its id, by an error", `{"actions":[{"type":"tool.error","error":"no"}]}`, names),
	)

	It("is settled in any exchange, and asked about once", func() {
		Expect(waiting(`{`+proposes+`,`+listed+`}`, byID).of(settles).Status).To(Equal(spec.StatusPass))
		Expect(waiting(`{`+proposes+`,`+listed+`}`, byID).of(names).Status).To(Equal(spec.StatusPass))
		Expect(waiting(`{`+proposes+`}`, asks).of(settles).Status).To(Equal(spec.StatusNotObserved), "the call has ended meanwhile")
		again := newTape().exchange("s1", onExecute, "", asking).exchange("s1", resumed, `{`+listed+`}`, byID).
			exchange("s1", resumed, `{`+proposes+`,`+listed+`}`, asks).done()
		Expect(again.of(settles).Status).To(Equal(spec.StatusPass), "it was settled before")
	})

	It("is pointed at", func() {
		f := waiting(`{`+proposes+`,`+listed+`}`, asks).of(settles).Findings[0]
		Expect([]string{f.Pointer, f.Got}).To(Equal([]string{"/actions/0", `an llm.call while call "c1" of "get_weather" waits for its result`}))
		f = waiting(`{`+proposes+`,`+listed+`}`, `{"actions":[{"type":"tool.error","error":"no"}]}`).of(names).Findings[0]
		Expect(f.Pointer).To(Equal("/actions/0"))
	})

	It("is no matter of a worker that asks nobody", func() {
		o := newTape().exchange("s1", `{"type":"session.start"}`, "", `{"agent":{"model":"m","llm":"main"}}`).done()
		Expect(o.of(settles).Status).To(Equal(spec.StatusNotApplicable))
		Expect(o.of(names).Status).To(Equal(spec.StatusNotApplicable))
		Expect(o.of(goesOn).Status).To(Equal(spec.StatusNotObserved))
	})

	DescribeTable("says why", func(given, answer string, want spec.Status) {
		Expect(newTape().exchange("s1", onExecute, given, answer).done().of(saysWhy).Status).To(Equal(want))
	},
		Entry("in its reason", ``, asking, spec.StatusPass),
		Entry("not at all", ``, `{"actions":[{"type":"interrupt","reason":" "}]}`, spec.StatusWarn),
		Entry("as the engine proposes", `{"proposed":{"actions":[{"type":"interrupt","reason":""}]}}`, `{"actions":[{"type":"interrupt","reason":""}]}`, spec.StatusNotObserved),
		Entry("of no interrupt", ``, byID, spec.StatusNotObserved),
	)
})
