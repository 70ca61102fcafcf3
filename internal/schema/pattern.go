package schema

import (
	"fmt"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The time that patterns may take: one match, and all matches of one check.
const (
	matchTime = 500 * time.Millisecond
	checkTime = 2 * time.Second
)

// pattern is one regular expression of a schema, read as ECMAScript does.
type pattern struct {
	schema *Schema
	re     *regexp2.Regexp
}

// pattern compiles a regular expression for the library.
func (s *Schema) pattern(source string) (jsonschema.Regexp, error) {
	if len(source) > MaxPatternBytes {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", MaxPatternBytes)
	}
	re, err := regexp2.Compile(source, regexp2.ECMAScript)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = matchTime
	return &pattern{s, re}, nil
}

// String returns the source of the pattern.
func (p *pattern) String() string { return p.re.String() }

// MatchString reports whether the pattern matches somewhere in text. It ends
// the check when the time is up.
func (p *pattern) MatchString(text string) bool {
	r := p.schema.run
	if r == nil {
		// The library matches nothing while it builds a schema.
		return false
	}
	r.charge(1 + len(text)/64)
	start := time.Now()
	ok, err := p.re.MatchString(text)
	r.matching += time.Since(start)
	if err != nil || r.matching > checkTime {
		panic(stopped{fmt.Sprintf("the pattern %s takes too long to match", quoted(p.String()))})
	}
	return ok
}
