package schema

import (
	"fmt"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The time that patterns may take which only the backtracking engine reads: one
// match, and all matches of one check.
const (
	matchTime = time.Second
	checkTime = 10 * time.Second
)

// pattern is one regular expression of a schema, read as ECMAScript does with
// its u flag.
type pattern struct {
	schema *Schema
	source string
	linear linear
	// tracking is set when linear is not.
	tracking *regexp2.Regexp
	// slow are texts that tracking did not get through in time. A run checks the
	// same text in many cases, and waits for it once.
	slow map[string]bool
}

// The texts that a pattern keeps for being slow: how many, and how long each.
const (
	maxSlow      = 64
	maxSlowBytes = 4 << 10
)

// pattern compiles a regular expression for the library.
func (s *Schema) pattern(source string) (jsonschema.Regexp, error) {
	if len(source) > MaxPatternBytes {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", MaxPatternBytes)
	}
	p := &pattern{schema: s, source: source}
	var ok bool
	if p.linear, ok = newLinear(source); ok {
		return p, nil
	}
	re, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = matchTime
	p.tracking = re
	return p, nil
}

// String returns the source of the pattern.
func (p *pattern) String() string { return p.source }

// MatchString reports whether the pattern matches somewhere in text. It ends
// the check when the time is up.
func (p *pattern) MatchString(text string) bool {
	r := p.schema.run
	if p.tracking == nil {
		r.charge(1 + len(text)*p.linear.size/2000)
		return p.linear.re.MatchString(text)
	}
	r.charge(1 + len(text)/64)
	tooLong := stopped{fmt.Sprintf("the pattern %s takes too long to match", quoted(p.source))}
	if p.slow[text] {
		panic(tooLong)
	}
	start := time.Now()
	ok, err := p.tracking.MatchString(text)
	r.matching += time.Since(start)
	if err != nil && len(p.slow) < maxSlow && len(text) <= maxSlowBytes {
		if p.slow == nil {
			p.slow = map[string]bool{}
		}
		p.slow[text] = true
	}
	if err != nil || r.matching > checkTime {
		panic(tooLong)
	}
	return ok
}
