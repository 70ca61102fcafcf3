package judge_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// submits adds an answer to the decision of the latest request of a session, as
// the worker submits it: members are those of the decision.
func (t *tape) submits(session, members string, status int, reply string) *tape {
	body := fmt.Sprintf(`{"session_id":"x","decision_id":%q%s}`, t.latestDecision(session), members)
	return t.add(session, &spec.InputEvent{
		From: "worker", Body: spec.BodyOf([]byte(body)), Status: status, Reply: reply, Decision: t.latestDecision(session),
	})
}

func (t *tape) latestDecision(session string) (id string) {
	for _, e := range t.events {
		if r, ok := e.Data.(*spec.RequestEvent); ok && e.Session == session {
			body, err := r.Body.Bytes()
			Expect(err).NotTo(HaveOccurred())
			req, fault := spec.ParseRequest(body)
			Expect(fault).To(BeNil())
			id = req.DecisionID
		}
	}
	return id
}

var _ = Describe("An answer that is submitted", func() {
	const sunnyMembers = `,"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Sunny."}]}}]`
	const withOutput = "a tool with an output schema"
	// submitting is a call whose answer was submitted, and then one of its own.
	submitting := func(trigger, given, members string, status int, reply, answer string) *tape {
		t := newTape()
		if given == withOutput {
			t.agent, given = `{"model":"m","tools":[{"name":"get_weather","output":{"type":"object","properties":{"celsius":{"type":"number"}}}}]}`, ""
		}
		d := t.ask("s1", trigger, given)
		return t.submits("s1", members, status, reply).reply("s1", d, answer)
	}

	It("is all that its decision needs", func() {
		t := submitting(onExecute, "", sunnyMembers, 200, "", `{}`).exchange("s1", onEnded, "", `{}`).done()
		Expect(broken(t.verdict())).To(BeEmpty())
		for _, id := range []string{through, "execute.settles", "result.is-explicit", "result.says-something"} {
			Expect(t.of(id).Status).To(Equal(spec.StatusPass), id)
			Expect(t.of(id).Count).To(Equal(1), id)
		}
	})

	DescribeTable("owes what an answer to the request owes",
		func(trigger, given, members, want, pointer string) {
			t := submitting(trigger, given, members, 200, "", `{}`).done()
			Expect(broken(t.verdict())).To(ConsistOf(want))
			f := t.of(want).Findings[0]
			Expect(f.Exchange + " " + f.Pointer).To(Equal("d1 " + pointer))
		},
		Entry("an explicit result", onExecute, "", `,"actions":[{"type":"tool.result","id":"c1","result":{"celsius":21}}]`, "result.is-explicit", "submit:/actions/0/result"),
		Entry("no envelope in a text", onExecute, "", `,"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}"}]}}]`,
			"result.no-nested-envelope", "submit:/actions/0/result/content/0/text"),
		Entry("an error with a text", onExecute, "", `,"actions":[{"type":"tool.error","id":"c1","error":" "}]`, "result.error-has-text", "submit:/actions/0/error"),
		Entry("a result that fits its schema", onExecute, withOutput, `,"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"warm"}],"structuredContent":{"celsius":"warm"}}}]`,
			"output.matches-schema", "submit:/actions/0"),
		Entry("one settle", onExecute, "", `,"actions":[{"type":"tool.error","id":"c1","error":"no"},{"type":"tool.error","id":"c1","error":"no"}]`, "execute.settles-once", "submit:/actions/1"),
		Entry("known keys", onExecute, "", `,"action":[]`+sunnyMembers, "response.has-no-unknown-keys", "submit:/action"),
	)

	DescribeTable("is named when it is refused, and its call is not called unsettled too",
		func(members string, status int, reply, want, hint string) {
			t := submitting(onExecute, "", members, status, reply, `{}`).exchange("s1", onTooLate, "", `{}`).done()
			Expect(broken(t.verdict())).To(ConsistOf(want))
			Expect(t.of(want).Findings[0].Hint).To(ContainSubstring(hint))
		},
		Entry("no id", `,"actions":[{"type":"tool.result","result":"x"}]`, 400, "tool.result omitted its id", through, "name the id"),
		Entry("a wrong key", sunnyMembers, 401, "missing or wrong API key", through, "Authorization"),
		Entry("too much", sunnyMembers, 413, "the body is over 5242880 bytes", through, "resource_link"),
		Entry("an unknown decision", sunnyMembers, 404, "effect not found", through, "decision_id"),
		Entry("two forms", `,"actions":[{"type":"tool.result","id":"c1","result":"x","content":[{"type":"text","text":"x"}]}]`, 400, "send one", "result.one-form", "content"),
		Entry("a bad block", `,"actions":[{"type":"tool.result","id":"c1","content":[{"type":"video"}]}]`, 422, "no such block", "result.blocks-are-valid", ""),
		Entry("an action that nobody knows", `,"actions":[{"type":"tool.done"}]`, 422, "unknown action", "response.fits-the-protocol", ""),
	)

	DescribeTable("and one to the request", func(answer string, want ...string) {
		t := submitting(onExecute, "", sunnyMembers, 200, "", answer).exchange("s1", onEnded, "", `{}`).done()
		Expect(broken(t.verdict())).To(ConsistOf(want))
	},
		Entry("that tells the same", `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny."}]}}]}`),
		Entry("that tells something else", `{"actions":[{"type":"tool.error","error":"the station is down"}]}`, once),
		Entry("that does not read", `{"actions":{}}`, "response.fits-the-protocol"),
	)

	It("is passed over where the decision is one that the run made up", func() {
		t := newTape()
		t.adds, t.ahead = spec.AddsTrigger, true
		d := t.ask("s1", `{"type":"hallmark.later"}`, "")
		t.events[len(t.events)-1].Data.(*spec.RequestEvent).Decision = d
		t.submits("s1", "", 404, "effect not found").reply("s1", d, `{}`).done()
		Expect(broken(t.verdict())).To(BeEmpty())
		Expect(t.of(through).Status).To(Equal(spec.StatusNotObserved))
	})

	It("and a settle at the engine are one too many", func() {
		t := submitting(onExecute, "", sunnyMembers, 200, "", `{}`).settles("s1", "worker", settleCloudy, 409, notPending)
		Expect(broken(t.done().verdict())).To(ConsistOf(once))
		Expect(t.of(once).Findings[0].Got).To(ContainSubstring("the submitted answer"))
		t = newTape()
		t.ask("s1", onExecute, "")
		t.settles("s1", "worker", settleCloudy, 200, "").submits("s1", sunnyMembers, 200, "")
		Expect(broken(t.verdict())).To(ConsistOf(once))
	})

	It("changes nothing once the decision was answered, and the call says so", func() {
		t := newTape().exchange("s1", onExecute, "", `{}`)
		t.add("s1", &spec.InputEvent{
			From: "worker", Status: 200, Dropped: "the decision was answered already", Decision: t.latestDecision("s1"),
			Body: spec.BodyOf([]byte(`{"session_id":"x","decision_id":"` + t.latestDecision("s1") + `"` + sunnyMembers + `}`)),
		})
		t.exchange("s1", onTooLate, "", `{}`).done()
		Expect(broken(t.verdict())).To(ConsistOf("execute.settles"))
		Expect(t.of("execute.settles").Findings[0].Got).To(ContainSubstring("was submitted when the decision had been answered"))
	})

	It("of session.start is what the worker declares", func() {
		t := newTape()
		d := t.ask("s1", onStart, withAgent)
		t.submits("s1", ","+config[1:len(config)-1], 200, "").reply("s1", d, `{}`)
		Expect(broken(t.done().verdict())).To(BeEmpty())
		Expect(t.of("start.yields-a-config").Status).To(Equal(spec.StatusPass))
	})

	It("is compared with no redelivery, which may find nothing left to do", func() {
		t := submitting(onExecute, "", sunnyMembers, 200, "", `{}`)
		again := t.ask("s1", onExecute, `{"decision_id":"d1"}`)
		t.add("s1", &spec.DisturbEvent{D: again, Do: "repeat"}).reply("s1", again, `{}`)
		Expect(broken(t.done().verdict())).To(BeEmpty())
	})
})
