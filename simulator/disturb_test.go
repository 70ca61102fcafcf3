package simulator

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// troubled is a case with one disturbance.
func troubled(disturb string) scenarios.Case {
	return planned(`
scenario: One call in trouble
steps:
  - disturb: ` + disturb + `
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
  - model: Done.
`)[0]
}

// attemptsOf is the attempts that the n-th request of a decision says.
func (r recorded) attemptsOf(d string) string {
	_, after, _ := strings.Cut(*r.request(d).Body.Text, `"attempts":`)
	n, _, _ := strings.Cut(after, ",")
	return n
}

var _ = Describe("a disturbed delivery", func() {
	DescribeTable("goes its own way",
		func(ctx SpecContext, disturb string, want ...string) {
			w := &scripted{}
			got := drive(ctx, input(troubled(disturb)), w)
			Expect(got.Why).To(Equal("script done"))
			Expect(got.from("request d4")[:len(want)]).To(Equal(want))
			Expect(got.story()[len(got.story())-2]).To(HaveSuffix(" turn completed"))
			again := drive(ctx, input(troubled(disturb)), &scripted{})
			Expect(again.digest()).To(Equal(got.digest()))
		},
		Entry("whose answer is lost", "{trigger: tool.execute, call: c1, do: lose-answer}",
			"4 request d4 tool.execute/1 try 1", "4 disturb d4 lose-answer", "4 response d4 whole", "4 outcome d4 failed",
			"2004 time retry +1999",
			"2004 request d5 tool.execute/2 try 1", "2004 response d5 whole", "2004 outcome d5 accepted finished",
			"2005 request d6 tool.finished/1"),
		Entry("whose answers are lost twice", "{call: c1, trigger: tool.finished, do: lose-answer, times: 2}",
			"4 request d4 tool.execute/1 try 1", "4 response d4 whole", "4 outcome d4 accepted finished",
			"5 request d5 tool.finished/1", "5 disturb d5 lose-answer", "5 response d5 whole", "5 outcome d5 failed",
			"2005 time retry +1999",
			"2005 request d6 tool.finished/2", "2005 disturb d6 lose-answer", "2005 response d6 whole", "2005 outcome d6 failed",
			"6005 time retry +3999",
			"6005 request d7 tool.finished/3", "6005 response d7 whole", "6005 outcome d7 accepted"),
		Entry("that never arrives", "{trigger: tool.execute, do: lose-request}",
			"4 request d4 tool.execute/1 try 1", "4 disturb d4 lose-request", "4 outcome d4 failed",
			"2004 time retry +1999",
			"2004 request d5 tool.execute/2 try 1", "2004 response d5 whole", "2004 outcome d5 accepted finished"),
		Entry("that is repeated", "{trigger: tool.execute, try: 1, do: repeat}",
			"4 request d4 tool.execute/1 try 1", "4 response d4 whole", "4 outcome d4 accepted finished",
			"5 request d5 tool.execute/2 try 1", "5 disturb d5 repeat", "5 response d5 whole", "5 outcome d5 dropped",
			"5 request d6 tool.finished/1", "5 response d6 whole", "5 outcome d6 accepted"),
		Entry("that is slow", "{trigger: tool.execute, do: slow, by: 12s}",
			"4 request d4 tool.execute/1 try 1", "4 disturb d4 slow", "4 response d4 whole",
			"12004 time wait +12000", "12004 outcome d4 accepted finished",
			"12005 request d5 tool.finished/1"),
		Entry("that is so slow that it waits for its retry", "{trigger: tool.execute, do: slow, by: 21s}",
			"4 request d4 tool.execute/1 try 1", "4 disturb d4 slow", "4 response d4 whole",
			"20004 time deadline +20000", "20004 outcome d4 failed",
			"21004 time wait +1000", "21004 outcome d4 dropped",
			"22004 time retry +1000",
			"22004 request d5 tool.execute/2 try 1", "22004 response d5 whole", "22004 outcome d5 accepted finished"),
	)

	It("is one decision, with attempts one higher", func(ctx SpecContext) {
		for _, do := range []string{"lose-answer", "lose-request", "repeat"} {
			got := drive(ctx, input(troubled("{trigger: tool.execute, do: "+do+"}")), &scripted{})
			Expect(got.request("d5").Decision).To(Equal(got.request("d4").Decision))
			Expect(got.attemptsOf("d4")).To(Equal("0"))
			Expect(got.attemptsOf("d5")).To(Equal("1"), do)
		}
	})

	It("never reaches the worker when the request is lost", func(ctx SpecContext) {
		w := &scripted{}
		drive(ctx, input(troubled("{trigger: tool.execute, do: lose-request}")), w)
		Expect(w.seen[spec.OnToolExecute]).To(Equal(1))
		Expect(w.bodies[3]).To(ContainSubstring(`"attempts":1`))
	})

	It("says by how much", func(ctx SpecContext) {
		got := drive(ctx, input(troubled("{trigger: tool.execute, do: slow, by: 12s}")), &scripted{})
		var by []string
		for _, e := range got.events {
			if d, ok := e.Data.(*spec.DisturbEvent); ok {
				by = append(by, d.By)
			}
		}
		Expect(by).To(Equal([]string{"12s"}))
	})

	It("is not disturbed when the disturbance is about another", func(ctx SpecContext) {
		for _, disturb := range []string{"{trigger: tool.execute, try: 2, do: repeat}", "{trigger: interrupt.resumed, do: repeat}"} {
			got := drive(ctx, input(troubled(disturb)), &scripted{})
			Expect(strings.Join(got.story(), "\n")).NotTo(ContainSubstring("disturb d"))
		}
	})
})

