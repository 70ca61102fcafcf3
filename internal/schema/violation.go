package schema

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// flatten turns the library's tree of causes into a list in the order of the
// places. Combinations that offer a choice (anyOf, oneOf, not, contains) are
// one violation each: what their branches miss says little. value is what was
// checked, nil when it is not at hand.
func flatten(bad *jsonschema.ValidationError, value any) []Violation {
	var vs []Violation
	var wrong []misplaced
	collect(bad, &vs, &wrong)
	place(vs, wrong, value)
	slices.SortFunc(vs, func(a, b Violation) int {
		return cmp.Or(comparePointers(a.Pointer, b.Pointer),
			comparePointers(a.SchemaPointer, b.SchemaPointer), cmp.Compare(a.Message, b.Message))
	})
	vs = slices.Compact(vs)
	return vs[:min(len(vs), MaxViolations)]
}

func collect(e *jsonschema.ValidationError, vs *[]Violation, wrong *[]misplaced) {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, c := range e.Causes {
			collect(c, vs, wrong)
		}
		return
	case *kind.MultipleOf:
		if extreme(k.Got) || extreme(k.Want) {
			return
		}
	}
	keyword, messages := words(e.ErrorKind)
	at, in := pointer(e.InstanceLocation), schemaPointer(e.SchemaURL, keyword)
	key, ok := misplacedBy(e)
	for _, m := range messages {
		if ok {
			*wrong = append(*wrong, misplaced{len(*vs), key})
		}
		*vs = append(*vs, Violation{at, in, m})
	}
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(escape.Replace(t))
	}
	return b.String()
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func schemaPointer(address string, keyword []string) string {
	doc, fragment, _ := strings.Cut(address, "#")
	if p, err := url.PathUnescape(fragment); err == nil {
		fragment = p
	}
	p := fragment + pointer(keyword)
	if doc != base {
		return doc + "#" + p
	}
	return p
}

// comparePointers orders pointers by their tokens, indexes as numbers, a parent
// before its children.
func comparePointers(a, b string) int {
	for {
		x, restA, moreA := strings.Cut(strings.TrimPrefix(a, "/"), "/")
		y, restB, moreB := strings.Cut(strings.TrimPrefix(b, "/"), "/")
		switch {
		case a == "" || b == "":
			return cmp.Compare(len(a), len(b))
		case x != y:
			return compareTokens(x, y)
		case !moreA || !moreB:
			return cmp.Compare(len(a), len(b))
		}
		a, b = "/"+restA, "/"+restB
	}
}

func compareTokens(a, b string) int {
	i, errA := strconv.Atoi(a)
	j, errB := strconv.Atoi(b)
	if errA == nil && errB == nil && i != j {
		return cmp.Compare(i, j)
	}
	return cmp.Compare(a, b)
}
