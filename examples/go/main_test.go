package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	_ "github.com/hallmarkdev/hallmark/internal/outgoing/fits"
)

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

func execute(decision, name, value string) string {
	return `{"session_id":"s1","decision_id":"` + decision + `","trigger":{"type":"tool.execute","id":"c1","name":"` + name +
		`","arguments":"","input":{"status":"valid","value":` + value + `},"attempt":1},"proposed":{}}`
}

func TestHandler(t *testing.T) {
	t.Parallel()
	broken := func(object, *call) (toolResult, error) {
		return toolResult{}, errors.New("open /var/secret: no such file")
	}
	panics := func(object, *call) (toolResult, error) { panic("at /home/me/main.go:7") }
	w := &worker{tools: append(observatory(), tool{"broken", "{}", broken}, tool{"panics", "{}", panics})}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)

	blame := func(name string) string {
		return `{"actions":[{"type":"tool.error","id":"c1","error":"` + name +
			` failed because of a fault in the worker; the arguments are not to blame","retryable":false}]}`
	}
	cases := []struct{ name, body, want string }{
		{"a tool that returns a fault", execute("d1", "broken", "{}"), blame("broken")},
		{"a tool that panics", execute("d2", "panics", "{}"), blame("panics")},
		{"the worker lives", execute("d3", "take_exposure", `{"name":"M31","seconds":31}`),
			`{"actions":[{"type":"tool.error","id":"c1","error":"seconds must be a whole number from 1 to 30","retryable":false}]}`},
		{"any other trigger", `{"trigger":{"type":"turn.finished"},"proposed":{"actions":[{"type":"done","data":9007199254740993}]}}`,
			`{"actions":[{"type":"done","data":9007199254740993}]}`},
	}
	for _, c := range cases {
		status, answer := post(t, server.URL, c.body)
		if status != http.StatusOK {
			t.Errorf("%s: status %d", c.name, status)
		}
		if diff := cmp.Diff(ordered(t, c.want), ordered(t, answer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// ordered gives the members of each object in one order and leaves the spelling of numbers alone.
func ordered(t *testing.T, text string) string {
	t.Helper()
	value := jsontext.Value(text)
	if err := value.Format(jsontext.CanonicalizeRawInts(false), jsontext.ReorderRawObjects(true)); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return string(value)
}

// A decision answered once is not worked out again, and is forgotten only after many others.
func TestMemory(t *testing.T) {
	t.Parallel()
	runs := 0
	count := func(object, *call) (toolResult, error) { runs++; return toolResult{}, nil }
	w := &worker{tools: []tool{{"count", "{}", count}}}
	decide := func(decision string) {
		if _, err := w.decide([]byte(execute(decision, "count", "{}"))); err != nil {
			t.Fatal(err)
		}
	}
	decide("first")
	decide("first")
	if runs != 1 {
		t.Errorf("one decision ran %d times", runs)
	}
	for i := range remembered {
		decide("other-" + strings.Repeat("x", i))
	}
	if runs != 1+remembered || len(w.answers.values) != remembered || len(w.answers.order) != remembered {
		t.Errorf("%d runs, %d answers kept", runs, len(w.answers.values))
	}
	decide("first")
	if runs != 2+remembered {
		t.Error("the oldest answer was not forgotten")
	}
}
