package retell_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/retell"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// scenarioOf plans one scenario of the corpus; the first of its cases is meant.
func (d *desk) scenarioOf(path string) scenarios.Case {
	d.t.Helper()
	docs, err := scenarios.Load(scenarios.Corpus(), path)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.plan(docs...)[0]
}

// ofText plans a scenario that is written here.
func (d *desk) ofText(name, text string) scenarios.Case {
	d.t.Helper()
	doc, err := scenarios.Parse(name, []byte(text))
	if err != nil {
		d.t.Fatal(err)
	}
	return d.plan(doc)[0]
}

// example is the published recording.
func example(t *testing.T) []spec.Event {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "recorder", "testdata", "recording-example.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var events []spec.Event
	for e, err := range recorder.NewReader(f).All() {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// Of the published recording as a capture the whole scenario is written here.
func TestTheExampleAsACapture(t *testing.T) {
	t.Parallel()
	got, err := retell.From(seq(captured(example(t), "s1")), retell.Options{Name: "busy.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	want := `# From the recording busy.jsonl, session s1.
scenario: "What a recording shows: Book room 4 at nine."
engine: {agent_id: desk, start: {model: house-model, llm: main}, retry: {tool: {max_attempts: 2}}}
steps:
  - user: {text: Book room 4 at nine., id: m1}
  - model: {calls: [{as: c1, tool: book_slot, arguments: {room: 4, at: "09:00"}}]}
    expect:
      - {trigger: tool.execute, call: c1, try: 1, answer: {is: error, retryable: true}}
      - {trigger: tool.execute, call: c1, try: 2, answer: runs}
  - model: Room 4 is yours at nine.
finally:
  - {turn: completed}
  - {calls: {c1: {is: done, tries: 2}}}
`
	if d := cmp.Diff(want, string(got.Tree.YAML())); d != "" {
		t.Error(d)
	}
}

// The same recording holds its scenario, which is given back as it ran.
func TestTheExampleAsAnOwnRecording(t *testing.T) {
	t.Parallel()
	got, err := retell.From(seq(example(t)), retell.Options{Name: "busy.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(got.Tree.YAML())
	for _, want := range []string{
		"# From the recording busy.jsonl, as rooms/busy.yaml#default ran.\n",
		"scenario: A busy calendar is tried again and then booked\n",
		"needs: {tool: {name: book_slot}}\n",
		"finally: [{turn: completed}]\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if works := got.Works["book_slot"]; works == nil || string(works.YAML()) != "arguments: {room: 4, at: \"09:00\"}\n" {
		t.Errorf("what worked: %v", got.Works)
	}
}

// wireIDs are ids as engines make them up, and moments of deadlines.
var wireIDs = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7|call_[0-9A-Za-z]{6}|[0-9]{4}-[0-9]{2}-[0-9]{2}T`)

// A capture may begin anywhere. What was before is given, the turn that runs is
// told from the user's words on, and the scenario holds at the same worker.
func TestJoinedInTheMiddle(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, path := range []string{
		"session/two-turns.yaml", "execute/twice-in-two-turns.yaml", "parallel/two-tools.yaml", "client/answered.yaml",
		"finished/one-after-the-other.yaml", "interrupt/asks-first.yaml", "retry/busy.yaml", "state/given-history.yaml",
	} {
		all := captured(d.run(d.scenarioOf(path)), "s1")
		requests := 0
		for _, e := range all {
			if _, ok := e.Data.(*spec.RequestEvent); ok {
				requests++
			}
		}
		for skip := 1; skip < requests; skip++ {
			var events []spec.Event
			n := 0
			for _, e := range all {
				if _, ok := e.Data.(*spec.RequestEvent); ok {
					n++
				}
				switch e.Data.(type) {
				case *spec.HeaderEvent, *spec.SessionEvent:
				default:
					if n <= skip {
						continue
					}
				}
				events = append(events, e)
			}
			got, err := retell.From(seq(events), retell.Options{Name: "c.jsonl"})
			if errors.Is(err, retell.ErrNothing) && skip > requests-3 {
				continue
			}
			if err != nil {
				t.Errorf("%s from %d: %v", path, skip, err)
				continue
			}
			text := got.Tree.YAML()
			if id := wireIDs.Find(text); id != nil {
				t.Errorf("%s from %d: %s was copied\n%s", path, skip, id, text)
			}
			c := d.ofText(path+string(rune('a'+skip)), string(text))
			x := scenarios.NewExpectations(c)
			for _, e := range d.run(c) {
				x.Add(e)
			}
			for _, f := range x.Findings() {
				t.Errorf("%s from %d: %s got %s, want %s\n%s", path, skip, f.Expectation, f.Got, f.Want, text)
			}
			if !strings.Contains(string(text), "# Not told: what led to the conversation before") {
				t.Errorf("%s from %d: it does not say that it begins in the middle\n%s", path, skip, text)
			}
		}
	}
}

// Several sessions in one recording: one is to be named, by its alias or its id.
func TestSeveralSessions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var events []spec.Event
	run := d.run(d.scenarioOf("sessions/two-at-once.yaml"))
	for _, root := range []string{"s1", "s2"} {
		for _, e := range captured(run, root) {
			if _, header := e.Data.(*spec.HeaderEvent); header && root != "s1" {
				continue
			}
			events = append(events, e)
		}
	}
	_, err := retell.From(seq(events), retell.Options{})
	var choice *retell.ChoiceError
	if !errors.As(err, &choice) || len(choice.Sessions) != 2 || choice.Sessions[0].Alias != "s1" || choice.Sessions[0].Said == "" {
		t.Fatalf("%v: %+v", err, choice)
	}
	for _, name := range []string{"s2", choice.Sessions[1].ID} {
		got, err := retell.From(seq(events), retell.Options{Session: name})
		if err != nil || !strings.Contains(string(got.Tree.YAML()), "session s2.") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err = retell.From(seq(events), retell.Options{Session: "s9"}); !errors.As(err, &choice) || choice.Wanted != "s9" {
		t.Error(err)
	}
	if _, err = retell.From(seq(events[:1]), retell.Options{}); !errors.Is(err, retell.ErrNothing) {
		t.Error(err)
	}
}

// quiet calls the tool that most faults of the reference worker are about.
const quiet = "scenario: x\nsteps: [{user: Name the kilns.}, {model: {calls: [{as: a, tool: list_kilns, arguments: {}}]}}, {model: Two.}]\n"

// What a requirement breaks is what the scenario is about: it is listed and told,
// and what the worker did there is not expected of it.
func TestBrokenRequirementsAreTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "settles-twice")
	got, err := retell.From(seq(captured(d.run(d.ofText("quiet.yaml", quiet)), "s1")), retell.Options{Name: "c.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(got.Tree.YAML())
	if d := cmp.Diff([]string{"execute.settles-once"}, got.Broken); d != "" {
		t.Error(d)
	}
	if !strings.Contains(text, "# Broken at s1/d4: execute.settles-once. Got ") || !strings.Contains(text, "\nrequirements: [execute.settles-once]\n") {
		t.Error(text)
	}
	if strings.Contains(text, "expect") || strings.Contains(text, "finally") {
		t.Errorf("it expects what was broken:\n%s", text)
	}
}

// What was taken out of a recording is said where its stand-in is sent, and texts
// that change from day to day are not expected.
func TestStandInsAndVolatileTexts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := d.ofText("x.yaml", `
scenario: x
steps:
  - user: Use the token.
  - model: {calls: [{as: a, tool: find_glaze, arguments: {glaze: hm-red-secret-abcdefgh}}, {as: b, tool: book_kiln, arguments: {kiln: east, day: "2026-09-14"}}]}
  - model: done
`)
	got, err := retell.From(seq(captured(d.run(c), "s1")), retell.Options{Name: "c.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(got.Tree.YAML())
	if !strings.Contains(text, "  # A value was taken out of the recording here: what stands in its place begins with hm-red-.\n  - model:") {
		t.Error(text)
	}
	if !strings.Contains(text, "{trigger: tool.execute, call: c2, answer: runs}") {
		t.Errorf("the date of a booking is expected:\n%s", text)
	}
}

// A delivery that the worker spoiled is delivered again, and the answer to that one
// is what counts: here the worker lets go of the call, and settles it later.
func TestASpoiledDelivery(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var events []spec.Event
	for _, e := range captured(d.run(d.scenarioOf("async/out-of-order.yaml")), "s1") {
		if r, ok := e.Data.(*spec.RequestEvent); ok && r.Trigger == spec.OnToolExecute {
			spoiled := *r
			spoiled.D += "x"
			empty := ""
			events = append(events, spec.Event{Session: e.Session, T: e.T, Data: &spoiled},
				spec.Event{Session: e.Session, T: e.T, Data: &spec.ResponseEvent{D: spoiled.D, Status: 500, End: spec.EndWhole, Body: spec.Body{Text: &empty}}})
		}
		events = append(events, e)
	}
	got, err := retell.From(seq(events), retell.Options{Name: "c.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(got.Tree.YAML())
	if !strings.Contains(text, "- await: {settled: [c2, c1]") || strings.Contains(text, "disturb") {
		t.Error(text)
	}
}

// What a tool said is expected to the letter where it said the same twice, and with
// its numbers left open where it spoke once.
func TestWhatIsPinned(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := d.ofText("pinned.yaml", `
scenario: x
steps:
  - user: Two glazes, one of them twice.
  - model: {calls: [{as: a, tool: find_glaze, arguments: {glaze: celadon}}, {as: b, tool: find_glaze, arguments: {glaze: tenmoku}}, {as: c, tool: find_glaze, arguments: {glaze: celadon}}]}
  - model: done
`)
	got, err := retell.From(seq(captured(d.run(c), "s1")), retell.Options{Name: "c.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(got.Tree.YAML())
	if strings.Count(text, `Fire it at cone 10."`) != 2 || strings.Count(text, `{like: `) != 1 || !strings.Contains(text, "cone *.") {
		t.Error(text)
	}
}

// What is expected of a result is what the model reads of it: of one that says the
// same in words and as data, the data (F9).
func TestWhatTheModelReadsIsPinned(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := d.ofText("read.yaml", `
scenario: x
steps:
  - user: A glaze.
  - model: {calls: [{as: a, tool: find_glaze, arguments: {glaze: celadon}}]}
  - model: done
`)
	var events []spec.Event
	execute := ""
	for _, e := range captured(d.run(c), "s1") {
		switch r := e.Data.(type) {
		case *spec.RequestEvent:
			if r.Trigger == spec.OnToolExecute {
				execute = r.D
			}
		case *spec.ResponseEvent:
			if r.D == execute {
				other := *r
				other.Body = spec.BodyOf([]byte(`{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"In words."}],"structuredContent":{"said":"as data"}}}]}`))
				e.Data = &other
			}
		}
		events = append(events, e)
	}
	got, err := retell.From(seq(events), retell.Options{Name: "c.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(got.Tree.YAML()); !strings.Contains(text, "as data") || strings.Contains(text, "In words") {
		t.Error(text)
	}
}
