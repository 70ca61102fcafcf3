package judge_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// A model that sends the same broken call again and again (field-report:020)
// or calls a made-up tool for ever (field-report:043) has only the text of the
// refusal to go by.
var _ = Describe("A call that is refused again", func() {
	const id = "execute.refuses-alike"
	as := func(trigger, call string) string { return strings.Replace(trigger, `"id":"c1"`, `"id":"`+call+`"`, 1) }
	judged := func(first, then string, trigger, again string) spec.Status {
		return newTape().exchange("s1", as(trigger, "c1"), "", first).exchange("s1", again, "", then).done().of(id).Status
	}

	DescribeTable("is refused in the same words",
		func(first, then string, want spec.Status) {
			Expect(judged(first, then, onBroken, as(onBroken, "c2"))).To(Equal(want))
		},
		Entry("the same text", erring("city is cut off"), erring("city is cut off"), spec.StatusPass),
		Entry("another id and count in it", erring("call c1, try 1: city is cut off"), erring("call c2, try 2: city is cut off"), spec.StatusPass),
		Entry("another text", erring("city is cut off"), erring("that did not work"), spec.StatusWarn),
		Entry("an error and a flagged result of one text", erring("city is cut off"), strings.Replace(flagged, "Sunny.", "city is cut off", 1), spec.StatusPass),
		Entry("a repair the second time", erring("city is cut off"), sunny, spec.StatusNotObserved),
		Entry("a repair both times", sunny, sunny, spec.StatusNotObserved),
	)

	It("is another call where the arguments, the tool or the session differ", func() {
		Expect(judged(erring("a"), erring("b"), onBroken, as(malformedAs(`{"city":`), "c2"))).To(Equal(spec.StatusNotObserved))
		Expect(judged(erring("a"), erring("b"), onBroken, strings.Replace(as(onBroken, "c2"), "get_weather", "get_tides", 1))).To(Equal(spec.StatusNotObserved))
		t := newTape().exchange("s1", onBroken, "", erring("a")).exchange("s2", onBroken, "", erring("b"))
		Expect(t.done().of(id).Status).To(Equal(spec.StatusNotObserved))
	})

	It("is the same call where only its attempt is another", func() {
		Expect(judged(erring("a"), erring("b"), onBroken, onBroken)).To(Equal(spec.StatusNotObserved))
	})

	It("says nothing of a valid call that fails twice", func() {
		Expect(judged(erring("the sea is rough"), erring("the boat is gone"), onExecute, as(onExecute, "c2"))).To(Equal(spec.StatusNotObserved))
	})

	It("is remembered a bounded number of times", func() {
		t := newTape().exchange("s1", onBroken, "", erring("a"))
		for n := range 70 {
			t.exchange("s1", as(malformedAs(fmt.Sprintf(`{"n":%d`, n)), fmt.Sprintf("n%d", n)), "", erring("b"))
		}
		Expect(t.exchange("s1", as(onBroken, "c2"), "", erring("c")).done().of(id).Status).To(Equal(spec.StatusNotObserved))
	})
})

var _ = Describe("A tool that nobody declared", func() {
	const id = "execute.undeclared-not-retryable"
	proposed := `{"proposed":{"actions":[{"type":"tool.error","id":"c1","error":"unknown tool: get_weather","retryable":false}]}}`
	DescribeTable("is not worth another try",
		func(trigger, answer string, want spec.Status) {
			Expect(newTape().exchange("s1", trigger, proposed, answer).done().of(id).Status).To(Equal(want))
		},
		Entry("an error", onExecute, erring("no such tool"), spec.StatusPass),
		Entry("an error that says no", onExecute, `{"actions":[{"type":"tool.error","error":"no such tool","retryable":false}]}`, spec.StatusPass),
		Entry("an error that asks for more", onExecute, `{"actions":[{"type":"tool.error","error":"no such tool","retryable":true}]}`, spec.StatusWarn),
		Entry("a flagged result", onExecute, flagged, spec.StatusNotObserved),
		Entry("bad arguments, which have a name of their own", onBroken, `{"actions":[{"type":"tool.error","error":"no such tool","retryable":true}]}`, spec.StatusNotObserved),
	)
})
