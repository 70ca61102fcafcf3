package simulator

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// interrupted is a case with steps between the model's call and its last word.
func interrupted(steps ...string) scenarios.Case {
	return planned(`
scenario: One call
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
` + "  - " + strings.Join(steps, "\n  - ") + `
  - model: Done.
`)[0]
}

// restarting drives a case whose worker can be restarted, and counts.
func restarting(ctx context.Context, c scenarios.Case, w *scripted) (recorded, *int) {
	in, times := input(c), new(int)
	in.Restart = func(context.Context) error { *times++; return nil }
	return drive(ctx, in, w), times
}

var _ = Describe("a moment that the script waits for", func() {
	DescribeTable("is the moment at which the next step acts",
		func(ctx SpecContext, until string, want ...string) {
			got, times := restarting(ctx, interrupted("until: "+until, "restart: worker"), &scripted{})
			Expect(got.from("request d3")).To(Equal(want))
			Expect(*times).To(Equal(1))
			Expect(drive(ctx, withRestart(interrupted("until: "+until, "restart: worker")), &scripted{}).digest()).To(Equal(got.digest()))
		},
		Entry("when a delivery is due", "{trigger: tool.execute, call: c1, is: due}",
			"3 request d3 llm.finished/1", "3 response d3 whole", "3 outcome d3 accepted",
			"4 step 2 until", "4 step 3 restart", "4 worker restarted",
			"4 request d4 tool.execute/1 try 1", "4 response d4 whole", "4 outcome d4 accepted finished",
			"5 request d5 tool.finished/1", "5 response d5 whole", "5 outcome d5 accepted",
			"6 ask", "6 step 4 model", "6 reply",
			"7 request d6 llm.finished/1", "7 response d6 whole", "7 outcome d6 accepted",
			"8 request d7 turn.finished/1", "8 response d7 whole", "8 outcome d7 accepted", "8 turn completed", "script done"),
		Entry("when it is on its way", "{trigger: tool.execute, is: sent}",
			"3 request d3 llm.finished/1", "3 response d3 whole", "3 outcome d3 accepted",
			"4 request d4 tool.execute/1 try 1", "4 step 2 until", "4 step 3 restart", "4 worker restarted", "4 response d4 whole", "4 outcome d4 accepted finished",
			"5 request d5 tool.finished/1", "5 response d5 whole", "5 outcome d5 accepted",
			"6 ask", "6 step 4 model", "6 reply",
			"7 request d6 llm.finished/1", "7 response d6 whole", "7 outcome d6 accepted",
			"8 request d7 turn.finished/1", "8 response d7 whole", "8 outcome d7 accepted", "8 turn completed", "script done"),
		Entry("when its answer was taken", "{trigger: tool.execute}",
			"3 request d3 llm.finished/1", "3 response d3 whole", "3 outcome d3 accepted",
			"4 request d4 tool.execute/1 try 1", "4 response d4 whole", "4 outcome d4 accepted finished",
			"5 step 2 until", "5 step 3 restart", "5 worker restarted",
			"5 request d5 tool.finished/1", "5 response d5 whole", "5 outcome d5 accepted",
			"6 ask", "6 step 4 model", "6 reply",
			"7 request d6 llm.finished/1", "7 response d6 whole", "7 outcome d6 accepted",
			"8 request d7 turn.finished/1", "8 response d7 whole", "8 outcome d7 accepted", "8 turn completed", "script done"),
	)

	It("is passed over when it does not come", func(ctx SpecContext) {
		got, times := restarting(ctx, interrupted("until: {trigger: tool.execute, try: 2}", "restart: worker"), &scripted{})
		Expect(got.story()).To(ContainElements("6 step 2 until passed over", "9 step 3 restart"))
		Expect(got.Why).To(Equal("script done"))
		Expect(*times).To(Equal(1))
	})

	It("is passed over at the end, when all is quiet", func(ctx SpecContext) {
		got := drive(ctx, input(planned(`
scenario: Nothing comes
steps:
  - user: Go.
  - model: Done.
  - until: {trigger: tool.execute}
  - user: Still there?
  - model: Yes.
`)[0]), &scripted{})
		Expect(got.story()).To(ContainElement(HaveSuffix("step 2 until passed over")))
		Expect(got.Why).To(Equal("script done"))
		Expect(got.Decisions).To(Equal(7))
	})

	It("lets a disturbance be armed for what comes next", func(ctx SpecContext) {
		got := drive(ctx, input(interrupted("until: {trigger: tool.execute, is: sent}", "disturb: {do: lose-answer, trigger: tool.finished}")), &scripted{})
		Expect(got.story()).To(ContainElements("4 step 3 disturb", "5 disturb d5 lose-answer", "2005 request d6 tool.finished/2"))
	})
})

