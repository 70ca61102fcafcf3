package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// The messages of a session in which the model has called get_weather twice.
const (
	user   = `{"id":"m1","role":"user","content":"How is it?"}`
	asks   = `{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"get_weather","arguments":"{ }"}}]}`
	tool1  = `{"role":"tool","tool_call_id":"c1","name":"get_weather","content":"Sunny."}`
	tool2  = `{"role":"tool","tool_call_id":"c2","name":"get_weather","content":"Rain."}`
	start1 = `{"type":"tool.call","id":"c1","name":"get_weather","arguments":"{}"}`
	start2 = `{"type":"tool.call","id":"c2","name":"get_weather","arguments":"{ }"}`
	onAsk  = `{"type":"llm.finished","id":"l1","ok":true,"message":` + asks + `,"truncated":false}`
	began  = `{"messages":[` + user + `],"proposed":{"messages":[` + user + `,` + asks + `],"actions":[` + start1 + `,` + start2 + `]}}`
	prompt = `{"type":"llm.call","model":"m","llm":"main"}`
)

var _ = Describe("The model's calls", func() {
	const (
		started   = "calls.starts-every-call"
		assistant = "calls.keeps-the-assistant-message"
		arguments = "calls.keeps-the-arguments"
	)
	DescribeTable("are started, or answered in the transcript",
		func(answer string, want ...string) {
			Expect(broken(newTape().exchange("s1", onAsk, began, answer).done().verdict())).To(ConsistOf(want))
		},
		Entry("the proposal", `{"messages":[`+user+`,`+asks+`],"actions":[`+start1+`,`+start2+`]}`),
		Entry("actions alone", `{"actions":[`+start1+`,`+start2+`]}`),
		Entry("nothing at all", `{}`, started),
		Entry("one of two", `{"messages":[`+user+`,`+asks+`],"actions":[`+start1+`]}`, started),
		Entry("a tool message in place of the other", `{"messages":[`+user+`,`+asks+`,`+tool2+`],"actions":[`+start1+`]}`),
		Entry("parked", `{"messages":[`+user+`,`+asks+`],"actions":[{"type":"interrupt","reason":"may I?"}]}`),
		Entry("another way, without the model's message", `{"actions":[`+prompt+`]}`),
		Entry("done with the calls recorded", `{"messages":[`+user+`,`+asks+`],"actions":[{"type":"done"}]}`, started),
		Entry("under another id", `{"messages":[`+user+`,{"id":"x","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"get_weather","arguments":"{ }"}}]}],"actions":[`+start1+`,`+start2+`]}`, assistant),
		Entry("with other arguments", `{"messages":[`+user+`,`+asks+`],"actions":[`+start1+`,{"type":"tool.call","id":"c2","name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}]}`, arguments),
		Entry("with another name", `{"messages":[`+user+`,`+asks+`],"actions":[`+start1+`,{"type":"tool.call","id":"c2","name":"other","arguments":"{ }"}]}`, arguments),
		Entry("with an object that means the same", `{"messages":[`+user+`,`+asks+`],"actions":[{"type":"tool.call","id":"c1","name":"get_weather","arguments":{}},`+start2+`]}`),
		Entry("with arguments spelled otherwise", `{"messages":[`+user+`,`+asks+`],"actions":[`+start1+`,{"type":"tool.call","id":"c2","name":"get_weather","arguments":"{\n}"}]}`),
		Entry("a call of the worker's own beside them", `{"messages":[`+user+`,`+asks+`],"actions":[`+start1+`,`+start2+`,{"type":"tool.call","id":"mine","name":"get_weather","arguments":{}}]}`),
		Entry("only what is new, under another id", `{"messages":[{"id":"x","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]}],"actions":[`+start1+`,`+start2+`]}`, "finished.keeps-the-path"),
		Entry("the head of the path and no more", `{"messages":[`+user+`],"actions":[`+start1+`,`+start2+`]}`),
		Entry("only what is new", `{"messages":[`+asks+`],"actions":[`+start1+`,`+start2+`]}`, "finished.keeps-the-path"),
	)

	It("are pointed at where they differ", func() {
		answer := `{"messages":[` + user + `,{"id":"x","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]}],"actions":[` + start1 + `,` + start2 + `]}`
		f := newTape().exchange("s1", onAsk, began, answer).done().of(assistant).Findings[0]
		Expect([]string{f.Pointer, f.Got, f.Want}).To(Equal([]string{"/messages/1/id", `message "x"`, `the id of the model call: "l1"`}))

		f = newTape().exchange("s1", onAsk, began, `{"actions":[`+start1+`,{"type":"tool.call","id":"c2","name":"other","arguments":"{ }"}]}`).done().of(arguments).Findings[0]
		Expect([]string{f.Pointer, f.Got, f.Want}).To(Equal([]string{"/actions/1/name", `"other"`, `"get_weather"`}))

		f = newTape().exchange("s1", onAsk, began, `{"actions":[`+start1+`,{"type":"tool.call","id":"c2","name":"get_weather","arguments":"[]"}]}`).done().of(arguments).Findings[0]
		Expect([]string{f.Pointer, f.Got, f.Want}).To(Equal([]string{"/actions/1/arguments", `"[]"`, `"{ }"`}))
	})

	It("may be answered by a subagent", func() {
		spawn := `{"type":"subagent.spawn","agent_id":"helper","tool_call_id":"c1"}`
		given := `{"messages":[` + user + `],"proposed":{"messages":[` + user + `,` + asks + `],"actions":[` + spawn + `]}}`
		Expect(broken(newTape().exchange("s1", onAsk, given, `{"messages":[`+user+`,`+asks+`],"actions":[`+spawn+`]}`).done().verdict())).To(BeEmpty())
		Expect(broken(newTape().exchange("s1", onAsk, given, `{}`).done().verdict())).To(Equal([]string{started}))
		Expect(broken(newTape().exchange("s1", onAsk, given, `{"messages":[`+user+`,`+asks+`],"actions":[{"type":"tool.call","id":"c1","name":"own","arguments":{}}]}`).done().verdict())).To(BeEmpty())
	})
})

