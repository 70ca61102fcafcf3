package certify_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
)

// A race between two sessions is found by some seeds, and by such a seed every
// time (R20). The worker that mixes them up in few orders then holds a call,
// which is waited for: in a bubble that costs nothing.
func TestRaceBetweenTwoSessions(t *testing.T) {
	t.Parallel()
	of := slices.IndexFunc(reference.Faults(), func(f reference.Fault) bool { return f.Name == "answers-another-session" })
	fault := reference.Faults()[of]
	race := func(t *testing.T, seed uint64) (found []string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			found = troubled(against(t, fault, func(c *certify.Config) {
				c.Seed, c.Jobs, c.Run, c.Wanted = seed, 1, []string{"sessions/two-at-once.yaml"}, nil
			}))
		})
		return found
	}
	for range 8 {
		if diff := cmp.Diff([]string{"sessions.do-not-share"}, race(t, fault.Seed)); diff != "" {
			t.Error(diff)
		}
	}
	missed := 0
	for other := uint64(1); other <= 10; other++ {
		if len(race(t, other)) == 0 {
			missed++
		}
	}
	if missed <= 5 {
		t.Errorf("%d of 10 other seeds miss it: that is no order that few seeds come to", missed)
	}
}
