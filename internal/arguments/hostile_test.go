package arguments_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/arguments"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

var classes = []arguments.Class{arguments.Valid, arguments.Invalid, arguments.Boundary, arguments.Malformed}

// want is the status that an engine gives to the texts of a class.
var want = map[arguments.Class]spec.InputStatus{
	arguments.Valid: spec.InputValid, arguments.Invalid: spec.InputInvalid,
	arguments.Boundary: spec.InputValid, arguments.Malformed: spec.InputMalformed,
}

// judge makes texts of all classes and holds each against the engine.
func judge(source arguments.Source, n int) error {
	for _, class := range classes {
		texts, err := arguments.Make(source, class, n)
		var unsatisfiable *arguments.Unsatisfiable
		switch {
		case err == nil && len(texts) == 0:
			return fmt.Errorf("no %s text and no error", class)
		case err != nil && !errors.As(err, &unsatisfiable) && !errors.Is(err, arguments.ErrUnbreakable):
			return fmt.Errorf("unknown error: %w", err)
		case len(texts) > n:
			return fmt.Errorf("%d texts of class %s, want at most %d", len(texts), class, n)
		}
		for _, text := range texts {
			if got := toolcall.Classify(text.Arguments, source.Schema); got.Status != want[class] {
				return fmt.Errorf("%s text %q is %s: %.300s", class, text.Name, got.Status, text.Arguments)
			}
			if class == arguments.Valid && text.Arguments[0] != '{' {
				return fmt.Errorf("valid text %q is no object: %.300s", text.Name, text.Arguments)
			}
		}
	}
	return nil
}

// bomb is a schema in which each definition has the next one twice.
func bomb(keyword string, levels int, last string) string {
	var defs strings.Builder
	for i := range levels {
		fmt.Fprintf(&defs, `"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, keyword, i+1, i+1)
	}
	return fmt.Sprintf(`{"$defs":{%s"d%d":%s},"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"required":["x"]}`, defs.String(), levels, last)
}

func many(n int, form string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(form, "N", fmt.Sprint(i))
	}
	return strings.Join(all, ",")
}

func one(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `},"required":["x"]}`
}

var _ = Describe("hostile schemas", func() {
	DescribeTable("come to an end", func(schema string) {
		Expect(judge(arguments.Source{Schema: jsontext.Value(schema)}, 20)).To(Succeed())
	},
		Entry("an exploding pattern", one(`{"type":"string","minLength":40,"pattern":"^(?!b)(a+)+$"}`)),
		Entry("an exploding pattern that nothing fits", one(`{"type":"string","minLength":30,"pattern":"^(?=(a|a?)+$)(a|aa)+b\\1$"}`)),
		Entry("many exploding patterns", `{"type":"object","properties":{`+many(30, `"pN":{"type":"string","minLength":30,"pattern":"^(?!N)(\\w+\\s?)+$"}`)+`},"required":["p1","p2"]}`),
		Entry("counts inside counts", one(`{"type":"string","pattern":"^((a{1,100}){1,100}){1,100}$"}`)),
		Entry("a pattern that repeats nothing", one(`{"type":"string","pattern":"^(()*)*(|a)*$","minLength":50}`)),
		Entry("allOf inside allOf", bomb("allOf", 30, `{"type":"integer"}`)),
		Entry("anyOf inside anyOf, of nothing", bomb("anyOf", 16, `false`)),
		Entry("anyOf inside anyOf", bomb("anyOf", 30, `{"type":"integer"}`)),
		Entry("oneOf inside oneOf", bomb("oneOf", 10, `{"type":"integer"}`)),
		Entry("a tree without leaves", `{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"}},"required":["l","r"]}`),
		Entry("a tree of many branches", `{"type":"object","properties":{`+many(200, `"pN":{"$ref":"#"}`)+`}}`),
		Entry("a circle of references", `{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"required":["x"]}`),
		Entry("a reference to itself", `{"$ref":"#"}`),
		Entry("a huge enum", one(`{"enum":[`+many(20_000, `"value N"`)+`]}`)),
		Entry("a huge enum of which most is excluded", one(`{"enum":[`+many(5000, `N`)+`],"minimum":4999}`)),
		Entry("many properties", `{"type":"object","properties":{`+many(3000, `"pN":{"type":"string"}`)+`},"required":[`+many(3000, `"pN"`)+`]}`),
		Entry("more required names than are made", `{"type":"object","required":[`+many(9000, `"pN"`)+`]}`),
		Entry("many patterns for many names", `{"type":"object","properties":{`+many(300, `"pN":{}`)+`},"patternProperties":{`+many(300, `"^pN":{"type":"integer"}`)+`},"minProperties":300}`),
		Entry("lists of lists of lists", one(`{"type":"array","minItems":100,"items":{"type":"array","minItems":100,"items":{"type":"array","minItems":100}}}`)),
		Entry("a million items", one(`{"type":"array","minItems":1000000,"uniqueItems":true,"items":{"type":"integer"}}`)),
		Entry("a thousand million members", `{"type":"object","minProperties":1000000000}`),
		Entry("members without names", `{"type":"object","minProperties":2,"propertyNames":false}`),
		Entry("unique items of one value", one(`{"type":"array","minItems":500,"uniqueItems":true,"items":{"const":1}}`)),
		Entry("a thousand things that must be in the list", one(`{"type":"array","contains":{"type":"integer"},"minContains":100000}`)),
		Entry("numbers of extreme size", one(`{"type":"number","minimum":1e999999999,"multipleOf":1e-999999999}`)),
		Entry("multiples without a common one in reach", one(`{"allOf":[`+many(40, `{"multipleOf":1.N7}`)+`],"type":"number","minimum":1}`)),
		Entry("not inside not", one(strings.Repeat(`{"not":`, 60)+`{"type":"string"}`+strings.Repeat(`}`, 60))),
		Entry("conditions inside conditions", one(strings.Repeat(`{"if":true,"then":`, 60)+`{"minimum":7}`+strings.Repeat(`}`, 60))),
		Entry("members that need each other", `{"type":"object","required":["p0"],"dependentRequired":{`+many(500, `"pN":["pN0","pN1"]`)+`}}`),
		Entry("a text of a thousand million characters", one(`{"type":"string","minLength":1000000000}`)),
		Entry("longest texts everywhere", `{"type":"object","properties":{`+many(50, `"pN":{"type":"string","minLength":100000}`)+`},"required":[`+many(50, `"pN"`)+`]}`),
		Entry("deep inside", one(strings.Repeat(`{"type":"object","required":["x"],"properties":{"x":`, 50)+`{}`+strings.Repeat(`}}`, 50))),
		Entry("keywords of wrong types", `{"type":"object","properties":7,"required":"x","enum":3}`),
		Entry("no JSON", `{"type":`),
		Entry("half a pair in a name", `{"type":"object","required":["\ud800"]}`),
		Entry("names that only pretend", `{"type":"object","properties":{"$ref":{"type":"string"},"then":false,"else":{"const":1},"items":{"type":"array","items":{"type":"integer"}}},"required":["$ref"]}`),
		Entry("unevaluated everywhere", `{"type":"object","unevaluatedProperties":false,"allOf":[{"if":{"required":["a"]},"then":{"properties":{"b":{"type":"integer"}}}}],"properties":{"a":{"type":"string"}},"minProperties":2}`),
	)
})
