package simulator

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

// benchJobs is how many sessions both sides of the comparison keep going.
const benchJobs = 2

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
		runAll(b.Context(), RunConfig{Jobs: benchJobs}, cases, t)
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
		work := make(chan [][]byte)
		var jobs sync.WaitGroup
		for range benchJobs {
			jobs.Go(func() {
				for bodies := range work {
					for _, body := range bodies {
						resp, err := http.Post(server.URL, "application/json", bytes.NewReader(body))
						if err != nil {
							b.Error(err)
							return
						}
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
					}
				}
			})
		}
		for _, s := range sessions {
			work <- s
		}
		close(work)
		jobs.Wait()
	}
}
