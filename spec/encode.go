package spec

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonOptions keep what others wrote: numbers and escapes as spelled, lone
// surrogates and equal keys as they stand inside free values.
var jsonOptions = json.JoinOptions(
	json.Deterministic(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
)

// Marshal returns the compact JSON text of v: members in the order of the
// struct, map keys sorted, free values as they were spelled. The same value
// always gives the same bytes. The error is that of a value that has no JSON
// form.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, jsonOptions) }

// timestampLayout is RFC 3339 with exactly three decimals.
const timestampLayout = "2006-01-02T15:04:05.000Z07:00"

// At returns the Timestamp of t, cut to milliseconds, in UTC.
func At(t time.Time) Timestamp {
	return Timestamp{t.UTC().Truncate(time.Millisecond)}
}

// String returns the moment as it stands on the wire.
func (t Timestamp) String() string { return t.UTC().Format(timestampLayout) }

// MarshalJSONTo writes the moment as RFC 3339 text.
func (t Timestamp) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.String(t.String()))
}

// UnmarshalJSONFrom reads RFC 3339 text of any precision and zone.
func (t *Timestamp) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var s string
	if err := json.UnmarshalDecode(d, &s); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
	if err != nil {
		return err
	}
	*t = Timestamp{at}
	return nil
}
