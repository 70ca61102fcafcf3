package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("A subagent", func() {
	const (
		yields  = "subagent.yields-a-config"
		itself  = "subagent.acts-as-its-agent"
		keeps   = "subagent.keeps-the-call"
		records = "subagent.records-its-answer"

		begins  = `{"type":"session.start"}`
		studio  = `{"agent":{"model":"m","llm":"main","subagents":[{"id":"surveyor"}]}}`
		child   = `{"agent_id":"surveyor","ancestry":["s-s1"],"proposed":{"agent":{"model":"m","llm":"main"}}}`
		own     = `{"agent":{"model":"m","llm":"main","system":"You survey."}}`
		calls   = `{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"surveyor","arguments":"{}"}}]}`
		spawn   = `{"type":"subagent.spawn","session_id":"k7","agent_id":"surveyor","tool_call_id":"c1","message":{"role":"user","content":"Go."}}`
		spawns  = `{"messages":[` + user + `],"proposed":{"messages":[` + user + `,` + calls + `],"actions":[` + spawn + `]}}`
		onCall  = `{"type":"llm.finished","id":"l1","ok":true,"message":` + calls + `,"truncated":false}`
		onEnd   = `{"type":"subagent.finished","id":"c1","ok":true,"session_id":"k7","agent_id":"surveyor","result":"4 m"}`
		said    = `{"role":"tool","tool_call_id":"c1","name":"surveyor","content":"4 m"}`
		endings = `{"messages":[` + user + `],"proposed":{"messages":[` + user + `,` + said + `],"actions":[` + prompt + `]}}`
	)
	started := func(answer string) *tape {
		return newTape().exchange("s1", begins, "", studio).exchange("k1", begins, child, answer).done()
	}

	It("has a config, and one of its own", func() {
		o := started(own)
		Expect(o.of(yields).Status).To(Equal(spec.StatusPass))
		Expect(o.of(itself).Status).To(Equal(spec.StatusPass))
		Expect(broken(started(`{}`).verdict())).To(ConsistOf(yields), "the root's start is another matter")
		Expect(broken(started(studio).verdict())).To(ConsistOf(itself))
		f := started(studio).of(itself).Findings[0]
		Expect([]string{f.Session, f.Pointer, f.Got}).To(Equal([]string{"k1", "/agent", `the very config of "agent"`}))
		Expect(started(`{}`).of(yields).Findings[0].Want).To(Equal(`a config for the agent "surveyor"`))
	})

	It("may be the agent that calls it", func() {
		again := `{"agent_id":"agent","ancestry":["s-s1"]}`
		o := newTape().exchange("s1", begins, "", studio).exchange("k1", begins, again, studio).done()
		Expect(broken(o.verdict())).To(BeEmpty())
		stranger := `{"agent_id":"surveyor","ancestry":["unheard-of"]}`
		o = newTape().exchange("s1", begins, "", studio).exchange("k1", begins, stranger, studio).done()
		Expect(o.of(itself).Status).To(Equal(spec.StatusNotObserved), "a capture that lacks its caller")
	})

	It("has nothing to do with the two forms of a root's start", func() {
		o := newTape().exchange("s1", begins, "", studio).exchange("k1", begins, child, own).done()
		Expect(o.of("start.works-in-either-form").Status).To(Equal(spec.StatusNotObserved))
	})

	DescribeTable("is the one that was called", func(actions string, want ...string) {
		answer := `{"messages":[` + user + `,` + calls + `],"actions":[` + actions + `]}`
		Expect(broken(newTape().exchange("s1", onCall, spawns, answer).done().verdict())).To(ConsistOf(want))
	},
		Entry("as proposed", spawn),
		Entry("in other words", `{"type":"subagent.spawn","session_id":"k7","agent_id":"surveyor","tool_call_id":"c1"}`),
		Entry("another agent", `{"type":"subagent.spawn","session_id":"k7","agent_id":"pilot","tool_call_id":"c1"}`, keeps),
		Entry("a new session", `{"type":"subagent.spawn","agent_id":"surveyor","tool_call_id":"c1"}`, keeps),
		Entry("another session", `{"type":"subagent.spawn","session_id":"k8","agent_id":"surveyor","tool_call_id":"c1"}`, keeps),
		Entry("beside one of the worker's own", spawn+`,{"type":"subagent.spawn","agent_id":"pilot","tool_call_id":"mine"}`),
	)

	DescribeTable("has its answer recorded", func(answer string, want ...string) {
		Expect(broken(newTape().exchange("s1", onEnd, endings, answer).done().verdict())).To(ConsistOf(want))
	},
		Entry("as proposed", `{"messages":[`+user+`,`+said+`],"actions":[`+prompt+`]}`),
		Entry("not at all", `{"messages":[`+user+`],"actions":[`+prompt+`]}`, records),
	)

	It("is no matter of a worker that declares none", func() {
		o := newTape().exchange("s1", begins, "", `{"agent":{"model":"m","llm":"main"}}`).done()
		for _, id := range []string{yields, itself, keeps, records} {
			Expect(o.of(id).Status).To(Equal(spec.StatusNotApplicable), id)
		}
		Expect(newTape().exchange("s1", begins, "", studio).done().of(yields).Status).To(Equal(spec.StatusNotObserved))
	})
})
