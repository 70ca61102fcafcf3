package endings_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/endings"
	"github.com/hallmarkdev/hallmark/spec"
)

// tape builds a recording of one session.
type tape struct {
	events []spec.Event
	d      int
	// attempt counts the deliveries of each decision.
	deliveries map[string]int
}

func newTape() *tape {
	t := &tape{deliveries: map[string]int{}}
	t.add("", &spec.HeaderEvent{Case: &spec.CaseHeader{Labels: map[string]string{"c1": "call_1", "c2": "call_2"}}})
	return t.add("s1", &spec.SessionEvent{})
}

func (t *tape) add(session string, d spec.EventData) *tape {
	t.events = append(t.events, spec.Event{Session: session, Data: d})
	return t
}

// decides adds an exchange of a decision whose answer the engine takes as said.
func (t *tape) decides(decision, trigger, messages, state, answer, as string) *tape {
	t.d++
	t.deliveries[decision]++
	d := fmt.Sprintf("d%d", t.d)
	kind := trigger[strings.Index(trigger, `"type":"`)+8:]
	kind = kind[:strings.Index(kind, `"`)]
	body := `{"session_id":"s","decision_id":"` + decision + `","agent_id":"a","identity":{"visibility":"shared","metadata":{}},"trigger":` + trigger +
		`,"proposed":{"messages":[],"actions":[],"state":null},"state":` + state + `,"agent":null,"calls":[],"pending_calls":0,"messages":` + messages +
		`,"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,"deadline":"2026-08-28T12:00:20.000Z","turn_id":null}`
	t.add("s1", &spec.RequestEvent{D: d, Decision: decision, Delivery: t.deliveries[decision], Trigger: spec.TriggerType(kind), Body: spec.BodyOf([]byte(body))})
	t.add("s1", &spec.ResponseEvent{D: d, Status: 200, End: spec.EndWhole, Body: spec.BodyOf([]byte(answer))})
	return t.add("s1", &spec.OutcomeEvent{D: d, As: as})
}

// outcome of a session: what its call, its state and its turn came to.
type outcome struct{ text, is, state, said, turn, code string }

func (o outcome) or() outcome {
	for _, f := range []struct {
		to   *string
		with string
	}{{&o.text, "Sunny."}, {&o.is, "result"}, {&o.state, "null"}, {&o.said, "It is sunny."}, {&o.turn, spec.TurnCompleted}} {
		if *f.to == "" {
			*f.to = f.with
		}
	}
	return o
}

func (o outcome) ending(ds ...string) *endings.Ending {
	return endings.Read(slices.Values(o.tape(ds...).events))
}

// tape is a whole session; each of ds is done to the delivery of its call before
// it is answered.
func (o outcome) tape(ds ...string) *tape {
	o = o.or()
	const user = `{"id":"m1","role":"user","content":"How is Oslo?"}`
	const assistant = `{"id":"l1","role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"w","arguments":"{}"}}]}`
	quoted := func(s string) string { return fmt.Sprintf("%q", s) }
	before := "[" + user + "," + assistant + "]"
	t := newTape()
	execute := `{"type":"tool.execute","id":"call_1","name":"w","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}`
	settle := `{"actions":[{"type":"tool.result","result":"x"}]}`
	for range ds {
		t.decides("e1", execute, before, "null", settle, spec.OutcomeDropped)
	}
	t.decides("e1", execute, before, "null", settle, spec.OutcomeAccepted)
	finished := `{"type":"tool.finished","id":"call_1","name":"w","ok":true,"result":{"content":[{"type":"text","text":` + quoted(o.text) + `}],"isError":` + fmt.Sprint(o.is == "flagged") + `}}`
	if o.is == "error" {
		finished = `{"type":"tool.finished","id":"call_1","name":"w","ok":false,"error":{"message":` + quoted(o.text) + `,"code":"` + o.code + `"}}`
	}
	tool := `{"id":"m2","role":"tool","tool_call_id":"call_1","name":"w","content":` + quoted(o.text) + `}`
	after := strings.TrimSuffix(before, "]") + "," + tool + "," + `{"id":"l2","role":"assistant","content":` + quoted(o.said) + `}]`
	t.decides("f1", finished, before, "null", `{"messages":`+after+`,"state":`+o.state+`}`, spec.OutcomeAccepted)
	t.add("s1", &spec.TurnEvent{TurnID: "t1", Event: o.turn, Data: []byte(quoted(o.said))})
	return t.add("", &spec.CloseEvent{Why: spec.CloseScriptDone})
}

