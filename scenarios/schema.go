package scenarios

import (
	"bytes"
	_ "embed"
)

//go:embed scenario.schema.json
var schemaText []byte

// Schema returns the JSON Schema of the scenario language, for editors. It
// describes a document whose references are resolved. The caller owns the
// bytes.
func Schema() []byte { return bytes.Clone(schemaText) }
