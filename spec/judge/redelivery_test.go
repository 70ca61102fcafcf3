package judge_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const (
	survives = "retry.survives-redelivery"
	alike    = "retry.answers-alike"
	again    = `{"decision_id":"again"}`
	flagged  = `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny."}],"isError":true}}]}`
	cloudy   = `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Cloudy."}]}}]}`
)

// timed is a result with a text.
func timed(text string) string {
	return `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"` + text + `"}]}}]}`
}

var _ = Describe("A decision that is delivered again", func() {
	DescribeTable("is compared with its first answer",
		func(first, second string, want ...string) {
			v := newTape().exchange("s1", onExecute, again, first).exchange("s1", onExecute, again, second).done().verdict()
			Expect(broken(v)).To(ConsistOf(want))
			for _, o := range v.Observations {
				for _, f := range o.Findings {
					Expect(f.Exchange).To(Equal("d2"))
				}
			}
		},
		Entry("the same result", sunny, sunny),
		Entry("the same result in another form", sunny, `{"actions":[{"type":"tool.result","id":"c1","content":[{"type":"text","text":"Sunny."}]}]}`),
		Entry("another text", sunny, cloudy, alike),
		Entry("another time", timed("It is 23:54:31 on 2026-11-30."), timed("It is 23:54:32 on 2026-11-30.")),
		Entry("another count", timed("You are guest 41."), timed("You are guest 42.")),
		Entry("another id", timed("Booked as 01a0483d-ba01."), timed("Booked as 77e4bdfa.")),
		Entry("other words beside a time", timed("Open at 9."), timed("Closed at 9."), alike),
		Entry("an error", sunny, refused, survives),
		Entry("a flag", sunny, flagged, survives),
		Entry("the same error", refused, refused),
		Entry("another error", refused, `{"actions":[{"type":"tool.error","error":"no"}]}`, alike),
		Entry("an error that becomes a result", refused, sunny, alike),
		Entry("a flagged result that becomes an error of the same text", flagged, `{"actions":[{"type":"tool.error","error":"Sunny."}]}`, alike),
		Entry("let go both times, and settled in the end", `{}`, sunny),
	)

	It("may not leave the call open once it was settled", func() {
		// The call stays open too, which has a name of its own.
		v := newTape().exchange("s1", onExecute, again, sunny).exchange("s1", onExecute, again, `{}`).done().verdict()
		Expect(broken(v)).To(ContainElement(survives))
	})

	It("passes with a count of what was compared", func() {
		t := newTape().exchange("s1", onExecute, again, sunny).exchange("s1", onExecute, again, sunny).exchange("s1", onExecute, again, sunny).done()
		for _, id := range []string{survives, alike} {
			Expect(t.of(id).Status).To(Equal(spec.StatusPass))
			Expect(t.of(id).Count).To(Equal(2))
		}
	})

	It("shows nothing of texts when the call was let go", func() {
		t := newTape().exchange("s1", onExecute, again, `{}`).exchange("s1", onExecute, again, sunny).done()
		Expect(t.of(survives).Status).To(Equal(spec.StatusPass))
		Expect(t.of(alike).Status).To(Equal(spec.StatusNotObserved))
	})

	It("is told from another decision, another session, and from no id", func() {
		t := newTape().exchange("s1", onExecute, "", sunny).exchange("s1", onExecute, "", refused)
		t.exchange("s2", onExecute, again, sunny).exchange("s3", onExecute, again, refused)
		t.exchange("s1", onExecute, `{"decision_id":""}`, sunny).exchange("s1", onExecute, `{"decision_id":""}`, refused)
		Expect(t.done().of(survives).Status).To(Equal(spec.StatusNotObserved))
	})

	It("that settles nothing shows nothing", func() {
		t := newTape().exchange("s1", onTurnEnd, again, `{}`).exchange("s1", onTurnEnd, again, `{}`)
		Expect(t.done().of(survives).Status).To(Equal(spec.StatusNotObserved))
	})

	It("is not compared with an answer that does not read", func() {
		for _, bad := range []string{"5", "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n\r\nno", `{"actions":[{"type":"tool.error","id":"c9","error":"x"}]}`} {
			v := newTape().exchange("s1", onExecute, again, bad).exchange("s1", onExecute, again, sunny).done()
			Expect(v.of(survives).Status).To(Equal(spec.StatusNotObserved), bad)
		}
	})

	It("keeps a bounded number of decisions", func() {
		t := newTape().exchange("s1", onExecute, again, sunny)
		for i := range 64 {
			t.exchange("s1", onExecute, fmt.Sprintf(`{"decision_id":"other-%d"}`, i), sunny)
		}
		Expect(t.exchange("s1", onExecute, again, refused).done().of(survives).Status).To(Equal(spec.StatusNotObserved))
	})

	disturbed := func(do, first, second string) *tape {
		t := newTape()
		d := t.ask("s1", onExecute, again)
		t.add("s1", &spec.DisturbEvent{D: d, Do: do}).reply("s1", d, first)
		return t.exchange("s1", onExecute, again, second).done()
	}

	It("is compared though we disturbed the first delivery", func() {
		for _, do := range []string{"lose-answer", "repeat", "overlap", "late", "slow"} {
			Expect(broken(disturbed(do, sunny, refused).verdict())).To(Equal([]string{survives}), do)
			t := disturbed(do, sunny, sunny)
			Expect(t.of(alike).Status).To(Equal(spec.StatusPass), do)
			Expect(t.of("execute.settles").Count).To(Equal(1), "the disturbed delivery is no moment of anything else")
		}
	})

	It("is compared though the engine gave the first up for its deadline, which we let pass", func() {
		t := newTape()
		d := t.ask("s1", onExecute, again)
		t.add("s1", &spec.DisturbEvent{D: d, Do: "overlap"}).overdue("s1", d, 20_000).reply("s1", d, sunny)
		Expect(broken(t.exchange("s1", onExecute, again, refused).done().verdict())).To(Equal([]string{survives}))
	})

	It("is compared though we disturbed the second", func() {
		t := newTape().exchange("s1", onExecute, again, sunny)
		d := t.ask("s1", onExecute, again)
		t.add("s1", &spec.DisturbEvent{D: d, Do: "repeat"}).reply("s1", d, refused)
		o := t.add("s1", &spec.OutcomeEvent{D: d, As: spec.OutcomeDropped}).done().of(survives)
		Expect(o.Status).To(Equal(spec.StatusFail))
		Expect(o.Findings[0].Exchange).To(Equal(d))
	})

	It("is not compared when the request itself was changed", func() {
		for _, do := range []string{"lose-request", "forge-signature"} {
			Expect(disturbed(do, sunny, refused).of(survives).Status).To(Equal(spec.StatusNotObserved), do)
		}
	})

	// crossing are two deliveries that are open at once; the second is answered
	// first when reversed.
	crossing := func(first, second string, reversed bool) *tape {
		t := newTape()
		one := t.ask("s1", onExecute, again)
		t.add("s1", &spec.DisturbEvent{D: one, Do: "overlap"})
		two := t.ask("s1", onExecute, again)
		if reversed {
			return t.reply("s1", two, second).reply("s1", one, first).done()
		}
		return t.reply("s1", one, first).reply("s1", two, second).done()
	}

	It("may fail in neither of two answers when it was open twice (D6)", func() {
		for _, reversed := range []bool{false, true} {
			for failing, answers := range map[string][2]string{"d1": {refused, sunny}, "d2": {sunny, refused}} {
				t := crossing(answers[0], answers[1], reversed)
				Expect(broken(t.verdict())).To(Equal([]string{survives}))
				f := t.of(survives).Findings[0]
				Expect(f.Exchange).To(Equal(failing))
				Expect(f.Got).To(ContainSubstring("there is no such tool"))
			}
			Expect(broken(crossing(refused, refused, reversed).verdict())).To(BeEmpty())
			Expect(broken(crossing(sunny, cloudy, reversed).verdict())).To(Equal([]string{alike}))
		}
	})

	It("need not be settled by the second answer where a settle was taken in between", func() {
		for _, settled := range []bool{false, true} {
			t := newTape()
			one := t.ask("s1", onExecute, again)
			t.add("s1", &spec.DisturbEvent{D: one, Do: "overlap"})
			two := t.ask("s1", onExecute, again)
			t.reply("s1", one, sunny)
			if settled {
				t.settles("s1", "worker", settleSunny, 200, "")
			}
			Expect(t.reply("s1", two, `{}`).of(survives).Status == spec.StatusFail).To(Equal(!settled))
		}
	})
})
