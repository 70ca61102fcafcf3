package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("What a client offers", func() {
	const (
		id     = "client.declares-what-it-offers"
		map1   = `{"name":"show_map","handler":"client"}`
		own    = `{"name":"get_weather","input":{"type":"object"}}`
		merged = `{"model":"m","tools":[` + own + `,` + map1 + `]}`
		shown  = `{"type":"llm.call","model":"m","llm":"main","tools":[{"name":"get_weather","description":""},{"name":"show_map","description":""}]}`
		hello  = `{"type":"client.messages","messages":[` + user + `],"new_from":0,"client":{"tools":[` + map1 + `]}}`
		given  = `{"proposed":{"messages":[` + user + `],"actions":[` + shown + `],"agent":` + merged + `}}`
	)
	DescribeTable("is declared where the model is shown it",
		func(answer string, want spec.Status) {
			o := newTape().exchange("s1", hello, given, answer).done().of(id)
			Expect(o.Status).To(Equal(want), "%+v", o)
		},
		Entry("the proposal", `{"messages":[`+user+`],"actions":[`+shown+`],"agent":`+merged+`}`, spec.StatusPass),
		Entry("no config", `{"messages":[`+user+`],"actions":[`+shown+`]}`, spec.StatusWarn),
		Entry("a config without it", `{"messages":[`+user+`],"actions":[`+shown+`],"agent":{"model":"m","tools":[`+own+`]}}`, spec.StatusWarn),
		Entry("a call that shows the tools of the config", `{"messages":[`+user+`],"actions":[{"type":"llm.call","llm":"main"}],"agent":`+merged+`}`, spec.StatusPass),
		Entry("neither, which is the worker's to choose", `{"messages":[`+user+`],"actions":[{"type":"llm.call"}]}`, spec.StatusNotObserved),
		Entry("declared and not shown", `{"messages":[`+user+`],"actions":[{"type":"llm.call","llm":"main","tools":[]}],"agent":`+merged+`}`, spec.StatusNotObserved),
		Entry("declared as the worker's own", `{"messages":[`+user+`],"actions":[`+shown+`],"agent":{"model":"m","tools":[`+own+`,{"name":"show_map"}]}}`, spec.StatusPass),
	)

	It("is the worker's own where the worker declares it", func() {
		t := newTape()
		t.agent = merged
		Expect(t.exchange("s1", hello, "", `{"messages":[`+user+`],"actions":[`+shown+`],"agent":{"model":"m"}}`).done().of(id).Status).To(Equal(spec.StatusNotObserved))
	})

	It("is declared in the next turn as well, and may go with the client", func() {
		t := newTape().exchange("s1", hello, given, `{"messages":[`+user+`],"actions":[`+shown+`],"agent":`+merged+`}`)
		t.agent = merged
		dropped := `{"messages":[` + user + `],"actions":[` + shown + `],"agent":{"model":"m","tools":[` + own + `]}}`
		t.exchange("s1", hello, "", dropped)
		Expect(t.of(id).Findings).To(HaveLen(1))
		t.exchange("s1", `{"type":"client.messages","messages":[`+user+`],"new_from":0,"client":{}}`, "", dropped)
		Expect(t.of(id).Findings).To(HaveLen(1))
		Expect(broken(t.done().verdict())).To(ConsistOf(id))
	})

	It("is not the worker's to describe or to name", func() {
		bad := `{"name":"a b","handler":"client","input":{"type":"string"}}`
		t := newTape().exchange("s1", replace(hello, map1, bad), "", `{"messages":[`+user+`],"actions":[{"type":"llm.call","llm":"main"}],"agent":{"model":"m","tools":[`+own+`,`+bad+`]}}`)
		for _, found := range broken(t.done().verdict()) {
			Expect(found).To(HavePrefix("advice."), "what is said of get_weather alone")
		}
	})

	It("is pointed at", func() {
		f := newTape().exchange("s1", hello, given, `{"messages":[`+user+`],"actions":[`+shown+`]}`).done().of(id).Findings[0]
		Expect([]string{f.Pointer, f.Got}).To(Equal([]string{"/agent", `a config without "show_map"`}))
	})
})

var _ = Describe("A call of the client", func() {
	const (
		id   = "client.leaves-answers-to-the-client"
		open = `{"calls":[{"id":"k1","kind":"tool_call","status":"pending","attempt":0,"name":"ask_person","arguments":"{}","handler":"client"}]}`
		made = `{"actions":[{"type":"tool.result","result":"Sunny."},{"type":"tool.result","id":"k1","result":"yes"}]}`
	)
	asking := func() *tape {
		t := newTape()
		t.agent = `{"model":"m","tools":[{"name":"get_weather"},{"name":"ask_person","handler":"client"}]}`
		return t
	}
	DescribeTable("is left to the client",
		func(trigger, given, answer string, want spec.Status) {
			o := asking().exchange("s1", trigger, given, answer).done().of(id)
			Expect(o.Status).To(Equal(want), "%+v", o)
		},
		Entry("a result of the worker's own call alone", onExecute, open, sunny, spec.StatusPass),
		Entry("a result that nobody gave", onExecute, open, made, spec.StatusWarn),
		Entry("an error, which ends it in the worker's own name", onExecute, open, `{"actions":[{"type":"tool.error","id":"k1","error":"too late"}]}`, spec.StatusPass),
		Entry("what the client said by an action", `{"type":"client.action","name":"press"}`, open, `{"actions":[{"type":"tool.result","id":"k1","result":"yes"}]}`, spec.StatusNotObserved),
		Entry("a call that waits for its retry", onExecute, replace(open, "pending", "retry_scheduled"), sunny, spec.StatusNotObserved),
		Entry("a call of the worker", onExecute, replace(open, `"handler":"client"`, `"handler":"worker"`), made, spec.StatusNotObserved),
	)

	It("does not apply to a worker that declares none", func() {
		o := newTape().exchange("s1", onExecute, "", sunny).done().of(id)
		Expect([]any{o.Status, o.Reason}).To(Equal([]any{spec.StatusNotApplicable, "the worker declares no tool that the client answers"}))
	})

	It("is not judged by an answer that the engine did not take", func() {
		t := asking()
		d := t.ask("s1", onExecute, open)
		t.reply("s1", d, made).add("s1", &spec.OutcomeEvent{D: d, As: spec.OutcomeDropped})
		Expect(t.done().of(id).Status).To(Equal(spec.StatusNotObserved))
	})
})
