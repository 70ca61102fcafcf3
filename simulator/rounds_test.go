package simulator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const fourCopies = `
scenario: Many
copies: 4
steps:
  - user: "I am number ${copy}."
  - model: "Good day, ${copy}."
`

// order is the order in which the requests of all sessions went out.
func (r recorded) order() string {
	var all []string
	for _, e := range r.events {
		if q, ok := e.Data.(*spec.RequestEvent); ok {
			all = append(all, e.Session+":"+q.D)
		}
	}
	return strings.Join(all, " ")
}

var _ = Describe("several sessions side by side", func() {
	It("deliver in an order that follows from the seed (R20)", func(ctx SpecContext) {
		orders := map[string]bool{}
		for seed := uint64(1); seed <= 8; seed++ {
			in := input(planned(fourCopies)[0])
			in.Seed = seed
			first := drive(ctx, in, &scripted{})
			Expect(first.Why).To(Equal("script done"))
			for range 5 {
				again := drive(ctx, in, &scripted{})
				Expect(again.digest()).To(Equal(first.digest()))
				Expect(again.order()).To(Equal(first.order()), "seed %d", seed)
			}
			orders[first.order()] = true
		}
		Expect(orders).To(HaveLen(8), "another seed is another order")
	})

	It("send the same requests whatever the order, each for itself", func(ctx SpecContext) {
		in := input(planned(fourCopies)[0])
		together := drive(ctx, in, &scripted{})
		slow := drive(ctx, in, &scripted{serve: func(_ context.Context, n int, a asked) Got {
			if n%3 == 0 {
				time.Sleep(time.Millisecond)
			}
			return ok(a.answer())
		}})
		Expect(slow.digest()).To(Equal(together.digest()))
	})

	It("wait for the steps of each other and take turns all the same", func(ctx SpecContext) {
		orders := map[string]bool{}
		for seed := uint64(1); seed <= 6; seed++ {
			in := input(planned(twoAtOnce)[0])
			in.Seed = seed
			first := drive(ctx, in, &scripted{})
			Expect(first.Why).To(Equal("script done"))
			for range 5 {
				Expect(drive(ctx, in, &scripted{}).order()).To(Equal(first.order()))
			}
			orders[first.order()] = true
		}
		Expect(len(orders)).To(BeNumerically(">", 3))
	})
})

func TestASessionWhoseWorkerIsSlowHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var done []string
		start := time.Now()
		got := drive(t.Context(), input(planned(fourCopies)[0]), &scripted{serve: func(_ context.Context, n int, a asked) Got {
			if strings.Contains(a.raw, "I am number 1.") && a.Trigger.Type == spec.OnClientMessages {
				time.Sleep(15 * time.Second)
			}
			if a.Trigger.Type == spec.OnTurnFinished {
				done = append(done, fmt.Sprint(time.Since(start)))
			}
			return ok(a.answer())
		}})
		g.Expect(got.Why).To(Equal("script done"))
		g.Expect(done).To(HaveLen(4))
		g.Expect(done[2]).To(Equal("5s"), "the others go on after a while")
		g.Expect(done[3]).To(Equal("15s"))
	})
}
