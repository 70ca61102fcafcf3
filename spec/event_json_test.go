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
