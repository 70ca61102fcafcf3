package scenarios_test

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

var _ = Describe("planning copies", func() {
	It("resolves $copy in each", func() {
		c := plan(head+"copies: 3\nsteps:\n  - user: \"I am ${copy}.\"\n    expect: [{trigger: client.messages, times: $copy}]\n"+
			"finally: [{state: {equals: $copy}}]\n", scenarios.PlanOptions{})[0]
		Expect(c.Copies).To(HaveLen(2))
		Expect(c.Steps[0].User.Text.String()).To(Equal("I am 1."))
		Expect(c.Copies[1].Steps[0].User.Text.String()).To(Equal("I am 3."))
		Expect(*c.Copies[1].Steps[0].Expect[0].Exchange.Times).To(Equal(3))
		Expect(string(c.Copies[0].Finally[0].State.State.Equals)).To(Equal("2"))
		reopens(c, scenarios.PlanOptions{})
	})

	It("takes their number from a variable", func() {
		options := scenarios.PlanOptions{Vars: map[string]string{"n": "7"}}
		c := plan(head+"copies: $var.n\n"+steps, options)[0]
		Expect(c.Copies).To(HaveLen(6))
		reopens(c, options)
	})
})

var _ = Describe("planning twins", func() {
	const script = "needs: {tool: {name: price}}\nsteps:\n  - user: a\n" +
		"  - model: {calls: [{as: c1, tool: $tool, arguments: {}}, {as: c2, tool: clock, arguments: {}}]}\n"

	twins := func(twin string) []scenarios.TwinScript {
		GinkgoHelper()
		c := plan(head+"twin: "+twin+"\n"+script, scenarios.PlanOptions{})[0]
		Expect(string(c.Steps[1].Model.Calls[0].Arguments)).To(Equal("{}"), "the case itself is left alone")
		reopens(c, scenarios.PlanOptions{})
		return c.Twins
	}

	It("puts the one thing right", func() {
		all := twins(`[{call: c1, generate: valid}, {call: c1, arguments: {sku: x, count: 4}}, {call: c1, raw: "{}"}, {call: c2, tool: $tool}]`)
		var got []string
		for _, t := range all {
			calls := t.Steps[1].Model.Calls
			raw := ""
			if calls[0].Raw != nil {
				raw = calls[0].Raw.String()
			}
			got = append(got, fmt.Sprintf("%s %s%s %s %s", t.Call, string(calls[0].Arguments), raw, calls[1].Tool.String(), t.Is))
		}
		Expect(got).To(HaveExactElements(
			HavePrefix(`c1 {"sku":`), `c1 {"sku":"x","count":4} clock runs`, "c1 {} clock runs", "c2 {} price runs"))
	})

	It("takes another past", func() {
		t := twins("{given: {state: {a: 1}}, is: answers}")[0]
		Expect([]string{string(t.Given.State), t.Is, t.Call}).To(Equal([]string{`{"a":1}`, "answers", ""}))
	})

	It("says what cannot be made", func() {
		declared := scenarios.Declared{Agent: &spec.AgentConfig{Tools: []spec.AgentTool{
			{Name: "odd", Input: jsontext.Value(`{"type":"object","properties":{"n":false},"required":["n"]}`)}}}}
		cases, err := scenarios.Plan([]*scenarios.Document{parse(head + "twin: [{call: c1, generate: valid}, {call: c1, tool: gone, generate: valid}]\nsteps:\n" +
			"  - model: {calls: [{as: c1, tool: odd, raw: '{'}]}\n")}, declared, scenarios.PlanOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(cases[0].NotApplicable).To(BeEmpty())
		Expect(cases[0].Twins[0].NotMade).To(ContainSubstring("could not be satisfied at /n"))
		Expect(cases[0].Twins[0].Steps).To(BeNil())
		Expect(cases[0].Twins[1].NotMade).To(Equal(`the worker declares no tool "gone" to make arguments for`))
	})
})

var _ = Describe("making arguments", func() {
	const price = "needs: {tool: {name: price}}\n"

	DescribeTable("gives each class",
		func(class string, want spec.InputStatus) {
			options := scenarios.PlanOptions{Seed: 5}
			c := plan(head+price+"steps:\n  - model: {calls: [{as: c1, tool: $tool, generate: "+class+"}]}\n", options)[0]
			Expect(c.NotApplicable).To(BeEmpty())
			call := c.Steps[0].Model.Calls[0]
			raw := string(call.Arguments)
			if call.Raw != nil {
				raw = call.Raw.String()
			}
			Expect(toolcall.Classify(raw, c.Bound[0].Tool.Input).Status).To(Equal(want))
			reopens(c, options)
		},
		Entry("valid", "valid", spec.InputValid),
		Entry("invalid", "invalid", spec.InputInvalid),
		Entry("boundary", "boundary", spec.InputValid),
		Entry("malformed", "malformed", spec.InputMalformed),
	)

	It("does not apply where there is nothing to break", func() {
		c := plan(head+"needs: {tool: {name: clock}}\nsteps:\n  - model: {calls: [{as: c1, tool: $tool, generate: invalid}]}\n", scenarios.PlanOptions{})[0]
		Expect(c.NotApplicable).To(Equal("invalid arguments for clock could not be made: nothing that breaks the schema was found"))
	})

	It("varies over made texts, for each tool, by seed", func() {
		text := head + "needs: {tool: {input: object, each: true}}\nvary: {x: {generate: invalid, tool: $tool, count: 3}, y: [1, 2]}\n" +
			"steps:\n  - model: {calls: [{as: c1, tool: $tool, raw: $case.x}]}\n"
		options := scenarios.PlanOptions{Seed: 1}
		cases := plan(text, options)
		var of []string
		seen := map[string]bool{}
		for _, c := range cases {
			if c.NotApplicable != "" {
				of = append(of, c.ID+": "+c.NotApplicable)
				continue
			}
			raw := c.Steps[0].Model.Calls[0].Raw.String()
			Expect(toolcall.Classify(raw, c.Bound[0].Tool.Input).Status).To(Equal(spec.InputInvalid), raw)
			Expect(seen[c.ID]).To(BeFalse())
			seen[c.ID] = true
			reopens(c, options)
		}
		Expect(seen).To(HaveLen(6))
		Expect(of).To(Equal([]string{"a.yaml#default [measure]: invalid arguments for measure could not be made: nothing that breaks the schema was found"}))
		Expect(ids(plan(text, options))).To(Equal(ids(cases)))
	})

	It("begins with a sample that is known to work, and keeps it in the recording", func() {
		options := scenarios.PlanOptions{Samples: map[string]map[string]jsontext.Value{"price": {"ok": jsontext.Value(`{"sku":"A7","count":9}`)}}}
		cases := plan(head+"vary: {x: {generate: valid, tool: price, count: 2}}\nsteps:\n"+
			"  - model: {calls: [{as: c1, tool: price, raw: $case.x}, {as: c2, tool: price, generate: valid}]}\n", options)
		Expect(cases[0].Steps[0].Model.Calls[0].Raw.String()).To(Equal(`{"sku":"A7","count":9}`))
		Expect(string(cases[0].Steps[0].Model.Calls[1].Arguments)).To(Equal(`{"sku":"A7","count":9}`))
		for _, c := range cases {
			reopens(c, options)
		}
	})

	It("bounds what is made", func() {
		doc := parse(head + "vary: {x: {generate: malformed, tool: price, count: 100000}, y: [1, 2, 3, 4, 5, 6, 7, 8, 9]}\n" + steps)
		cases, err := scenarios.Plan([]*scenarios.Document{doc}, shop(), scenarios.PlanOptions{})
		Expect(len(cases) <= 10_000 || err != nil).To(BeTrue())
	})

	It("wants a tool", func() {
		_, err := scenarios.Plan([]*scenarios.Document{parse(head + "vary: {x: {generate: malformed}}\n" + steps)}, shop(), scenarios.PlanOptions{})
		Expect(err).To(MatchError(ContainSubstring("the generator names no tool")))
	})
})

var _ = Describe("judging several sessions", func() {
	two := func() told {
		return tell(`
scenario: Two
steps:
  - user: one
  - {user: two, session: b}
  - model: {calls: [{as: c1, tool: say, arguments: {actions: [{type: tool.result, result: first}]}}]}
    expect: EXPECT
  - {session: b, model: {calls: [{as: c2, tool: say, arguments: {actions: [{type: tool.result, result: second}]}}]}, expect: EXPECT}
  - {session: b, model: done two}
  - model: done one
finally: FINALLY
`, puppet{})
	}

	It("holds a step against its own session", func() {
		t := two()
		found := t.findings("{trigger: tool.execute, answer: {text: first}}", "")
		Expect(found).To(HaveLen(1))
		Expect(found[0].Expectation).To(Equal("steps[3].expect[0]"))
		Expect(found[0].Session).To(Equal("s2"))
		t.holds("{trigger: tool.execute, times: 1}", "", true)
		t.holds("{trigger: client.messages, never: true}", "", true)
	})

	It("holds an item of finally against the session of the call that it names, any other against each", func() {
		t := two()
		t.holds("", "{calls: {c1: {is: done, text: first}}}, {calls: {c2: {is: done, text: second}}}", true)
		t.holds("", "{trigger: tool.execute, call: c2, answer: {text: second}}", true)
		t.holds("", "{turn: completed}, {trigger: tool.execute, times: 1}", true)
		found := t.findings("", "{turn: {data: done one}}")
		Expect(found).To(HaveLen(1))
		Expect(found[0].Session).To(Equal("s2"))
		Expect(t.findings("", "{calls: {c2: {text: first}}}")).To(HaveLen(1))
	})

	It("expects the same of each copy", func() {
		t := tell(`
scenario: Copies
copies: 3
steps:
  - user: "I am ${copy}."
    expect: EXPECT
  - model: "You are ${copy}."
finally: FINALLY
`, puppet{})
		t.holds("{trigger: client.messages, answer: proposed}", "{turn: {data: \"You are ${copy}.\"}}", true)
		found := t.findings("", `{turn: {data: You are 2.}}`)
		Expect(found).To(HaveLen(2))
		Expect([]string{found[0].Session, found[1].Session}).To(Equal([]string{"s1", "s3"}))
	})

	It("expects nothing of a twin", func() {
		t := tell(`
scenario: Twin
twin: {call: c1, arguments: {a: 1, actions: []}}
steps:
  - user: x
  - model: {calls: [{as: c1, tool: strict, arguments: {}}]}
    expect: EXPECT
  - model: done
finally: FINALLY
`, puppet{})
		t.holds("{trigger: tool.execute, input: invalid, times: 1}", "{turn: completed}, {trigger: tool.execute, times: 1}", true)
	})

	It("expects nothing of a twin that has several sessions", func() {
		t := tell(`
scenario: Twins
twin: {call: c1, arguments: {a: 1, actions: []}}
steps:
  - {user: x, session: b}
  - {session: b, model: {calls: [{as: c1, tool: strict, arguments: {}}]}, expect: EXPECT}
  - {user: y, session: c}
  - {session: c, model: z}
finally: FINALLY
`, puppet{})
		t.holds("{trigger: tool.execute, input: invalid, times: 1}", "{trigger: tool.execute, call: c1, input: invalid}", true)
	})

	It("says that a session never came to be", func() {
		t := two()
		t.events = t.events[:1]
		Expect(t.findings("{trigger: tool.execute, call: c1}", "")).NotTo(BeEmpty())
	})
})
