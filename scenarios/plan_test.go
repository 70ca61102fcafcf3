package scenarios_test

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

func yes() *bool { value := true; return &value }

// shop declares one tool of each sort.
func shop() scenarios.Declared {
	return scenarios.Declared{Agent: &spec.AgentConfig{Model: "m", Tools: []spec.AgentTool{
		{Name: "clock", Description: "Tells the time."},
		{Name: "price", Input: jsontext.Value(`{"type":"object","properties":{"sku":{"type":"string"},"count":{"type":"integer","minimum":3}},"required":["sku","count"]}`)},
		{Name: "measure", Input: jsontext.Value(`{"type":"object"}`), Output: jsontext.Value(`{"type":"number"}`)},
		{Name: "confirm", Handler: spec.HandlerClient, Input: jsontext.Value(`{"type":"object"}`)},
		{Name: "archive", Defer: yes()},
	}}}
}

func plan(text string, options scenarios.PlanOptions) []scenarios.Case {
	GinkgoHelper()
	cases, err := scenarios.Plan([]*scenarios.Document{parse(text)}, shop(), options)
	Expect(err).NotTo(HaveOccurred())
	return cases
}

func ids(cases []scenarios.Case) []string {
	var all []string
	for _, c := range cases {
		id := c.ID
		if c.NotApplicable != "" {
			id += ": " + c.NotApplicable
		}
		all = append(all, id)
	}
	return all
}

// need is a scenario with the given needs that says the names it was bound to.
func need(needs string) string {
	return head + "needs: " + needs + "\n" + steps
}