func TestALateAnswerIsTakenBesideItsRedelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), input(troubled("{trigger: tool.execute, do: late, by: 3s}")), &scripted{
			serve: func(_ context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnToolExecute && a.seen == 2 {
					time.Sleep(time.Second)
				}
				return ok(a.answer())
			},
		})
		g.Expect(got.from("request d4")[:11]).To(Equal([]string{
			"4 request d4 tool.execute/1 try 1", "4 disturb d4 late", "4 response d4 whole",
			"20004 time deadline +20000", "20004 outcome d4 failed",
			"22004 time retry +2000",
			"22004 request d5 tool.execute/2 try 1",
			"23004 time wait +1000", "23004 outcome d4 late finished",
			"23005 response d5 whole", "23005 outcome d5 dropped",
		}))
		g.Expect(got.from("d5 dropped")[1]).To(Equal("23005 request d6 tool.finished/1"))
		g.Expect(got.Why).To(Equal("script done"))
	})
}

func TestOverlappingDeliveriesAreBothOpen(t *testing.T) {
	for name, first := range map[string]bool{"the first answers first": true, "the second answers first": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				both := make(chan bool)
				got := drive(t.Context(), input(troubled("{trigger: tool.execute, do: overlap}")), &scripted{
					serve: func(_ context.Context, _ int, a asked) Got {
						if a.Trigger.Type == spec.OnToolExecute {
							switch {
							case a.seen == 1:
								<-both
							default:
								both <- true
							}
							if first == (a.seen == 2) {
								time.Sleep(time.Second)
							}
						}
						return ok(a.answer())
					},
				})
				story := got.from("request d4")
				g.Expect(story[:6]).To(Equal([]string{
					"4 request d4 tool.execute/1 try 1", "4 disturb d4 overlap",
					"20004 time deadline +20000", "20004 outcome d4 failed",
					"22004 time retry +2000", "22004 request d5 tool.execute/2 try 1",
				}))
				want := []string{
					"22004 response d5 whole", "22004 outcome d5 accepted finished",
					"22005 response d4 whole", "22005 outcome d4 dropped",
				}
				if first {
					want = []string{
						"22004 response d4 whole", "22004 outcome d4 late finished",
						"22005 response d5 whole", "22005 outcome d5 dropped",
					}
				}
				g.Expect(story[6:10]).To(Equal(want))
				g.Expect(story[10]).To(Equal("22005 request d6 tool.finished/1"))
				g.Expect(got.Why).To(Equal("script done"))
			})
		})
	}
}

func TestARepeatedDeliveryThatHangsHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), input(troubled("{trigger: tool.execute, do: repeat}")), &scripted{
			serve: func(ctx context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnToolExecute && a.seen == 2 {
					return hang(ctx)
				}
				return ok(a.answer())
			},
		})
		g.Expect(got.Why).To(Equal("script done"))
		g.Expect(got.story()).To(ContainElement("8 turn completed"))
		g.Expect(got.story()[len(got.story())-2]).To(Equal("9 response d5 timeout"))
	})
}
