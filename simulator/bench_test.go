package simulator

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/yardstick"
	"github.com/hallmarkdev/hallmark/spec"
)

// BenchmarkRun drives sessions over loopback. BenchmarkBareClient posts the
// same bodies to the same worker with a plain client: the yardstick.
func BenchmarkRun(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(httpWorker))
	defer server.Close()
	t, err := NewTransport(TransportConfig{URL: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	cases := many(50)
	for b.Loop() {
		runAll(b.Context(), RunConfig{Jobs: yardstick.Jobs}, cases, t)
	}
}

func BenchmarkBareClient(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(httpWorker))
	defer server.Close()
	var sessions [][][]byte
	for _, r := range runAll(b.Context(), RunConfig{Jobs: 1}, many(50), &scripted{}) {
		var bodies [][]byte
		for _, e := range r.Events {
			if q, ok := e.Data.(*spec.RequestEvent); ok {
				bodies = append(bodies, []byte(*q.Body.Text))
			}
		}
		sessions = append(sessions, bodies)
	}
	for b.Loop() {
		yardstick.Post(b, server.URL, sessions)
	}
}
