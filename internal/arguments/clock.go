package arguments

import (
	"regexp/syntax"
	"time"

	"github.com/hallmarkdev/hallmark/internal/schema"
)

// clock bounds the time that checks take where a schema has patterns that only
// a backtracking engine reads: no count of steps bounds those. For all other
// schemas it stands still, so that no machine is too slow for a text.
type clock struct {
	runs  bool
	spent time.Duration
}

// patience is the time that all checks of one call of Make may take together.
const patience = time.Second

func (c *clock) measure(check func() []schema.Violation) []schema.Violation {
	if !c.runs {
		return check()
	}
	start := time.Now()
	vs := check()
	c.spent += time.Since(start)
	return vs
}

func (c *clock) late() bool { return c.spent > patience }

// backtracks says whether a schema has a pattern that Go's engine does not
// read.
func backtracks(t *tree) bool {
	if pattern := t.member("pattern"); pattern.isText() && isBacktracking(pattern.text) {
		return true
	}
	if patterns := t.member("patternProperties"); patterns.isObject() {
		for _, pattern := range patterns.names {
			if isBacktracking(pattern) {
				return true
			}
		}
	}
	for _, kid := range t.kids {
		if backtracks(kid) {
			return true
		}
	}
	return false
}

func isBacktracking(pattern string) bool {
	_, err := syntax.Parse(pattern, syntax.Perl)
	return err != nil
}
