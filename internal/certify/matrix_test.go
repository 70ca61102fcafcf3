package certify_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Each fault against the corpus: it breaks what it names and nothing else.
// With HALLMARK_MATRIX=full every case takes part; without, one of a kind, so
// that the test stays short. The race detector is shown the faults that need
// sessions side by side: the others do what they do one after the other.
func TestMatrix(t *testing.T) {
	t.Parallel()
	hides := newHidden(t)
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
			hides.hold(t, f, r)
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
func against(t *testing.T, f reference.Fault, changes ...func(*certify.Config)) *reports.Report {
	t.Helper()
	g := NewWithT(t)
	docs, err := loaded()
	g.Expect(err).NotTo(HaveOccurred())
	c := runOf(docs)
	c.Secret, c.Wanted, c.Worker.BadArguments = []byte(secret), oneOfAKind(), f.Claims
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
	// Where the process would end, nobody listens until it is restarted.
	var down atomic.Bool
	options := reference.Options{
		Secret: []byte(secret), Engine: knownAs(c.Endpoint), Exit: func(int) { down.Store(true) },
	}
	if f.Name != "" {
		options.Faults = []string{f.Name}
	}
	h, err := reference.NewRestartable(options)
	g.Expect(err).NotTo(HaveOccurred())
	network, stop := memnet.Serve(h)
	t.Cleanup(stop)
	dial := func(ctx context.Context, kind, address string) (net.Conn, error) {
		if down.Load() {
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}
		return network.Dial(ctx, kind, address)
	}
	to, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: dial, MaxBody: 4 << 20})
	g.Expect(err).NotTo(HaveOccurred())
	c.Restart = func(ctx context.Context) error {
		defer down.Store(false)
		return h.Restart(ctx)
	}
	for _, change := range changes {
		change(&c)
	}
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

// sweeps make up arguments of all kinds; everyTool is the scenario that calls
// each tool in any run.
var sweeps = []string{
	"execute/one-thing-wrong.yaml", "execute/broken-texts.yaml", "execute/at-the-edge.yaml",
	"execute/cut-anywhere.yaml", "execute/half-characters.yaml", "execute/often-sent-wrong.yaml", "execute/read-to-the-letter.yaml",
}

const everyTool = "execute/valid.yaml"

// needed are the beginnings of further cases, which a fault of one tool or of one
// spelling shows in.
var needed = []string{
	"execute/malformed.yaml#the word null", "execute/malformed.yaml#a fence around it",
	"execute/invalid-missing.yaml#an empty object [book_kiln]",
	"execute/bad-after-good.yaml#default, class=invalid [book_kiln]",
}

// everyCase says that the matrix is run with every case.
func everyCase() bool { return os.Getenv("HALLMARK_MATRIX") == "full" }

// oneOfAKind chooses cases so that a run stays short: of each scenario the first
// of its file, with each value that it varies, and of the tools that it runs
// with the first one. The sweeps of made arguments are left out. With
// HALLMARK_MATRIX=full it chooses all, which is nil.
func oneOfAKind() func(id string) bool {
	if everyCase() {
		return nil
	}
	docs, err := loaded()
	if err != nil {
		panic(err)
	}
	first := map[string]string{}
	for _, d := range docs {
		first[d.Name] = d.Cases[0].Name
	}
	tools := map[string]string{}
	return func(id string) bool {
		scenario, name, _ := strings.Cut(id, "#")
		if slices.Contains(sweeps, scenario) {
			return false
		}
		if slices.ContainsFunc(needed, func(n string) bool { return strings.HasPrefix(id, n) }) {
			return true
		}
		if !strings.HasPrefix(name, first[scenario]) {
			return false
		}
		kind, tool, each := strings.Cut(id, " [")
		if !each || scenario == everyTool {
			return true
		}
		if _, ok := tools[kind]; !ok {
			tools[kind] = tool
		}
		return tools[kind] == tool
	}
}
