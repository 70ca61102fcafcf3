package certify_test

import (
	"bytes"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// TestSlimChangesNothing sums captures up that were made small and captures that
// were not: some show little, one shows a failure, and they differ in what they
// do not show.
func TestSlimChangesNothing(t *testing.T) {
	t.Parallel()
	capture := func(n int) certify.Recording {
		whole := busy(t, 1, 0)
		return certify.Recording{Name: fmt.Sprintf("%d.jsonl", n), Events: func() iter.Seq2[spec.Event, error] {
			return func(yield func(spec.Event, error) bool) {
				for e, err := range whole.Events() {
					switch d := e.Data.(type) {
					case *spec.HeaderEvent:
						c := *d
						c.ID = fmt.Sprint(n)
						e.Data = &c
					case *spec.ResponseEvent:
						if n == 2 && d.D == "d02" {
							c := *d
							c.Status = 500
							e.Data = &c
						}
					}
					// Each ends after another exchange.
					if _, ok := e.Data.(*spec.RequestEvent); ok && e.N > int64(4+4*n) {
						return
					}
					if !yield(e, err) {
						return
					}
				}
			}
		}}
	}
	sum := func(slim bool) string {
		var s certify.Slim
		var judged []*certify.Judged
		for n := range 5 {
			j, err := certify.Judge(capture(n))
			if err != nil {
				t.Fatal(err)
			}
			if slim {
				s.Take(j)
			}
			judged = append(judged, j)
		}
		report := certify.Sum(judged)
		if report.Exit != reports.ExitFailed || report.Summary.Requirements.Pass < 10 {
			t.Errorf("exit %d, %d passed", report.Exit, report.Summary.Requirements.Pass)
		}
		var b bytes.Buffer
		if err := reports.WriteJSON(&b, report); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if diff := cmp.Diff(sum(false), sum(true)); diff != "" {
		t.Error(diff)
	}
}
