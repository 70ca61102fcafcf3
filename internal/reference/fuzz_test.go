package reference_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// Whatever is posted, the worker answers 200 or 400 and does not panic, and
// what it starts or settles reads as a decision.
func FuzzWorker(f *testing.F) {
	h, err := reference.New(reference.Options{Memory: 16})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range samples {
		f.Add([]byte(call(s[0], s[1])))
	}
	for _, seed := range []string{
		raw(`{"type":"session.start"}`, `{"agent":{"model":"m","tools":[null,{"name":5}]}}`),
		raw(`{"type":"session.start"}`, `{"agent":{"tools":"x"}}`),
		raw(`{"type":"turn.finished"}`, hostile),
		raw(`{"type":"tool.execute","name":"book_kiln","input":{"status":"valid","value":{"kiln":"east","day":"9999-99-99","busy_for":-1}}}`, `{"actions":{}}`),
		`{"trigger":{"type":"tool.execute","id":5,"attempt":"x"}}`,
		"\xef\xbb\xbf{}", "", "[", strings.Repeat("[", 5000),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body)))
		answer := rec.Body.Bytes()
		switch rec.Code {
		case http.StatusBadRequest:
		case http.StatusOK:
			if bytes.Contains(body, answer) || string(answer) == "{}" {
				return // the proposal, or nothing proposed
			}
			r, fault := spec.ParseRequest(body)
			if fault != nil {
				return // not what an engine sends: no promise about its parts
			}
			if _, fault := spec.ParseDecision(answer); fault != nil && !spoiled(r) {
				t.Errorf("%s: %s", fault, answer)
			}
		default:
			t.Errorf("status %d", rec.Code)
		}
	})
}

// spoiled reports whether the request itself holds what no answer may hand
// back: a proposal that does not read as a decision.
func spoiled(r spec.DecisionRequest) bool {
	b, err := spec.Marshal(r.Proposed.Decision)
	if err != nil {
		return true
	}
	_, fault := spec.ParseDecision(b)
	return fault != nil
}