var _ = Describe("A finished call", func() {
	const (
		path     = "finished.keeps-the-path"
		recorded = "finished.records-the-tool-message"
		prompts  = "finished.prompts-the-model"
		waits    = "finished.waits-for-siblings"
		head     = user + `,` + asks
		tree     = `"messages":[` + head + `]`
		last     = `{` + tree + `,"proposed":{"messages":[` + head + `,` + tool1 + `],"actions":[` + prompt + `]}}`
		waiting  = `{` + tree + `,"pending_calls":1,"calls":[{"id":"c2","kind":"tool_call","status":"pending","attempt":0}],"proposed":{"messages":[` + head + `,` + tool1 + `]}}`
	)
	DescribeTable("is recorded, and the turn goes on",
		func(given, answer string, want ...string) {
			Expect(broken(newTape().exchange("s1", onFinished, given, answer).done().verdict())).To(ConsistOf(want))
		},
		Entry("the proposal", last, `{"messages":[`+head+`,`+tool1+`],"actions":[`+prompt+`]}`),
		Entry("nothing", last, `{}`, recorded),
		Entry("the tool message of another call", last, `{"messages":[`+head+`,`+tool2+`],"actions":[`+prompt+`]}`, recorded),
		Entry("nothing, with another call recorded before", `{"messages":[`+head+`,{"id":"m2","role":"tool","tool_call_id":"c2","name":"get_weather","content":"x"}],"proposed":{"messages":[`+head+`,{"id":"m2","role":"tool","tool_call_id":"c2","name":"get_weather","content":"x"},`+tool1+`]}}`, `{}`, recorded),
		Entry("another step", last, `{"messages":[`+head+`,`+tool1+`],"actions":[{"type":"done"}]}`),
		Entry("the path cut short", last, `{"messages":[`+user+`],"actions":[`+prompt+`]}`, recorded, path),
		Entry("ids dropped", last, `{"messages":[{"role":"user","content":"How is it?"},`+asks+`,`+tool1+`],"actions":[`+prompt+`]}`, path),
		Entry("no action", last, `{"messages":[`+head+`,`+tool1+`]}`, prompts),
		Entry("waiting, as proposed", waiting, `{"messages":[`+head+`,`+tool1+`]}`),
		Entry("asked too soon", waiting, `{"messages":[`+head+`,`+tool1+`],"actions":[`+prompt+`]}`, waits),
		Entry("nothing was proposed", `{`+tree+`}`, `{}`),
		Entry("recorded before", `{"messages":[`+head+`,{"id":"m2","role":"tool","tool_call_id":"c1","name":"get_weather","content":"x"}],"proposed":{"messages":[`+head+`,{"id":"m2","role":"tool","tool_call_id":"c1","name":"get_weather","content":"x"}]}}`, `{}`),
	)

	It("says where the path is left", func() {
		f := newTape().exchange("s1", onFinished, last, `{"messages":[`+user+`,`+tool1+`],"actions":[`+prompt+`]}`).done().of(path).Findings[0]
		Expect([]string{f.Pointer, f.Got, f.Want}).To(Equal([]string{"/messages/1", "a message without an id", `message "l1": the recorded path first, with its ids`}))
		f = newTape().exchange("s1", onFinished, last, `{"messages":[{"id":"x","role":"user","content":"y"},`+tool1+`]}`).done().of(path).Findings[0]
		Expect(f.Got).To(Equal(`message "x"`))
		f = newTape().exchange("s1", onFinished, last, `{"messages":[`+user+`]}`).done().of(path).Findings[0]
		Expect(f.Got).To(Equal("1 of the 2 recorded messages"))
	})

	It("holds back the model only where it is the call that finished", func() {
		given := `{"pending_calls":1,"proposed":{"actions":[{"type":"interrupt","reason":"x"}]}}`
		o := newTape().exchange("s1", `{"type":"interrupt.resumed","interrupt_id":"i"}`, given, `{"actions":[`+prompt+`]}`).done().of(waits)
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
	})

	It("of a subagent is no different, but for its name", func() {
		trigger := `{"type":"subagent.finished","id":"c1","ok":true,"session_id":"x","agent_id":"helper","result":"done"}`
		Expect(broken(newTape().exchange("s1", trigger, last, `{}`).done().verdict())).To(Equal([]string{"subagent.records-its-answer"}))
	})

	It("does not hold a client's own view against the worker", func() {
		given := `{` + tree + `,"proposed":{"messages":[{"role":"user","content":"New start."}],"actions":[` + prompt + `]}}`
		trigger := `{"type":"client.messages","messages":[{"role":"user","content":"New start."}],"new_from":0,"client":{}}`
		v := newTape().exchange("s1", trigger, given, `{"messages":[{"role":"user","content":"New start."}],"actions":[`+prompt+`]}`).done().verdict()
		Expect(broken(v)).To(BeEmpty())
	})
})

