package schema_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/schema"
)

// A name that propertyNames refuses is reported where it stands, however often
// the check is made: fifty times, with maps of more than three keys.
func TestPropertyNamesArePlaced(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile(jsontext.Value(`{
		"properties": {"a": {"properties": {"x": {"propertyNames": {"maxLength": 2}}, "y": {"propertyNames": {"maxLength": 2}}}}},
		"additionalProperties": {"type": "integer"},
		"propertyNames": {"maxLength": 4}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	value := jsontext.Value(`{"a":{"x":{"toolong":1,"ok":2,"b":3},"y":{"toolong":1,"c":2},"z":{"toolong":0}},"b":1,"c":2,"d":3,"wrong":4}`)
	var first []schema.Violation
	for range 50 {
		got := s.Validate(value)
		if first == nil {
			first = got
			var at []string
			for _, v := range got {
				at = append(at, v.Pointer)
			}
			if diff := cmp.Diff([]string{"", "/a/x", "/a/y"}, at); diff != "" {
				t.Fatal(diff)
			}
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatal("another run, another answer:", diff)
		}
	}
}
