package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/schema"
)

func many(n int, item func(i int) string) string {
	items := make([]string, 0, n)
	for i := range n {
		items = append(items, item(i))
	}
	return strings.Join(items, ",")
}

func nested(open, middle, closing string, n int) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(closing, n)
}

// twice makes a chain of definitions each of which uses the next one twice.
func twice(keywords string) string {
	const length = 40
	return `{"$ref":"#/$defs/d0","$defs":{` + many(length, func(i int) string {
		return fmt.Sprintf(`"d%d":{%s}`, i, strings.ReplaceAll(keywords, "NEXT", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)))
	}) + fmt.Sprintf(`,"d%d":{"type":"string"}}}`, length)
}

const tooManySteps = "the value takes too many steps to check against the schema"

// Without a bound each of these would run until the end of days, or fill the
// memory.
func TestHostilePairs(t *testing.T) {
	t.Parallel()
	deep := nested(`{"n":`, `1`, `}`, 126)
	for _, c := range []struct{ name, schema, value, want string }{
		{"all of, twice", twice(`"allOf":[NEXT,NEXT]`), `1`, tooManySteps},
		{"all of, twice, fits", twice(`"allOf":[NEXT,NEXT]`), `"x"`, tooManySteps},
		{"any of, twice", twice(`"anyOf":[NEXT,NEXT]`), `1`, tooManySteps},
		{"one of, twice", twice(`"oneOf":[NEXT,NEXT]`), `1`, tooManySteps},
		{"not and if", twice(`"not":NEXT,"if":NEXT`), `1`, tooManySteps},
		{"all of, twice, draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#",` + twice(`"allOf":[NEXT,NEXT]`)[1:], `"x"`, tooManySteps},
		{"recursion", `{"properties":{"n":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, deep, tooManySteps},
		{"dynamic recursion", `{"$dynamicAnchor":"a","properties":{"n":{"allOf":[{"$dynamicRef":"#a"},{"$dynamicRef":"#a"}]}}}`, deep, tooManySteps},
		{"old dynamic recursion", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,` +
			`"properties":{"n":{"allOf":[{"$recursiveRef":"#"},{"$recursiveRef":"#"}]}}}`, deep, tooManySteps},
		{"hidden dynamic recursion", `{"$id":"http://x.example/a","$ref":"b","$defs":{"a":{"$dynamicAnchor":"a",` +
			`"properties":{"n":{"allOf":[{"$dynamicRef":"#a"},{"$dynamicRef":"#a"}]}}},` +
			`"b":{"$id":"b","$defs":{"c":{"$dynamicAnchor":"a"}},"allOf":[{"$dynamicRef":"#a"}]}}}`, deep, tooManySteps},
		{"long chain for each item", `{"items":{"$ref":"#/$defs/d0"},"$defs":{` + many(2000, func(i int) string {
			return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
		}) + `,"d2000":{}}}`, `[` + many(40, func(int) string { return "1" }) + `]`, tooManySteps},
		{"long enum for each item", `{"items":{"enum":[` + many(5000, func(i int) string { return fmt.Sprint(i) }) + `]}}`,
			`[` + many(5000, func(int) string { return "-1" }) + `]`, tooManySteps},
		{"long required for each item", `{"items":{"required":[` + many(5000, func(i int) string { return fmt.Sprintf(`"r%d"`, i) }) + `]}}`,
			`[` + many(5000, func(int) string { return "{}" }) + `]`, tooManySteps},
		{"long enum in a combination", `{"items":{"allOf":[{"enum":[` + many(5000, func(i int) string { return fmt.Sprint(i) }) + `]}]}}`,
			`[` + many(1000, func(int) string { return "4999" }) + `]`, tooManySteps},
		{"long dependency for each item", `{"items":{"dependentRequired":{"a":[` + many(5000, func(i int) string { return fmt.Sprintf(`"r%d"`, i) }) + `]}}}`,
			`[` + many(1000, func(int) string { return `{"a":1}` }) + `]`, tooManySteps},
		{"lists of what is unevaluated", `{"allOf":[` + many(1000, func(int) string { return `{"title":"t"}` }) + `],"unevaluatedProperties":true}`,
			`{` + many(5000, func(i int) string { return fmt.Sprintf(`"y%d":1`, i) }) + `}`, tooManySteps},
		{"patterns for each member", `{"patternProperties":{` + many(2000, func(i int) string { return fmt.Sprintf(`"x%d":true`, i) }) + `}}`,
			`{` + many(2000, func(i int) string { return fmt.Sprintf(`"y%d":1`, i) }) + `}`, tooManySteps},
		{"long linear pattern", `{"pattern":"(a{1,200}b?){1,4}c"}`, `"` + strings.Repeat("a", 1<<20) + `"`, tooManySteps},
		{"exploding pattern", `{"pattern":"^(?=x)|^(a+)+$"}`, `"` + strings.Repeat("a", 60) + `b"`, `the pattern "^(?=x)|^(a+)+$" takes too long to match`},
		{"reference to itself on a condition", `{"if":true,"then":{"$ref":"#"}}`, `1`, "the schema refers to itself without end"},
		{"deep value", `{}`, nested(`[`, ``, `]`, schema.MaxValueDepth+1), "nested deeper than 500 levels"},
		{"wide value", `{}`, `[` + strings.Repeat("0,", schema.MaxValueNodes) + `0]`, "more than 1000000 values"},
		{"no JSON", `{}`, `{`, "not JSON"},
		{"two values", `{}`, `1 2`, "not one JSON value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			vs := compile(t, c.schema).Validate(jsontext.Value(c.value))
			if len(vs) != 1 || vs[0].Pointer != "" || !strings.HasPrefix(vs[0].Message, c.want) {
				t.Errorf("violations are %.200v, want %q", vs, c.want)
			}
		})
	}
}

// What is big but sound is still checked to the end.
func TestBigPairs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema, value string
		violations          int
	}{
		{"deep recursion", `{"properties":{"n":{"$ref":"#"}},"required":["q"]}`, nested(`{"n":`, `1`, `}`, schema.MaxValueDepth-1), schema.MaxViolations},
		{"many violations", `{"items":{"type":"string"}}`, `[` + many(50_000, func(int) string { return "1" }) + `]`, schema.MaxViolations},
		{"many items", `{"items":{"type":"object","properties":{"id":{"type":"integer","minimum":0},"kind":{"enum":["a","b"]}},` +
			`"required":["id"],"additionalProperties":false}}`, `[` + many(20_000, func(i int) string { return fmt.Sprintf(`{"id":%d,"kind":"a"}`, i) }) + `]`, 0},
		{"list of countries", `{"items":{"enum":[` + many(250, func(i int) string { return fmt.Sprintf(`"c%d"`, i) }) + `]}}`,
			`[` + many(5_000, func(i int) string { return fmt.Sprintf(`"c%d"`, i%250) }) + `]`, 0},
		{"many definitions", `{"$ref":"#/definitions/d0","definitions":{` + many(1000, func(i int) string {
			return fmt.Sprintf(`"d%d":{"properties":{"n":{"$ref":"#/definitions/d%d"}}}`, i, (i+1)%1000)
		}) + `}}`, nested(`{"n":`, `1`, `}`, 120), 0},
		{"long strings", `{"items":{"pattern":"^[a-z]+$"}}`, `["` + strings.Repeat("a", 100_000) + `"]`, 0},
		{"huge multiples", `{"multipleOf":7}`, `1e1000000`, 0},
		{"huge exponents", `{"items":{"type":"integer","minimum":1e999999,"maximum":1e1000000000},"uniqueItems":true}`,
			`[` + many(2000, func(i int) string { return fmt.Sprintf("%d.5e%d", i, 1000000+i) }) + `]`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if vs := compile(t, c.schema).Validate(jsontext.Value(c.value)); len(vs) != c.violations {
				t.Errorf("%d violations, want %d: %.300v", len(vs), c.violations, vs)
			}
		})
	}
}

// A schema that cannot be built fast is refused.
func TestHostileSchemas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, want string }{
		{"references to odd places", `{"allOf":[` + many(3000, func(i int) string { return fmt.Sprintf(`{"$ref":"#/x/x%d"}`, i) }) +
			`],"x":{` + many(3000, func(i int) string { return fmt.Sprintf(`"x%d":{}`, i) }) + `}}`, "too many references to places that are no definitions"},
		{"a reference to itself", `{"$ref":"#"}`, "the schema refers to itself without end"},
		{"a circle of parts", `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{},{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`, "the schema refers to itself without end"},
		{"long names inside each other", `{"properties":{"` + strings.Repeat("k", 100_000) + `":{"properties":{` +
			many(100, func(i int) string { return fmt.Sprintf(`"x%d":{}`, i) }) + `}}}}`, "too many long names"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := schema.Compile(jsontext.Value(c.schema)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
	for _, c := range []struct{ name, schema string }{
		{"one part twice", `{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"n":{"$ref":"#"}}}}}`},
		{"a choice of itself", `{"anyOf":[{"$ref":"#"},{"type":"object"}]}`},
		{"many names", `{"properties":{` + many(2000, func(i int) string { return fmt.Sprintf(`"x%d":{}`, i) }) + `}}`},
		{"many ids", `{"$defs":{` + many(1000, func(i int) string { return fmt.Sprintf(`"x%d":{"$id":"http://e.example/%d"}`, i, i) }) + `}}`},
		{"parentheses", `{"pattern":"` + strings.Repeat("(", 4000) + strings.Repeat(")", 4000) + `"}`},
		{"parentheses for the other engine", `{"pattern":"(?=a)` + strings.Repeat("(", 4000) + strings.Repeat(")", 4000) + `"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			compile(t, c.schema)
		})
	}
}
