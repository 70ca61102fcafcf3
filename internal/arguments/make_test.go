package arguments_test

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/arguments"
	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

const trip = `{"type":"object","properties":{
	"city":{"type":"string"},"nights":{"type":"integer","minimum":1,"maximum":30},
	"class":{"enum":["first","second"]},"pets":{"type":"boolean"},
	"stops":{"type":"array","items":{"type":"string","pattern":"^[A-Z]{3}$"},"maxItems":4}},
	"required":["city","nights"],"additionalProperties":false}`

func texts(source arguments.Source, class arguments.Class, n int) []arguments.Text {
	GinkgoHelper()
	made, err := arguments.Make(source, class, n)
	Expect(err).NotTo(HaveOccurred())
	return made
}

func unsatisfiableEntries() []TableEntry {
	var all []TableEntry
	for _, one := range readSchemas("unsatisfiable.json") {
		input, _ := jsonv.Get(one.schema, "/schema")
		at, _ := jsonv.Get(one.schema, "/pointer")
		place, _ := jsonv.Text(at)
		all = append(all, Entry(one.name, input, place))
	}
	return all
}

var _ = Describe("making texts", func() {
	DescribeTable("says where a schema could not be satisfied", func(input jsontext.Value, pointer string) {
		for _, class := range []arguments.Class{arguments.Valid, arguments.Invalid, arguments.Boundary} {
			_, err := arguments.Make(arguments.Source{Schema: input}, class, 3)
			var unsatisfiable *arguments.Unsatisfiable
			Expect(err).To(BeAssignableToTypeOf(unsatisfiable))
			unsatisfiable = err.(*arguments.Unsatisfiable)
			Expect(unsatisfiable.Pointer).To(Equal(pointer))
			Expect(unsatisfiable.Reason).NotTo(BeEmpty())
		}
		Expect(texts(arguments.Source{Schema: input}, arguments.Malformed, 20)).To(HaveLen(20))
	}, unsatisfiableEntries())

	DescribeTable("gives the same texts for the same seed, and others for another", func(class arguments.Class) {
		source := arguments.Source{Schema: jsontext.Value(trip), Seed: 1, Key: "a"}
		first := texts(source, class, 12)
		Expect(first).To(HaveLen(12))
		Expect(texts(source, class, 12)).To(Equal(first))
		source.Seed = 2
		Expect(texts(source, class, 12)).NotTo(Equal(first))
		source.Seed, source.Key = 1, "b"
		Expect(texts(source, class, 12)).NotTo(Equal(first))
	},
		Entry("valid", arguments.Valid), Entry("invalid", arguments.Invalid),
		Entry("boundary", arguments.Boundary), Entry("malformed", arguments.Malformed),
	)

	It("gives the same texts though the place of a wrong name is not told the same", func() {
		source := arguments.Source{Schema: jsontext.Value(`{"type":"object","properties":{"t":{"type":"string"},"u":{"type":"string"},"p":{"type":"object",
			"propertyNames":{"pattern":"^[a-z]*$"},"properties":{"A":{"type":"integer"},"b":{"type":"string"}}}},"required":["t"]}`)}
		first := texts(source, arguments.Valid, 8)
		for range 40 {
			Expect(texts(source, arguments.Valid, 8)).To(Equal(first))
		}
	})

	It("gives the plainest call first, whatever the seed", func() {
		for seed := range uint64(5) {
			made := texts(arguments.Source{Schema: jsontext.Value(trip), Seed: seed}, arguments.Valid, 3)
			Expect(made[0]).To(Equal(arguments.Text{Name: "the plainest call", Arguments: `{"city":"example","nights":1}`}))
		}
	})

	It("takes samples before all else, and passes over those that do not fit", func() {
		source := arguments.Source{Schema: jsontext.Value(trip), Samples: []jsontext.Value{
			jsontext.Value(`{"city":"Rome"}`), jsontext.Value(`[1]`), jsontext.Value(`{"nights":3.0,"city":"Oslo"}`), jsontext.Value(`{"city":"Ulm","nights":2}`)}}
		made := texts(source, arguments.Valid, 100)
		Expect(made[0].Arguments).To(Equal(`{"nights":3.0,"city":"Oslo"}`))
		Expect(made).To(ContainElement(HaveField("Arguments", `{"city":"Ulm","nights":2}`)))
		Expect(made).NotTo(ContainElement(HaveField("Arguments", `{"city":"Rome"}`)))
		Expect(texts(source, arguments.Invalid, 200)).To(ContainElement(HaveField("Arguments", `{"nights":"3.0","city":"Oslo"}`)))
	})

	It("takes a word of the tool's description, but no name of a property", func() {
		source := arguments.Source{Schema: jsontext.Value(trip), Description: "Plans a trip to 'city', such as 'Paris'."}
		Expect(texts(source, arguments.Valid, 1)[0].Arguments).To(Equal(`{"city":"Paris","nights":1}`))
	})

	DescribeTable("breaks one thing at a time", func(name, want string) {
		made := texts(arguments.Source{Schema: jsontext.Value(trip), Tool: "plan_trip"}, arguments.Invalid, arguments.MaxTexts)
		i := slices.IndexFunc(made, func(t arguments.Text) bool { return t.Name == name })
		Expect(i).To(BeNumerically(">=", 0), "no text of that name")
		Expect(made[i].Arguments).To(Equal(want))
	},
		Entry("field-report 005", "no field at all", `{}`),
		Entry("a missing field", "missing required field city", `{"nights":1}`),
		Entry("field-report 037", "field city spelled City", `{"nights":1,"City":"example"}`),
		Entry("an extra field", "unknown field unexpected_field", `{"city":"example","nights":1,"unexpected_field":"surprise"}`),
		Entry("field-report 026, a number", "number as text at /nights", `{"city":"example","nights":"1"}`),
		Entry("field-report 026, a boolean", "boolean as text at /pets", `{"city":"example","nights":1,"pets":"false"}`),
		Entry("field-report 028", "number instead of text at /city", `{"city":1.000001,"nights":1}`),
		Entry("field-report 029", "null at /pets", `{"city":"example","nights":1,"pets":null}`),
		Entry("field-report 022", "list as its JSON text at /stops", `{"city":"example","nights":1,"stops":"[\"AAA\"]"}`),
		Entry("field-report 025", "the whole call inside the arguments", `{"name":"plan_trip","arguments":{"city":"example","nights":1}}`),
		Entry("field-report 019", "the arguments nested under arguments", `{"arguments":{"city":"example","nights":1}}`),
		Entry("field-report 032", "number far above maximum at /nights", `{"city":"example","nights":1e300}`),
		Entry("a bound", "number below minimum at /nights", `{"city":"example","nights":0}`),
		Entry("a fraction", "fraction instead of a whole number at /nights", `{"city":"example","nights":1.5}`),
		Entry("an enum", "value outside the enum, in other letters at /class", `{"city":"example","nights":1,"class":"FIRST"}`),
		Entry("a pattern", "text that breaks the pattern at /stops/0", `{"city":"example","nights":1,"class":"first","pets":true,"stops":["aaa"]}`),
		Entry("a single item", "one item instead of a list at /stops", `{"city":"example","nights":1,"stops":"AAA"}`),
	)

	It("sees an object behind a reference (field-report 023)", func() {
		made := texts(arguments.Source{Schema: jsontext.Value(`{"$defs":{"p":{"type":"object","properties":{"kind":{"const":"week"}},"required":["kind"]}},"type":"object","properties":{"period":{"$ref":"#/$defs/p"}},"required":["period"]}`)},
			arguments.Invalid, arguments.MaxTexts)
		Expect(made).To(ContainElement(arguments.Text{Name: "object as its JSON text at /period", Arguments: `{"period":"{\"kind\":\"week\"}"}`}))
	})

	DescribeTable("finds the edges", func(schema, name, want string) {
		made := texts(arguments.Source{Schema: jsontext.Value(schema)}, arguments.Boundary, arguments.MaxTexts)
		Expect(made).To(ContainElement(arguments.Text{Name: name, Arguments: want}))
	},
		Entry("the least number", trip, "number at its least at /nights", `{"city":"example","nights":1}`),
		Entry("the greatest number", trip, "number at its greatest at /nights", `{"city":"example","nights":30}`),
		Entry("just inside an open bound", one(`{"type":"number","exclusiveMinimum":0}`), "number just above minimum at /x", `{"x":0.000001}`),
		Entry("field-report 031", one(`{"type":"integer"}`), "19 digits at /x", `{"x":2512292042121000001}`),
		Entry("2^53+1", one(`{"type":"integer"}`), "2^53+1 at /x", `{"x":9007199254740993}`),
		Entry("minus zero", one(`{"type":"number"}`), "minus zero at /x", `{"x":-0}`),
		Entry("beyond floats", one(`{"type":"number"}`), "number beyond floats at /x", `{"x":1e400}`),
		Entry("empty text", trip, "empty text at /city", `{"city":"","nights":1}`),
		Entry("empty list", trip, "empty list at /stops", `{"city":"example","nights":1,"stops":[]}`),
		Entry("field-report 034", trip, "emoji written as an escape pair at /city", `{"city":"\ud83c\udf78","nights":1}`),
		Entry("field-report 016", trip, "quotes and backslashes at /city", `{"city":"what is \"AI\"? C:\\tmp\\n","nights":1}`),
		Entry("equal names", trip, "field city twice, the last one right", `{"city":[null],"city":"example","nights":1}`),
		Entry("order", trip, "fields in reverse order", `{"stops":["AAA"],"pets":true,"class":"first","nights":1,"city":"example"}`),
		Entry("white space", trip, "white space around", " \t\r\n"+`{"city":"example","nights":1}`+"\n\r\t "),
		Entry("field-report 037", one(`{"type":"string"}`), "field X beside x", `{"x":"example","X":"example"}`),
		Entry("field-report 005", `{"type":"object"}`, "empty text instead of an object", ``),
		Entry("gap 27 with a trap of E1", `{"type":"object"}`, "a no-break space instead of an object", "\u00a0"),
	)

	It("reaches the depth that an engine's parser takes, and no more (gap 26)", func() {
		source := arguments.Source{Schema: jsontext.Value(`{"type":"object"}`)}
		Expect(texts(source, arguments.Boundary, arguments.MaxTexts)).To(ContainElement(HaveField("Name", "a field nested 126 levels deep")))
		made := texts(source, arguments.Malformed, arguments.MaxTexts)
		Expect(made).To(ContainElement(HaveField("Name", "a field nested 127 levels deep")))
		Expect(made).To(ContainElement(HaveField("Name", "objects nested 128 levels deep")))
		Expect(made).NotTo(ContainElement(HaveField("Name", "objects nested 127 levels deep")))
	})

	DescribeTable("gives only the kinds that are wanted, and has some of each", func(class arguments.Class) {
		const fields = `{"type":"object","properties":{"city":{"type":"string","pattern":"^[a-z]+$","minLength":2,"maxLength":9,"enum":["oslo","rome"]},` +
			`"nights":{"type":"integer","minimum":2,"maximum":30,"multipleOf":2},"pets":{"type":"boolean"},"kind":{"const":"trip"},"note":{"type":"string"},"count":{"type":"integer"},"day":{"$ref":"#/$defs/day"},` +
			`"gap":{"type":["null","string"]},"range":{"type":"object","properties":{"to":{"type":"integer"}},"maxProperties":3},"shut":{"type":"object","additionalProperties":false},` +
			`"stops":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":4,"uniqueItems":true}},"$defs":{"day":{"$schema":"http://json-schema.org/draft-07/schema#","$id":"day","type":"string","format":"date"}}`
		of := func(kinds ...string) map[string]bool {
			made := map[string]bool{}
			for _, schema := range []string{fields + `}`, fields + `,"required":["city"]}`} {
				some, err := arguments.Make(arguments.Source{Tool: "plan_trip", Schema: jsontext.Value(schema), Kinds: kinds}, class, arguments.MaxTexts)
				if err != nil {
					continue // one of the two has some
				}
				for _, text := range some {
					made[text.Arguments] = true
				}
			}
			return made
		}
		all, left := of(), of()
		for _, kind := range arguments.Kinds(class) {
			made := of(kind)
			Expect(len(made)).To(And(BeNumerically(">", 0), BeNumerically("<", len(all))), kind)
			for text := range made {
				Expect(all).To(HaveKey(text), kind)
				delete(left, text)
			}
		}
		Expect(left).To(BeEmpty())
	},
		Entry("of invalid texts", arguments.Invalid),
		Entry("of texts at an edge", arguments.Boundary),
		Entry("of malformed texts", arguments.Malformed),
	)

	It("has nothing to break without a schema (E7)", func() {
		for _, schema := range []string{``, `null`, `{"type":"zebra"}`, `true`, `{}`} {
			_, err := arguments.Make(arguments.Source{Schema: jsontext.Value(schema)}, arguments.Invalid, 5)
			Expect(err).To(Equal(arguments.ErrUnbreakable), schema)
			Expect(texts(arguments.Source{Schema: jsontext.Value(schema)}, arguments.Valid, 1)[0].Arguments).To(Equal("{}"))
		}
	})

	It("refuses what makes no sense", func() {
		_, err := arguments.Make(arguments.Source{}, "odd", 1)
		Expect(err).To(MatchError(`make arguments: the class "odd" is not known`))
		_, err = arguments.Make(arguments.Source{}, arguments.Valid, 0)
		Expect(err).To(MatchError("make arguments: want at least 1 text, got 0"))
		_, err = arguments.Make(arguments.Source{Kinds: []string{"cut", "blank"}}, arguments.Boundary, 1)
		Expect(err).To(MatchError(HavePrefix(`make arguments: boundary texts have no kind "cut", only blank, fields, `)))
	})

	It("reads what a schema requires", func() {
		Expect(arguments.Required(jsontext.Value(trip))).To(Equal([]string{"city", "nights"}))
		Expect(arguments.Required(jsontext.Value(`{"$ref":"#/$defs/a","$defs":{"a":{"required":["b"]}},"required":["a"]}`))).To(Equal([]string{"a", "b"}))
		Expect(arguments.Required(jsontext.Value(`{"type":"zebra","required":["a"]}`))).To(BeEmpty())
		Expect(arguments.Required(nil)).To(BeEmpty())
	})
})

