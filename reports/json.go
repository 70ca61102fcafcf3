package reports

import (
	_ "embed"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed report.schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of what [WriteJSON] writes.
func Schema() []byte { return append([]byte(nil), schema...) }

// WriteJSON writes r as indented JSON with a line end. The same report gives
// the same bytes. The error is that of w.
func WriteJSON(w io.Writer, r *Report) error {
	text, err := json.Marshal(r, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
