package arguments_test

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/arguments"
)

// plainest is the first valid text for a schema, or the error.
func plainest(input string) string {
	GinkgoHelper()
	source := arguments.Source{}
	if input != "" {
		source.Schema = jsontext.Value(input)
	}
	texts, err := arguments.Make(source, arguments.Valid, 1)
	if err != nil {
		return err.Error()
	}
	Expect(texts).To(HaveLen(1))
	return texts[0].Arguments
}

// property is an object schema with one required property x.
func property(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `,"unused":{"type":"string"}},"required":["x"]}`
}

var _ = Describe("making arguments", func() {
	DescribeTable("looks for values before it makes them up",
		func(input, want string) { Expect(plainest(input)).To(Equal(want)) },
		Entry("no schema", "", `{}`),
		Entry("a schema that is null", "null", `{}`),
		Entry("a schema that does not build leaves the tool unchecked", `{"type":"zebra"}`, `{}`),
		Entry("examples of the whole", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"examples":[{"a":"Paris"}]}`, `{"a":"Paris"}`),
		Entry("examples", property(`{"type":"string","examples":["Paris","Rome"]}`), `{"x":"Paris"}`),
		Entry("examples that break the schema are passed over", property(`{"type":"string","examples":[7]}`), `{"x":"example"}`),
		Entry("default", property(`{"type":"string","default":"Oslo"}`), `{"x":"Oslo"}`),
		Entry("enum", property(`{"enum":["red","green"]}`), `{"x":"red"}`),
		Entry("const", property(`{"const":12.30}`), `{"x":12.30}`),
		Entry("a quoted word of the description", property(`{"type":"string","description":"A city's name, e.g. 'Paris' or \"Rome\"."}`), `{"x":"Paris"}`),
		Entry("a quoted word that is too long", property(`{"type":"string","maxLength":4,"description":"for instance 'Paris', \"Rome\""}`), `{"x":"Rome"}`),
		Entry("no quoted word", property(`{"type":"string","description":"The city's and the state's name"}`), `{"x":"example"}`),
		Entry("types", `{"required":["a","b","c","d","e"],"properties":{"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":"boolean"},"d":{"type":"null"},"e":{"type":["null","array"]}}}`,
			`{"a":1,"b":1,"c":true,"d":null,"e":[]}`),
		Entry("bounds of a number", property(`{"type":"integer","minimum":3,"maximum":9}`), `{"x":3}`),
		Entry("open bounds", property(`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`), `{"x":0.5}`),
		Entry("an upper bound below 1", property(`{"type":"integer","maximum":-4}`), `{"x":-4}`),
		Entry("a multiple", property(`{"type":"integer","minimum":10,"multipleOf":7}`), `{"x":14}`),
		Entry("a number beyond 2^53", property(`{"type":"integer","minimum":9007199254740993}`), `{"x":9007199254740993}`),
		Entry("a length", property(`{"type":"string","minLength":10,"maxLength":12}`), `{"x":"exampleexa"}`),
		Entry("a short length", property(`{"type":"string","maxLength":2}`), `{"x":"ex"}`),
		Entry("a pattern", property(`{"type":"string","pattern":"^[A-Z]{3}-\\d+$"}`), `{"x":"AAA-0"}`),
		Entry("a pattern and a length", property(`{"type":"string","pattern":"^[0-9]+$","minLength":4}`), `{"x":"0000"}`),
		Entry("a format", property(`{"type":"string","format":"date"}`), `{"x":"2026-08-28"}`),
		Entry("items", property(`{"type":"array","minItems":2,"items":{"type":"integer"}}`), `{"x":[1,1]}`),
		Entry("items unlike each other", property(`{"type":"array","minItems":3,"uniqueItems":true,"items":{"type":"string"}}`), `{"x":["example","example2","example3"]}`),
		Entry("items of an enum, unlike each other", property(`{"type":"array","minItems":2,"uniqueItems":true,"items":{"enum":["a","b"]}}`), `{"x":["a","b"]}`),
		Entry("a tuple", property(`{"type":"array","minItems":2,"prefixItems":[{"type":"integer"},{"type":"boolean"}]}`), `{"x":[1,true]}`),
		Entry("nested objects", property(property(`{"type":"integer"}`)), `{"x":{"x":1}}`),
		Entry("a number of properties", `{"type":"object","minProperties":1,"properties":{"a":{"type":"integer"},"b":{}}}`, `{"a":1}`),
		Entry("a required property that none describes", `{"required":["a"]}`, `{"a":"example"}`),
		Entry("a reference", `{"$defs":{"n/a":{"type":"integer"}},"properties":{"x":{"$ref":"#/$defs/n~1a"}},"required":["x"]}`, `{"x":1}`),
		Entry("a reference by anchor", `{"$defs":{"n":{"$anchor":"here","type":"integer"}},"properties":{"x":{"$ref":"#here"}},"required":["x"]}`, `{"x":1}`),
		Entry("a reference into a list", `{"allOf":[{"$comment":"first"},{"required":["y"]}],"properties":{"x":{"$ref":"#/allOf/1"}},"required":["x"]}`, `{"x":{"y":"example"},"y":"example"}`),
		Entry("numbers unlike each other", property(`{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"integer"}}`), `{"x":[1,2]}`),
		Entry("additional properties", `{"required":["a"],"additionalProperties":{"type":"integer"}}`, `{"a":1}`),
		Entry("a choice of patterns", property(`{"type":"string","pattern":"^(?:a|b)c?.[^a-z]$"}`), `{"x":"aa0"}`),
		Entry("all of several", `{"allOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"const":2}},"required":["b"]}]}`, `{"a":1,"b":2}`),
		Entry("the second of several", `{"properties":{"x":{"anyOf":[{"type":"string","minLength":5,"maxLength":3},{"type":"boolean"}]}},"required":["x"]}`, `{"x":true}`),
		Entry("a name with marks", `{"required":["a\"b"]}`, `{"a\"b":"example"}`),
	)

	DescribeTable("says where the schema could not be satisfied",
		func(input, want string) {
			Expect(plainest(input)).To(Equal("could not be satisfied " + want))
		},
		Entry("nothing is allowed", property("false"), "at /x (the schema allows nothing)"),
		Entry("a schema that demands itself", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","required":["b"],"properties":{"b":{"$ref":"#/$defs/a"}}}}}`,
			"at "+strings.Repeat("/b", 24)+" (the schema demands itself or is nested too deep)"),
		Entry("no number fits", property(`{"type":"integer","minimum":5,"maximum":4}`), "at /x (no number fits the bounds)"),
		Entry("too many items", property(`{"type":"array","minItems":1000000}`), "at /x/4998 (the schema demands too much)"),
		Entry("not an object", `{"type":"string"}`, "(arguments must be an object)"),
	)

	It("says where a made value breaks the schema", func() {
		Expect(plainest(property(`{"type":"string","pattern":"^(?=a)b$"}`))).
			To(HavePrefix("could not be satisfied at /x ("))
	})

})