var _ = Describe("malformed texts", func() {
	It("are the pinned family", func() {
		made := texts(arguments.Source{Schema: jsontext.Value(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`), Tool: "find"},
			arguments.Malformed, arguments.MaxTexts)
		var got []byte
		for _, text := range made {
			shown := text.Arguments
			if len(shown) > 200 {
				shown = shown[:100] + " … " + shown[len(shown)-20:]
			}
			got = append(append(got, text.Name+"\t"...), jsonv.Quote(shown)...)
			got = append(got, '\n')
		}
		file := filepath.Join("testdata", "malformed.txt")
		pinned, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(got)).To(Equal(string(pinned)))
	})

	It("spread a small number over the kinds", func() {
		made := texts(arguments.Source{Schema: jsontext.Value(trip)}, arguments.Malformed, 8)
		cuts := 0
		for _, text := range made {
			if len(text.Name) > 3 && text.Name[:4] == "cut " {
				cuts++
			}
		}
		Expect(cuts).To(BeNumerically("<=", 1))
	})

	It("cut at each byte, but inside no character", func() {
		source := arguments.Source{Samples: []jsontext.Value{jsontext.Value(`{"t":"é🌍"}`)}}
		var names []string
		for _, text := range texts(source, arguments.Malformed, arguments.MaxTexts) {
			if len(text.Name) > 9 && text.Name[:9] == "cut after" {
				names = append(names, text.Name[10:])
			}
		}
		Expect(names).To(Equal([]string{"1 byte", "2 bytes", "3 bytes", "4 bytes", "5 bytes", "6 bytes", "8 bytes", "12 bytes", "13 bytes"}))
	})
})
