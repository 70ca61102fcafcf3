package serve_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

func TestServe(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Serve")
}

const workerURL = "http://worker.example/"

// certified runs cases against a worker, by a seed, and returns the report and the
// folder of the recordings.
func certified(h http.Handler, seed uint64, patterns ...string) (*reports.Report, string) {
	GinkgoHelper()
	return certifiedAt(h, seed, simulator.DefaultAt, patterns...)
}

// certifiedAt does so at a moment, which goes into the ids that an engine makes.
func certifiedAt(h http.Handler, seed uint64, at time.Time, patterns ...string) (*reports.Report, string) {
	GinkgoHelper()
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	Expect(err).NotTo(HaveOccurred())
	c := certify.Config{Corpus: docs, Consent: simulator.ConsentOptions{Started: true}, Jobs: 2, Record: GinkgoT().TempDir(), Run: patterns}
	c.Seed, c.At = seed, at
	c.Worker = spec.WorkerHeader{URL: workerURL}
	c.MadeBy = spec.MadeBy{Hallmark: "test", Registry: spec.RegistryVersion}
	c.Features = scenarios.HostedFeatures(spec.HostedForms()...)
	c.Samples = map[string]map[string]jsontext.Value{
		"book_kiln":  {"retryable": jsontext.Value(`{"kiln":"east","day":"2026-09-14","busy_for":9}`)},
		"order_clay": {"asks": jsontext.Value(`{"clay":"stoneware","kilos":500}`)},
	}
	network, stop := memnet.Serve(h)
	DeferCleanup(stop)
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial, MaxBody: 4 << 20})
	Expect(err).NotTo(HaveOccurred())
	report, err := certify.Run(context.Background(), c, t)
	Expect(err).NotTo(HaveOccurred())
	return report, c.Record
}

func worker(faults ...string) http.Handler {
	GinkgoHelper()
	h, err := reference.New(reference.Options{Faults: faults})
	Expect(err).NotTo(HaveOccurred())
	return h
}

// recordings are the files of a folder by the ids of their cases.
func recordings(folder string) map[string]string {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	Expect(err).NotTo(HaveOccurred())
	out := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		Expect(err).NotTo(HaveOccurred())
		e, err := recorder.NewReader(bytes.NewReader(text)).Next()
		Expect(err).NotTo(HaveOccurred())
		out[e.Data.(*spec.HeaderEvent).ID] = name
	}
	return out
}

// serving serves recordings.
func serving(cfg serve.Config, files ...string) *serve.Server {
	GinkgoHelper()
	s := serve.New(cfg)
	for _, name := range files {
		f, err := os.Open(name)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Load(filepath.Base(name), f)).To(Succeed())
		Expect(f.Close()).To(Succeed())
	}
	return s
}

// post asks a server by hand.
func post(s http.Handler, body string, headers ...string) *http.Response {
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader([]byte(body)))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}
