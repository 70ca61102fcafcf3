package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const deferredConfig = `{"agent":{"model":"m-small","llm":"main","tools":[` +
	`{"name":"tide_table","description":"Tides of a port","defer":true,"input":{"type":"object","properties":{"port":{"type":"string"}},"required":["port"]}},` +
	`{"name":"crane_status"},{"name":"ask_pilot","handler":"client","defer":true}]}}`

// openedAs is a session with this config whose model was asked.
func openedAs(config string) *bench {
	b := newBench(testConfig())
	b.step(user("Is berth 7 free?"))
	b.answer(config)
	b.echo()
	return b
}

// calling has the model make calls, and the worker start them as proposed.
func (b *bench) calling(made ...[3]string) *bench {
	b.step(calls(b.asked[len(b.asked)-1].Call, made...))
	b.echo()
	return b
}

func inner(port string) [3]string {
	return [3]string{"c1", "call_tool", `{"name":"tide_table","arguments":{"port":` + port + `}}`}
}

var _ = Describe("K: deferred tools", func() {
	names := func(tools []spec.LlmTool) (all []string) {
		for _, t := range tools {
			all = append(all, t.Name)
		}
		return all
	}

	It("K1, C8, B3: marks them in the proposal, keeps them from the model, and adds the pair", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(deferredConfig)
		proposed := b.last().Request.Proposed.Actions[0].(spec.LlmCallAction).Tools
		Expect(names(proposed)).To(Equal([]string{"tide_table", "crane_status", "ask_pilot"}))
		Expect(*proposed[0].Defer).To(BeTrue())
		Expect(proposed[1].Defer).To(BeNil())
		b.echo()
		Expect(names(b.asked[0].Request.Tools)).To(Equal([]string{"crane_status", "tool_search", "call_tool"}))
	})

	It("K1: adds the pair to a list that the worker wrote itself, but to none where there is none", func() {
		b := openedAs(deferredConfig)
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[{"type":"llm.call","messages":[],"tools":[]}]}`)
		Expect(names(b.asked[1].Request.Tools)).To(Equal([]string{"tool_search", "call_tool"}))
		b.step(says(b.asked[1].Call, "Yes."))
		b.answer(`{"agent":{"model":"m","llm":"main"},"actions":[{"type":"llm.call","messages":[]}]}`)
		Expect(b.asked[2].Request.Tools).To(BeNil())
	})

	It("K1, G10: asks again with the same list, the pair on it once", func() {
		b := openedAs(deferredConfig).calling(inner(`"Brest"`))
		b.answer(`{"actions":[{"type":"tool.result","result":"04:12"}]}`)
		again := b.last().Request.Proposed.Actions[0].(spec.LlmCallAction)
		Expect(names(again.Tools)).To(Equal([]string{"tide_table", "crane_status", "ask_pilot", "tool_search", "call_tool"}))
		b.echo()
		Expect(b.asked[1].Request.Tools).To(Equal(b.asked[0].Request.Tools))
	})

	It("K2: shows what the pair takes", func() {
		tools := openedAs(deferredConfig).asked[0].Request.Tools
		Expect(string(tools[1].Input)).To(ContainSubstring(`"required":["query"]`))
		Expect(string(tools[2].Input)).To(ContainSubstring(`"required":["name"]`))
	})

	It("K3, G5, G6: runs a search itself, and tells of its end after the calls beside it have gone out", func() {
		b := openedAs(deferredConfig).calling([3]string{"c1", "tool_search", `{"query":"tide"}`}, [3]string{"c2", "crane_status", `{}`})
		Expect(b.last().Call).To(Equal("c2"))
		Expect(b.last().Request.PendingCalls).To(BeEquivalentTo(2))
		Expect(b.last().Request.Calls).To(HaveLen(1), "the search is over by now")
		Expect(b.HeldByWorker()).To(BeFalse())
		b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
		end := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
		Expect(end.Name).To(Equal("tool_search"))
		Expect(end.OK).To(BeTrue())
		Expect(b.last().Request.Proposed.Actions).To(BeEmpty(), "G8: the other one has not been recorded")
		b.echo()
		Expect(b.last().Call).To(Equal("c2"))
		b.echo()
		Expect(b.asked).To(HaveLen(2))
	})

	It("K4: sends the inner call to whoever runs it, with the policy of that place", func() {
		b := openedAs(deferredConfig).calling([3]string{"c1", "call_tool", `{"name":"ask_pilot","arguments":"{\"ok\": true}"}`})
		Expect(b.Calls()[0].Handler).To(Equal(spec.HandlerClient))
		Expect(b.Calls()[0].Name).To(Equal("ask_pilot"))
		Expect(*b.Calls()[0].Arguments).To(Equal(`{"ok": true}`))
		Expect(b.Calls()[0].Deadline).To(BeNil(), "J3")
	})

	It("K4, F11: holds the result against the schema of the inner tool", func() {
		config := strings.Replace(deferredConfig, `"defer":true,`, `"defer":true,"output":{"type":"number"},`, 1)
		b := openedAs(config).calling(inner(`"Brest"`))
		b.answer(`{"actions":[{"type":"tool.result","result":"at noon"}]}`)
		Expect(b.last().Request.Trigger.(spec.ToolFinishedTrigger).Error.Param).To(Equal("output"))
	})

	It("K4, H6: tries the inner call again as it is", func() {
		b := openedAs(strings.Replace(deferredConfig, `"llm":"main",`, `"llm":"main","retry":{"tool":{"max_attempts":2}},`, 1)).calling(inner(`"Brest"`))
		first := b.last().Request.Trigger.(spec.ToolExecuteTrigger)
		b.answer(`{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`)
		second := b.last().Request.Trigger.(spec.ToolExecuteTrigger)
		Expect(second.Name).To(Equal("tide_table"))
		Expect(second.Arguments).To(Equal(first.Arguments))
		Expect(b.last().Try).To(Equal(2))
	})

	It("K4: takes a call_tool of the worker's own as it takes the model's", func() {
		b := openedAs(deferredConfig)
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[{"type":"tool.call","id":"w1","name":"call_tool","arguments":{"name":"tide_table","arguments":{"port":"Brest"}}}]}`)
		Expect(b.last().Request.Trigger.(spec.ToolExecuteTrigger).Name).To(Equal("tide_table"))
	})

	It("K4, L2: spawns a subagent that is deferred, and that the search has found", func() {
		b := openedAs(strings.Replace(deferredConfig, `"tools":`, `"subagents":[{"id":"surveyor","description":"Surveys a quay","defer":true}],"tools":`, 1)).
			calling([3]string{"c1", "tool_search", `{"query":"survey"}`})
		Expect(string(marshal(b.last().Request.Trigger))).To(ContainSubstring(`\"name\":\"surveyor\"`))
		b.echo()
		b.step(calls(b.asked[1].Call, [3]string{"c2", "call_tool", `{"name":"surveyor","arguments":{"message":"How long is it?"}}`}))
		spawned := of[Spawn](b.echo())
		Expect(spawned).To(HaveLen(1))
		Expect(spawned[0].AgentID).To(Equal("surveyor"))
		Expect(string(spawned[0].Message.Content)).To(Equal(`"How long is it?"`))
		Expect(b.Calls()[0].Kind).To(Equal(spec.CallSubagent))
	})

	It("K5: is a wrong name to the worker where nothing is deferred", func() {
		b := opened(testConfig()).calling(inner(`"Brest"`))
		Expect(b.last().Request.Trigger.(spec.ToolExecuteTrigger).Name).To(Equal("call_tool"))
		Expect(b.last().Request.Proposed.Actions[0].(spec.ToolErrorAction).Error).To(Equal("unknown tool: call_tool"))
	})

	It("K1, K8: leaves a name of the pair to the worker that declares it", func() {
		config := strings.Replace(deferredConfig, `{"name":"crane_status"}`, `{"name":"call_tool"}`, 1)
		b := openedAs(config).calling(inner(`"Brest"`))
		Expect(names(b.asked[0].Request.Tools)).To(Equal([]string{"call_tool", "tool_search"}))
		Expect(b.last().Request.Trigger.(spec.ToolExecuteTrigger).Name).To(Equal("call_tool"))
		Expect(b.last().Request.Proposed.Actions).To(BeEmpty())
	})

	It("K6, A6: names the connections, none of which is dialed, and goes on without their tools", func() {
		b := openedAs(strings.Replace(deferredConfig, `"tools":`, `"mcp":[{"path":"mcp.portal"},{"id":"old"}],"plugins":[{"id":"p","servers":["s"]}],"tools":`, 1)).
			calling([3]string{"c1", "tool_search", `{"query":"tide"}`}, [3]string{"c2", "call_tool", `{"name":"portal__list"}`})
		Expect(b.missing).To(BeEmpty())
		answer := string(marshal(b.last().Request.Trigger.(spec.ToolFinishedTrigger).Result))
		Expect(answer).To(ContainSubstring(`\"unavailable\":[\"mcp.portal\",\"mcp.old\",\"plugin.p.mcp.s\"]`))
		b.echo()
		Expect(string(marshal(b.last().Request.Trigger))).To(ContainSubstring("Unavailable now: mcp.portal, mcp.old, plugin.p.mcp.s."))
	})

	DescribeTable("A6: fetches the tools of a connection that the config names, which changes nothing",
		func(path string, applied bool) {
			b := openedAs(`{"agent":{"model":"m-small","llm":"main","mcp":[{"path":"mcp.portal"}]}}`)
			b.step(says(b.asked[0].Call, "Yes."))
			b.answer(`{"actions":[{"type":"connector.sync","path":"` + path + `"},{"type":"done"}]}`)
			Expect(b.lastOutcome().Applied).To(Equal([]bool{applied, true}))
			Expect(b.missing).To(BeEmpty())
		},
		Entry("one of them", "mcp.portal", true),
		Entry("another", "mcp.pier", false),
	)

	It("K7: searches again after the tools have changed", func() {
		b := openedAs(deferredConfig).calling([3]string{"c1", "tool_search", `{"query":"fog"}`})
		Expect(string(marshal(b.last().Request.Trigger))).To(ContainSubstring(`\"matched\":0`))
		b.answer(`{"messages":` + string(marshal(b.last().Request.Proposed.Messages)) +
			`,"agent":{"model":"m","llm":"main","tools":[{"name":"fog_horn","defer":true}]},"actions":[{"type":"llm.call","messages":[]}]}`)
		b.calling([3]string{"c2", "tool_search", `{"query":"fog"}`})
		Expect(string(marshal(b.last().Request.Trigger))).To(ContainSubstring(`\"name\":\"fog_horn\"`))
	})

	It("K8: shows no name of more than 64 characters, and lets such a tool be found where it is deferred", func() {
		long, edge := strings.Repeat("é", 65), strings.Repeat("é", 64)
		b := openedAs(`{"agent":{"model":"m","llm":"main","tools":[{"name":"` + long + `"},{"name":"` + edge + `"}]}}`)
		Expect(names(b.asked[0].Request.Tools)).To(Equal([]string{edge}))
		b = openedAs(`{"agent":{"model":"m","llm":"main","tools":[{"name":"` + long + `"}]}}`)
		Expect(b.asked[0].Request.Tools).To(BeEmpty())
		Expect(b.asked[0].Request.Tools).NotTo(BeNil(), "E4: a list that is empty is a list")
		b = openedAs(`{"agent":{"model":"m","llm":"main","tools":[{"name":"` + long + `","defer":true}]}}`).
			calling([3]string{"c1", "call_tool", `{"name":"` + long + `"}`})
		Expect(b.last().Request.Trigger.(spec.ToolExecuteTrigger).Name).To(Equal(long))
	})

	It("M1: ends a search in a parked session, and tells of it later", func() {
		b := openedAs(deferredConfig)
		b.step(calls(b.asked[0].Call, [3]string{"c1", "tool_search", `{}`}))
		b.answer(`{"actions":[{"type":"tool.call","id":"c1","name":"tool_search","arguments":"{}"},{"type":"tool.call","id":"c2","name":"crane_status","arguments":"{}"}]}`)
		Expect(b.last().Call).To(Equal("c2"))
		b.answer(`{"actions":[{"type":"interrupt","reason":"wait"},{"type":"tool.call","id":"c3","name":"tool_search","arguments":"{}"}]}`)
		Expect(b.tools["c1"].status).To(Equal(statusDone))
		Expect(b.InFlight()).To(BeFalse())
	})

	It("F2: takes no settle of a search from anybody, since it is over at once", func() {
		b := openedAs(deferredConfig).calling([3]string{"c1", "tool_search", `{}`})
		id := "c1"
		Expect(of[InputReply](b.step(Settle{spec.ToolResultAction{ID: &id, Result: jsontext.Value(`1`)}}))[0].Error).To(Equal("effect is not pending"))
	})

	It("R5: goes on with an open search, or a refused call, of the request that it resumes from", func() {
		for _, made := range [][3]string{{"c1", "tool_search", `{"query":"tide"}`}, {"c1", "call_tool", `{"name":"zeppelin"}`}} {
			b := openedAs(deferredConfig).calling([3]string{"c0", "crane_status", `{}`})
			request := b.last().Request
			request.Calls = append(request.Calls, spec.Call{
				ID: made[0], Kind: spec.CallTool, Status: spec.CallPending, Anchor: b.tree.head,
				Name: made[1], Arguments: &made[2], Handler: spec.HandlerServer,
			})
			e, assumed, err := Resume(testConfig(), request)
			Expect(err).NotTo(HaveOccurred())
			Expect(strings.Join(assumed, "\n")).NotTo(ContainSubstring("never ends"))
			next := of[Deliver](e.Step(Answer{Decision: request.DecisionID, Delivery: 1, Answer: ok200(`{}`)}))
			end := next[0].Request.Trigger.(spec.ToolFinishedTrigger)
			Expect(end.Name).To(Equal(made[1]))
			Expect(end.Result.IsError).To(Equal(made[1] == "call_tool"))
		}
		b := opened(testConfig()).calling([3]string{"c0", "crane_status", `{}`})
		request := b.last().Request
		request.Calls = append(request.Calls, spec.Call{ID: "c9", Kind: spec.CallTool, Name: "portal__list", Handler: spec.HandlerServer, Status: spec.CallPending})
		_, assumed, err := Resume(testConfig(), request)
		Expect(err).NotTo(HaveOccurred())
		Expect(assumed).To(ContainElement("call c9 never ends: the tool portal__list is not simulated"))
	})

	It("bounds what is searched and what is written, however large the tools are", func() {
		var tools []string
		for n := range 40 {
			tools = append(tools, fmt.Sprintf(`{"name":"t%d","description":%q}`, n, strings.Repeat("ab cd ", 5000)))
		}
		b := openedAs(`{"agent":{"model":"m","llm":"main","defer_tools":{"max_matches":4000000000},"tools":[` + strings.Join(tools, ",") + `]}}`)
		var made [][3]string
		for n := range 120 {
			made = append(made, [3]string{fmt.Sprintf("s%d", n), "tool_search", `{"query":"` + strings.Repeat("a ab abc ", 2000) + `"}`})
		}
		began := b.Now()
		b.calling(made...)
		Expect(b.Now()-began).To(BeNumerically("<", time.Second), "engine time")
		total := 0
		for _, m := range made {
			text := *b.tools[m[0]].result.Content[0].Text
			Expect(len(text)).To(BeNumerically("<", maxAnswer+4096))
			total += len(text)
		}
		Expect(total).To(BeNumerically("<", maxWritten+120*4096))
		Expect(*b.tools["s119"].result.Content[0].Text).To(ContainSubstring("0 of the 40 matches are shown"))
	})
})
