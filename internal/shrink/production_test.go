package shrink_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/internal/retell"
	"github.com/hallmarkdev/hallmark/internal/shrink"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// evening is what a desk in production hears in one session: many turns, many
// tools, calls side by side, and arguments that are wrong now and then.
const evening = `
scenario: An evening at the desk
steps:
  - user: Good evening. Which kilns are free on Monday?
  - model: {text: Let me look., calls: [{as: a1, tool: list_kilns, arguments: {}}, {as: a2, tool: kiln_temperature, arguments: {kiln: east}}]}
  - model: Both are free. The east kiln is cold.
  - user: Then book the east one, please.
  - model: {calls: [{as: b1, tool: book_kiln, arguments: {kiln: east, day: "2026-09-14"}}]}
  - model: Booked.
  - user: What does celadon look like, and tenmoku?
  - model: {calls: [{as: c1, tool: find_glaze, arguments: {glaze: celadon}}, {as: c2, tool: find_glaze, arguments: {glaze: tenmoku}}]}
  - model: One is grey and green, the other is black.
  - user: And when is somebody there?
  - model: {calls: [{as: d1, tool: studio_notice, arguments: {page: 1}}, {as: d2, tool: list_kilns, arguments: {}}]}
  - model: From nine to nine.
  - user: How warm is it now?
  - model: {calls: [{as: e1, tool: kiln_temperature, raw: '{"kiln": "ea'}, {as: e2, tool: list_kilns, arguments: {}}]}
  - model: I wrote that wrong. Once more.
  - user: Yes, please.
  - model: {calls: [{as: f1, tool: kiln_temperature, arguments: {kiln: east}}, {as: f2, tool: find_glaze, arguments: {glaze: celadon}}, {as: f3, tool: list_kilns, arguments: {}}]}
  - model: Still cold.
  - user: Show me celadon, and say again when it opens.
  - model: {calls: [{as: g1, tool: glaze_swatch, arguments: {glaze: celadon}}, {as: g2, tool: studio_notice, arguments: {page: 1}}]}
  - model: There it is.
  - user: And tenmoku?
  - model: {calls: [{as: i1, tool: find_glaze, arguments: {glaze: tenmoku}}, {as: i2, tool: list_kilns, arguments: {}}]}
  - model: Black.
  - user: And shino?
  - model: {calls: [{as: j1, tool: find_glaze, arguments: {glaze: shino}}, {as: j2, tool: list_kilns, arguments: {}}]}
  - model: White.
  - user: Is the west kiln cold?
  - model: {calls: [{as: k1, tool: kiln_temperature, arguments: {kiln: west}}, {as: k2, tool: studio_notice, arguments: {page: 1}}]}
  - model: It is.
  - user: Thank you. Which kiln was it?
  - model: {calls: [{as: h1, tool: list_kilns, arguments: {}}]}
  - model: The east one.
`

// quietEvening is one in which calls come one by one, until the last turn has two.
func quietEvening() string {
	var b strings.Builder
	b.WriteString("scenario: A quiet evening\nsteps:\n")
	for i := range 10 {
		tool := []string{"list_kilns, arguments: {}", "find_glaze, arguments: {glaze: celadon}", "kiln_temperature, arguments: {kiln: east}"}[i%3]
		fmt.Fprintf(&b, "  - user: Question %d, please.\n  - model: {calls: [{as: q%d, tool: %s}]}\n  - model: Answer %d.\n", i, i, tool, i)
	}
	b.WriteString("  - user: And both?\n  - model: {calls: [{as: a, tool: list_kilns, arguments: {}}, {as: b, tool: find_glaze, arguments: {glaze: shino}}]}\n  - model: Both.\n")
	return b.String()
}

func settings() simulator.Settings {
	return simulator.Settings{
		Seed: 7, Fixed: true, At: time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC),
		MadeBy: spec.MadeBy{Hallmark: "test", Registry: spec.RegistryVersion},
	}
}

