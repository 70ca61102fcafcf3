package examples_test

import (
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// Each worker ends a session alike whatever happens to its deliveries, a restart
// of its process included. A few scenarios are enough: what they have in common
// with the others is the worker.
func TestWorkersInTrouble(t *testing.T) {
	t.Parallel()
	for _, language := range languages(t) {
		t.Run(language.name, func(t *testing.T) {
			t.Parallel()
			needs(t, language.command[0])
			target := workertest.Command(language.command[0], language.command[1:]...)
			r, err := workertest.Check(t.Context(), target, workertest.Config{
				Run: []string{"parallel/two-tools.yaml", "session/two-turns.yaml"}, Disturb: []string{"all"},
			})
			if err != nil {
				t.Fatal(err)
			}
			held := map[string]spec.Status{}
			for _, q := range r.Requirements {
				held[q.ID] = q.Status
				if q.Status == spec.StatusFail || q.Status == spec.StatusWarn && q.Level != spec.Advice {
					t.Errorf("%s: %s", q.ID, q.Status)
				}
			}
			for _, id := range []string{"disturbed.ends-the-same", "disturbed.reads-the-same", "restart.keeps-going"} {
				if held[id] != spec.StatusPass {
					t.Errorf("%s: %s", id, held[id])
				}
			}
		})
	}
}
