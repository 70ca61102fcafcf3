package certify

import (
	"iter"
	"os"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// FromFile returns a Recording over a file, which is opened for each reading.
// Errors of opening and reading come with the events.
func FromFile(name string) Recording {
	return Recording{Name: name, Events: func() iter.Seq2[spec.Event, error] {
		return func(yield func(spec.Event, error) bool) {
			f, err := os.Open(name)
			if err != nil {
				yield(spec.Event{}, err)
				return
			}
			defer f.Close()
			for e, err := range recorder.NewReader(f).All() {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}}
}
