package simulator

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

const testKey = "one-key-for-tests"

// called is what an endpoint answered.
type called struct {
	Status int
	Body   string
}

// call sends one request to an endpoint.
func call(e http.Handler, method, path, credential, body string) called {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if credential != "" {
		r.Header.Set("Authorization", credential)
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return called{w.Code, w.Body.String()}
}

func failed(status int, text string) called {
	return called{status, `{"ok":false,"error":"` + text + `"}`}
}

func TestEndpointStatuses(t *testing.T) {
	t.Parallel()
	const (
		key     = "Bearer " + testKey
		settle  = "/api/machine/sessions/s-1/calls/settle"
		submit  = "/api/machine/workers/submit"
		fine    = `{"type":"tool.result","id":"c1","result":"x"}`
		answers = `{"session_id":"s-1","decision_id":"d-1"}`
		paths   = "no such endpoint: /api/machine/sessions/{session_id}/calls/settle settles a call, /api/machine/workers/submit answers a decision"
	)
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for name, c := range map[string]struct {
		method, path, key, body string
		want                    called
		// unseen says that the session heard nothing of it.
		unseen bool
	}{
		"settles":               {path: settle, key: key, body: fine, want: called{200, `{"ok":true}`}},
		"settles, scheme small": {path: settle, key: "bearer " + testKey, body: fine, want: called{200, `{"ok":true}`}},
		"settles, escaped id":   {path: "/api/machine/sessions/s%2D1/calls/settle", key: key, body: fine, want: called{200, `{"ok":true}`}},
		"submits":               {path: submit, key: key, body: answers, want: called{200, `{"ok":true}`}},

		"no key":             {path: settle, body: fine, want: failed(401, "missing or wrong API key")},
		"wrong key":          {path: settle, key: key + "x", body: fine, want: failed(401, "missing or wrong API key")},
		"other scheme":       {path: settle, key: "Basic " + testKey, body: fine, want: failed(401, "missing or wrong API key")},
		"submit, no key":     {path: submit, body: answers, want: failed(401, "missing or wrong API key")},
		"no key and no JSON": {path: settle, body: `{`, want: failed(401, "missing or wrong API key")},

		"no JSON":        {path: settle, key: key, body: `{"type":`, want: failed(400, "the body is not JSON: end of text where a value should be at line 1 column 9")},
		"empty":          {path: settle, key: key, want: failed(400, "the body is not JSON: end of text where a value should be at line 1 column 1")},
		"too deep":       {path: settle, key: key, body: deep, want: failed(400, "the body is not JSON: nested deeper than 127 levels at line 1 column 128")},
		"submit no JSON": {path: submit, key: key, body: `x`, unseen: true, want: failed(400, `the body is not JSON: expected a value, got 'x' at line 1 column 1`)},

		"unknown type":  {path: settle, key: key, body: `{"type":"tool.finished","id":"c1"}`, want: failed(422, `the body settles nothing: /type: unknown action type \"tool.finished\"`)},
		"other action":  {path: settle, key: key, body: `{"type":"done"}`, want: failed(422, "the body settles nothing: /type: done settles nothing, expected one of tool.result, tool.error, llm.result, llm.error")},
		"no id":         {path: settle, key: key, body: `{"type":"tool.result","result":1}`, want: failed(422, `the body settles nothing: tool.result lacks \"id\"`)},
		"null id":       {path: settle, key: key, body: `{"type":"llm.error","error":"x","id":null}`, want: failed(422, `the body settles nothing: llm.error lacks \"id\"`)},
		"no retryable":  {path: settle, key: key, body: `{"type":"tool.error","id":"c1","error":"x"}`, want: failed(422, `the body settles nothing: tool.error lacks \"retryable\"`)},
		"attempt 1.0":   {path: settle, key: key, body: `{"type":"tool.result","id":"c1","attempt":1.0}`, want: failed(422, "the body settles nothing: /attempt: expected an integer from 0, written without fraction or exponent, got 1.0")},
		"a list":        {path: settle, key: key, body: `[]`, want: failed(422, "the body settles nothing: expected an object (action), got an array")},
		"submit a list": {path: submit, key: key, body: `[]`, unseen: true, want: failed(422, "the body is no answer to a decision: expected an object (submission), got an array")},
		"no decision":   {path: submit, key: key, body: `{"session_id":"s-1"}`, want: failed(422, `the body is no answer to a decision: submission lacks \"decision_id\"`)},
		"bad actions":   {path: submit, key: key, body: `{"session_id":"s-1","decision_id":"d-1","actions":null}`, want: failed(422, "the body is no answer to a decision: /actions: expected an array, got null")},

		"unknown session":        {path: "/api/machine/sessions/s-2/calls/settle", key: key, body: fine, unseen: true, want: failed(404, "session not found")},
		"submit unknown session": {path: submit, key: key, body: `{"session_id":"s-2","decision_id":"d"}`, unseen: true, want: failed(404, "session not found")},
		"no such path":           {path: "/api/machine/sessions/s-1/settle", key: key, body: fine, unseen: true, want: failed(404, paths)},
		"no session":             {path: "/api/machine/sessions//calls/settle", key: key, body: fine, unseen: true, want: failed(404, paths)},
		"a path too much":        {path: "/api/machine/sessions/s-1/x/calls/settle", key: key, body: fine, unseen: true, want: failed(404, paths)},
		"the root":               {path: "/", unseen: true, want: failed(404, paths)},
		"GET":                    {method: "GET", path: settle, key: key, unseen: true, want: failed(405, "method not allowed: use POST")},
		"PUT":                    {method: "PUT", path: submit, key: key, body: answers, unseen: true, want: failed(405, "method not allowed: use POST")},
		"too large":              {path: settle, key: key, body: strings.Repeat(" ", MaxSettleBytes+1), want: failed(413, "the body is over 5242880 bytes")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := NewEndpoint(testKey)
			var heard []arrival
			defer e.add("s-1", &receiver{take: func(_ context.Context, a arrival) (int, string) {
				if heard = append(heard, a); a.event == nil {
					return a.status, a.text
				}
				return 200, ""
			}})()
			if c.method == "" {
				c.method = http.MethodPost
			}
			if got := call(e, c.method, c.path, c.key, c.body); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			switch {
			case c.unseen && len(heard) > 0, !c.unseen && len(heard) != 1:
				t.Fatalf("the session heard %d calls", len(heard))
			case c.unseen:
			case (heard[0].event != nil) != (c.want.Status == 200):
				t.Errorf("the session was given %v", heard[0].event)
			case c.want.Status != 413 && string(heard[0].body) != c.body:
				t.Errorf("the session got the body %q", heard[0].body)
			}
		})
	}
}

