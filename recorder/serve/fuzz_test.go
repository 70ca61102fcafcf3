package serve_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/spec"
)

// Whatever comes is answered, and nothing that comes is counted as served but what
// was recorded.
func FuzzServe(f *testing.F) {
	for _, body := range []string{
		"", "{", `{"a":1}`, "\xff", decision("now", "x", "d1", start), decision("now", "x", "d2", says("Good day.")),
		decision("now", "x", "d3", runs("k", "look", 7)), decision("now", "x", "d4", `{"type":"unknown.one"}`),
	} {
		f.Add([]byte(body), []byte(decision("now", "x", "d1", start)))
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var out bytes.Buffer
		w := recorder.NewWriter(&out, func() time.Duration { return 0 })
		for _, e := range []spec.Event{
			{Data: &spec.HeaderEvent{Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceCapture, Evidence: []spec.Evidence{spec.EvidenceExchange}}},
			{Session: "s1", Data: &spec.SessionEvent{SessionID: "then-s1", AgentID: "desk", Origin: "new"}},
			{Session: "s1", Data: &spec.RequestEvent{D: "d1", Method: "POST", Body: spec.BodyOf([]byte(decision("then", "s1", "d1", start)))}},
			{Session: "s1", Data: &spec.ResponseEvent{D: "d1", Status: 200, Body: spec.BodyOf([]byte(`{"state":"then-s1"}`)), End: spec.EndWhole}},
			{Session: "s1", Data: &spec.RequestEvent{D: "d2", Method: "POST", Body: spec.BodyOf(one)}},
			{Session: "s1", Data: &spec.ResponseEvent{D: "d2", Status: 200, Body: spec.BodyOf(two), End: spec.EndWhole}},
		} {
			if err := w.Write(e); err != nil {
				t.Skip(err)
			}
		}
		if err := w.Close("stopped", 0); err != nil {
			t.Skip(err)
		}
		s := serve.New(serve.Config{})
		if err := s.Load("f.jsonl", bytes.NewReader(out.Bytes())); err != nil {
			t.Fatal(err)
		}
		for _, body := range [][]byte{two, one, two} {
			a := httptest.NewRecorder()
			s.ServeHTTP(a, httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body)))
			if a.Code == 0 {
				t.Error("no status")
			}
		}
		r := s.Report()
		if r.Served > r.Exchanges || r.Served+r.Again+r.UnknownTotal+r.NotServedTotal != r.Requests {
			t.Errorf("%d requests are not what was told: %+v", r.Requests, r)
		}
		_ = r.String()
	})
}
