package examples_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// The worker that hosts its model is held to all that is asked of hosted models
// and of streams.
func TestHostedModelIsCertified(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	for _, source := range []string{"python-model/worker.py", "python-model/hallmark.yaml"} {
		if _, err := os.ReadFile(source); err != nil {
			t.Fatal(err)
		}
	}
	url := start(t, []string{"python3", "python-model/worker.py"}, nil)
	report := certified(t, url, workertest.Config{
		File: "python-model/hallmark.yaml", Run: []string{"hosted/*", "stream/*", "session/*"},
	})
	held := map[string]bool{}
	for _, q := range report.Requirements {
		if q.Status == spec.StatusPass {
			held[q.ID] = true
		}
	}
	for _, q := range spec.Requirements() {
		switch {
		case !strings.HasPrefix(q.ID, "model.") && !strings.HasPrefix(q.ID, "stream."):
		case q.ID == "model.error-has-text", q.ID == "stream.deltas-fit-the-format":
			// It knows every model, and speaks no provider's form.
		case !held[q.ID]:
			t.Errorf("%s was not seen to hold", q.ID)
		}
	}
}
