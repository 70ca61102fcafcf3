package workertest_test

import (
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/workertest"
)

// Run and Scenario as a user meets them: subtests of a real test.
func TestRun(t *testing.T) {
	workertest.Run(t, workertest.Handler(studio()), workertest.Config{Run: []string{"session/*", "execute/valid.yaml"}})
}

func TestScenario(t *testing.T) {
	target := workertest.Handler(studio())
	workertest.Scenario(t, target, talk, workertest.Config{})
	workertest.Scenario(t, target, strings.Replace(talk, "A plain", "Another plain", 1), workertest.Config{})
}
