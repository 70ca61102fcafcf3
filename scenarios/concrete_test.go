package scenarios_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// studio is what the reference worker declares.
func studio(t *testing.T) *spec.AgentConfig {
	t.Helper()
	worker, err := reference.New(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := spec.DecisionRequest{SessionID: "s", DecisionID: "d", AgentID: "agent", Trigger: spec.SessionStartTrigger{}}
	start.Proposed.Agent = &spec.AgentConfig{Model: "m"}
	body, err := spec.Marshal(start)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	worker.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body)))
	d, fault := spec.ParseDecision(w.Body.Bytes())
	if fault != nil || d.Agent == nil {
		t.Fatalf("%v: %s", fault, w.Body)
	}
	return d.Agent
}

// tooBig is the case whose check wants a megabyte of text to the letter: a match
// has no recipes, and no scenario file is that large.
const tooBig = "robustness/odd-text.yaml#a megabyte"

// Each case of the corpus, made concrete, written and planned once more, is the
// same run: with the tool that it was bound to, with the arguments that were
// made, and with no choice left.
func TestConcreteCasesRunTheSame(t *testing.T) {
	t.Parallel()
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		t.Fatal(err)
	}
	declared := scenarios.Declared{Agent: studio(t)}
	options := scenarios.PlanOptions{
		Seed:     7,
		Features: append(scenarios.HostedFeatures(spec.HostedForms()...), "async", "settle", "restart", "secret"),
		Samples: map[string]map[string]jsontext.Value{
			"book_kiln": {"retryable": jsontext.Value(`{"kiln":"east","day":"2026-09-14","busy_for":2}`)},
		},
	}
	cases, err := scenarios.Plan(docs, declared, options)
	if err != nil {
		t.Fatal(err)
	}
	same := cmp.Options{
		cmpopts.IgnoreTypes(scenarios.Pos{}),
		cmp.Transformer("text", func(x *scenarios.Text) string { return x.String() }),
		cmp.Transformer("json", func(v jsontext.Value) string { v = v.Clone(); _ = v.Compact(); return string(v) }),
	}
	seen := 0
	for _, c := range cases {
		if c.NotApplicable != "" || c.ID == tooBig {
			continue
		}
		seen++
		text := c.Concrete().YAML()
		doc, err := scenarios.Parse("x.yaml", text)
		if err != nil {
			t.Errorf("%s: %v\n%.2000s", c.ID, err, text)
			continue
		}
		again, err := scenarios.Plan([]*scenarios.Document{doc}, declared, options)
		if err != nil || len(again) != 1 || again[0].NotApplicable != "" {
			t.Errorf("%s: %d cases, %v\n%.2000s", c.ID, len(again), err, text)
			continue
		}
		a := again[0]
		for i := range c.Bound {
			if c.Bound[i].Tool.Name != a.Bound[i].Tool.Name {
				t.Errorf("%s: bound to %s, want %s", c.ID, a.Bound[i].Tool.Name, c.Bound[i].Tool.Name)
			}
		}
		if d := cmp.Diff([]any{c.Steps, c.Finally, c.Given, c.Dialect, c.Hosted}, []any{a.Steps, a.Finally, a.Given, a.Dialect, a.Hosted}, same); d != "" {
			t.Errorf("%s: %s\n%.3000s", c.ID, d, text)
		}
	}
	if seen < 300 {
		t.Errorf("%d cases", seen)
	}
}