var _ = Describe("A turn", func() {
	hello := `{"type":"client.messages","messages":[` + user + `],"new_from":0,"client":{}}`
	given := `{"proposed":{"messages":[` + user + `],"actions":[` + prompt + `]}}`

	It("may be taken another way by the worker", func() {
		for _, answer := range []string{`{"actions":[{"type":"done","data":"no"}]}`, `{"actions":[{"type":"interrupt","reason":"busy"}]}`} {
			Expect(broken(newTape().exchange("s1", hello, given, answer).done().verdict())).To(BeEmpty())
		}
	})

	It("does not stand still while work is in flight", func() {
		o := newTape().exchange("s1", hello, `{"proposed":{"actions":[`+prompt+`]},"calls":[{"id":"x","kind":"subagent","status":"running","attempt":0}]}`, `{}`).done().of("turn.prompts-the-model")
		Expect(o.Status).To(Equal(spec.StatusPass))
	})

	It("is not judged where no model call was proposed", func() {
		o := newTape().exchange("s1", hello, `{"proposed":{"actions":[{"type":"interrupt","reason":"no agent"}]}}`, `{}`).done().of("turn.prompts-the-model")
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
	})

	It("that a failed model call left is the worker's to take as it likes", func() {
		trigger := `{"type":"llm.finished","id":"l1","ok":false,"truncated":false,"error":{"message":"x","code":"provider_error"}}`
		Expect(broken(newTape().exchange("s1", trigger, `{"proposed":{"actions":[{"type":"interrupt","reason":"x"}]}}`, `{}`).done().verdict())).To(BeEmpty())
		for _, answer := range []string{`{"actions":[{"type":"done"}]}`, `{"actions":[{"type":"llm.call","messages":[]}]}`} {
			Expect(broken(newTape().exchange("s1", trigger, `{"proposed":{"actions":[{"type":"fail","error":{"message":"x","code":"internal"}}]}}`, answer).done().verdict())).To(BeEmpty())
		}
	})
})
