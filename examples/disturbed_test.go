package examples_test

import (
	"path/filepath"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// Each worker ends a session alike whatever happens to its deliveries, a restart
// of its process included. Each kind of scenario has its part: calls that run and
// calls that do not, results, failures, a client's tools, several sessions.
func TestWorkersInTrouble(t *testing.T) {
	t.Parallel()
	for _, language := range languages(t) {
		t.Run(language.name, func(t *testing.T) {
			t.Parallel()
			needs(t, language.command[0])
			target := workertest.Command(language.command[0], language.command[1:]...)
			r, err := workertest.Check(t.Context(), target, workertest.Config{
				Run: []string{
					"parallel/*", "session/two-turns.yaml", "execute/valid.yaml", "execute/invalid-missing.yaml", "execute/undeclared.yaml",
					"result/*", "output/*", "finished/*", "client/answered.yaml", "client/beside-the-worker.yaml", "model/fails.yaml", "sessions/two-at-once.yaml",
				},
				Disturb: []string{"all"},
			})
			if err != nil {
				t.Fatal(err)
			}
			held := map[string]spec.Status{}
			for _, q := range r.Requirements {
				held[q.ID] = q.Status
				if q.Status == spec.StatusFail || q.Status == spec.StatusWarn && q.Level != spec.Advice {
					t.Errorf("%s: %s in %v", q.ID, q.Status, q.Cases)
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

// The photo lab keeps what it has let go through all of that, and through
// restarts.
func TestPhotoLabInTrouble(t *testing.T) {
	t.Parallel()
	photoLab(t)
	target := workertest.Command("node", "node-async/server.mjs", "{port}", filepath.Join(t.TempDir(), "work-{port}.json"))
	r, err := workertest.Check(t.Context(), target, workertest.Config{
		File: "node-async/hallmark.yaml", Disturb: []string{"all"},
		Run: []string{"async/two-sessions.yaml", "async/open-twice.yaml", "execute/valid.yaml", "parallel/two-tools.yaml", "restart/*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]spec.Status{}
	for _, q := range r.Requirements {
		held[q.ID] = q.Status
		if q.Status == spec.StatusFail || q.Status == spec.StatusWarn {
			t.Errorf("%s: %s in %v", q.ID, q.Status, q.Cases)
		}
	}
	for _, id := range []string{"disturbed.ends-the-same", "restart.keeps-going", "restart.keeps-its-work", "async.settles-once"} {
		if held[id] != spec.StatusPass {
			t.Errorf("%s: %s", id, held[id])
		}
	}
}
