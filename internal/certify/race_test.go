package certify_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/reports"
)

// race runs two sessions side by side against the worker that mixes them up in
// few orders.
func race(seed uint64) *reports.Report {
	GinkgoHelper()
	c := config()
	c.Seed, c.Run = seed, []string{"sessions/two-at-once.yaml"}
	return certifyAll(c, referenceWorker("answers-another-session"))
}

var _ = Describe("a race between two sessions", func() {
	It("is found by some seeds, and by such a seed every time (R20)", func() {
		of := slices.IndexFunc(reference.Faults(), func(f reference.Fault) bool { return f.Name == "answers-another-session" })
		seed := reference.Faults()[of].Seed
		for range 8 {
			Expect(troubled(race(seed))).To(Equal([]string{"sessions.do-not-share"}))
		}
		missed := 0
		for other := uint64(1); other <= 10; other++ {
			if len(troubled(race(other))) == 0 {
				missed++
			}
		}
		Expect(missed).To(BeNumerically(">", 5), "an order that few seeds come to")
	})
})
