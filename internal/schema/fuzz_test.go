package schema_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/schema"
)

// Whatever the texts: no panic, no end beyond the bounds, twice the same
// answer.
func FuzzValidate(f *testing.F) {
	for _, s := range [][2]string{
		{`{"type":"object","properties":{"a":{"minimum":1e999999999}},"required":["b"]}`, `{"a":-1e999999999}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","format":"regex","dependencies":{"a":["b"],"c":{}}}`, `"("`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"$dynamicAnchor":"x","allOf":[{"$dynamicRef":"#x"}]}}}`, `[[]]`},
		{`{"$id":"a/b","$anchor":"c","items":{"$ref":"b#c"},"unevaluatedItems":false}`, `[[],{}]`},
		{`{"multipleOf":1e-5000,"enum":[1e5000],"const":{"maxLength":1e30}}`, `1e5000`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","id":"#x","exclusiveMinimum":true,"minimum":0}`, `0`},
		{`{"$ref":"https://json-schema.org/draft/2019-09/schema"}`, `{"type":12,"pattern":"("}`},
		{`{"patternProperties":{"^(a+)+$":{"not":{}}},"propertyNames":{"minLength":2}}`, `{"aaaa":1,"b":2}`},
	} {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		if len(raw) > 4096 || len(value) > 4096 {
			return
		}
		s, err := schema.Compile(jsontext.Value(raw))
		if (s == nil) == (err == nil) && raw != nil {
			t.Fatalf("schema %v and error %v", s, err)
		}
		first := s.Validate(jsontext.Value(value))
		if second := s.Validate(jsontext.Value(value)); !slices.Equal(first, second) {
			t.Errorf("first %v, then %v", first, second)
		}
	})
}
