package judge_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const (
	through  = "async.settles-through-endpoint"
	askedID  = "async.settles-the-asked-call"
	askedTry = "async.settles-the-asked-attempt"
	once     = "async.settles-once"
	names    = "async.names-the-attempt"
	givesUp  = "async.gives-up-when-refused"

	onSecond  = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{\"city\":\"Oslo\"}","input":{"status":"valid","value":{"city":"Oslo"}},"attempt":1}`
	onOther   = `{"type":"tool.execute","id":"c2","name":"get_weather","arguments":"{\"city\":\"Rome\"}","input":{"status":"valid","value":{"city":"Rome"}},"attempt":0}`
	onEnded   = `{"type":"tool.finished","id":"c1","ok":true,"name":"get_weather","result":{"content":[{"type":"text","text":"Sunny."}]}}`
	onTooLate = `{"type":"tool.finished","id":"c1","ok":false,"name":"get_weather","error":{"message":"deadline exceeded","code":"deadline_exceeded"}}`

	settleSunny  = `{"type":"tool.result","id":"c1","attempt":0,"result":{"content":[{"type":"text","text":"Sunny."}]}}`
	settleCloudy = `{"type":"tool.result","id":"c1","attempt":0,"result":{"content":[{"type":"text","text":"Cloudy."}]}}`
	settleBare   = `{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny."}]}}`
	settleRetry  = `{"type":"tool.result","id":"c1","attempt":1,"result":{"content":[{"type":"text","text":"Sunny."}]}}`
	settleNobody = `{"type":"tool.result","id":"job_1","result":{"content":[{"type":"text","text":"Sunny."}]}}`

	notPending = "effect is not pending"
)

// holding is a session whose worker has let go of c1.
func holding() *tape { return newTape().exchange("s1", onExecute, "", `{}`) }

var _ = Describe("A call that is let go", func() {
	It("is settled by a settle at the engine, and asks for nothing more", func() {
		t := holding().settles("s1", "worker", settleSunny, 200, "").exchange("s1", onEnded, "", `{}`).done()
		Expect(broken(t.verdict())).To(BeEmpty())
		for _, id := range []string{through, askedID, askedTry, once, "execute.settles", "result.is-explicit", "result.says-something"} {
			Expect(t.of(id).Status).To(Equal(spec.StatusPass), id)
			Expect(t.of(id).Count).To(Equal(1), id)
		}
		for _, id := range []string{names, givesUp} {
			Expect(t.of(id).Status).To(Equal(spec.StatusNotObserved), id)
		}
	})

	It("may be settled before its decision is answered", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.settles("s1", "worker", settleSunny, 200, "").reply("s1", d, `{}`)
		Expect(broken(t.exchange("s1", onEnded, "", `{}`).done().verdict())).To(BeEmpty())
		Expect(t.of("execute.settles").Count).To(Equal(1))
		Expect(t.of(once).Count).To(Equal(1))
	})

	It("that nobody settles has one name, and hints at where to settle", func() {
		t := holding().exchange("s1", onTooLate, "", `{}`).done()
		Expect(broken(t.verdict())).To(Equal([]string{"execute.settles"}))
		Expect(t.of("execute.settles").Findings[0].Hint).To(ContainSubstring("--start"))
	})

	It("is nobody's fault when the script lets its time pass", func() {
		t := holding()
		t.add("s1", &spec.StepEvent{Step: 2, Verb: "wait"}).add("s1", &spec.TimeEvent{Why: "deadline", Of: "c1", Passed: 120_000})
		t.exchange("s1", onTooLate, "", `{}`).settles("s1", "worker", settleSunny, 409, notPending)
		Expect(broken(t.done().verdict())).To(BeEmpty())
		Expect(t.of(givesUp).Status).To(Equal(spec.StatusPass))
	})

	It("shows nothing of a worker that lets go of none", func() {
		t := newTape().exchange("s1", onExecute, "", sunny).done()
		for _, id := range []string{through, askedID, askedTry, once, names, givesUp} {
			Expect(t.of(id).Status).To(Equal(spec.StatusNotApplicable), id)
		}
	})

	It("is not looked at in a capture, which holds no settles", func() {
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceCapture, Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession}})
		Expect(t.exchange("s1", onExecute, "", `{}`).of(once).Status).To(Equal(spec.StatusNotObserved))
	})

	It("that somebody else settled takes no attempt any more, so none is the wrong one", func() {
		t := holding()
		t.add("s1", &spec.InputEvent{From: "machine", Body: spec.BodyOf([]byte(settleCloudy)), Call: "c1", Status: 200})
		t.settles("s1", "worker", settleRetry, 409, notPending)
		Expect(broken(t.exchange("s1", onEnded, "", `{}`).done().verdict())).To(BeEmpty())
	})

	It("may be settled by somebody else, whoever is first", func() {
		t := holding().settles("s1", "machine", settleCloudy, 200, "").settles("s1", "worker", settleSunny, 409, notPending)
		Expect(broken(t.exchange("s1", onEnded, "", `{}`).done().verdict())).To(BeEmpty())
		Expect(t.of(through).Status).To(Equal(spec.StatusNotObserved))
	})
})

