package spec_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/spec"
)

func exampleLines(t testing.TB) [][]byte {
	t.Helper()
	b, err := os.ReadFile("testdata/recording-example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
}

func exampleEvents(t testing.TB) []spec.Event {
	t.Helper()
	var events []spec.Event
	for i, line := range exampleLines(t) {
		e, err := spec.UnmarshalEvent(line)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		events = append(events, e)
	}
	return events
}

func TestEventRoundTrip(t *testing.T) {
	t.Parallel()
	lines := exampleLines(t)
	if len(lines) != 42 {
		t.Fatalf("the example has %d lines, want 42", len(lines))
	}
	for i, e := range exampleEvents(t) {
		got, err := spec.MarshalEvent(e)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		want, _, _ := bytes.Cut(lines[i], []byte(`,"crc":"`))
		if diff := cmp.Diff(string(want)+"}", string(got)); diff != "" {
			t.Errorf("line %d:\n%s", i+1, diff)
		}
	}
}

func TestUnmarshalEventErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		``:                              `read event: end of text where a value should be at line 1 column 1`,
		`{"n":1`:                        `read event: end of text where ',' or '}' should be at line 1 column 7`,
		`[]`:                            `read event: not a JSON object`,
		`{"n":1}`:                       `read event: no kind (member "k")`,
		`{"n":"1","k":"gap"}`:           `read event (gap): member /n: expected an integer, got the string "1"`,
		`{"n":1.5,"k":"gap"}`:           `read event (gap): member /n: expected an integer, got the number 1.5`,
		`{"n":1,"k":5}`:                 `read event: member /k: expected a string, got the number 5`,
		`{"n":7,"k":"gap","lost":true}`: `read event (gap): member /lost: expected an integer, got a boolean`,
		`{"n":7,"k":"header","case":{"text":[]}}`:         `read event (header): member /case/text: expected a string, got an array`,
		`{"n":7,"k":"request","headers":[["a","b","c"]]}`: `read event (request): member /headers/0: expected an array of 2, got an array`,
		"{\"n\":1,\"k\":\"gap\",\"reason\":\"\xff\"}":     `read event: not UTF-8`,
	} {
		_, err := spec.UnmarshalEvent([]byte(line))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", line, err, want)
		}
	}
}

func TestUnmarshalEventOfLaterVersions(t *testing.T) {
	t.Parallel()
	e, err := spec.UnmarshalEvent([]byte(`{"n":1,"k":"gap","s":"s1","t":5,"lost":2,"reason":"full disk","mood":{"a":1},"w":9,"crc":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Event{N: 1, Session: "s1", T: 5, W: 9, Data: &spec.GapEvent{Lost: 2, Reason: "full disk"}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	const moon = `{"n":1,"k":"moon","s":"s1","t":5,"phase":{"x":1.50},"w":9}`
	e, err = spec.UnmarshalEvent([]byte(moon))
	if err != nil || e.Data.EventKind() != "moon" {
		t.Fatal(e, err)
	}
	if got, err := spec.MarshalEvent(e); string(got) != moon || err != nil {
		t.Errorf("%s became %s (%v)", moon, got, err)
	}
}

func TestMarshalEventErrors(t *testing.T) {
	t.Parallel()
	for _, e := range []spec.Event{
		{}, {Data: &spec.UnknownEvent{Kind: "moon", Raw: []byte(`[]`)}}, {Data: &spec.UnknownEvent{Kind: "moon"}},
		{Data: &spec.TurnEvent{Data: []byte(`{"a":`)}},
	} {
		if got, err := spec.MarshalEvent(e); err == nil {
			t.Errorf("%+v became %s", e, got)
		}
	}
}

func TestLabelsOfOneIDAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	want := map[string]string{"call_0": "mine", "call_1": "again"}
	for range 50 {
		got := spec.LabelsByID(map[string]string{"theirs": "call_0", "mine": "call_0", "others": "call_0", "again": "call_1"})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
}
