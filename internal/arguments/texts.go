package arguments

import (
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/schema"
)

// texts holds texts against patterns and formats, by the same engine that
// checks the whole value.
type texts struct {
	checks map[string]*textCheck
	// left bounds the checks, stopped the ones that exceed their time: a
	// pattern may explode, and each such check takes a second.
	left, stopped int
	clock         *clock
}

// textCheck is one compiled pattern or format.
type textCheck struct {
	schema *schema.Schema
	// dead is set when a check did not come to an end; nothing fits then.
	dead bool
}

const (
	maxTextChecks = 20_000
	// maxTextSchemas bounds what is compiled.
	maxTextSchemas = 500
	maxStopped     = 2
)

func newTexts(clock *clock) *texts {
	return &texts{clock: clock, checks: map[string]*textCheck{}, left: maxTextChecks, stopped: maxStopped}
}

// matches says whether a text fits a pattern.
func (t *texts) matches(pattern, text string) bool {
	if t.left < 0 {
		return false
	}
	return t.fits(objectTree("pattern", textTree(pattern)), text)
}

// isFormat says whether a text has a format, by the drafts that assert it. An
// unknown format takes every text.
func (t *texts) isFormat(format, text string) bool {
	return t.fits(objectTree("$schema", textTree("http://json-schema.org/draft-07/schema#")).
		with("format", textTree(format)), text)
}

func (t *texts) fits(small *tree, text string) bool {
	if t.left--; t.left < 0 || t.stopped <= 0 || t.clock.late() {
		return false
	}
	key := small.String()
	check, ok := t.checks[key]
	if !ok {
		if len(t.checks) >= maxTextSchemas {
			return false
		}
		// What does not build here is part of a schema that does, so that it
		// can only be a format that is not known.
		compiled, _ := schema.Compile(small.value())
		check = &textCheck{schema: compiled}
		t.checks[key] = check
	}
	if check.dead {
		return false
	}
	vs := t.clock.measure(func() []schema.Violation { return check.schema.Validate(jsonv.Quote(text)) })
	if isStopped(vs) {
		check.dead = true
		t.stopped--
	}
	return len(vs) == 0
}

// isStopped says whether a check gave up. Its only violation then names no
// keyword.
func isStopped(vs []schema.Violation) bool {
	return len(vs) == 1 && vs[0].Pointer == "" && vs[0].SchemaPointer == ""
}