var _ = Describe("A settle that is refused", func() {
	DescribeTable("has one name, and the call none of its own",
		func(body string, status int, reply, want, pointer string) {
			for _, early := range []bool{false, true} {
				t := newTape()
				d := t.ask("s1", onExecute, "")
				if early {
					t.settles("s1", "worker", body, status, reply).reply("s1", d, `{}`)
				} else {
					t.reply("s1", d, `{}`).settles("s1", "worker", body, status, reply)
				}
				v := t.exchange("s1", onTooLate, "", `{}`).done().verdict()
				Expect(broken(v)).To(Equal([]string{want}), "early: %v", early)
				f := t.of(want).Findings[0]
				Expect(f.Pointer).To(Equal(pointer))
				Expect(f.Exchange).To(Equal("d1"))
			}
		},
		Entry("a wrong key", settleSunny, 401, "missing or wrong API key", through, "settle:"),
		Entry("no JSON", `{"type":`, 400, "the body is not JSON", through, "settle:"),
		Entry("a whole decision", `{"actions":[`+settleSunny+`]}`, 422, "the body settles nothing", through, "settle:"),
		Entry("nothing that settles", `{"type":"done"}`, 422, "the body settles nothing", through, "settle:"),
		Entry("an error without retryable", `{"type":"tool.error","id":"c1","error":"no"}`, 422, "tool.error lacks retryable", through, "settle:"),
		Entry("no id", `{"type":"tool.result","result":1}`, 422, "tool.result lacks id", through, "settle:"),
		Entry("too much", settleSunny, 413, "the body is over 16777216 bytes", through, "settle:"),
		Entry("both forms", `{"type":"tool.result","id":"c1","result":"x","content":[{"type":"text","text":"x"}]}`, 400, "send one", "result.one-form", "settle:"),
		Entry("a bad block", `{"type":"tool.result","id":"c1","content":[{"type":"video","data":"AAAA"}]}`, 422, "no such block", "result.blocks-are-valid", "settle:/content"),
		Entry("an unknown call", settleNobody, 404, "effect not found", askedID, "settle:/id"),
		Entry("another attempt", settleRetry, 409, "effect attempt mismatch", askedTry, "settle:/attempt"),
	)

	It("under the id of another session's call names that session, and leaves its call alone", func() {
		t := newTape().exchange("s1", onExecute, "", `{}`).exchange("s2", onOther, "", `{}`)
		t.settles("s2", "worker", settleSunny, 404, "effect not found")
		t.settles("s2", "worker", `{"type":"tool.result","id":"c2","result":{"content":[{"type":"text","text":"Hot."}]}}`, 200, "")
		Expect(broken(t.done().verdict())).To(Equal([]string{askedID}))
		Expect(t.of(askedID).Findings[0].Got).To(HaveSuffix("a call of the session s1"))
		Expect(t.of(askedID).Findings[0].Session).To(Equal("s2"))
	})

	It("that is too late is no fault beside the deadline", func() {
		t := holding().exchange("s1", onTooLate, "", `{}`).settles("s1", "worker", settleSunny, 409, notPending)
		Expect(broken(t.done().verdict())).To(Equal([]string{"execute.settles"}))
	})

	It("of an attempt that was given up is no fault", func() {
		t := holding().exchange("s1", onSecond, "", `{}`)
		t.settles("s1", "worker", settleSunny, 409, "effect attempt mismatch").settles("s1", "worker", settleRetry, 200, "")
		Expect(broken(t.done().verdict())).To(BeEmpty())
		for _, id := range []string{askedTry, names, givesUp} {
			Expect(t.of(id).Status).To(Equal(spec.StatusPass), id)
		}
	})

	It("is not to be sent again", func() {
		t := holding().settles("s1", "machine", settleCloudy, 200, "")
		t.settles("s1", "worker", settleSunny, 409, notPending).settles("s1", "worker", settleSunny, 409, notPending)
		Expect(broken(t.done().verdict())).To(Equal([]string{givesUp}))
	})

	It("may be sent again when the call was asked for once more", func() {
		t := holding().settles("s1", "machine", settleCloudy, 200, "").settles("s1", "worker", settleBare, 409, notPending)
		t.exchange("s1", onExecute, "", `{}`).settles("s1", "worker", settleBare, 409, notPending)
		Expect(broken(t.exchange("s1", onEnded, "", `{}`).done().verdict())).To(BeEmpty())
	})

	It("shows nothing when it was not answered, or the engine was in trouble", func() {
		t := holding().settles("s1", "worker", settleSunny, 0, "").settles("s1", "worker", settleSunny, 503, "busy").settles("s1", "worker", settleSunny, 200, "")
		Expect(broken(t.done().verdict())).To(BeEmpty())
		Expect(t.of(givesUp).Status).To(Equal(spec.StatusNotObserved))
	})
})

