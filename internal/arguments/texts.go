package arguments

import (
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/schema"
)

// texts holds texts against patterns and formats, by the same engine that
// checks the whole value.
type texts struct {
	checks map[string]*schema.Schema
	// left bounds the checks. One that exceeds its time counts for many, since
	// patterns may explode.
	left int
}

const (
	maxTextChecks = 20_000
	// maxTextSchemas bounds what is compiled.
	maxTextSchemas = 500
	// stoppedCost is what a check that was stopped takes of the bound.
	stoppedCost = maxTextChecks / 3
)

// matches says whether a text fits a pattern.
func (t *texts) matches(pattern, text string) bool {
	return t.fits(objectTree("pattern", textTree(pattern)), text)
}

// isFormat says whether a text has a format, by the drafts that assert it. An
// unknown format takes every text.
func (t *texts) isFormat(format, text string) bool {
	return t.fits(objectTree("$schema", textTree("http://json-schema.org/draft-07/schema#")).
		with("format", textTree(format)), text)
}

func (t *texts) fits(small *tree, text string) bool {
	if t.left--; t.left < 0 {
		return false
	}
	key := small.String()
	check, ok := t.checks[key]
	if !ok {
		if len(t.checks) >= maxTextSchemas {
			return false
		}
		// What does not build is part of a schema that does, so that it can
		// only be a format that is not known.
		check, _ = schema.Compile(small.value())
		t.checks[key] = check
	}
	vs := check.Validate(jsonv.Quote(text))
	if len(vs) == 1 && vs[0].SchemaPointer == "" {
		t.left -= stoppedCost
	}
	return len(vs) == 0
}
