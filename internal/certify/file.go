package certify

import (
	"errors"
	"iter"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// FromFile returns a Recording over a file, plain or compressed, which is opened
// for each reading.
// Errors of opening and reading come with the events. A capture may end anywhere,
// since a proxy may be writing it: one that has no closing line yet is taken as
// far as it goes.
func FromFile(name string) Recording {
	return Recording{Name: name, Events: func() iter.Seq2[spec.Event, error] {
		capture := false
		return func(yield func(spec.Event, error) bool) {
			f, err := recorder.Open(name)
			if err != nil {
				yield(spec.Event{}, err)
				return
			}
			defer f.Close()
			for e, err := range recorder.NewReader(f).All() {
				if h, ok := e.Data.(*spec.HeaderEvent); ok {
					capture = h.Source == spec.SourceCapture
				}
				if _, cut := errors.AsType[*recorder.CutError](err); cut && capture {
					return
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}}
}
