package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// words returns the keyword that is broken, as pointer tokens below its schema,
// and one message for each violation.
func words(k jsonschema.ErrorKind) (keyword, messages []string) {
	one := func(keyword, format string, args ...any) ([]string, []string) {
		var path []string
		if keyword != "" {
			path = []string{keyword}
		}
		return path, []string{fmt.Sprintf(format, args...)}
	}
	switch k := k.(type) {
	case *kind.FalseSchema:
		return one("", "nothing is allowed here")
	case *kind.RefCycle:
		return one("", "the schema refers to itself without end")
	case *kind.Not:
		return one("not", "must not match the schema under not")
	case *kind.AnyOf:
		return one("anyOf", "matches none of the schemas of anyOf")
	case *kind.OneOf:
		if len(k.Subschemas) > 1 {
			return one("oneOf", "matches more than one schema of oneOf: %d and %d", k.Subschemas[0], k.Subschemas[1])
		}
		return one("oneOf", "matches none of the schemas of oneOf")
	case *kind.Type:
		return one("type", "want %s, got %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		return one("enum", "must be %s", choice(k.Want))
	case *kind.Const:
		return one("const", "must be %s", shown(k.Want))
	case *kind.Format:
		return one("format", "is no valid %s", k.Want)
	case *kind.Required:
		return []string{"required"}, missing(k.Missing, "")
	case *kind.DependentRequired:
		return []string{"dependentRequired", k.Prop}, missing(k.Missing, k.Prop)
	case *kind.Dependency:
		return []string{"dependencies", k.Prop}, missing(k.Missing, k.Prop)
	case *kind.AdditionalProperties:
		return one("additionalProperties", "does not allow %s", members(k.Properties))
	case *kind.PropertyNames:
		return one("", "the name %s is not allowed", quoted(k.Property))
	case *kind.Pattern:
		return one("pattern", "does not match the pattern %s", quoted(k.Want))
	}
	return counts(k, one)
}

// counts is words for the keywords that bound a number of things.
func counts(k jsonschema.ErrorKind, one func(string, string, ...any) ([]string, []string)) (keyword, messages []string) {
	switch k := k.(type) {
	case *kind.MinProperties:
		return one("minProperties", "has %d members, want at least %d", k.Got, k.Want)
	case *kind.MaxProperties:
		return one("maxProperties", "has %d members, want at most %d", k.Got, k.Want)
	case *kind.MinItems:
		return one("minItems", "has %d items, want at least %d", k.Got, k.Want)
	case *kind.MaxItems:
		return one("maxItems", "has %d items, want at most %d", k.Got, k.Want)
	case *kind.AdditionalItems:
		return one("additionalItems", "has %d items too many", k.Count)
	case *kind.UniqueItems:
		return one("uniqueItems", "items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return one("contains", "no item matches the schema of contains")
	case *kind.MinContains:
		return one("minContains", "%d items match the schema of contains, want at least %d", len(k.Got), k.Want)
	case *kind.MaxContains:
		return one("maxContains", "%d items match the schema of contains, want at most %d", len(k.Got), k.Want)
	case *kind.MinLength:
		return one("minLength", "has %d characters, want at least %d", k.Got, k.Want)
	case *kind.MaxLength:
		return one("maxLength", "has %d characters, want at most %d", k.Got, k.Want)
	case *kind.Minimum:
		return one("minimum", "must be at least %s", decimal(k.Want))
	case *kind.Maximum:
		return one("maximum", "must be at most %s", decimal(k.Want))
	case *kind.ExclusiveMinimum:
		return one("exclusiveMinimum", "must be more than %s", decimal(k.Want))
	case *kind.ExclusiveMaximum:
		return one("exclusiveMaximum", "must be less than %s", decimal(k.Want))
	case *kind.MultipleOf:
		return one("multipleOf", "must be a multiple of %s", decimal(k.Want))
	}
	return one("", "breaks the schema")
}

// mostMissing is how many missing members one keyword names.
const mostMissing = 20

func missing(names []string, because string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names[:min(len(names), mostMissing)] {
		m := "member " + quoted(n) + " is missing"
		if because != "" {
			m += ", which " + quoted(because) + " needs"
		}
		out = append(out, m)
	}
	return out
}

// members names what is too much, in order of the names.
func members(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	const most = 5
	out := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		out = append(out, quoted(n))
	}
	word := "the member "
	if len(names) > 1 {
		word = "the members "
	}
	text := word + strings.Join(out, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func choice(values []any) string {
	const most = 10
	out := make([]string, 0, most)
	for _, v := range values[:min(len(values), most)] {
		out = append(out, shown(v))
	}
	text := strings.Join(out, ", ")
	if len(values) > 1 {
		text = "one of " + text
	}
	if more := len(values) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// longest is the length at which a value in a message is cut.
const longest = 60

// shown prints a value of a schema.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quoted(v)
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		if len(v) > span {
			return "a number of extreme size"
		}
		return cut(v.String(), longest)
	case []any:
		return fmt.Sprintf("an array of %d items", len(v))
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(v))
	}
	return "another value"
}

func quoted(s string) string { return strconv.Quote(cut(s, longest)) }

// cut shortens s to n bytes, at a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// decimal prints a bound of a schema, which always has an exact decimal form.
func decimal(r *big.Rat) string {
	if extreme(r) {
		return "a number of extreme size"
	}
	if r.IsInt() {
		return cut(r.Num().String(), longest)
	}
	n, _ := r.FloatPrec()
	return cut(r.FloatString(n), longest)
}

// extreme reports whether r may only stand for the number that was written:
// see [bounded]. One digit takes between 3 and 4 bits.
func extreme(r *big.Rat) bool {
	n, d := r.Num().BitLen(), r.Denom().BitLen()
	return n > d+3*span || d > n+3*span
}