// inProduction drives a scenario through a recording proxy to the reference worker
// with a fault, and returns the file of the session with the most exchanges.
func inProduction(t *testing.T, text, fault string) string {
	t.Helper()
	h, err := reference.New(reference.Options{Faults: []string{fault}})
	if err != nil {
		t.Fatal(err)
	}
	worker := httptest.NewServer(h)
	t.Cleanup(worker.Close)
	dir := filepath.Join(t.TempDir(), "captures")
	to, err := proxy.ParseAddress(worker.URL)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("the key of the tests")})
	if err != nil {
		t.Fatal(err)
	}
	p, err := proxy.New(proxy.Config{Dir: dir, To: to, Redact: policy})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve(l) }()
	poster, err := simulator.NewTransport(simulator.TransportConfig{URL: "http://" + l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	s := settings()
	found := simulator.Discover(t.Context(), s, "", poster, func(spec.Event) {})
	s.Agent = found.Agent
	doc, err := scenarios.Parse("evening.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := scenarios.Plan([]*scenarios.Document{doc}, scenarios.Declared{Agent: found.Declared}, scenarios.PlanOptions{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	exchanges := 0
	simulator.Run(t.Context(), simulator.RunConfig{Settings: s, Jobs: 1}, cases, poster, func(r simulator.Ran) { exchanges = r.Exchanges })
	if exchanges < 60 {
		t.Fatalf("%d exchanges, want 60", exchanges)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !recorder.IsRecordingName(filepath.Base(name)) {
			continue
		}
		sessions, err := retell.Sessions(eventsOf(name))
		if err != nil {
			t.Fatal(err)
		}
		if len(sessions) == 1 && sessions[0].Exchanges == exchanges {
			return name
		}
	}
	t.Fatalf("none of %d files holds the session", len(files))
	return ""
}

func eventsOf(name string) iter.Seq2[spec.Event, error] {
	return func(yield func(spec.Event, error) bool) {
		f, err := recorder.Open(name)
		if err != nil {
			yield(spec.Event{}, err)
			return
		}
		defer f.Close()
		for e, err := range recorder.NewReader(f).All() {
			if !yield(e, err) {
				return
			}
		}
	}
}

// atWorker is a worker in memory to run single scenarios at.
func atWorker(t *testing.T, h http.Handler) *certify.Single {
	t.Helper()
	return atWorkerWith(t, h, simulator.ConsentOptions{Started: true})
}

func atWorkerWith(t *testing.T, h http.Handler, consent simulator.ConsentOptions) *certify.Single {
	t.Helper()
	const url = "http://worker.example/"
	network, stop := memnet.Serve(h)
	t.Cleanup(stop)
	poster, err := simulator.NewTransport(simulator.TransportConfig{URL: url, Dial: network.Dial, MaxBody: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	cfg := certify.Config{Settings: settings(), Consent: consent}
	cfg.Worker = spec.WorkerHeader{URL: url}
	single, err := certify.NewSingle(t.Context(), cfg, poster)
	if err != nil {
		t.Fatal(err)
	}
	return single
}

func studio(t *testing.T, faults ...string) *certify.Single {
	t.Helper()
	h, err := reference.New(reference.Options{Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	return atWorker(t, h)
}

// lines counts the lines that are no comments.
func lines(text []byte) int {
	n := 0
	for line := range strings.Lines(string(text)) {
		if trimmed := strings.TrimSpace(line); trimmed != "" && trimmed[0] != '#' {
			n++
		}
	}
	return n
}

// A session of production of more than sixty exchanges, recorded at the worker's
// door, becomes a scenario of a few lines that fails for the same reason, and holds
// once the worker is mended.
func TestASessionOfProductionBecomesAFewLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault, breaks string
		// evening is the session, the busy one when empty.
		evening string
		// lines is the most that the scenario may have.
		lines int
		// holds is what is left in it.
		holds []string
		twin  string
	}{
		{fault: "breaks-output", breaks: "output.matches-schema", lines: 8},
		{fault: "retryable-refusal", breaks: "execute.bad-arguments-not-retryable", lines: 8, holds: []string{"raw: "}, twin: `arguments: {kiln: east}`},
		{fault: "asks-too-early", breaks: "finished.waits-for-siblings", evening: quietEvening(), lines: 10, holds: []string{"as: c11", "as: c12"}},
		{fault: "forgets-the-history", breaks: "finished.keeps-the-path", lines: 8},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			told, err := retell.From(eventsOf(inProduction(t, cmp.Or(c.evening, evening), c.fault)), retell.Options{Name: "evening.jsonl"})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(told.Broken, c.breaks) {
				t.Fatalf("the recording shows %v broken", told.Broken)
			}
			before := told.Tree.YAML()
			options := shrink.Options{Prefer: told.Broken, Works: told.Works}
			broken := studio(t, c.fault)
			got, err := shrink.Run(t.Context(), broken, told.Tree, options)
			if err != nil {
				t.Fatal(err)
			}
			text := got.Tree.YAML()
			t.Logf("%d lines became %d in %d runs: %s\n%s", lines(before), lines(text), got.Runs, got.Reason, text)
			if got.Reason.Requirement != c.breaks || got.Stopped != "" {
				t.Errorf("%+v", got)
			}
			if n := lines(text); n > c.lines || n > 25 || lines(before) < 60 {
				t.Errorf("%d lines of %d", n, lines(before))
			}
			for _, want := range c.holds {
				if !strings.Contains(string(text), want) {
					t.Errorf("want %q", want)
				}
			}
			if has := strings.Contains(string(text), "\ntwin: "); has != (c.twin != "") || !strings.Contains(string(text), c.twin) {
				t.Errorf("twin %q, %q", got.Twin, got.NoTwin)
			}
			// It fails for that reason again, and the mended worker passes it.
			run := func(single *certify.Single) *certify.Judged {
				doc, err := scenarios.Parse(fmt.Sprintf("small-%s.yaml", c.fault), text)
				if err != nil {
					t.Fatal(err)
				}
				ran, err := single.Run(t.Context(), doc)
				if err != nil {
					t.Fatal(err)
				}
				return ran.Judged
			}
			failed := ""
			j := run(broken)
			for _, f := range j.Case.Findings {
				failed += " " + f.Requirement
			}
			if j.Case.Status == spec.StatusPass || !strings.Contains(failed, c.breaks) {
				t.Errorf("at the broken worker: %s%s", j.Case.Status, failed)
			}
			if j := run(studio(t)); j.Case.Status != spec.StatusPass {
				t.Errorf("at the mended worker: %s %+v %+v", j.Case.Status, j.Case.Findings, j.Case.Expectations)
			}
		})
	}
}
