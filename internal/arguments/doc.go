// Package arguments makes the argument texts of tool calls from the JSON Schema
// that a tool declares: valid ones, ones with one thing wrong, ones at the edge
// of what is allowed, and ones that are no JSON object (E1).
//
// A value is looked for before it is made up (R11): given samples, then
// examples, default, enum and const of the schema, then quoted words of the
// descriptions, and only then generation. What is made is checked against the
// schema and mended where it breaks it, a bounded number of times; what is
// handed out has been classed by the engine's own rules. So a keyword that is
// not understood here costs a text and never gives a wrong one.
//
// Everything is a pure function of the Source: its seed and key pick among what
// is equally good (R20), and no map is walked. Schemas come from strangers, so
// size, depth, number of values, checks and texts are bounded. The one bound by
// time is for schemas whose patterns only a backtracking engine reads: it is
// met where they explode, and nowhere else.
package arguments

// The bounds of this package.
const (
	// MaxTexts is the largest number of texts that one call of Make gives.
	MaxTexts = 10_000
	// MaxDepth is the deepest nesting of a made value.
	MaxDepth = 24
	// MaxValues is the largest number of values inside one made value.
	MaxValues = 5_000
	// MaxTextLength is the longest made text, in characters.
	MaxTextLength = 100_000
)