var _ = Describe("A second settle", func() {
	It("at the engine is one too many, whatever it says", func() {
		for _, second := range []string{settleSunny, settleCloudy, settleBare} {
			t := holding().settles("s1", "worker", settleSunny, 200, "").settles("s1", "worker", second, 409, notPending)
			Expect(broken(t.exchange("s1", onEnded, "", `{}`).done().verdict())).To(Equal([]string{once}), second)
		}
	})

	It("is one too many where the first is the answer", func() {
		t := newTape().exchange("s1", onExecute, "", sunny).settles("s1", "worker", settleSunny, 409, notPending)
		Expect(broken(t.done().verdict())).To(Equal([]string{once}))
		Expect(t.of(once).Findings[0].Got).To(HaveSuffix("after the answer in d1"))
	})

	It("is one too many where it is the answer", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.settles("s1", "worker", settleSunny, 200, "").reply("s1", d, sunny)
		Expect(broken(t.done().verdict())).To(Equal([]string{once}))
		Expect(t.of(once).Findings[0].Pointer).To(Equal("/actions/0"))
	})

	again := func(settles ...string) *tape {
		t := newTape().exchange("s1", onExecute, `{"decision_id":"again"}`, `{}`).exchange("s1", onExecute, `{"decision_id":"again"}`, `{}`)
		for i, s := range settles {
			status, reply := 200, ""
			if i > 0 {
				status, reply = 409, notPending
			}
			t.settles("s1", "worker", s, status, reply)
		}
		return t.done()
	}

	It("after a redelivery shows that the work was begun twice", func() {
		Expect(broken(again(settleSunny).verdict())).To(BeEmpty())
		t := again(settleSunny, settleSunny)
		Expect(broken(t.verdict())).To(Equal([]string{once}))
		Expect(t.of(once).Findings[0].Hint).To(ContainSubstring("came again in d2"))
	})

	It("may tell a later delivery what was told before, and nothing else", func() {
		first := func() *tape {
			return newTape().exchange("s1", onExecute, `{"decision_id":"again"}`, `{}`).settles("s1", "worker", settleSunny, 200, "")
		}
		Expect(broken(first().exchange("s1", onExecute, `{"decision_id":"again"}`, sunny).done().verdict())).To(BeEmpty())
		Expect(broken(first().exchange("s1", onExecute, `{"decision_id":"again"}`, `{}`).settles("s1", "worker", settleSunny, 409, notPending).done().verdict())).To(BeEmpty())
		Expect(broken(first().exchange("s1", onExecute, `{"decision_id":"again"}`, cloudy).done().verdict())).To(Equal([]string{once}))
	})

	It("of a retried call is not blamed for the first, which did not name its attempt", func() {
		t := holding().exchange("s1", onSecond, "", `{}`)
		t.settles("s1", "worker", settleBare, 200, "").settles("s1", "worker", settleRetry, 409, notPending)
		Expect(broken(t.done().verdict())).To(Equal([]string{names}))
	})

	It("is found among a bounded number", func() {
		t := holding().settles("s1", "worker", settleSunny, 200, "")
		for i := range 300 {
			id := fmt.Sprintf("x%d", i)
			t.exchange("s1", `{"type":"tool.execute","id":"`+id+`","name":"get_weather","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}`, "", `{}`)
			t.settles("s1", "worker", `{"type":"tool.result","id":"`+id+`","result":"x"}`, 200, "")
		}
		v := t.settles("s1", "worker", settleSunny, 409, notPending).done().verdict()
		o, _ := v.Of(once)
		Expect(o.Status).To(Equal(spec.StatusPass))
	})
})

