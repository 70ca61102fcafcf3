package certify_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

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

// Each fault against the corpus: it breaks what it names and nothing else.
// With HALLMARK_MATRIX=full every case takes part; without, one of a kind, so
// that the test stays short. The race detector is shown the faults that need
// sessions side by side: the others do what they do one after the other.
func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, f := range reference.Faults() {
		if slices.Contains(hanging, f.Name) || underRace && !f.Company {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			r := against(t, f)
			g.Expect(troubled(r)).To(ConsistOf(f.Breaks), "what turned red or warned\n%s", unmet(r))
			want := 0
			if breaksMust(f) {
				want = 1
			}
			g.Expect(r.Exit).To(Equal(want), "%s", unmet(r))
		})
	}
	t.Run("no fault", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		r := against(t, reference.Fault{})
		g.Expect(troubled(r)).To(BeEmpty())
		g.Expect(r.Exit).To(Equal(0), "%s", unmet(r))
		g.Expect(r.Summary.Cases.Fail + r.Summary.Cases.Error + r.Summary.Cases.NotObserved).To(BeZero())
	})
}

func TestEveryMustAndShouldIsKilled(t *testing.T) {
	t.Parallel()
	killed := map[string]bool{}
	for _, f := range reference.Faults() {
		for _, id := range f.Breaks {
			killed[id] = true
		}
	}
	for _, q := range spec.Requirements() {
		if !killed[q.ID] {
			t.Errorf("no fault breaks %s", q.ID)
		}
	}
}

// against certifies the reference worker with one fault, or with none when it
// has no name, by signed requests, at an endpoint of its own.
func against(t *testing.T, f reference.Fault) *reports.Report {
	t.Helper()
	g := NewWithT(t)
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	g.Expect(err).NotTo(HaveOccurred())
	c := runOf(docs)
	c.Secret, c.Skip, c.Worker.BadArguments = []byte(secret), besidesOf(docs), f.Claims
	if f.Seed > 0 {
		c.Seed = f.Seed
	}
	if f.Disturb != "" {
		c.Disturb = []string{f.Disturb}
	}
	if f.Company {
		c.Jobs = 8
	}
	c.Endpoint = simulator.NewEndpoint(endpointKey)
	options := reference.Options{Secret: []byte(secret), Engine: knownAs(c.Endpoint)}
	if f.Name != "" {
		options.Faults = []string{f.Name}
	}
	h, err := reference.NewRestartable(options)
	g.Expect(err).NotTo(HaveOccurred())
	network, stop := memnet.Serve(h)
	t.Cleanup(stop)
	to, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial, MaxBody: 4 << 20})
	g.Expect(err).NotTo(HaveOccurred())
	c.Restart = h.Restart
	r, err := certify.Run(t.Context(), c, to)
	g.Expect(err).NotTo(HaveOccurred())
	return r
}

// unmet lists the cases in which something did not hold, and what.
func unmet(r *reports.Report) string {
	var b strings.Builder
	for _, c := range r.Cases {
		for _, f := range append(slices.Clone(c.Findings), c.Expectations...) {
			if f.Status != spec.StatusPass {
				fmt.Fprintf(&b, "%s: %s%s %s: got %s, want %s\n", c.ID, f.Requirement, f.Expectation, f.Exchange, f.Got, f.Want)
			}
		}
	}
	return b.String()
}

func breaksMust(f reference.Fault) bool {
	return slices.ContainsFunc(f.Breaks, func(id string) bool {
		q, _ := spec.LookupRequirement(id)
		return q.Level == spec.Must
	})
}

// hanging are the faults that wait for real deadlines; they run in a bubble,
// where those cost nothing (TestHangingWorkers).
var hanging = []string{"hangs", "stalls-a-stream"}

// needed are the cases beyond the first of their scenario that a fault shows in.
var needed = []string{"execute/malformed.yaml#the word null", "execute/malformed.yaml#a fence around it"}

// besides names the cases that are only more of a kind that is there already:
// for each scenario that has many, all but the first of its file, and the
// sweeps of made arguments.
func besides() []string {
	GinkgoHelper()
	return besidesOf(corpus())
}

func besidesOf(docs []*scenarios.Document) []string {
	if os.Getenv("HALLMARK_MATRIX") == "full" {
		return nil
	}
	skip := []string{"execute/one-thing-wrong.yaml", "execute/broken-texts.yaml", "execute/at-the-edge.yaml",
		"execute/cut-anywhere.yaml", "execute/half-characters.yaml", "execute/often-sent-wrong.yaml", "execute/read-to-the-letter.yaml"}
	for _, d := range docs {
		for i, c := range d.Cases {
			if id := d.Name + "#" + c.Name; i > 0 && !slices.Contains(needed, id) {
				skip = append(skip, certify.EscapePattern(id)+"*")
			}
		}
	}
	return skip
}
