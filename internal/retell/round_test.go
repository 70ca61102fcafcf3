package retell_test

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/internal/retell"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

const (
	workerURL   = "http://worker.example/"
	endpointKey = "the key of the tests"
)

// direct hands a request to a handler in this process.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

// desk is the reference worker in memory with an endpoint of its own.
type desk struct {
	t        *testing.T
	settings simulator.Settings
	poster   simulator.Poster
	declared *spec.AgentConfig
	options  scenarios.PlanOptions
}

func newDesk(t *testing.T, faults ...string) *desk {
	t.Helper()
	d := &desk{t: t}
	d.settings = simulator.Settings{
		Seed: 7, Fixed: true, At: time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC),
		Worker: spec.WorkerHeader{URL: workerURL}, MadeBy: spec.MadeBy{Hallmark: "test", Registry: spec.RegistryVersion},
		Endpoint: simulator.NewEndpoint(endpointKey), Patience: 2 * time.Second,
	}
	h, err := reference.NewRestartable(reference.Options{Faults: faults, Engine: reference.Engine{
		URL: "http://engine.example", Key: endpointKey, Client: &http.Client{Transport: direct{d.settings.Endpoint}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	network, stop := memnet.Serve(h)
	t.Cleanup(stop)
	d.settings.Restart = h.Restart
	if d.poster, err = simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial, MaxBody: 4 << 20}); err != nil {
		t.Fatal(err)
	}
	found := simulator.Discover(t.Context(), d.settings, "", d.poster, func(spec.Event) {})
	d.settings.Agent, d.declared = found.Agent, found.Declared
	d.options = scenarios.PlanOptions{
		Seed: 7, Features: append(scenarios.HostedFeatures(spec.HostedForms()...), "async", "settle", "restart"),
		Samples: map[string]map[string]jsontext.Value{
			"find_glaze":    {"fails": jsontext.Value(`{"glaze":"hallmark"}`)},
			"book_kiln":     {"retryable": jsontext.Value(`{"kiln":"east","day":"2026-09-14","busy_for":2}`)},
			"studio_notice": {"flagged": jsontext.Value(`{"page":7}`), "large": jsontext.Value(`{"page":2}`)},
			"fire_kiln":     {"slow": jsontext.Value(`{"kiln":"east","cone":"6"}`)},
			"mix_glaze":     {"slow": jsontext.Value(`{"glaze":"celadon","grams":3000}`)},
			"order_clay":    {"asks": jsontext.Value(`{"clay":"stoneware","kilos":500}`)},
		},
	}
	return d
}

// plan plans documents for the worker.
func (d *desk) plan(docs ...*scenarios.Document) []scenarios.Case {
	d.t.Helper()
	cases, err := scenarios.Plan(docs, scenarios.Declared{Agent: d.declared}, d.options)
	if err != nil {
		d.t.Fatal(err)
	}
	return cases
}

// run drives one case and gives its events.
func (d *desk) run(c scenarios.Case) []spec.Event {
	var events []spec.Event
	simulator.Run(context.Background(), simulator.RunConfig{Settings: d.settings, Features: d.options.Features, Jobs: 1},
		[]scenarios.Case{c}, d.poster, func(r simulator.Ran) { events = r.Events })
	return events
}

// captured is what a recorder at the worker's door would have seen of a session.
func captured(events []spec.Event, root string) []spec.Event {
	var out []spec.Event
	lost := map[string]bool{}
	for _, e := range events {
		if d, ok := e.Data.(*spec.DisturbEvent); ok && d.Do == "lose-request" {
			lost[e.Session+d.D] = true
		}
	}
	for _, e := range events {
		if r, ok := e.Data.(*spec.RequestEvent); ok && lost[e.Session+r.D] {
			continue
		}
		if e.Session != "" && e.Session != root && !strings.HasPrefix(e.Session, root+".") {
			continue
		}
		switch d := e.Data.(type) {
		case *spec.HeaderEvent:
			e.Data = &spec.HeaderEvent{
				Format: d.Format, Version: d.Version, Source: spec.SourceCapture, ID: "capture", Started: d.Started,
				Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession},
			}
		case *spec.SessionEvent:
			e.Data = &spec.SessionEvent{SessionID: d.SessionID, AgentID: d.AgentID, Identity: d.Identity, Parent: d.Parent, Origin: "new"}
		case *spec.RequestEvent, *spec.PieceEvent, *spec.ResponseEvent:
		default:
			continue
		}
		out = append(out, e)
	}
	return out
}