var _ = Describe("binding tools", func() {
	DescribeTable("takes the first declared tool that fits",
		func(needs string, want ...string) {
			cases := plan(need(needs), scenarios.PlanOptions{})
			Expect(cases).To(HaveLen(1))
			Expect(cases[0].NotApplicable).To(BeEmpty())
			var got []string
			for _, binding := range cases[0].Bound {
				got = append(got, binding.Label+"="+binding.Tool.Name)
			}
			Expect(got).To(Equal(want))
		},
		Entry("any", "{tool: {}}", "tool=clock"),
		Entry("by name", "{tool: {name: price}}", "tool=price"),
		Entry("on the client", "{tool: {handler: client}}", "tool=confirm"),
		Entry("with an output schema", "{tool: {output: true}}", "tool=measure"),
		Entry("without an output schema", "{tool: {output: false}}", "tool=clock"),
		Entry("without an input schema", "{tool: {input: none}}", "tool=clock"),
		Entry("with an input schema", "{tool: {input: object}}", "tool=price"),
		Entry("with a required argument", "{tool: {input: required}}", "tool=price"),
		Entry("deferred", "{tool: {deferred: true}}", "tool=archive"),
		Entry("not deferred", "{tool: {deferred: false}}", "tool=clock"),
		Entry("each label another tool", "{tools: {a: {}, b: {}, c: {handler: client}}}", "a=clock", "b=price", "c=confirm"),
		Entry("leaving a tool to the label that has no other", "{tools: {a: {}, b: {name: clock}}}", "a=price", "b=clock"),
		Entry("the tool beside labels", "{tools: {a: {}}, tool: {}}", "tool=clock", "a=price"),
	)

	DescribeTable("says why a scenario does not apply",
		func(needs, want string) {
			cases := plan(need(needs), scenarios.PlanOptions{})
			Expect(cases).To(HaveLen(1))
			Expect(cases[0].NotApplicable).To(Equal(want))
			Expect(cases[0].Steps).To(BeNil())
			Expect(cases[0].ID).To(Equal("a.yaml#default"))
		},
		Entry("no such name", "{tool: {name: prize}}", `the worker declares no tool "prize" (it declares "price")`),
		Entry("a name that does not fit", "{tool: {name: price, output: true}}",
			"needs price to be a tool that runs on the worker and declares an output schema"),
		Entry("no tool that fits", "{tool: {handler: client, output: true, deferred: false}}",
			"needs a tool that runs on the client and declares an output schema and is not deferred, and the worker declares none"),
		Entry("not enough tools", "{tools: {a: {output: true}, b: {output: true}}}",
			"needs 2 different tools, and the worker does not declare that many that fit"),
		Entry("a kind of sample that nobody gave", "{tool: {name: price, sample: slow}}",
			"no call of price is known that is slow; give one call that does: tools.price.samples"),
		Entry("a feature", "{features: [deferred, async]}",
			"needs the feature async, which the worker does not declare; if it has it, say so: features: [async]"),
	)

	It("says that nothing is declared", func() {
		cases, err := scenarios.Plan([]*scenarios.Document{parse(need("{tool: {}}"))}, scenarios.Declared{}, scenarios.PlanOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(ids(cases)).To(Equal([]string{"a.yaml#default: the worker declares no tool"}))
	})

	It("binds no tool that may not be called", func() {
		options := scenarios.PlanOptions{Allowed: func(tool string) bool { return tool == "measure" }}
		Expect(plan(need("{tool: {}}"), options)[0].Bound[0].Tool.Name).To(Equal("measure"))
		Expect(plan(need("{tool: {handler: client}}"), options)[0].NotApplicable).
			To(Equal("needs a tool such as confirm, which may not be called"))
	})

	It("takes claimed features and given samples", func() {
		options := scenarios.PlanOptions{
			Features: []string{"async"},
			Samples:  map[string]map[string]jsontext.Value{"price": {"slow": jsontext.Value(`{"sku":"z"}`)}},
		}
		cases := plan(head+"needs: {features: [async], tool: {sample: slow}}\nsteps:\n"+
			"  - model: {calls: [{as: c1, tool: $tool, arguments: $tool.sample}]}\n", options)
		Expect(cases[0].NotApplicable).To(BeEmpty())
		bound, found := cases[0].Tool("tool")
		Expect([]any{bound.Tool.Name, bound.SampleKind, found}).To(Equal([]any{"price", "slow", true}))
		_, found = cases[0].Tool("zebra")
		Expect(found).To(BeFalse())
		Expect(string(cases[0].Steps[0].Model.Calls[0].Arguments)).To(Equal(`{"sku":"z"}`))
	})
})

var _ = Describe("resolving references", func() {
	It("takes values with their type and inserts text", func() {
		c := plan(head+`needs: {tool: {name: price}}
cases: [{name: one, raw: '{"a":', n: 2, list: [{a: 1.50}], words: [runs, pending], text: x, word: runs}]
steps:
  - model: {calls: [{as: c1, tool: $tool, arguments: {list: $case.list, text: "<${case.text}>", n: $case.n, in: "n=${case.n} ${case.list}", money: $$5, also: "$$case"}},
                    {as: c2, tool: "${tool}", raw: $case.raw}]}
    expect:
      - {trigger: tool.execute, call: c1, times: $case.n, answer: $case.words}
      - {trigger: tool.execute, call: c2, answer: {is: $case.word, text: "${case.text}"}}
  - user: "Use ${tool} as $case.n"
  - user: $tool.description
`, scenarios.PlanOptions{})[0]
		calls := c.Steps[0].Model.Calls
		Expect(string(calls[0].Arguments)).To(Equal(
			`{"list":[{"a":1.50}],"text":"<x>","n":2,"in":"n=2 [{\"a\":1.50}]","money":"$5","also":"$case"}`))
		Expect(calls[1].Tool.String()).To(Equal("price"))
		Expect(calls[1].Raw.String()).To(Equal(`{"a":`))
		Expect(*c.Steps[0].Expect[0].Exchange.Times).To(Equal(2))
		Expect(c.Steps[0].Expect[0].Exchange.Answer.Is).To(Equal([]scenarios.Word{"runs", "pending"}))
		Expect(c.Steps[0].Expect[1].Exchange.Answer.Is).To(Equal([]scenarios.Word{"runs"}))
		Expect(string(c.Steps[0].Expect[1].Exchange.Answer.Text.Equals)).To(Equal(`"x"`))
		Expect(c.Steps[1].User.Text.String()).To(Equal("Use price as $case.n"))
		Expect(c.Steps[2].User.Text.String()).To(BeEmpty())
	})

	It("writes texts out", func() {
		c := plan(head+`cases: [{name: one, raw: {repeat: "[", times: 20000}, rows: {repeat: "${n},", times: 3}}]
steps:
  - user: [a, {repeat: b, times: 3}, {repeat: "<${n}>", times: 2}]
  - model: {calls: [{as: c, tool: "t${n}", arguments: {n: $n}, id: x, repeat: 2}, {as: d, tool: t, raw: $case.raw}]}
    expect: [{trigger: tool.execute, call: c_2}]
  - user: "${case.rows}"
`, scenarios.PlanOptions{})[0]
		Expect(c.Steps[0].User.Text.String()).To(Equal("abbb<1><2>"))
		calls := c.Steps[1].Model.Calls
		Expect(calls).To(HaveLen(3))
		Expect([]string{calls[0].As, calls[0].Tool.String(), string(calls[0].Arguments), calls[0].ID}).
			To(Equal([]string{"c_1", "t1", `{"n":1}`, "x_1"}))
		Expect([]string{calls[1].As, calls[1].Tool.String(), string(calls[1].Arguments), calls[1].ID}).
			To(Equal([]string{"c_2", "t2", `{"n":2}`, "x_2"}))
		Expect(calls[2].Raw.String()).To(Equal(strings.Repeat("[", 20000)))
		Expect(c.Steps[2].User.Text.String()).To(Equal("1,2,3,"))
	})

	It("takes variables, which are text where text is wanted", func() {
		options := scenarios.PlanOptions{Vars: map[string]string{"tool": "price", "n": "3", "card": "0007"}}
		c := plan(head+`needs: {tool: {name: $var.tool}}
steps:
  - user: $var.n
  - model: {calls: [{as: c1, tool: $tool, arguments: {n: $var.n, card: $var.card}}]}
`, options)[0]
		Expect(c.Steps[0].User.Text.String()).To(Equal("3"))
		Expect(string(c.Steps[1].Model.Calls[0].Arguments)).To(Equal(`{"n":3,"card":"0007"}`))
	})

	It("takes a schema of a tool", func() {
		c := plan(head+`needs: {tool: {name: measure}}
steps:
  - user: Go.
    expect: [{trigger: client.messages, request: {/agent/tools/0/input: {equals: $tool.input}}}]
`, scenarios.PlanOptions{})[0]
		Expect(string(c.Steps[0].Expect[0].Exchange.Request[0].Match.Equals)).To(Equal(`{"type":"object"}`))
	})

	DescribeTable("reports what does not fit once it is resolved",
		func(text string, want ...string) {
			cases, err := scenarios.Plan([]*scenarios.Document{parse(text)}, shop(), scenarios.PlanOptions{})
			Expect(err).To(MatchError(lines(want...)))
			Expect(cases).To(BeEmpty())
		},
		Entry("a variable that is not given", withStep("user: $var.zebra"),
			`a.yaml:4:11: unknown reference $var.zebra: $var has no part "zebra"`, "  hint: pass --var NAME=VALUE"),
		Entry("a number where text is wanted, in one of two cases",
			head+"cases: [{name: a, x: 1}, {name: b, x: y}]\n"+withStep("user: $case.x")[len(head):],
			`a.yaml:5:11: want text, got a number in case "a"`, `  hint: quote it: "1"`),
		Entry("an unknown word", head+"cases: [{name: a, x: runns}]\n"+withCall("{trigger: tool.execute, answer: $case.x}")[len(head):],
			`a.yaml:8:41: unknown word for an answer "runns"`, `  hint: did you mean "runs"?`),
		Entry("an unknown call", head+"cases: [{name: a, x: c2}]\n"+withCall("{trigger: tool.execute, call: $case.x}")[len(head):],
			`a.yaml:8:9: unknown call "c2"`, `  hint: did you mean "c1"?`),
		Entry("arguments that are no object", head+"cases: [{name: a, x: [1]}]\n"+
			withStep("model: {calls: [{as: c1, tool: x, arguments: $case.x}]}")[len(head):],
			`a.yaml:5:50: want an object, got a list`),
		Entry("a schema that is none", head+"cases: [{name: a, x: zebra}]\n"+
			withCall("{trigger: tool.execute, answer: {structured: {schema: {type: $case.x}}}}")[len(head):],
			`a.yaml:8:63: bad JSON Schema: /type: matches none of the schemas of anyOf`),
		Entry("an input schema that is not there", head+"needs: {tool: {}}\n"+
			withCall("{trigger: tool.execute, request: {/x: $tool.input}}")[len(head):],
			`a.yaml:8:47: the tool clock declares no input schema`),
		Entry("a text that grows too long", head+"cases: [{name: a, x: {repeat: 0123456789, times: 3000000}}]\n"+
			withStep(`user: "${case.x}${case.x}"`)[len(head):],
			"a.yaml:5:11: the text exceeds 32 MiB", "  hint: repeat less"),
	)
})

var _ = Describe("expanding a scenario", func() {
	It("runs once per tool, once per case", func() {
		text := head + "needs: {tool: {input: object, each: true}}\ncases: [{name: a}, {name: b}]\n" + steps
		Expect(ids(plan(text, scenarios.PlanOptions{}))).To(Equal([]string{
			"a.yaml#a [price]", "a.yaml#a [measure]", "a.yaml#b [price]", "a.yaml#b [measure]"}))
	})

	It("varies", func() {
		text := head + "cases: [{name: a}, {name: b}]\nvary: {n: [1, 2], x: [y, [z], y]}\nsteps:\n  - user: \"${case.n}${case.x}\"\n"
		cases := plan(text, scenarios.PlanOptions{})
		Expect(ids(cases)[:6]).To(Equal([]string{
			"a.yaml#a, n=1, x=#1", "a.yaml#a, n=1, x=#2", "a.yaml#a, n=1, x=#3",
			"a.yaml#a, n=2, x=#1", "a.yaml#a, n=2, x=#2", "a.yaml#a, n=2, x=#3"}))
		Expect(cases).To(HaveLen(12))
		Expect(cases[4].Steps[0].User.Text.String()).To(Equal(`2["z"]`))
	})

	It("runs in each dialect once", func() {
		text := head + "engine: {dialect: [{}, {first_attempt: 1, failed_call: fail}, {first_attempt: 0}]}\n" + steps
		cases := plan(text, scenarios.PlanOptions{})
		Expect(ids(cases)).To(Equal([]string{"a.yaml#default", "a.yaml#default (first_attempt 1, failed_call fail)"}))
		Expect(cases[1].Dialect).To(Equal(scenarios.Dialect{FirstAttempt: 1, EmptyProposed: "full", FailedCall: "fail", Identity: "current"}))
		Expect(cases[1].Engine.Dialects).To(BeEmpty())
	})

	It("runs in the dialects of the run when it sets none", func() {
		options := scenarios.PlanOptions{Dialects: []scenarios.Dialect{{EmptyProposed: "short", FailedCall: "interrupt"}}}
		Expect(ids(plan(head+steps, options))).To(Equal([]string{"a.yaml#default (empty_proposed short)"}))
		Expect(ids(plan(head+"engine: {dialect: {}}\n"+steps, options))).To(Equal([]string{"a.yaml#default"}))
	})

	It("bounds the number of cases", func() {
		list := "[" + strings.TrimSuffix(strings.Repeat("1, ", 30), ", ") + "]"
		doc := parse(head + fmt.Sprintf("vary: {a: %s, b: %s, c: %s}\n", list, list, list) + steps)
		_, err := scenarios.Plan([]*scenarios.Document{doc}, shop(), scenarios.PlanOptions{})
		Expect(err).To(MatchError(ContainSubstring("a.yaml:1:1: the scenario expands to more than 10000 cases")))
	})

	It("keeps the names of a hostile worker on one line, and ids apart", func() {
		declared := scenarios.Declared{Agent: &spec.AgentConfig{Tools: []spec.AgentTool{{Name: "a\nb"}, {Name: "a\tb"}, {Name: "a\nb"}}}}
		cases, err := scenarios.Plan([]*scenarios.Document{parse(need("{tool: {each: true}}"))}, declared, scenarios.PlanOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(ids(cases)).To(Equal([]string{"a.yaml#default [a�b]", "a.yaml#default [a�b] ~2"}))
	})

	It("gives the same plan each time", func() {
		docs, err := scenarios.Load(scenarios.Corpus(), "execute/valid.yaml")
		Expect(err).NotTo(HaveOccurred())
		docs = append(docs, parse(head+"needs: {tools: {x: {}, y: {each: true}, z: {}}}\nvary: {a: [1, 2], b: [3, 4], c: [5]}\nsteps:\n"+
			"  - model: {calls: [{as: c1, tool: $y, arguments: {a: $var.a, b: $var.b, c: $var.c, d: $case.a, e: $case.b}}]}\n"))
		options := scenarios.PlanOptions{Vars: map[string]string{"a": "1", "b": "2", "c": "3"}}
		first, err := scenarios.Plan(docs, shop(), options)
		Expect(err).NotTo(HaveOccurred())
		for range 50 {
			again, err := scenarios.Plan(docs, shop(), options)
			Expect(err).NotTo(HaveOccurred())
			Expect(again).To(Equal(first))
		}
	})

	It("plans a document alone as it does beside others", func() {
		docs, err := scenarios.Load(scenarios.Corpus(), ".")
		Expect(err).NotTo(HaveOccurred())
		options := scenarios.PlanOptions{}
		first, err := scenarios.Plan(docs, shop(), options)
		Expect(err).NotTo(HaveOccurred())
		var alone []scenarios.Case
		for _, doc := range docs {
			cases, err := scenarios.Plan([]*scenarios.Document{doc}, shop(), options)
			Expect(err).NotTo(HaveOccurred())
			alone = append(alone, cases...)
		}
		Expect(ids(alone)).To(Equal(ids(first)))
	})
})

var _ = Describe("a restart of the worker", func() {
	DescribeTable("applies where the run can do it",
		func(text string) {
			cases := plan(text, scenarios.PlanOptions{})
			Expect(cases[0].NotApplicable).To(Equal("restarts the worker, which takes --start or --restart-cmd, or workertest.Factory or Command"))
			Expect(cases[0].Steps).To(BeNil())
			cases = plan(text, scenarios.PlanOptions{Features: []string{"restart"}})
			Expect(cases[0].NotApplicable).To(BeEmpty())
			Expect(cases[0].RestartsWorker()).To(BeTrue())
		},
		Entry("as a step", withStep("restart: worker")),
		Entry("before a delivery", withStep("disturb: {do: restart, trigger: tool.finished}")),
		Entry("as a case names it", head+"cases: [{name: a, side: worker}]\n"+withStep("restart: $case.side")[len(head):]),
	)

	It("is none when the engine restarts", func() {
		cases := plan(withStep("restart: engine"), scenarios.PlanOptions{})
		Expect(cases[0].NotApplicable).To(BeEmpty())
		Expect(cases[0].RestartsWorker()).To(BeFalse())
	})
})
