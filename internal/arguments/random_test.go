package arguments_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/internal/arguments"
)

// randomSchema draws a schema of any keywords, which mostly can be satisfied.
func randomSchema(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var all []string
		add := func(form string, args ...any) { all = append(all, fmt.Sprintf(form, args...)) }
		chance := func(label string, n int) bool { return rapid.IntRange(0, n).Draw(t, label) == 0 }
		below := func(label string) string {
			if depth <= 0 {
				return rapid.SampledFrom([]string{"true", "{}", `{"type":"string"}`, `{"const":1}`, "false", `{"$ref":"#"}`, `{"$ref":"#/$defs/d"}`}).Draw(t, label)
			}
			return randomSchema(depth-1).Draw(t, label)
		}
		few := func(label string) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "a/b", "", "then"}), 0, 3, rapid.ID[string]).Draw(t, label)
		}
		quoted := func(names []string) string {
			if len(names) == 0 {
				return "[]"
			}
			return `["` + strings.Join(names, `","`) + `"]`
		}
		small := rapid.IntRange(0, 4)
		if !chance("no type", 4) {
			add(`"type":%s`, rapid.SampledFrom([]string{`"object"`, `"string"`, `"integer"`, `"number"`, `"boolean"`, `"array"`, `"null"`, `["string","null"]`, `["object","integer"]`}).Draw(t, "type"))
		}
		if chance("properties", 1) {
			var members []string
			for _, name := range few("names") {
				members = append(members, fmt.Sprintf(`%q:%s`, name, below("member")))
			}
			add(`"properties":{%s}`, strings.Join(members, ","))
			add(`"required":%s`, quoted(few("required")))
		}
		for _, one := range []struct {
			keyword string
			value   func() string
		}{
			{"items", func() string { return below("items") }}, {"contains", func() string { return below("contains") }},
			{"additionalProperties", func() string { return below("additional") }}, {"not", func() string { return below("not") }},
			{"propertyNames", func() string { return `{"pattern":"^[a-z]*$"}` }}, {"patternProperties", func() string { return `{"^[ab]":` + below("named") + `}` }},
			{"minItems", func() string { return fmt.Sprint(small.Draw(t, "n")) }}, {"maxItems", func() string { return fmt.Sprint(small.Draw(t, "n")) }},
			{"minLength", func() string { return fmt.Sprint(small.Draw(t, "n")) }}, {"maxLength", func() string { return fmt.Sprint(small.Draw(t, "n")) }},
			{"minimum", func() string { return fmt.Sprint(small.Draw(t, "n")) }}, {"exclusiveMaximum", func() string { return fmt.Sprint(small.Draw(t, "n")) }},
			{"multipleOf", func() string { return rapid.SampledFrom([]string{"1", "0.5", "3", "1e-3"}).Draw(t, "n") }},
			{"minProperties", func() string { return fmt.Sprint(small.Draw(t, "n")) }}, {"maxProperties", func() string { return fmt.Sprint(small.Draw(t, "n")) }},
			{"uniqueItems", func() string { return "true" }}, {"enum", func() string { return `["a",1,null,{"a":1},[2]]` }}, {"const", func() string { return `"a"` }},
			{"pattern", func() string {
				return rapid.SampledFrom([]string{`"^a+$"`, `"[0-9]{2}"`, `"^(?=x)"`, `"(a|b)*c"`, `"\\\\d\\\\.$"`}).Draw(t, "pattern")
			}},
			{"format", func() string { return rapid.SampledFrom([]string{`"date"`, `"email"`, `"odd"`}).Draw(t, "format") }},
			{"allOf", func() string { return "[" + below("part") + "," + below("part") + "]" }},
			{"anyOf", func() string { return "[" + below("part") + "," + below("part") + "]" }},
			{"oneOf", func() string { return "[" + below("part") + "," + below("part") + "]" }},
			{"if", func() string { return below("if") }}, {"then", func() string { return below("then") }}, {"else", func() string { return below("else") }},
			{"prefixItems", func() string { return "[" + below("first") + "]" }},
			{"dependentRequired", func() string { return `{"a":` + quoted(few("needs")) + `}` }},
			{"dependentSchemas", func() string { return `{"a":` + below("needs") + `}` }},
			{"unevaluatedProperties", func() string { return "false" }}, {"unevaluatedItems", func() string { return "false" }},
			{"default", func() string { return `"a"` }}, {"examples", func() string { return `[{"a":1},"a",3]` }},
			{"description", func() string { return `"such as 'a'"` }}, {"$ref", func() string { return `"#/$defs/d"` }},
		} {
			if chance(one.keyword, 9) {
				add(`%q:%s`, one.keyword, one.value())
			}
		}
		return "{" + strings.Join(all, ",") + "}"
	})
}

// A schema that nobody wrote by hand gives texts of the class that was asked
// for, or the place that could not be satisfied, and always the same.
func TestRandomSchemas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		root := randomSchema(3).Draw(t, "schema")
		dialect := rapid.SampledFrom([]string{"", `"$schema":"http://json-schema.org/draft-07/schema#",`}).Draw(t, "dialect")
		schema := fmt.Sprintf(`{%s"$defs":{"d":%s},"type":"object","allOf":[%s]}`, dialect, randomSchema(1).Draw(t, "d"), root)
		source := arguments.Source{Schema: jsontext.Value(schema), Seed: rapid.Uint64().Draw(t, "seed")}
		if err := judge(source, 6); err != nil {
			t.Fatalf("%v\n%s", err, schema)
		}
		for _, class := range classes {
			one, errOne := arguments.Make(source, class, 4)
			two, errTwo := arguments.Make(source, class, 4)
			if fmt.Sprint(one, errOne) != fmt.Sprint(two, errTwo) {
				t.Fatalf("two makings of %s differ:\n%v %v\n%v %v", class, one, errOne, two, errTwo)
			}
		}
	})
}

func FuzzMake(f *testing.F) {
	for _, one := range corpus()[:160] {
		f.Add(string(one.schema), "for 'instance'", uint64(1))
	}
	for _, one := range readSchemas("unsatisfiable.json") {
		f.Add(string(one.schema), "", uint64(2))
	}
	f.Fuzz(func(t *testing.T, schema, description string, seed uint64) {
		source := arguments.Source{Schema: jsontext.Value(schema), Tool: description, Description: description,
			Samples: []jsontext.Value{jsontext.Value(description)}, Seed: seed}
		if err := judge(source, 5); err != nil {
			t.Fatalf("%v\n%s", err, schema)
		}
	})
}
