package certify_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

func TestCertify(t *testing.T) {
	t.Parallel()
	RegisterFailHandler(Fail)
	RunSpecs(t, "Certify")
}

// workerURL is the address of workers in memory: it never changes, so that two
// reports can be compared.
const workerURL = "http://worker.example/"

// loaded is the built-in corpus, read once: runs only look at it.
var loaded = sync.OnceValues(func() ([]*scenarios.Document, error) { return scenarios.Load(scenarios.Corpus(), ".") })

// corpus is the built-in corpus.
func corpus() []*scenarios.Document {
	GinkgoHelper()
	docs, err := loaded()
	Expect(err).NotTo(HaveOccurred())
	return docs
}

// config runs the whole corpus with the fixed clock.
func config() certify.Config {
	GinkgoHelper()
	return runOf(corpus())
}

func runOf(docs []*scenarios.Document) certify.Config {
	c := certify.Config{Corpus: docs, Consent: simulator.ConsentOptions{Started: true}, Jobs: 1}
	c.Seed, c.Fixed, c.At = 7, true, time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC)
	c.Worker = spec.WorkerHeader{URL: workerURL}
	c.MadeBy = spec.MadeBy{Hallmark: "test", Registry: spec.RegistryVersion}
	c.Endpoint, c.Samples = endpoint, samples()
	c.Features = append(scenarios.HostedFeatures(spec.HostedForms()...), "async")
	return c
}

// secret is what runs that sign share with the reference worker.
const secret = "a secret of the kiln"

// signedConfig runs the whole corpus with signed requests.
func signedConfig() certify.Config {
	GinkgoHelper()
	c := config()
	c.Secret = []byte(secret)
	return c
}

// endpoint is where the reference worker settles. Its sessions are apart by
// their ids, and the specs of this suite run one after the other.
var endpoint = simulator.NewEndpoint(endpointKey)

const endpointKey = "the key of the suite"

// atEndpoint is that endpoint, as the reference worker knows it.
var atEndpoint = knownAs(endpoint)

func knownAs(e *simulator.Endpoint) reference.Engine {
	return reference.Engine{URL: "http://engine.example", Key: endpointKey, Client: &http.Client{Transport: direct{e}}}
}

// direct hands a request to a handler in this process.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

// samples are calls of the reference worker whose work ends later.
func samples() map[string]map[string]jsontext.Value {
	return map[string]map[string]jsontext.Value{
		"find_glaze":    {"fails": jsontext.Value(`{"glaze":"hallmark"}`)},
		"book_kiln":     {"retryable": jsontext.Value(`{"kiln":"east","day":"2026-09-14","busy_for":2}`)},
		"studio_notice": {"flagged": jsontext.Value(`{"page":7}`), "large": jsontext.Value(`{"page":2}`)},
		"fire_kiln":     {"slow": jsontext.Value(`{"kiln":"east","cone":"6"}`)},
		"mix_glaze":     {"slow": jsontext.Value(`{"glaze":"celadon","grams":3000}`)},
		"order_clay":    {"asks": jsontext.Value(`{"clay":"stoneware","kilos":500}`)},
	}
}

// inMemory returns a way to a worker that h is.
func inMemory(h http.Handler) simulator.Poster {
	GinkgoHelper()
	network, stop := memnet.Serve(h)
	DeferCleanup(stop)
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial, MaxBody: 4 << 20})
	Expect(err).NotTo(HaveOccurred())
	return t
}

// referenceWorker returns the reference worker with faults, which can be
// restarted.
func referenceWorker(faults ...string) http.Handler {
	GinkgoHelper()
	h, err := reference.NewRestartable(reference.Options{Faults: faults, Engine: atEndpoint})
	Expect(err).NotTo(HaveOccurred())
	return h
}

// atOnce is a run with nowhere to settle, and workerAtOnce a worker that then
// answers each call at once.
func atOnce(c certify.Config) certify.Config {
	c.Endpoint, c.Features = nil, scenarios.HostedFeatures(spec.HostedForms()...)
	return c
}

func workerAtOnce(faults ...string) http.Handler {
	GinkgoHelper()
	h, err := reference.NewRestartable(reference.Options{Faults: faults})
	Expect(err).NotTo(HaveOccurred())
	return h
}

// certifyAll runs c against h, and restarts it where that is to be and can be.
func certifyAll(c certify.Config, h http.Handler) *reports.Report {
	GinkgoHelper()
	if r, ok := h.(*reference.Restartable); ok {
		c.Restart = r.Restart
	}
	r, err := certify.Run(context.Background(), c, inMemory(h))
	Expect(err).NotTo(HaveOccurred())
	return r
}

// troubled are the ids of requirements that did not simply hold.
func troubled(r *reports.Report) []string {
	ids := []string{}
	for _, q := range r.Requirements {
		switch q.Status {
		case spec.StatusFail, spec.StatusWarn, spec.StatusError, spec.StatusKnownFailing:
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// statusOf is the status of one requirement.
func statusOf(r *reports.Report, id string) spec.Status {
	for _, q := range r.Requirements {
		if q.ID == id {
			return q.Status
		}
	}
	return ""
}
