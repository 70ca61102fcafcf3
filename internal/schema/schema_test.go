package schema_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/schema"
)

func compile(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(jsontext.Value(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each keyword: where it points, which words it uses, and a value that passes,
// so that no check can be red for everything.
func TestViolations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema, good, bad string
		want                    []schema.Violation
	}{
		{"type", `{"type":["string","null"]}`, `null`, `4`, []schema.Violation{{"", "/type", "want null or string, got number"}}},
		{"whole number", `{"type":"integer"}`, `4.0`, `4.5`, []schema.Violation{{"", "/type", "want integer, got number"}}},
		{"required", `{"required":["b","a"]}`, `{"a":1,"b":2}`, `{}`, []schema.Violation{
			{"", "/required", `member "a" is missing`}, {"", "/required", `member "b" is missing`},
		}},
		{"additional", `{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1}`, `{"c":1,"b":2}`, []schema.Violation{
			{"", "/additionalProperties", `does not allow the members "b", "c"`},
		}},
		{"enum", `{"enum":["a",1,null,[2]]}`, `1.0`, `"b"`, []schema.Violation{
			{"", "/enum", `must be one of "a", 1, null, an array of 1 items`},
		}},
		{"const", `{"const":{"a":1}}`, `{"a":1.0}`, `{"a":2}`, []schema.Violation{{"", "/const", "must be an object of 1 members"}}},
		{"minimum", `{"minimum":1.5}`, `1.5`, `1.4999999999999999999`, []schema.Violation{{"", "/minimum", "must be at least 1.5"}}},
		{"past 2^53", `{"maximum":9007199254740992}`, `9007199254740992`, `9007199254740993`, []schema.Violation{
			{"", "/maximum", "must be at most 9007199254740992"},
		}},
		{"exclusive", `{"exclusiveMinimum":0,"exclusiveMaximum":1}`, `1e-400`, `1`, []schema.Violation{
			{"", "/exclusiveMaximum", "must be less than 1"},
		}},
		{"exclusive minimum", `{"exclusiveMinimum":0}`, `0.1e-999999999`, `-0`, []schema.Violation{
			{"", "/exclusiveMinimum", "must be more than 0"},
		}},
		{"multiple", `{"multipleOf":0.01}`, `0.07`, `0.075`, []schema.Violation{{"", "/multipleOf", "must be a multiple of 0.01"}}},
		{"length", `{"minLength":2,"maxLength":3}`, `"⚓️a"`, `"⚓"`, []schema.Violation{{"", "/minLength", "has 1 characters, want at least 2"}}},
		{"items", `{"minItems":1,"maxItems":2,"uniqueItems":true}`, `[1,"1"]`, `[1,2,1.0]`, []schema.Violation{
			{"", "/maxItems", "has 3 items, want at most 2"}, {"", "/uniqueItems", "items 0 and 2 are equal"},
		}},
		{"contains", `{"contains":{"type":"null"},"minContains":2}`, `[null,null]`, `[null]`, []schema.Violation{
			{"", "/minContains", "1 items match the schema of contains, want at least 2"},
		}},
		{"members", `{"minProperties":1,"maxProperties":1}`, `{"a":1}`, `{}`, []schema.Violation{
			{"", "/minProperties", "has 0 members, want at least 1"},
		}},
		{"dependent", `{"dependentRequired":{"a/b":["c"]}}`, `{"c":1,"a/b":1}`, `{"a/b":1}`, []schema.Violation{
			{"", "/dependentRequired/a~1b", `member "c" is missing, which "a/b" needs`},
		}},
		{"names", `{"propertyNames":{"maxLength":1}}`, `{"a":1}`, `{"ab":1}`, []schema.Violation{
			{"", "/propertyNames", `the name "ab" is not allowed`},
		}},
		{"any of", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `null`, `1`, []schema.Violation{
			{"", "/anyOf", "matches none of the schemas of anyOf"},
		}},
		{"one of", `{"oneOf":[{},{"type":"null"}]}`, `1`, `null`, []schema.Violation{
			{"", "/oneOf", "matches more than one schema of oneOf: 0 and 1"},
		}},
		{"not", `{"not":{"type":"null"}}`, `1`, `null`, []schema.Violation{{"", "/not", "must not match the schema under not"}}},
		{"false", `{"properties":{"a":false}}`, `{}`, `{"a":1}`, []schema.Violation{{"/a", "/properties/a", "nothing is allowed here"}}},
		{"all of and reference", `{"allOf":[{"$ref":"#/$defs/a b"}],"$defs":{"a b":{"type":"string"}}}`, `"x"`, `1`, []schema.Violation{
			{"", "/$defs/a b/type", "want string, got number"},
		}},
		{"pattern", `{"properties":{"é":{"pattern":"^a"}}}`, `{"é":"a"}`, `{"é":"b"}`, []schema.Violation{
			{"/é", "/properties/é/pattern", `does not match the pattern "^a"`},
		}},
		{"order of places", `{"items":{"type":"null"}}`, `[null]`, `[1,null,1,1,1,1,1,1,1,1,1]`, []schema.Violation{
			{"/0", "/items/type", "want null, got number"}, {"/2", "/items/type", "want null, got number"},
			{"/3", "/items/type", "want null, got number"}, {"/4", "/items/type", "want null, got number"},
			{"/5", "/items/type", "want null, got number"}, {"/6", "/items/type", "want null, got number"},
			{"/7", "/items/type", "want null, got number"}, {"/8", "/items/type", "want null, got number"},
			{"/9", "/items/type", "want null, got number"}, {"/10", "/items/type", "want null, got number"},
		}},
		{"last of equal names", `{"type":"string","type":"object","properties":{"a":{"type":"null"}}}`, `{"a":1,"a":null}`, `{"a":null,"a":1}`, []schema.Violation{
			{"/a", "/properties/a/type", "want null, got number"},
		}},
		{"unevaluated", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1}`, `{"b":1}`, []schema.Violation{
			{"/b", "/unevaluatedProperties", "nothing is allowed here"},
		}},
		{"huge count", `{"maxLength":1e30,"minItems":1e99999999999,"maxItems":0.0}`, `"abc"`, `[1]`, []schema.Violation{
			{"", "/maxItems", "has 1 items, want at most 0"}, {"", "/minItems", "has 1 items, want at least 1000000000000000"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := compile(t, c.schema)
			if vs := s.Validate(jsontext.Value(c.good)); vs != nil {
				t.Errorf("%s: %v", c.good, vs)
			}
			if d := cmp.Diff(c.want, s.Validate(jsontext.Value(c.bad))); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.bad, d)
			}
		})
	}
}

func TestNotBuilt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, schema, want string }{
		{"no JSON", `{`, "not JSON"},
		{"two values", `{} {}`, "not one JSON value"},
		{"null", `null`, "want boolean or object, got null"},
		{"text", `"object"`, "want boolean or object, got string"},
		{"type", `{"type":"objekt"}`, "/type: matches none"},
		{"deep inside", `{"properties":{"a":{"items":{"minimum":"1"}}}}`, "/properties/a/items/minimum: want number, got string"},
		{"draft 4 spelling", `{"minimum":1,"exclusiveMinimum":true}`, "/exclusiveMinimum: want number, got boolean"},
		{"no such place", `{"$ref":"#/$defs/a"}`, "not found"},
		{"file", `{"$ref":"file:///etc/passwd"}`, "not fetched"},
		{"http", `{"properties":{"a":{"$ref":"http://127.0.0.1:1/x.json#/a"}}}`, "not fetched"},
		{"relative", `{"$ref":"../etc/passwd"}`, "not fetched"},
		{"dialect", `{"$schema":"https://schemas.example/x"}`, "not fetched"},
		{"own dialect", `{"$schema":"unfetched://schema/"}`, "not supported"},
		{"directory of metaschemas", `{"$ref":"https://json-schema.org/draft/2020-12"}`, ""},
		{"way out of metaschemas", `{"$ref":"https://json-schema.org/../../go.mod"}`, ""},
		{"pattern", `{"pattern":"("}`, "/pattern: is no valid regex"},
		{"long pattern", `{"pattern":"` + strings.Repeat("a", schema.MaxPatternBytes+1) + `"}`, "/pattern: is no valid regex"},
		{"depth", strings.Repeat(`{"not":`, 300) + `{}` + strings.Repeat(`}`, 300), "nested deeper than 200 levels"},
		{"width", `{"allOf":[` + strings.Repeat(`{},`, schema.MaxSchemaNodes) + `{}]}`, "more than 10000 objects"},
		{"size", `{"title":"` + strings.Repeat("a", schema.MaxSchemaBytes) + `"}`, "longer than 524288 bytes"},
		{"lone surrogate", `{"title":"\ud800"}`, "not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile(jsontext.Value(c.schema))
			if err == nil {
				t.Fatal("the schema builds")
			}
			if s != nil {
				t.Error("there is a schema beside the error")
			}
			if !strings.HasPrefix(err.Error(), "build schema: ") || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
				t.Errorf("error is %q, want %q in it", err, c.want)
			}
		})
	}
}

func TestNoSchema(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile(nil)
	if s != nil || err != nil {
		t.Fatalf("%v, %v", s, err)
	}
	if vs := s.Validate(jsontext.Value(`1`)); vs != nil {
		t.Errorf("%v", vs)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	const bad = `"no mail"`
	for dialect, asserts := range map[string]bool{
		"http://json-schema.org/draft-04/schema#":      true,
		"http://json-schema.org/draft-06/schema#":      true,
		"http://json-schema.org/draft-07/schema":       true,
		"https://json-schema.org/draft/2019-09/schema": false,
		"https://json-schema.org/draft/2020-12/schema": false,
	} {
		s := compile(t, fmt.Sprintf(`{"$schema":%q,"format":"email"}`, dialect))
		if vs := s.Validate(jsontext.Value(bad)); (vs != nil) != asserts {
			t.Errorf("%s: %v", dialect, vs)
		}
		if vs := s.Validate(jsontext.Value(`"a@b.example"`)); vs != nil {
			t.Errorf("%s: %v", dialect, vs)
		}
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	c := schema.NewCache(2)
	get := func(text string) *schema.Schema {
		s, err := c.Compile(jsontext.Value(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := get(`{}`), get(`true`)
	if get(`{}`) != a || get(`true`) != b {
		t.Error("a schema is compiled twice")
	}
	get(`{}`)
	get(`false`)
	if get(`{}`) != a {
		t.Error("the schema used last is gone")
	}
	if get(`true`) == b {
		t.Error("the schema used least is still there")
	}
	for range 2 {
		if _, err := c.Compile(jsontext.Value(`{"type":12}`)); err == nil {
			t.Error("a schema that does not build builds")
		}
	}
}

func TestCacheForgetsByBytes(t *testing.T) {
	t.Parallel()
	c := schema.NewCache(100)
	big := func(i int) *schema.Schema {
		s, err := c.Compile(jsontext.Value(fmt.Sprintf(`{"title":"%d%s"}`, i, strings.Repeat("a", schema.MaxSchemaBytes-100))))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := big(0)
	for i := range 4 {
		big(i)
	}
	if big(0) != first {
		t.Error("a schema is forgotten too early")
	}
	for i := range 4 {
		big(i + 1)
	}
	if big(0) == first {
		t.Error("a schema is kept beyond the bound")
	}
}

func BenchmarkValidate(b *testing.B) {
	s, err := schema.Compile(jsontext.Value(`{"type":"object","properties":{"port":{"type":"string","pattern":"^[A-Z]"},
		"day":{"type":"integer","minimum":1,"maximum":31}},"required":["port"],"additionalProperties":false}`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if vs := s.Validate(jsontext.Value(`{"port":"Roscoff","day":4}`)); vs != nil {
			b.Fatal(vs)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := schema.NewCache(4)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				s, err := c.Compile(jsontext.Value(fmt.Sprintf(`{"maximum":%d,"pattern":"(?=a)"}`, (i+n)%6)))
				if err != nil {
					t.Error(err)
					return
				}
				if vs := s.Validate(jsontext.Value(`9`)); len(vs) != 1 {
					t.Errorf("%v", vs)
				}
			}
		})
	}
	all.Wait()
}
