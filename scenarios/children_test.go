package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// harbour declares a tool and two subagents, offered as strategy says.
func harbour(strategy string) scenarios.Declared {
	agent := &spec.AgentConfig{
		Model: "m", Tools: []spec.AgentTool{{Name: "toll"}}, Subagents: []spec.Subagent{{ID: "surveyor"}, {ID: "pilot"}},
	}
	if strategy != "" {
		agent.SubagentTools = &spec.SubagentTools{Strategy: strategy}
	}
	return scenarios.Declared{Agent: agent}
}

const callsAgent = `scenario: Calls one
needs:
  tool: {handler: subagent, each: true}
steps:
  - user: "Ask ${tool}."
  - model: {calls: [{as: s, tool: $tool, generate: valid}]}
  - session: s
    model: Four metres.
  - model: Done.
`

var _ = Describe("a scenario with a subagent", func() {
	planned := func(d scenarios.Declared) []scenarios.Case {
		GinkgoHelper()
		cases, err := scenarios.Plan([]*scenarios.Document{parse(callsAgent)}, d, scenarios.PlanOptions{})
		Expect(err).NotTo(HaveOccurred())
		return cases
	}

	It("is bound to each that the worker declares, under the name it is called by", func() {
		cases := planned(harbour(""))
		Expect(ids(cases)).To(Equal([]string{"a.yaml#default [surveyor]", "a.yaml#default [pilot]"}))
		Expect(string(cases[0].Steps[1].Model.Calls[0].Arguments)).To(MatchRegexp(`^\{"message":".+"\}$`))
		cases = planned(harbour("single"))
		Expect(ids(cases)).To(Equal([]string{"a.yaml#default [subagent]"}))
		Expect(string(cases[0].Steps[1].Model.Calls[0].Arguments)).To(MatchRegexp(`^\{"agent":"surveyor","message":".+"\}$`))
	})

	It("does not apply where there is none, or where none may be called", func() {
		Expect(planned(shop())[0].NotApplicable).To(Equal("the worker declares no subagent"))
		cases, err := scenarios.Plan([]*scenarios.Document{parse(callsAgent)}, harbour(""),
			scenarios.PlanOptions{Allowed: func(tool string) bool { return tool == "toll" }})
		Expect(err).NotTo(HaveOccurred())
		Expect(cases[0].NotApplicable).To(ContainSubstring("which may not be called"))
	})

	It("is opened again from its recording alone", func() {
		for _, strategy := range []string{"", "single"} {
			for _, c := range planned(harbour(strategy)) {
				again, err := scenarios.Reopen(recorded(c, scenarios.PlanOptions{}))
				Expect(err).NotTo(HaveOccurred())
				Expect(again.ID).To(Equal(c.ID))
				Expect(again.Steps[1].Model.Calls[0].Arguments).To(Equal(c.Steps[1].Model.Calls[0].Arguments))
			}
		}
	})

	It("has one session of its own, and those of its subagents", func() {
		c := planned(harbour(""))[0]
		Expect(scenarios.ChildSessions(c.Steps)).To(Equal(map[string]string{"s": ""}))
		Expect(c.HasCompany()).To(BeFalse())
		Expect(c.Apart().Steps).To(Equal(c.Steps), "in their order")
	})

	DescribeTable("is refused where it makes no sense", func(steps string, want ...string) {
		Expect(fault(head + "steps:\n  - user: Go.\n" + steps)).To(Equal(lines(want...)))
	},
		Entry("a user who speaks to a subagent", "  - model: {calls: [{as: s, tool: x, arguments: {}}]}\n  - {session: s, user: hello}\n",
			`a.yaml:5:5: no user speaks in the session of the subagent of "s"`, "  hint: write the message into the arguments of the call"),
		Entry("a subagent before its call", "  - {session: s, model: hello}\n  - model: {calls: [{as: s, tool: x, arguments: {}}]}\n",
			`a.yaml:4:5: unknown call "s"`, "  hint: no call is labelled before this place: as: s"),
	)
})
