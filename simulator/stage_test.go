package simulator

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const twoAtOnce = `
scenario: Two at once
steps:
  - user: Find berth one.
  - {user: Find berth two., session: other}
  - model: {calls: [{as: a, tool: toll, arguments: {n: 1}}]}
  - {session: other, model: {calls: [{as: b, tool: toll, arguments: {n: 2}}]}}
  - {session: other, model: Two.}
  - model: One.
`

// ofSession is the story of one session.
func (r recorded) ofSession(alias string) []string {
	only := recorded{Result: r.Result}
	for _, e := range r.events {
		if e.Session == alias {
			only.events = append(only.events, e)
		}
	}
	story := only.story()
	return story[:len(story)-1]
}

// sessions are the session events in order.
func (r recorded) sessions() (all []*spec.SessionEvent) {
	for _, e := range r.events {
		if s, ok := e.Data.(*spec.SessionEvent); ok {
			all = append(all, s)
		}
	}
	return all
}

// bodies are the bodies of the requests of one session.
func (r recorded) bodiesOf(alias string) (all []string) {
	for _, e := range r.events {
		if q, ok := e.Data.(*spec.RequestEvent); ok && e.Session == alias {
			all = append(all, *q.Body.Text)
		}
	}
	return all
}

var _ = Describe("several sessions in one case", func() {
	It("act in the order of the script, each in its own", func(ctx SpecContext) {
		got := drive(ctx, input(planned(twoAtOnce)[0]), &scripted{})
		Expect(got.Why).To(Equal("script done"))
		steps := func(alias string) (all []string) {
			for _, l := range got.ofSession(alias) {
				if strings.Contains(l, " step ") || strings.Contains(l, " turn ") {
					all = append(all, l[strings.Index(l, " ")+1:])
				}
			}
			return all
		}
		Expect(steps("s1")).To(Equal([]string{"step 0 user", "turn started", "step 2 model", "step 5 model", "turn completed"}))
		Expect(steps("s2")).To(Equal([]string{"step 1 user", "turn started", "step 3 model", "step 4 model", "turn completed"}))
		var order []string
		for _, e := range got.events {
			if s, ok := e.Data.(*spec.StepEvent); ok {
				order = append(order, fmt.Sprint(s.Step))
			}
		}
		Expect(strings.Join(order, "")).To(Equal("012345"))
		said := got.sessions()
		Expect(said).To(HaveLen(2))
		Expect([]string{said[0].Label, said[1].Label}).To(Equal([]string{"", "other"}))
		Expect(said[0].Labels).To(BeNil())
		Expect(said[1].Labels).To(HaveKey("b"))
		Expect(got.bodiesOf("s2")[3]).To(ContainSubstring(`"id":"` + said[1].Labels["b"] + `"`))
		Expect(got.Decisions).To(Equal(14))
	})

	It("have the same bytes however they run beside each other", func(ctx SpecContext) {
		first := drive(ctx, input(planned(twoAtOnce)[0]), &scripted{}).digest()
		for range 5 {
			Expect(drive(ctx, input(planned(twoAtOnce)[0]), &scripted{}).digest()).To(Equal(first))
		}
	})

	It("go on when another has ended early", func(ctx SpecContext) {
		got := drive(ctx, input(planned(`
scenario: One fails
steps:
  - {user: a, session: x}
  - {user: b, session: y}
  - {session: x, model: {calls: [{as: a, tool: toll, arguments: {}}]}}
  - {session: x, model: never}
  - {session: y, model: said}
`)[0]), &scripted{serve: func(_ context.Context, _ int, a asked) Got {
			if a.Trigger.Type == spec.OnToolExecute {
				return Got{Answer: spec.Answer{Status: 400, End: spec.EndWhole}}
			}
			return ok(a.answer())
		}})
		Expect(got.Why).To(Equal("turn failed"))
		Expect(got.ofSession("s2")).To(ContainElement(HaveSuffix("step 4 model")))
		Expect(got.ofSession("s1")).NotTo(ContainElement(HaveSuffix("step 3 model")))
	})
})

func TestSessionsAreInFlightTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var mu sync.Mutex
		open, most := 0, 0
		got := drive(t.Context(), input(planned(`
scenario: Many
copies: 5
steps:
  - user: "I am number ${copy}."
  - model: "Good day, ${copy}."
`)[0]), &scripted{serve: func(_ context.Context, _ int, a asked) Got {
			mu.Lock()
			open++
			most = max(most, open)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			open--
			mu.Unlock()
			return ok(a.answer())
		}})
		g.Expect(got.Why).To(Equal("script done"))
		g.Expect(most).To(Equal(5))
		for i, s := range got.sessions() {
			g.Expect(s.Copy).To(Equal(i + 1))
			bodies := got.bodiesOf(fmt.Sprintf("s%d", i+1))
			g.Expect(bodies[1]).To(ContainSubstring(fmt.Sprintf("I am number %d.", i+1)))
			g.Expect(bodies[len(bodies)-1]).To(ContainSubstring(fmt.Sprintf("Good day, %d.", i+1)))
		}
		g.Expect(got.sessions()).To(HaveLen(5))
	})
}

var _ = Describe("a twin", func() {
	const refused = `
scenario: Refused
needs: {tool: {name: find_berth}}
twin: {call: c1, generate: valid}
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: $tool, arguments: {}}, {as: c2, tool: toll, arguments: {}}]}
  - model: Done.
`
	It("runs after its case, with the one thing put right", func(ctx SpecContext) {
		got := drive(ctx, input(planned(refused)[0]), &scripted{})
		Expect(got.Why).To(Equal("script done"))
		said := got.sessions()
		Expect(said).To(HaveLen(2))
		Expect(said[1].Twin).To(Equal("s1"))
		Expect(said[1].Right).To(Equal("c1"))
		Expect(said[1].SessionID).NotTo(Equal(said[0].SessionID))
		first, twin := got.bodiesOf("s1"), got.bodiesOf("s2")
		Expect(first[3]).To(ContainSubstring(`"input":{"status":"invalid"`))
		Expect(twin[3]).To(ContainSubstring(`"input":{"status":"valid"`))
		Expect(twin[4]).To(ContainSubstring(`"id":"` + said[1].Labels["c2"] + `","name":"toll"`))
	})

	It("says why it could not be made", func(ctx SpecContext) {
		c := planned(refused)[0]
		c.Twins[0].NotMade = "its input schema could not be satisfied at /length (x)"
		got := drive(ctx, input(c), &scripted{})
		Expect(got.sessions()[1].Origin).To(Equal("not made: its input schema could not be satisfied at /length (x)"))
		Expect(got.sessions()[1].Twin).To(Equal("s1"))
		Expect(got.bodiesOf("s2")).To(BeEmpty())
	})

	It("does not run when nobody answers", func(ctx SpecContext) {
		got := drive(ctx, input(planned(refused)[0]), &scripted{offline: true})
		Expect(got.Why).To(Equal("unreachable: connection refused"))
		Expect(got.sessions()).To(HaveLen(1))
	})
})
