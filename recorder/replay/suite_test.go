package replay_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	_ "github.com/hallmarkdev/hallmark/internal/outgoing/fits"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

func TestReplay(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Replay")
}

const (
	workerURL   = "http://worker.example/"
	endpointKey = "the key of the suite"
)

// direct hands a request to a handler in this process.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

// run certifies the reference worker with faults, and returns the folder of all
// recordings. change sets what is special of the run.
func run(change func(c *certify.Config), faults ...string) string {
	GinkgoHelper()
	return runBehind(nil, change, faults...)
}

// runBehind is run with something in front of the worker.
func runBehind(front func(worker http.Handler) http.Handler, change func(c *certify.Config), faults ...string) string {
	GinkgoHelper()
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	Expect(err).NotTo(HaveOccurred())
	c := certify.Config{Corpus: docs, Consent: simulator.ConsentOptions{Started: true}, Jobs: 4, Record: GinkgoT().TempDir()}
	c.Seed = 7
	c.Worker = spec.WorkerHeader{URL: workerURL}
	c.MadeBy = spec.MadeBy{Hallmark: "test", Registry: spec.RegistryVersion}
	c.Endpoint = simulator.NewEndpoint(endpointKey)
	c.Features = append(scenarios.HostedFeatures(spec.HostedForms()...), "async")
	// With a sample of each kind every scenario that needs no secret applies.
	c.Samples = map[string]map[string]jsontext.Value{
		"studio_notice": {"flagged": jsontext.Value(`{"page":7}`), "large": jsontext.Value(`{"page":2}`)},
		"glaze_swatch":  {"binary": jsontext.Value(`{"glaze":"celadon"}`)},
		"find_glaze":    {"fails": jsontext.Value(`{"glaze":"hallmark"}`)},
		"fire_kiln":     {"slow": jsontext.Value(`{"kiln":"east","cone":"6"}`)},
		"mix_glaze":     {"slow": jsontext.Value(`{"glaze":"celadon","grams":3000}`)},
		"book_kiln":     {"retryable": jsontext.Value(`{"kiln":"east","day":"2026-09-14","busy_for":9}`)},
		"order_clay":    {"asks": jsontext.Value(`{"clay":"stoneware","kilos":500}`)},
	}
	if change != nil {
		change(&c)
	}
	o := reference.Options{Faults: faults, Secret: c.Secret, SignatureHeader: c.SignatureHeader}
	if c.Endpoint != nil {
		o.Engine = reference.Engine{URL: "http://engine.example", Key: endpointKey, Client: &http.Client{Transport: direct{c.Endpoint}}}
	}
	h, err := reference.NewRestartable(o)
	Expect(err).NotTo(HaveOccurred())
	c.Restart = h.Restart
	var served http.Handler = h
	if front != nil {
		served = front(h)
	}
	network, stop := memnet.Serve(served)
	DeferCleanup(stop)
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial, MaxBody: 4 << 20})
	Expect(err).NotTo(HaveOccurred())
	_, err = certify.Run(context.Background(), c, t)
	Expect(err).NotTo(HaveOccurred())
	return c.Record
}

// chosen runs what fits the patterns, with the fixed clock.
func chosen(patterns ...string) func(c *certify.Config) {
	return func(c *certify.Config) {
		c.Run, c.Fixed, c.At = patterns, true, time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC)
	}
}

// driven plays every recording of a folder again, and returns how many
// requests came out again.
func driven(folder string) int {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	Expect(err).NotTo(HaveOccurred())
	Expect(files).NotTo(BeEmpty())
	total := 0
	for _, name := range files {
		r, err := replay.File(context.Background(), name)
		Expect(err).NotTo(HaveOccurred(), name)
		if r.Divergence != nil {
			text, _ := os.ReadFile(name)
			Fail(r.ID + ": " + r.Divergence.String() + "\n" + string(text[max(0, len(text)-4000):]))
		}
		Expect(r.Reproduced).To(Equal(r.Requests), r.ID)
		total += r.Requests
	}
	return total
}

// recordingOf returns the events of the recording of a case in a folder.
func recordingOf(folder, id string) []spec.Event {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	Expect(err).NotTo(HaveOccurred())
	for _, name := range files {
		if events := read(name); events[0].Data.(*spec.HeaderEvent).ID == id {
			return events
		}
	}
	Fail("no recording of " + id)
	return nil
}

func read(name string) []spec.Event {
	GinkgoHelper()
	text, err := os.ReadFile(name)
	Expect(err).NotTo(HaveOccurred())
	var events []spec.Event
	for e, err := range recorder.NewReader(bytes.NewReader(text)).All() {
		Expect(err).NotTo(HaveOccurred(), name)
		events = append(events, e)
	}
	return events
}

// written is a recording of events, whole and sealed.
func written(events []spec.Event) []byte {
	GinkgoHelper()
	var out bytes.Buffer
	w := recorder.NewWriter(&out, func() time.Duration { return 0 })
	for _, e := range events {
		if c, ok := e.Data.(*spec.CloseEvent); ok {
			Expect(w.Close(c.Why, e.T)).To(Succeed())
			continue
		}
		Expect(w.Write(e)).To(Succeed())
	}
	return out.Bytes()
}

// without leaves the n-th event out.
func without(events []spec.Event, n int) []spec.Event {
	return slices.Delete(slices.Clone(events), n, n+1)
}
