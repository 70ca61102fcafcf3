package replay_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/internal/yardstick"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// benched is a worker on loopback, and what was recorded of it. Once forget is
// called, the worker has never been asked anything: one that remembers its
// answers has less to do.
func benched(b *testing.B) (url string, files []string, forget func()) {
	b.Helper()
	var worker atomic.Pointer[http.Handler]
	forget = func() {
		h, err := reference.New(reference.Options{})
		if err != nil {
			b.Fatal(err)
		}
		worker.Store(new(http.Handler(h)))
	}
	forget()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*worker.Load()).ServeHTTP(w, r)
	}))
	b.Cleanup(server.Close)
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		b.Fatal(err)
	}
	c := certify.Config{
		Corpus: docs, Consent: simulator.ConsentOptions{Started: true}, Jobs: 2, Record: b.TempDir(),
		Run: []string{"execute/valid.yaml", "parallel/*", "session/*", "state/*", "finished/*"},
	}
	c.Worker = spec.WorkerHeader{URL: server.URL}
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	if _, err := certify.Run(b.Context(), c, t); err != nil {
		b.Fatal(err)
	}
	if files, err = filepath.Glob(filepath.Join(c.Record, "*.jsonl")); err != nil || len(files) == 0 {
		b.Fatal("no recordings", err)
	}
	return server.URL, files, forget
}

// BenchmarkResend sends recordings to a worker on loopback and compares the
// answers. BenchmarkBarePost posts the same bodies to the same worker with a
// plain client: the yardstick.
func BenchmarkResend(b *testing.B) {
	url, files, forget := benched(b)
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: url})
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	seed := uint64(0)
	for b.Loop() {
		b.StopTimer()
		forget()
		b.StartTimer()
		seed++
		r, err := replay.Resend(b.Context(), files, t, replay.ResendConfig{Jobs: yardstick.Jobs, Seed: seed})
		if err != nil || r.Differ > 0 || r.Sent < r.Requests*9/10 {
			b.Fatal(err, r.Differ, r.Sent)
		}
		b.ReportMetric(float64(r.Sent), "sent/op")
	}
}

func BenchmarkBarePost(b *testing.B) {
	url, files, forget := benched(b)
	var sessions [][][]byte
	n := 0
	for _, name := range files {
		var bodies [][]byte
		f, err := recorder.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
			for e, err := range recorder.NewReader(f).All() {
				if err != nil {
					b.Fatal(err)
				}
				if !yield(e) {
					return
				}
			}
		}) {
			if !x.Request.IsRaw() && len(x.RequestBody) > 0 {
				bodies = append(bodies, x.RequestBody)
				n++
			}
		}
		f.Close()
		sessions = append(sessions, bodies)
	}
	for b.Loop() {
		b.StopTimer()
		forget()
		b.StartTimer()
		yardstick.Post(b, url, sessions)
		b.ReportMetric(float64(n), "sent/op")
	}
}
