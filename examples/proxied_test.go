package examples_test

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// proxied stands a recording proxy in front of a worker. captured stops it and
// judges what it recorded.
func proxied(t *testing.T, to string) (url string, captured func() *reports.Report) {
	t.Helper()
	redact, err := recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("a key of the tests")})
	if err != nil {
		t.Fatal(err)
	}
	cfg := proxy.Config{Dir: filepath.Join(t.TempDir(), "captures"), Redact: redact}
	if cfg.To, err = proxy.ParseAddress(to); err != nil {
		t.Fatal(err)
	}
	p, err := proxy.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve(l) }()
	stop := func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := p.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String(), func() *reports.Report {
		stop()
		entries, err := os.ReadDir(cfg.Dir)
		if err != nil {
			t.Fatal(err)
		}
		var judged []*certify.Judged
		for _, e := range entries {
			if !recorder.IsRecordingName(e.Name()) {
				continue
			}
			j, err := certify.Judge(certify.FromFile(filepath.Join(cfg.Dir, e.Name())))
			if err != nil {
				t.Fatal(err)
			}
			judged = append(judged, j)
		}
		return certify.Sum(judged)
	}
}

// sameVerdicts wants both reports to say the same of every requirement and of
// every case.
func sameVerdicts(t *testing.T, plain, through *reports.Report) {
	t.Helper()
	if plain.Exit != through.Exit || len(plain.Cases) != len(through.Cases) || len(plain.Cases) == 0 {
		t.Fatalf("exit %d and %d cases without the proxy, %d and %d through it", plain.Exit, len(plain.Cases), through.Exit, len(through.Cases))
	}
	for i, q := range plain.Requirements {
		if o := through.Requirements[i]; q.Status != o.Status || q.Count != o.Count {
			t.Errorf("%s: %s, seen %d times; through the proxy %s, seen %d times", q.ID, q.Status, q.Count, o.Status, o.Count)
		}
	}
	for i, c := range plain.Cases {
		if o := through.Cases[i]; c.ID != o.ID || c.Status != o.Status || c.Exchanges != o.Exchanges {
			t.Errorf("%s: %s in %d exchanges; through the proxy %s: %s in %d", c.ID, c.Status, c.Exchanges, o.ID, o.Status, o.Exchanges)
		}
	}
}

// onlyInRuns are requirements whose evidence is in the exchanges, and of which a
// capture shows less all the same, with the reason.
var onlyInRuns = map[string]string{
	"start.works-in-either-form": "a run tries both forms in one recording; a proxy files the two sessions apart",
}

// capturedLikeRun wants a capture to say the same as the run of what its
// evidence shows, and nothing of the rest.
func capturedLikeRun(t *testing.T, run, capture *reports.Report) {
	t.Helper()
	// What ran once more alone is counted once in a run.
	if !capture.Production || capture.Summary.Exchanges < run.Summary.Exchanges {
		t.Errorf("%d exchanges were captured, %d were sent", capture.Summary.Exchanges, run.Summary.Exchanges)
	}
	observed := func(s spec.Status) bool { return s != spec.StatusNotObserved && s != spec.StatusNotApplicable }
	n := 0
	for i, c := range capture.Requirements {
		r := run.Requirements[i]
		holds := c.Evidence == spec.EvidenceExchange || c.Evidence == spec.EvidenceSession
		switch {
		case !holds && observed(c.Status):
			t.Errorf("%s needs %s, and is %s in a capture", c.ID, c.Evidence, c.Status)
		case holds && onlyInRuns[c.ID] == "" && c.Status != r.Status:
			t.Errorf("%s: %s in the run, %s in the capture: %s", c.ID, r.Status, c.Status, c.Reason)
		case holds && observed(c.Status):
			n++
			if c.Example == nil && c.Failed > 0 {
				t.Errorf("%s: failed without an example", c.ID)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d requirements were observed in the capture", n)
	}
}

// What the driver says of the worker in Node does not depend on a proxy between
// them, and the proxy's captures say the same wherever they hold the evidence.
func TestThroughTheProxy(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	chosen := workertest.Config{Run: []string{
		"execute/valid.yaml", "execute/invalid-missing.yaml", "execute/malformed.yaml#a*", "execute/undeclared.yaml",
		"session/*", "parallel/two-tools.yaml", "retry/second-attempt.yaml",
	}}
	check := func(t *testing.T, url string) *reports.Report {
		t.Helper()
		report, err := workertest.Check(t.Context(), workertest.URL(url), chosen)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	for name, serve := range map[string]func(t *testing.T) string{
		"node": func(t *testing.T) string {
			languages(t) // the sources count for what is remembered of this test
			return start(t, []string{"node", "node/server.mjs"}, nil)
		},
		"a worker that does things wrong": func(t *testing.T) string {
			h, err := reference.New(reference.Options{Faults: []string{"retryable-refusal"}})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(h)
			t.Cleanup(server.Close)
			return server.URL
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			worker := serve(t)
			plain := check(t, worker)
			url, captured := proxied(t, worker)
			through := check(t, url)
			sameVerdicts(t, plain, through)
			capturedLikeRun(t, through, captured())
		})
	}
}
