package examples_test

import (
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// observatorySecret is what the workers and the run share.
const observatorySecret = "a key of the observatory"

// certified certifies a worker and returns the report, which must be good.
func certified(t *testing.T, url string, cfg workertest.Config) *reports.Report {
	t.Helper()
	report, err := workertest.Check(t.Context(), workertest.URL(url), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range report.Requirements {
		if q.Status == spec.StatusFail || q.Status == spec.StatusWarn {
			t.Errorf("%s: %s in %v", q.ID, q.Status, q.Cases)
		}
	}
	if report.Exit != reports.ExitGood {
		t.Errorf("exit %d", report.Exit)
	}
	return report
}

// With a secret every worker is held to what is asked of signatures, and to
// long bodies that arrive in pieces.
func TestSignedRequestsAreCertified(t *testing.T) {
	each(t, []string{"WORKER_SECRET=" + observatorySecret}, func(t *testing.T, url string) {
		report := certified(t, url, workertest.Config{
			Secret: []byte(observatorySecret), Run: []string{"signature/*", "robustness/cut-letters.yaml", "execute/valid.yaml"},
		})
		seen := 0
		for _, q := range report.Requirements {
			if strings.HasPrefix(q.ID, "signature.") && q.Status == spec.StatusPass {
				seen++
			}
		}
		if seen != 7 {
			t.Errorf("%d requirements on signatures hold", seen)
		}
	})
}

// Whatever reaches its port, each worker is there for the next request.
func TestOddAndBrokenRequestsEndNoWorker(t *testing.T) {
	each(t, nil, func(t *testing.T, url string) {
		report := certified(t, url, workertest.Config{Run: []string{"robustness/*"}, Strict: true})
		held := 0
		for _, q := range report.Requirements {
			if strings.HasPrefix(q.ID, "robustness.") && q.Status == spec.StatusPass {
				held++
			}
		}
		if held != 12 {
			t.Errorf("%d requirements on robustness hold", held)
		}
	})
}

// What engines may do in two ways makes no difference to any worker.
func TestEveryDialectIsUnderstood(t *testing.T) {
	each(t, nil, func(t *testing.T, url string) {
		report := certified(t, url, workertest.Config{
			Dialect: []string{"all"}, Run: []string{"execute/valid.yaml", "session/*", "model/*", "retry/second-attempt.yaml", "result/*", "output/*"},
		})
		if len(report.Cases) < 16*10 {
			t.Errorf("%d cases", len(report.Cases))
		}
	})
}
