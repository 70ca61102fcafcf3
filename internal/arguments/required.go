package arguments

import "github.com/go-json-experiment/json/jsontext"

// Required returns the names that a schema requires of the arguments, in the
// order of the schema; of alternatives the first counts. It is empty for a
// schema that leaves the arguments unchecked, as one that does not build (E1,
// E7). It is safe for concurrent use.
func Required(schema jsontext.Value) []string {
	r := newRun(Source{Schema: schema})
	if r.compiled == nil {
		return nil
	}
	m := &maker{run: r, folds: maxFolds}
	v, refusal := m.fold([]*tree{r.doc.root}, place{}, 0)
	if refusal != nil {
		return nil
	}
	return v.required()
}
