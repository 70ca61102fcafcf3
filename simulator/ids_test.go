package simulator

import (
	"regexp"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/simulator/engine"
)

func TestIds(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	ids := Ids{Seed: 1, Case: "a.yaml#default", Session: "s1", At: time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC)}
	g.Expect(ids.UUID("decision", 1)).To(Equal(ids.UUID("decision", 1)))
	g.Expect(ids.UUID("decision", 1)).To(MatchRegexp(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`))
	g.Expect(ids.Call("label c1", 0)).To(MatchRegexp(`^call_[0-9A-Za-z]{24}$`))
	g.Expect(ids.Traceparent(3)).To(MatchRegexp(`^00-` + regexp.QuoteMeta(ids.Trace()) + `-[0-9a-f]{16}-01$`))

	seen := map[string]bool{}
	var sorted []string
	for n := 1; n <= 300; n++ {
		id := ids.Engine()(engine.IDMessage, n)
		sorted = append(sorted, id)
		seen[id] = true
		seen[ids.Engine()(engine.IDCall, n)] = true
		for _, other := range []Ids{{2, ids.Case, "s1", ids.At}, {1, "b", "s1", ids.At}, {1, ids.Case, "s2", ids.At}, {1, "a.yaml#defaults", "1", ids.At}} {
			seen[other.UUID("message", n)] = true
		}
	}
	g.Expect(seen).To(HaveLen(300 * 6))
	g.Expect(slices.IsSorted(sorted)).To(BeTrue())
}
