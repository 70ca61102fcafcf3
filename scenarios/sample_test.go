package scenarios_test

import (
	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// made plans one call whose valid arguments are made for the schema, and
// returns them, or the reason why there are none.
func made(input string, options scenarios.PlanOptions) string {
	GinkgoHelper()
	tool := spec.AgentTool{Name: "t", Description: "Knows a city such as 'Oslo'."}
	if input != "" {
		tool.Input = jsontext.Value(input)
	}
	declared := scenarios.Declared{Agent: &spec.AgentConfig{Tools: []spec.AgentTool{tool}}}
	doc := parse(head + "steps:\n  - model: {calls: [{as: c1, tool: t, generate: valid}]}\n")
	cases, err := scenarios.Plan([]*scenarios.Document{doc}, declared, options)
	Expect(err).NotTo(HaveOccurred())
	Expect(cases).To(HaveLen(1))
	if cases[0].NotApplicable != "" {
		return cases[0].NotApplicable
	}
	call := cases[0].Steps[0].Model.Calls[0]
	Expect(call.Generate).To(BeEmpty())
	return string(call.Arguments)
}

// property is an object schema with one required property x.
func property(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `,"unused":{"type":"string"}},"required":["x"]}`
}

const cannot = "arguments for t could not be made: its input schema could not be satisfied "
const remedy = "; give one call that works: tools.t.samples"

var _ = Describe("making arguments", func() {
	DescribeTable("makes the plainest call",
		func(input, want string) { Expect(made(input, scenarios.PlanOptions{})).To(Equal(want)) },
		Entry("no schema", "", `{}`),
		Entry("a schema that is null", "null", `{}`),
		Entry("a schema that does not build leaves the tool unchecked", `{"type":"zebra"}`, `{}`),
		Entry("examples", property(`{"type":"string","examples":["Paris","Rome"]}`), `{"x":"Paris"}`),
		Entry("a quoted word of the property's description", property(`{"type":"string","description":"A city's name, e.g. 'Paris'."}`), `{"x":"Paris"}`),
		Entry("a quoted word of the tool's description", property(`{"type":"string"}`), `{"x":"Oslo"}`),
		Entry("no word where it does not fit", property(`{"type":"string","format":"date"}`), `{"x":"2026-08-28"}`),
	)

	DescribeTable("says where the schema could not be satisfied",
		func(input, want string) {
			Expect(made(input, scenarios.PlanOptions{})).To(Equal(cannot + want + remedy))
		},
		Entry("nothing is allowed", property("false"), "at /x (the schema allows nothing)"),
		Entry("not an object", `{"type":"string"}`, "(arguments must be an object)"),
	)

	It("takes a sample that is given", func() {
		options := scenarios.PlanOptions{Samples: map[string]map[string]jsontext.Value{"t": {"ok": jsontext.Value(`{"x":"Ulm"}`)}}}
		Expect(made(property("false"), options)).To(Equal(`{"x":"Ulm"}`))
	})

	It("refuses a sample that is no object", func() {
		options := scenarios.PlanOptions{Samples: map[string]map[string]jsontext.Value{"t": {"ok": jsontext.Value(`[1]`)}}}
		Expect(made("", options)).To(Equal(`tools.t.samples: the sample "ok" is no object`))
	})
})
