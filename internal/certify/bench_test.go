package certify_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/internal/yardstick"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// benchWorker is a reference worker on loopback that has seen nothing.
func benchWorker(b *testing.B) *httptest.Server {
	b.Helper()
	h, err := reference.New(reference.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return httptest.NewServer(h)
}

// benchRun certifies the worker behind url with the whole corpus, or with what
// patterns choose of it.
func benchRun(b *testing.B, url string, patterns ...string) error {
	b.Helper()
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		b.Fatal(err)
	}
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: url})
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	cfg := certify.Config{Corpus: docs, Run: patterns, Jobs: yardstick.Jobs}
	cfg.Seed, cfg.Worker = 1, spec.WorkerHeader{URL: url}
	_, err = certify.Run(context.Background(), cfg, t)
	return err
}

// BenchmarkCorpus is a calm run of the built-in corpus: reading it, planning,
// driving and judging. BenchmarkCorpusBare posts the same bodies to such a
// worker with a plain client: the yardstick.
func BenchmarkCorpus(b *testing.B) {
	for b.Loop() {
		server := benchWorker(b)
		if err := benchRun(b, server.URL); err != nil {
			b.Fatal(err)
		}
		server.Close()
	}
}

func BenchmarkCorpusBare(b *testing.B) {
	sessions := corpusBodies(b)
	for b.Loop() {
		server := benchWorker(b)
		yardstick.Post(b, server.URL, sessions)
		server.Close()
	}
}

// corpusBodies are the bodies of a run of the corpus, by their sessions.
func corpusBodies(b *testing.B) [][][]byte {
	b.Helper()
	var mu sync.Mutex
	var order []string
	bodies := map[string][][]byte{}
	h, err := reference.New(reference.Options{})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			// A scenario cut it short on purpose.
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if req, fault := spec.ParseRequest(body); fault == nil {
			mu.Lock()
			if bodies[req.SessionID] == nil {
				order = append(order, req.SessionID)
			}
			bodies[req.SessionID] = append(bodies[req.SessionID], body)
			mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	if err := benchRun(b, server.URL); err != nil {
		b.Fatal(err)
	}
	var sessions [][][]byte
	for _, id := range order {
		sessions = append(sessions, bodies[id])
	}
	return sessions
}

// BenchmarkNothing is a run whose filter matches nothing.
func BenchmarkNothing(b *testing.B) {
	server := benchWorker(b)
	defer server.Close()
	for b.Loop() {
		var none *certify.PatternError
		if err := benchRun(b, server.URL, "no-such-scenario"); !errors.As(err, &none) {
			b.Fatal(err)
		}
	}
}
