package scenarios_test

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// planAs plans one scenario for an agent.
func planAs(agent *spec.AgentConfig, text string) scenarios.Case {
	GinkgoHelper()
	cases, err := scenarios.Plan([]*scenarios.Document{parse(text)}, scenarios.Declared{Agent: agent}, scenarios.PlanOptions{})
	Expect(err).NotTo(HaveOccurred())
	Expect(cases).To(HaveLen(1))
	return cases[0]
}

// callIn is the first call of the last step.
func callIn(c scenarios.Case) scenarios.Call { return c.Steps[len(c.Steps)-1].Model.Calls[0] }

var _ = Describe("K: deferred tools in scenarios", func() {
	const through = "model: {calls: [{as: c1, tool: archive, raw: y, via: call_tool}]}"

	It("calls through call_tool where the worker defers something", func() {
		c := planAs(shop().Agent, withStep(through))
		Expect(c.NotApplicable).To(BeEmpty())
		Expect(callIn(c).Via).To(Equal(scenarios.ThroughCallTool))
	})

	DescribeTable("does not apply where nothing is deferred, unless the scenario brings a config",
		func(before, want string) {
			plain := &spec.AgentConfig{Model: "m", Tools: []spec.AgentTool{{Name: "archive"}}}
			Expect(planAs(plain, head+before+withStep(through)[len(head):]).NotApplicable).To(Equal(want))
		},
		Entry("nothing", "", "calls a tool through call_tool, and the worker defers no tool"),
		Entry("a config at the start", "engine: {start: {model: m, defer_tools: true}}\n", ""),
		Entry("a config that is given", "given: {agent: {model: m, defer_tools: true}}\n", ""),
	)

	DescribeTable("K8: finds no tool whose name a model is not shown",
		func(name string, deferred *bool, want string) {
			agent := &spec.AgentConfig{Model: "m", Tools: []spec.AgentTool{{Name: name, Defer: deferred}}}
			Expect(planAs(agent, need("{tool: {}}")).NotApplicable).To(Equal(want))
		},
		Entry("64 characters", strings.Repeat("é", 64), nil, ""),
		Entry("65 characters", strings.Repeat("n", 65), nil,
			"needs a tool such as "+strings.Repeat("n", 65)+", whose name has more than 64 characters: no model is shown it"),
		Entry("65 characters, deferred", strings.Repeat("n", 65), yes(), ""),
	)

	DescribeTable("K8: does not apply where it calls what a connection offers",
		func(call, want string) {
			agent := &spec.AgentConfig{
				Model: "m", Mcp: []spec.McpServer{{Path: "mcp.port-al"}}, Plugins: []spec.AgentPlugin{{ID: "p", Servers: []string{"ferry"}}},
				DeferTools: jsontext.Value("true"), Tools: []spec.AgentTool{{Name: "port_al__mine"}},
			}
			Expect(planAs(agent, withStep("model: {calls: [{as: c1, "+call+"}]}")).NotApplicable).To(Equal(want))
		},
		Entry("of a connection", "tool: port_al__list, raw: x", "calls port_al__list, a tool of the connection mcp.port-al, which Hallmark does not dial"),
		Entry("of a plugin", "tool: ferry__list, raw: x, via: call_tool", "calls ferry__list, a tool of the connection plugin.p.mcp.ferry, which Hallmark does not dial"),
		Entry("written out", `tool: call_tool, arguments: {name: ferry__list}`, "calls ferry__list, a tool of the connection plugin.p.mcp.ferry, which Hallmark does not dial"),
		Entry("the worker's own", "tool: port_al__mine, raw: x", ""),
		Entry("of no connection", "tool: pier__list, raw: x", ""),
		Entry("two lines only", "tool: __x, raw: x", ""),
	)

	DescribeTable("knows for which tool a call is",
		func(call, tool, arguments, raw string) {
			c := callIn(planAs(shop().Agent, withStep("model: {calls: [{as: c1, "+call+"}]}")))
			gotTool, gotArguments, gotRaw := c.Target(shop().Agent)
			Expect(gotTool).To(Equal(tool))
			Expect(string(gotArguments)).To(Equal(arguments))
			if raw == "" {
				Expect(gotRaw).To(BeNil())
			} else {
				Expect(gotRaw.String()).To(Equal(raw))
			}
		},
		Entry("a plain one", "tool: price, raw: '{'", "price", "", "{"),
		Entry("through call_tool", "tool: price, arguments: {a: 1}, via: call_tool", "price", `{"a":1}`, ""),
		Entry("written out", "tool: call_tool, arguments: {name: price, arguments: {a: 1}}", "price", `{"a":1}`, ""),
		Entry("written out, the last name counts", `tool: call_tool, raw: '{"name":"clock","name":"price"}'`, "price", `{}`, ""),
		Entry("written out with a text", `tool: call_tool, raw: '{"name":"price","arguments":"{"}'`, "price", "", "{"),
		Entry("written out, and no object", `tool: call_tool, raw: '['`, "call_tool", "", "["),
		Entry("written out without a name", `tool: call_tool, arguments: {arguments: {}}`, "call_tool", `{"arguments":{}}`, ""),
	)

	It("leaves call_tool to a worker that has such a tool itself", func() {
		own := &spec.AgentConfig{Model: "m", Tools: []spec.AgentTool{{Name: "call_tool"}, {Name: "price", Defer: yes()}}}
		c := callIn(planAs(own, withStep(`model: {calls: [{as: c1, tool: call_tool, arguments: {name: price}}]}`)))
		tool, _, _ := c.Target(own)
		Expect(tool).To(Equal("call_tool"))
		Expect(own.RunsOnEngine("call_tool")).To(BeFalse())
		Expect(own.RunsOnEngine("tool_search")).To(BeTrue())
		Expect((*spec.AgentConfig)(nil).RunsOnEngine("call_tool")).To(BeTrue())
		Expect((*spec.AgentConfig)(nil).RunsOnEngine("price")).To(BeFalse())
	})
})
