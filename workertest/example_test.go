package workertest_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/hallmarkdev/hallmark/workertest"
)

// newWorker stands for a worker of one's own.
func newWorker() http.Handler { return studio() }

// The whole suite as subtests takes two lines.
func ExampleRun() {
	_ = func(t *testing.T) { // func TestWorker(t *testing.T)
		workertest.Run(t, workertest.Handler(newWorker()), workertest.Config{})
	}
}

// A team's own scenarios beside the built-in ones, against a fresh worker for
// each run, with one scenario left out.
func ExampleRun_ownScenarios() {
	_ = func(t *testing.T) { // func TestWorker(t *testing.T)
		workertest.Run(t, workertest.Factory(newWorker), workertest.Config{
			Scenarios: os.DirFS("testdata/scenarios"),
			Skip:      []string{"robustness/odd-text.yaml"},
		})
	}
}

// A worker in any language is a process.
func ExampleCommand() {
	_ = func(t *testing.T) { // func TestWorker(t *testing.T)
		workertest.Run(t, workertest.Command("node", "server.mjs", "{port}"), workertest.Config{})
	}
}

func ExampleExecute() {
	_ = func(t *testing.T) { // func TestListKilns(t *testing.T)
		x := workertest.Execute(t, workertest.Handler(newWorker()), "list_kilns", `{}`)
		for _, f := range x.Findings() {
			t.Errorf("%s: got %s, want %s", f.Requirement, f.Got, f.Want)
		}
	}
}

func ExampleScenario() {
	_ = func(t *testing.T) { // func TestTalk(t *testing.T)
		workertest.Scenario(t, workertest.Handler(newWorker()), `
scenario: A plain talk
steps:
  - user: Hello.
  - model: Hello to you.
finally:
  - turn: completed
`, workertest.Config{})
	}
}

func ExampleCheck() {
	r, err := workertest.Check(context.Background(), workertest.Handler(newWorker()), workertest.Config{
		Run: []string{"session/two-turns.yaml"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("failed:", r.Summary.Requirements.Fail)
	// Output: failed: 0
}

func ExampleSend() {
	x, err := workertest.Send(context.Background(), workertest.Handler(newWorker()), start())
	if err != nil {
		fmt.Println(err)
		return
	}
	decision, failure := x.Decided()
	if failure != nil {
		fmt.Println(failure)
		return
	}
	fmt.Println(decision.Agent.Tools[0].Name)
	// Output: find_glaze
}
