// Package schema checks JSON values against JSON Schemas that strangers wrote.
//
// A schema comes from a tool declaration, so it may be wrong, huge or hostile.
// It is compiled by the rules of E6: `$schema` names the dialect, 2020-12 is the
// default, `format` asserts only under drafts 4, 6 and 7, and a reference to
// another document is never fetched. A schema that does not build gives an
// error, and its tool then goes unchecked (E1).
//
// Everything is bounded: the size and shape of a schema, the depth of a value,
// the number of steps of a check and the time that patterns take. No number
// goes through a float, and no exponent is ever expanded.
package schema

// The bounds of this package.
const (
	// MaxSchemaBytes is the longest schema text that is compiled.
	MaxSchemaBytes = 512 << 10
	// MaxSchemaDepth is the deepest nesting of a schema text.
	MaxSchemaDepth = 200
	// MaxSchemaNodes is the largest number of objects and booleans, each of
	// which may be a subschema, in one schema.
	MaxSchemaNodes = 10_000
	// MaxPointerBytes bounds the pointers to all places of one schema, added up.
	MaxPointerBytes = 4 << 20
	// MaxPatternBytes is the longest regular expression.
	MaxPatternBytes = 8 << 10
	// MaxValueDepth is the deepest nesting of a value that is checked.
	MaxValueDepth = 500
	// MaxValueNodes is the largest number of values inside a value.
	MaxValueNodes = 1_000_000
	// MaxViolations is the largest number of violations that a check returns.
	MaxViolations = 200
)