// told is a comparison in lines.
func told(c endings.Comparison) []string {
	var lines []string
	if c.Unsteady != "" {
		lines = append(lines, "unsteady: "+c.Unsteady)
	}
	if c.Skipped != "" {
		lines = append(lines, "skipped: "+c.Skipped)
	}
	for _, d := range c.Differences {
		grave := "words"
		if d.Grave {
			grave = "grave"
		}
		lines = append(lines, fmt.Sprintf("%s %s%s: %s for %s", grave, d.Session, d.Pointer, d.Got, d.Want))
	}
	return lines
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		one, two, run outcome
		want          []string
	}{
		"equal": {},
		"another text of a tool": {run: outcome{text: "Cloudy."}, want: []string{
			`words s1/calls/c1/text: "Cloudy." for "Sunny."`, `words s1/tools/c1: "Cloudy." for "Sunny."`}},
		"another text where two calm runs differ": {two: outcome{text: "Rain."}, run: outcome{text: "Cloudy."}},
		"one member of a text is unsteady": {
			one: outcome{text: `{"at":"09:00","sky":"blue"}`}, two: outcome{text: `{"sky":"blue","at":"09:01"}`},
			run: outcome{text: `{"at":"09:02","sky":"grey"}`}, want: []string{
				`words s1/calls/c1/text/sky: "grey" for "blue"`, `words s1/tools/c1/sky: "grey" for "blue"`}},
		"a result that becomes an error": {run: outcome{is: "error", code: "handler_error"}, want: []string{`grave s1/calls/c1/is: "error" for "result"`}},
		"a flag":                         {run: outcome{is: "flagged"}, want: []string{`grave s1/calls/c1/is: "flagged" for "result"`}},
		"calm runs of different kinds": {two: outcome{is: "error", code: "handler_error"}, run: outcome{is: "error"}, want: []string{
			`unsteady: s1 /calls/c1/is: "result" in one calm run and "error" in another`}},
		"another state": {one: outcome{state: `{"n":1}`}, two: outcome{state: `{"n":1}`}, run: outcome{state: `{"n":2}`}, want: []string{
			`grave s1/state/n: 2 for 1`}},
		"no state": {one: outcome{state: `{"n":1}`}, two: outcome{state: `{"n":1}`}, want: []string{`grave s1/state: null for {"n":1}`}},
		"a counter of the whole process in the state": {one: outcome{state: `{"n":1}`}, two: outcome{state: `{"n":2}`}, run: outcome{state: `{"n":3}`}},
		"a word in the state": {one: outcome{state: `{"by":"a"}`}, two: outcome{state: `{"by":"a"}`}, run: outcome{state: `{"by":"b"}`}, want: []string{
			`words s1/state/by: "b" for "a"`}},
		"a list in the state in another order": {one: outcome{state: `["a","b"]`}, two: outcome{state: `["a","b"]`}, run: outcome{state: `["b","a"]`}},
		"a list in the state with one more":    {one: outcome{state: `["a"]`}, two: outcome{state: `["a"]`}, run: outcome{state: `["a","a"]`}, want: []string{`grave s1/state: ["a","a"] for ["a"]`}},
		"other last words": {run: outcome{said: "Done."}, want: []string{
			`words s1/turns/0/data: "Done." for "It is sunny."`, `words s1/messages/2/content: "Done." for "It is sunny."`}},
		"a turn that failed": {run: outcome{turn: spec.TurnFailed}, want: []string{`grave s1/turns/0/is: "failed" for "completed"`}},
		"a deadline that the disturbance used up": {run: outcome{is: "error", text: "deadline exceeded", code: "deadline_exceeded"}, want: []string{
			"skipped: the disturbance took so long that the call c1 passed its deadline"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Exchanges may come in any number.
			got := told(endings.Compare([]*endings.Ending{c.one.ending(), c.two.or2(c.one).ending()}, c.run.or2(c.one).ending("lost")))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// or2 takes what is not said from another outcome, unless all that differs is
// said to be nothing.
func (o outcome) or2(other outcome) outcome {
	if o == (outcome{}) && other.state != "" {
		return o
	}
	if o.text == "" {
		o.text = other.text
	}
	return o
}

// A call that only the transcript tells of is compared like any other, and
// comparing once changes nothing for the next time.
func TestCallsOfTheTranscriptAlone(t *testing.T) {
	t.Parallel()
	const path = `[{"id":"l1","role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"w","arguments":"{}"}}]},` +
		`{"id":"t1","role":"tool","tool_call_id":"call_1","content":"yes"}]`
	read := func() *endings.Ending {
		tape := newTape().decides("x1", `{"type":"turn.finished","turn_id":"t1","cost":"0"}`, path, "null", `{}`, spec.OutcomeAccepted)
		tape.add("", &spec.CloseEvent{Why: spec.CloseScriptDone})
		return endings.Read(slices.Values(tape.events))
	}
	calm := []*endings.Ending{read(), read()}
	for range 2 {
		if c := endings.Compare(calm, read()); len(c.Differences) > 0 || c.Unsteady != "" || c.Skipped != "" {
			t.Errorf("%+v", c)
		}
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	t.Parallel()
	calm := []*endings.Ending{outcome{}.ending(), outcome{}.ending()}
	ended := func(why string) *endings.Ending {
		all := outcome{}.tape().events
		all[len(all)-1].Data = &spec.CloseEvent{Why: why}
		return endings.Read(slices.Values(all))
	}
	if got, want := told(endings.Compare(calm, ended("gave up: no answer"))), []string{"skipped: the run ended because: gave up: no answer"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got := told(endings.Compare([]*endings.Ending{calm[0], ended(spec.CloseScriptDry)}, calm[1]))
	if want := []string{"unsteady: one calm run ended because: script done, another because: script dry"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	more := newTape().decides("x", `{"type":"session.start"}`, "[]", "null", "{}", spec.OutcomeAccepted).add("", &spec.CloseEvent{Why: spec.CloseScriptDone})
	got = told(endings.Compare([]*endings.Ending{calm[0], endings.Read(slices.Values(more.events))}, calm[1]))
	if want := []string{"unsteady: s1: decision 1 was tool.execute of c1 in one calm run and session.start in another"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	// An answer that was written before the transcript moved on, and taken late.
	late := newTape().
		decides("e", `{"type":"tool.execute","id":"call_1","name":"w","arguments":"{}","input":{"status":"malformed","error":"x"},"attempt":0}`,
			`[]`, "null", "", spec.OutcomeFailed)
	late.decides("e", `{"type":"tool.execute","id":"call_1","name":"w","arguments":"{}","input":{"status":"malformed","error":"x"},"attempt":0}`,
		`[{"id":"m1","role":"user","content":"a"}]`, "null", `{"actions":[{"type":"tool.error","error":"x"}]}`, spec.OutcomeDropped)
	late.events[3].Data = &spec.ResponseEvent{D: "d1", Status: 200, End: spec.EndWhole, Body: spec.BodyOf([]byte(`{"messages":[{"id":"m0","role":"user","content":"b"}]}`))}
	late.add("s1", &spec.OutcomeEvent{D: "d1", As: spec.OutcomeLate}).add("", &spec.CloseEvent{Why: spec.CloseScriptDone})
	got = told(endings.Compare(calm, endings.Read(slices.Values(late.events))))
	if want := []string{"skipped: a late answer was written for an older transcript, and took the session back to it"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestAsyncIsSeen(t *testing.T) {
	t.Parallel()
	execute := `{"type":"tool.execute","id":"call_1","name":"w","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}`
	for answer, want := range map[string]bool{`{}`: true, `{"actions":[{"type":"tool.error","error":"x"}]}`: false} {
		n := endings.Read(slices.Values(newTape().decides("e", execute, "[]", "null", answer, spec.OutcomeAccepted).events))
		if n.Async != want {
			t.Errorf("%s: async %v", answer, n.Async)
		}
	}
}