func withRestart(c scenarios.Case) CaseInput {
	in := input(c)
	in.Restart = func(context.Context) error { return nil }
	return in
}

var _ = Describe("a restart of the engine", func() {
	It("loses the delivery that is out and sends it again (D8)", func(ctx SpecContext) {
		w := &scripted{}
		got := drive(ctx, input(interrupted("until: {trigger: tool.execute, is: sent}", "restart: engine")), w)
		Expect(got.from("request d4")[:10]).To(Equal([]string{
			"4 request d4 tool.execute/1 try 1", "4 step 2 until", "4 step 3 restart", "4 disturb d4 restart", "4 outcome d4 failed",
			"4 response d4 whole", "2004 time retry +2000",
			"2004 request d5 tool.execute/2 try 1", "2004 response d5 whole", "2004 outcome d5 accepted finished",
		}))
		Expect(got.Why).To(Equal("script done"))
		Expect(got.request("d5").Decision).To(Equal(got.request("d4").Decision))
		var lost []string
		for _, e := range got.events {
			if o, ok := e.Data.(*spec.OutcomeEvent); ok && o.As == spec.OutcomeFailed {
				lost = append(lost, string(o.Code)+": "+o.Reason)
			}
		}
		Expect(lost).To(Equal([]string{"internal: dispatch lost on engine restart"}))
	})

	It("loses one that had not gone out as if it had never arrived", func(ctx SpecContext) {
		w := &scripted{}
		got := drive(ctx, input(interrupted("until: {trigger: tool.execute, is: due}", "restart: engine")), w)
		Expect(got.from("step 2 until")[:6]).To(Equal([]string{
			"4 step 2 until", "4 step 3 restart", "4 request d4 tool.execute/1 try 1", "4 disturb d4 restart", "4 outcome d4 failed", "2004 time retry +2000",
		}))
		Expect(w.seen[spec.OnToolExecute]).To(Equal(1))
		Expect(got.Why).To(Equal("script done"))
	})

	It("between an answer and what follows from it loses what follows", func(ctx SpecContext) {
		w := &scripted{}
		got := drive(ctx, input(interrupted("until: {trigger: tool.execute}", "restart: engine")), w)
		Expect(got.from("step 2 until")[:6]).To(Equal([]string{
			"5 step 2 until", "5 step 3 restart", "5 request d5 tool.finished/1", "5 disturb d5 restart", "5 outcome d5 failed", "2005 time retry +2000",
		}))
		Expect(w.seen[spec.OnToolFinished]).To(Equal(1))
		Expect(got.Why).To(Equal("script done"))
	})

	It("changes nothing while all is quiet", func(ctx SpecContext) {
		got := drive(ctx, input(planned("scenario: s\nsteps: [{user: a}, {model: b}, {restart: engine}, {user: c}, {model: d}]")[0]), &scripted{})
		Expect(got.Why).To(Equal("script done"))
		Expect(got.Decisions).To(Equal(7))
	})
})

var _ = Describe("a restart of the worker", func() {
	It("comes before the delivery that is disturbed by it", func(ctx SpecContext) {
		w := &scripted{}
		got, times := restarting(ctx, restartBefore(), w)
		Expect(got.from("outcome d3")[1:4]).To(Equal([]string{"4 worker restarted", "4 request d4 tool.execute/1 try 1", "4 response d4 whole"}))
		Expect(strings.Join(got.story(), "\n")).NotTo(ContainSubstring("disturb d4"))
		Expect(*times).To(Equal(1))
		Expect(got.Why).To(Equal("script done"))
	})

	It("ends the case when the worker does not come back", func(ctx SpecContext) {
		in := input(restartBefore())
		in.Restart = func(context.Context) error { return errors.New("it is gone") }
		got := drive(ctx, in, &scripted{})
		Expect(got.Why).To(Equal("unreachable: restart the worker: it is gone"))
	})

	It("is our own fault where nothing can do it", func(ctx SpecContext) {
		Expect(drive(ctx, input(restartBefore()), &scripted{}).Why).To(Equal("harness error: nothing here can restart the worker"))
	})
})

func restartBefore() scenarios.Case {
	return planned(`
scenario: One call in trouble
steps:
  - disturb: {do: restart, trigger: tool.execute}
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
  - model: Done.
`)[0]
}

func TestARequestThatIsOutWhenTheEngineRestartsMayHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		start := time.Now()
		got := drive(t.Context(), input(interrupted("until: {trigger: tool.execute, is: sent}", "restart: engine")), &scripted{
			serve: func(ctx context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnToolExecute && a.seen == 1 {
					return hang(ctx)
				}
				return ok(a.answer())
			},
		})
		g.Expect(got.Why).To(Equal("script done"))
		g.Expect(time.Since(start)).To(Equal(20 * time.Second))
	})
}