func seq(events []spec.Event) iter.Seq2[spec.Event, error] {
	return func(yield func(spec.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// ordered are places that depend on the ids which each run makes up: calls in
// flight are sorted by them, and ids stand inside of texts.
var ordered = []string{
	"request:/calls/*", "request:/trigger/request/messages/*/id", "/actions/*/response/choices/*/message/tool_calls/*/id",
	"/actions/*/response/content/*/id", "/actions/*/response/tool_calls/*/id",
}

// inTexts are places of texts that name the session of a subagent.
var inTexts = []string{"request:/proposed/messages/*/content", "request:/messages/*/content", "request:/message_tree/nodes/*/message/content",
	"/messages/*/content", "/actions/*/messages/*/content", "request:/proposed/actions/*/messages/*/content", "request:/trigger/result"}

// untold are the scenarios of which a capture does not show enough to say them
// again, each with the reason; so are single cases.
var untold = map[string]string{
	"async/called-off.yaml":                         someoneElse,
	"hosted/no-such-model.yaml":                     "a config is in force that the worker did not answer with: no engine does that by itself",
	"restart/engine.yaml#before the request is out": "a request that was lost with its engine shows as one that was lost",
	"robustness/cut-short.yaml":                     outside,
	"robustness/no-decisions.yaml":                  outside,
	"robustness/odd-bytes.yaml":                     outside,
	"robustness/other-methods.yaml":                 outside,
	"robustness/unknown-fields.yaml":                spoiled,
	"robustness/unknown-trigger.yaml":               spoiled,
}

const (
	someoneElse = "who settled a call at the engine's endpoint is not seen at the worker's door"
	outside     = "requests outside the protocol belong to no session"
	spoiled     = "requests that no engine of the baseline sends"
)

// A case is run, what a capture shows of it is told again as a scenario, and that
// is run: the worker meets the same exchanges, and gives the same answers.
func TestWhatACaptureShowsIsToldAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		t.Fatal(err)
	}
	cases := d.plan(docs...)
	told := map[string]int{}
	for _, c := range cases {
		if c.NotApplicable != "" || told[c.Doc.Name] == 2 {
			continue
		}
		told[c.Doc.Name]++
		before := captured(d.run(c), "s1")
		reason := cmp.Or(untold[c.Doc.Name], untold[c.ID])
		left := reason != ""
		problem := d.again(c, before)
		switch {
		case problem != "" && !left:
			t.Errorf("%s: %s", c.ID, problem)
		case problem == "" && left:
			t.Errorf("%s is told after all: %s", c.ID, reason)
		}
	}
	if len(told) < 80 {
		t.Errorf("%d scenarios were told", len(told))
	}
}

// again tells a capture again, runs that, and says what differs.
func (d *desk) again(of scenarios.Case, before []spec.Event) string {
	retold, err := retell.From(seq(before), retell.Options{Name: "capture.jsonl"})
	if err != nil {
		return err.Error()
	}
	text := retold.Tree.YAML()
	doc, err := scenarios.Parse("retold/"+of.ID, text)
	if err != nil {
		return err.Error() + "\n" + string(text)
	}
	cases := d.plan(doc)
	if len(cases) != 1 || cases[0].NotApplicable != "" {
		return "does not apply: " + cases[0].NotApplicable + "\n" + string(text)
	}
	events := d.run(cases[0])
	after := captured(events, "s1")
	accept := ordered
	if strings.HasPrefix(of.Doc.Name, "subagent/") {
		accept = slices.Concat(ordered, inTexts)
	}
	rules, err := recorder.ParseRules(accept)
	if err != nil {
		return err.Error()
	}
	c, err := recorder.Diff(seq(before), seq(after), recorder.DiffOptions{Accept: rules})
	if err != nil {
		return err.Error()
	}
	// How many calls are open while others are being recorded is the worker's own
	// time; what is expected has to hold all the same.
	if f := c.First; f != nil && !strings.HasPrefix(of.Doc.Name, "async/") {
		return strings.Join([]string{f.What, f.Session, f.ExchangeA, f.ExchangeB, f.Delivery, f.Pointer, short(f.A), short(f.B)}, " | ") + "\n" + short(string(text))
	}
	x := scenarios.NewExpectations(cases[0])
	for _, e := range events {
		x.Add(e)
	}
	for _, f := range x.Findings() {
		return "expects too much: " + f.Expectation + " got " + f.Got + ", want " + f.Want + "\n" + short(string(text))
	}
	return ""
}

func short(text string) string {
	if len(text) > 1500 {
		return text[:1500] + "…"
	}
	return text
}
