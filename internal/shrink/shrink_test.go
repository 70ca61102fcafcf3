package shrink_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/internal/shrink"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
)

func tree(t *testing.T, text string) *scenarios.Tree {
	t.Helper()
	tr, err := scenarios.ReadTree("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// A worker that is right gives nothing to shrink, and one that breaks something
// else than what was named says what.
func TestNothingFails(t *testing.T) {
	t.Parallel()
	_, err := shrink.Run(t.Context(), studio(t), tree(t, evening), shrink.Options{})
	var not *shrink.NotFailingError
	if !errors.As(err, &not) || err.Error() != "the scenario does not fail at this worker: pass" {
		t.Errorf("%v", err)
	}
	_, err = shrink.Run(t.Context(), studio(t, "breaks-output"), tree(t, evening), shrink.Options{Requirement: "execute.settles-once"})
	if !errors.As(err, &not) || !strings.Contains(err.Error(), "it fails by output.matches-schema (on tool.execute, at /actions/*") {
		t.Errorf("%v", err)
	}
}

// An expectation that does not hold is a reason too; what else is expected goes.
func TestAnExpectationIsAReason(t *testing.T) {
	t.Parallel()
	call := "{as: h1, tool: list_kilns, arguments: {}}]}\n"
	text := strings.Replace(evening, call, call+`    expect:
      - {trigger: tool.execute, call: h1, answer: {is: runs, text: {contains: no such kiln}}}
      - {trigger: tool.finished, call: h1, answer: records}
`, 1)
	got, err := shrink.Run(t.Context(), studio(t), tree(t, text), shrink.Options{})
	if err == nil {
		t.Logf("%s\n%s", got.Reason, got.Tree.YAML())
	}
	want := `scenario: An evening at the desk
steps:
  - user: Go.
  - model: {calls: [{as: h1, tool: list_kilns, arguments: {}}]}
    expect: [{trigger: tool.execute, call: h1, answer: {is: runs, text: {contains: no such kiln}}}]
`
	if err != nil || got.Reason.Requirement != "" {
		t.Fatalf("%v", err)
	}
	if d := cmp.Diff(want, string(got.Tree.YAML())); d != "" {
		t.Error(d)
	}
}

// byTurns is a worker that is wrong in every other session.
func byTurns(t *testing.T, fault string) http.Handler {
	t.Helper()
	wrong, err := reference.New(reference.Options{Faults: []string{fault}})
	if err != nil {
		t.Fatal(err)
	}
	right, err := reference.New(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sessions := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"trigger":{"type":"session.start"`)) {
			sessions++
		}
		if sessions%2 == 1 {
			wrong.ServeHTTP(w, r)
			return
		}
		right.ServeHTTP(w, r)
	})
}

// What fails in one run and not in the next is said and not shrunk, whichever comes
// first.
func TestFlakyIsRefused(t *testing.T) {
	t.Parallel()
	single := atWorker(t, byTurns(t, "breaks-output"))
	for range 2 {
		_, err := shrink.Run(t.Context(), single, tree(t, evening), shrink.Options{})
		var flaky *shrink.FlakyError
		if !errors.As(err, &flaky) || flaky.Reason.Requirement != "output.matches-schema" {
			t.Errorf("%v", err)
		}
		if doc, err := scenarios.Parse("one.yaml", []byte(evening)); err == nil {
			_, _ = single.Run(t.Context(), doc)
		}
	}
}

// A bound ends it with what was reached, and says so; the journal goes on from
// there and comes to the same end with no run twice.
func TestBoundsAndJournal(t *testing.T) {
	t.Parallel()
	single := studio(t, "breaks-output")
	whole, err := shrink.Run(t.Context(), single, tree(t, evening), shrink.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "work.jsonl")
	rounds, runs := 0, 0
	for {
		j, err := shrink.OpenJournal(name, "http://worker.example/")
		if err != nil {
			t.Fatal(err)
		}
		known := j.Known()
		got, err := shrink.Run(t.Context(), single, tree(t, evening), shrink.Options{MaxRuns: 14, Journal: j})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if got.Runs > 14 {
			t.Errorf("%d runs, 14 are allowed", got.Runs)
		}
		rounds++
		if rounds > 20 || known > 0 && j.Known() == known && got.Stopped != "" {
			t.Fatalf("no way on in round %d", rounds)
		}
		runs = j.Known()
		if got.Stopped != "" {
			if !strings.Contains(got.Stopped, "--max-runs 14") || lines(got.Tree.YAML()) > lines([]byte(evening))+2 {
				t.Fatal(got.Stopped)
			}
			// A line that was cut off is passed over.
			f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(`{"scenario":"ab`); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if d := cmp.Diff(string(whole.Tree.YAML()), string(got.Tree.YAML())); d != "" {
			t.Error(d)
		}
		break
	}
	if rounds < 2 {
		t.Errorf("%d rounds", rounds)
	}
	if runs > whole.Runs {
		t.Errorf("%d answers in the journal, %d runs without one", runs, whole.Runs)
	}

	// It is of this scenario, this failure and this worker.
	var other *shrink.OtherJournalError
	if _, err := shrink.OpenJournal(name, "http://elsewhere.example/"); !errors.As(err, &other) {
		t.Errorf("%v", err)
	}
	j, err := shrink.OpenJournal(name, "http://worker.example/")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	_, err = shrink.Run(t.Context(), single, tree(t, strings.Replace(evening, "Booked.", "Done.", 1)), shrink.Options{Journal: j})
	if !errors.As(err, &other) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(name, []byte("something else\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := shrink.OpenJournal(name, "http://worker.example/"); !errors.As(err, &other) {
		t.Errorf("%v", err)
	}
}

// Cancelling ends it with the error of the context; nothing hangs.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := shrink.Run(ctx, studio(t, "breaks-output"), tree(t, evening), shrink.Options{Progress: func(p shrink.Progress) {
		if n++; n == 5 {
			cancel()
		}
		if p.MaxRuns != shrink.DefaultMaxRuns || p.Size > p.From || p.Runs != n {
			t.Errorf("%+v", p)
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The bound of R3 holds: a worker elsewhere is not called without a word.
func TestConsent(t *testing.T) {
	t.Parallel()
	h, err := reference.New(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	single := atWorkerWith(t, h, simulator.ConsentOptions{})
	_, err = shrink.Run(t.Context(), single, tree(t, evening), shrink.Options{})
	var consent *simulator.ConsentError
	if !errors.As(err, &consent) {
		t.Errorf("%v", err)
	}
}

// A worker that nobody answers for is not shrunk at.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	poster, err := simulator.NewTransport(simulator.TransportConfig{URL: "http://127.0.0.1:1/"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = certify.NewSingle(t.Context(), certify.Config{Settings: settings()}, poster)
	var gone *certify.UnreachableError
	if !errors.As(err, &gone) {
		t.Errorf("%v", err)
	}
}