var _ = Describe("What a settle holds", func() {
	DescribeTable("is judged as in an answer",
		func(body string, want ...string) {
			t := newTape()
			t.agent = `{"model":"m","tools":[{"name":"get_weather","output":{"type":"object","required":["celsius"]}}]}`
			t.exchange("s1", onExecute, "", `{}`).settles("s1", "worker", body, 200, "").exchange("s1", onEnded, "", `{}`)
			Expect(broken(t.done().verdict())).To(Equal(want))
			o := t.of(want[0])
			Expect(o.Findings[0].Pointer).To(HavePrefix("settle:"))
			Expect(o.Findings[0].Exchange).To(Equal("d1"))
			Expect(o.Findings[0].Trigger).To(Equal(spec.OnToolExecute))
		},
		Entry("a bare value", `{"type":"tool.result","id":"c1","result":{"celsius":18}}`, "result.is-explicit"),
		Entry("a bad block in a result", `{"type":"tool.result","id":"c1","result":{"content":[{"type":"video"}]}}`, "result.blocks-are-valid"),
		Entry("an envelope that does not read", `{"type":"tool.result","id":"c1","result":{"content":[],"is_error":true}}`, "result.is-a-tool-result"),
		Entry("against the output schema", `{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"18"}],"structuredContent":{"c":18}}}`, "output.matches-schema"),
		Entry("flagged against the output schema", `{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"no"}],"isError":true}}`, "output.failure-keeps-its-reason"),
		Entry("a blank error", `{"type":"tool.error","id":"c1","error":" ","retryable":false}`, "result.error-has-text"),
	)

	It("counts as the run of a valid call, the twin of a refusal", func() {
		t := holding().settles("s1", "worker", settleSunny, 200, "").exchange("s1", onUnknown, unknown, refused)
		Expect(t.done().of("execute.refuses-undeclared").Status).To(Equal(spec.StatusPass))
		t = holding().settles("s1", "worker", `{"type":"tool.error","id":"c1","error":"no","retryable":false}`, 200, "").exchange("s1", onUnknown, unknown, refused)
		Expect(t.done().of("execute.refuses-undeclared").Status).To(Equal(spec.StatusNotObserved))
	})

	It("counts for the declared policy", func() {
		bad := `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{}","input":{"status":"invalid","value":{},"error":"\"city\" is required"},"attempt":0}`
		t := newTape().declares(map[string]string{spec.AllTools: spec.ArgumentsRefused}).exchange("s1", bad, "", `{}`)
		t.settles("s1", "worker", settleSunny, 200, "")
		Expect(broken(t.done().verdict())).To(Equal([]string{"execute.keeps-its-policy"}))
	})
})