func TestEndpointWithoutAKeyLetsNobodyIn(t *testing.T) {
	t.Parallel()
	e := NewEndpoint("")
	defer e.add("s-1", &receiver{take: func(_ context.Context, a arrival) (int, string) { return a.status, a.text }})()
	for _, credential := range []string{"", "Bearer ", "Bearer"} {
		got := call(e, "POST", "/api/machine/sessions/s-1/calls/settle", credential, `{"type":"tool.result","id":"c1"}`)
		if got.Status != 401 {
			t.Errorf("%q: got %v", credential, got)
		}
	}
}

func TestEndpointKnowsASessionUntilItIsRemoved(t *testing.T) {
	t.Parallel()
	e := NewEndpoint(testKey)
	give := func(status int) *receiver {
		return &receiver{take: func(context.Context, arrival) (int, string) { return status, "" }}
	}
	settle := func() int {
		return call(e, "POST", "/api/machine/sessions/s-1/calls/settle", "Bearer "+testKey, `{"type":"tool.result","id":"c1"}`).Status
	}
	first := e.add("s-1", give(201))
	second := e.add("s-1", give(202))
	first()
	if got := settle(); got != 202 {
		t.Errorf("the later session was taken off by the earlier one: %d", got)
	}
	second()
	if got := settle(); got != 404 {
		t.Errorf("got %d after the session had ended", got)
	}
	(*Endpoint)(nil).add("s-1", give(200))()
}

