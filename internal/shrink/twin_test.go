package shrink_test

import (
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/internal/shrink"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// signed is the reference worker with a secret, which its engine knows.
func signed(t *testing.T, faults ...string) *certify.Single {
	t.Helper()
	h, err := reference.New(reference.Options{Faults: faults, Secret: []byte("of the tests")})
	if err != nil {
		t.Fatal(err)
	}
	network, stop := memnet.Serve(h)
	t.Cleanup(stop)
	poster, err := simulator.NewTransport(simulator.TransportConfig{URL: "http://worker.example/", Dial: network.Dial, MaxBody: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	cfg := certify.Config{Settings: settings(), Consent: simulator.ConsentOptions{Started: true}}
	cfg.Secret = []byte("of the tests")
	cfg.Worker = spec.WorkerHeader{URL: "http://worker.example/"}
	single, err := certify.NewSingle(t.Context(), cfg, poster)
	if err != nil {
		t.Fatal(err)
	}
	return single
}

const unsigned = `
scenario: A request without a signature
needs: {features: [secret]}
engine: {signature: {is: absent, ahead: true}}
twin: {signature: valid}
steps:
  - user: Which kilns are free?
  - model: {calls: [{as: a, tool: list_kilns, arguments: {}}]}
  - model: Two.
`

// A refusal is seen as one by the twin that the scenario came with: without it a
// worker that was put right would never pass.
func TestTheTwinThatItCameWith(t *testing.T) {
	t.Parallel()
	got, err := shrink.Run(t.Context(), signed(t, "accepts-unsigned"), tree(t, unsigned), shrink.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := got.Tree.YAML()
	if !strings.Contains(string(text), "\ntwin: {signature: valid}\n") || got.Twin == "" || got.Reason.Requirement != "signature.refuses-unsigned" {
		t.Errorf("%+v\n%s", got, text)
	}
	doc, err := scenarios.Parse("small.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	ran, err := signed(t).Run(t.Context(), doc)
	if err != nil || ran.Judged.Case.Status != "pass" {
		t.Errorf("%v, %+v\n%s", err, ran.Judged, text)
	}

	// One that puts a call right is kept as it was written.
	got, err = shrink.Run(t.Context(), studio(t, "answers-400-on-malformed"), tree(t, `
scenario: A call that is cut off
twin: {call: b, arguments: {glaze: tenmoku}}
steps:
  - user: Which?
  - model: {calls: [{as: a, tool: list_kilns, arguments: {}}, {as: b, tool: find_glaze, raw: '{"glaze": "tenm'}]}
  - model: That one.
`), shrink.Options{})
	if err != nil || !strings.Contains(string(got.Tree.YAML()), "twin: {call: b, arguments: {glaze: tenmoku}}") {
		t.Errorf("%v\n%s", err, got.Tree.YAML())
	}
}
