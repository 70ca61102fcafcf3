package certify_test

import (
	"os"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// Each fault against the corpus: it breaks what it names and nothing else.
// With HALLMARK_MATRIX=full every case takes part; without, one of a kind, so
// that the suite stays short.
var _ = Describe("the matrix of faults and requirements", func() {
	for _, f := range reference.Faults() {
		if f.Name == hanging {
			continue
		}
		It(f.Name+" breaks what it names and nothing else", func() {
			c := signedConfig()
			c.Skip = besides()
			c.Worker.BadArguments = f.Claims
			if f.Seed > 0 {
				c.Seed = f.Seed
			}
			if f.Disturb != "" {
				c.Disturb = []string{f.Disturb}
			}
			if f.Company {
				c.Jobs = 8
			}
			if f.Name == "hangs" {
				// Each case that reaches it waits for two deadlines of real time.
				c.Wanted = func(id string) bool { return !strings.HasPrefix(id, "retry/") }
			}
			r := certifyAll(c, signedWorker(f.Name))
			Expect(troubled(r)).To(ConsistOf(f.Breaks), "what turned red or warned")
			if len(f.Breaks) > 0 && breaksMust(f) {
				Expect(r.Exit).To(Equal(1))
			} else {
				Expect(r.Exit).To(Equal(0))
			}
		})
	}

	It("leaves the reference worker without a finding", func() {
		r := certifyAll(signedConfig(), signedWorker())
		Expect(troubled(r)).To(BeEmpty())
		Expect(r.Exit).To(Equal(0))
		Expect(r.Summary.Cases.Fail + r.Summary.Cases.Error + r.Summary.Cases.NotObserved).To(BeZero())
	})

	It("kills every must and should", func() {
		killed := map[string]bool{}
		for _, f := range reference.Faults() {
			for _, id := range f.Breaks {
				killed[id] = true
			}
		}
		for _, q := range spec.Requirements() {
			if q.Level != spec.Advice {
				Expect(killed).To(HaveKey(q.ID))
			}
		}
	})
})

func breaksMust(f reference.Fault) bool {
	return slices.ContainsFunc(f.Breaks, func(id string) bool {
		q, _ := spec.LookupRequirement(id)
		return q.Level == spec.Must
	})
}

// hanging is the fault that waits for real deadlines; it runs in a bubble, where
// they cost nothing (TestHangingWorkers).
const hanging = "hangs"

// needed are the cases beyond the first of their scenario that a fault shows in.
var needed = []string{"execute/malformed.yaml#the word null", "execute/malformed.yaml#a fence around it"}

// besides names the cases that are only more of a kind that is there already:
// for each scenario that has many, all but the first of its file, and the
// sweeps of made arguments.
func besides() []string {
	GinkgoHelper()
	if os.Getenv("HALLMARK_MATRIX") == "full" {
		return nil
	}
	skip := []string{"execute/one-thing-wrong.yaml", "execute/broken-texts.yaml", "execute/at-the-edge.yaml"}
	for _, d := range corpus() {
		for i, c := range d.Cases {
			if id := d.Name + "#" + c.Name; i > 0 && !slices.Contains(needed, id) {
				skip = append(skip, certify.EscapePattern(id)+"*")
			}
		}
	}
	return skip
}