func TestEndpointBoundsTheTimeOfABody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := NewEndpoint(testKey)
		heard := make(chan arrival, 1)
		defer e.add("s-1", &receiver{take: func(_ context.Context, a arrival) (int, string) {
			heard <- a
			return a.status, a.text
		}})()
		network, stop := memnet.Serve(e)
		defer stop()
		conn, err := network.Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "POST /api/machine/sessions/s-1/calls/settle HTTP/1.1\r\nHost: e\r\nContent-Length: 10\r\n\r\n{")
		began := time.Now()
		b := make([]byte, 1<<10)
		n, _ := conn.Read(b)
		if !bytes.HasPrefix(b[:n], []byte("HTTP/1.1 408 ")) {
			t.Errorf("got %s", b[:n])
		}
		if passed := time.Since(began); passed != settleReadTimeout {
			t.Errorf("after %s", passed)
		}
		if a := <-heard; a.status != 408 || a.body != nil {
			t.Errorf("the session heard %+v", a)
		}
	})
}

// FuzzEndpoint holds that no body makes the endpoint panic or take what it
// cannot read.
func FuzzEndpoint(f *testing.F) {
	f.Add(`{"type":"tool.result","id":"c1","result":{"content":[]}}`, false)
	f.Add(`{"type":"tool.error","id":"c1","error":"x","retryable":true,"attempt":1}`, false)
	f.Add(`{"session_id":"s-1","decision_id":"d","actions":[{"type":"tool.result","id":"c"}],"state":{}}`, true)
	f.Add(`[[[`, true)
	f.Add("\xff{}", false)
	f.Fuzz(func(t *testing.T, body string, submit bool) {
		e := NewEndpoint(testKey)
		taken := 0
		defer e.add("s-1", &receiver{take: func(_ context.Context, a arrival) (int, string) {
			if a.event == nil {
				return a.status, a.text
			}
			taken++
			switch ev := a.event.(type) {
			case engine.Settle:
				if a.call == "" && !strings.Contains(body, `""`) {
					t.Errorf("settles no call: %s", body)
				}
			case engine.Submit:
				if ev.Decision != a.decision {
					t.Errorf("decision %q, recorded %q", ev.Decision, a.decision)
				}
			}
			return 200, ""
		}})()
		path := "/api/machine/sessions/s-1/calls/settle"
		if submit {
			path = submitPath
		}
		got := call(e, "POST", path, "Bearer "+testKey, body)
		if ok := got.Status == 200; ok != (taken == 1) {
			t.Errorf("status %d, taken %d times", got.Status, taken)
		}
		switch got.Status {
		case 200, 400, 404, 422:
		default:
			t.Errorf("status %d", got.Status)
		}
		if again := call(e, "POST", path, "Bearer "+testKey, body); cmp.Diff(again, got) != "" {
			t.Errorf("twice: %v and %v", got, again)
		}
	})
}

func TestTheLargestBodyFitsIntoARecording(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	w := recorder.NewWriter(&file, func() time.Duration { return 0 })
	for _, e := range []spec.EventData{
		&spec.HeaderEvent{Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceTest, Evidence: []spec.Evidence{}},
		&spec.SessionEvent{SessionID: "s", AgentID: "a", Origin: "new"},
		&spec.InputEvent{From: fromWorker, Body: spec.BodyOf(bytes.Repeat([]byte{1}, MaxSettleBytes)), Status: 400},
	} {
		if err := w.Write(spec.Event{Session: "s1", Data: e}); err != nil {
			t.Fatal(err)
		}
	}
}
