package judge_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

func replace(text, old, with string) string { return strings.ReplaceAll(text, old, with) }

var _ = Describe("A branch", func() {
	const (
		id     = "state.stays-on-its-branch"
		path   = `"messages":[{"id":"ID","role":"user","content":"Hi.","tool_calls":[]}]`
		branch = path + `,"message_tree":{"nodes":[{"message":{"id":"x","role":"user","content":"Ho.","tool_calls":[]}},{"message":{"id":"ID","role":"user","content":"Hi.","tool_calls":[]}}],"head_id":"ID"}`
	)
	answer := func(members string) string {
		return `{` + members + `"actions":[{"type":"tool.result","result":"Sunny."}]}`
	}
	state := func(v string) string {
		if v == "" {
			return answer("")
		}
		return answer(`"state":` + v + `,`)
	}
	// three plays a session before, the one that has another branch, and one
	// after.
	three := func(before, forked, after string) *tape {
		t := newTape()
		for n := range 3 {
			t.add(fmt.Sprintf("s%d", n), &spec.SessionEvent{})
		}
		for n, said := range []string{before, forked, after} {
			given := `{` + path + `}`
			if n == 1 {
				given = `{` + branch + `}`
			}
			t.exchange(fmt.Sprintf("s%d", n), onExecute, replace(given, "ID", fmt.Sprintf("m%d", n)), said)
		}
		return t.done()
	}

	DescribeTable("gets the state that it would get without the others",
		func(before, forked, after string, want spec.Status) {
			o := three(state(before), state(forked), state(after)).of(id)
			Expect(o.Status).To(Equal(want), "%+v", o)
		},
		Entry("the same", `{"n":1}`, `{"n":1.0}`, `{"n":1}`, spec.StatusPass),
		Entry("another", `{"n":1}`, `{"n":2}`, `{"n":1}`, spec.StatusWarn),
		Entry("more", `{"n":[1]}`, `{"n":[1,1]}`, `{"n":[1]}`, spec.StatusWarn),
		Entry("less", `{"n":[1,2]}`, `{"n":[1]}`, `{"n":[1,2]}`, spec.StatusWarn),
		Entry("none", `{"n":1}`, ``, `{"n":1}`, spec.StatusWarn),
		Entry("one where the others write none", ``, `{"n":1}`, ``, spec.StatusWarn),
		Entry("what differs everywhere beside what is the same", `{"n":1,"at":1}`, `{"n":1,"at":2}`, `{"n":1,"at":3}`, spec.StatusPass),
		Entry("what differs everywhere beside what is not", `{"n":1,"at":1}`, `{"n":2,"at":2}`, `{"n":1,"at":3}`, spec.StatusWarn),
		Entry("lists of other lengths everywhere", `{"n":1,"l":[1]}`, `{"n":1,"l":[1,2,3]}`, `{"n":1,"l":[1,2]}`, spec.StatusPass),
		Entry("a worker that is not steady", `{"n":1}`, `{"n":2}`, ``, spec.StatusNotObserved),
		Entry("nothing anywhere", ``, ``, ``, spec.StatusNotObserved),
		Entry("nothing that is the same", `1`, `2`, `3`, spec.StatusNotObserved),
	)

	It("gets the config that it would get without the others", func() {
		agent := func(model string) string { return answer(`"agent":{"model":"` + model + `"},`) }
		Expect(three(agent("a"), agent("a"), agent("a")).of(id).Status).To(Equal(spec.StatusPass))
		f := three(agent("a"), agent("b"), agent("a")).of(id).Findings[0]
		Expect([]string{f.Session, f.Pointer, f.Got}).To(Equal([]string{"s1", "/agent/model", `"b"`}))
	})

	It("is compared with sessions on both sides of it, that say the same", func() {
		t := three(state(`{"n":1}`), state(`{"n":2}`), state(`{"n":1}`))
		for _, e := range t.events {
			if r, ok := e.Data.(*spec.RequestEvent); ok && r.D == "d3" {
				body, _ := r.Body.Bytes()
				r.Body = spec.BodyOf([]byte(replace(string(body), "Hi.", "Hello.")))
			}
		}
		Expect(t.of(id).Status).To(Equal(spec.StatusNotObserved))
	})

	It("is not judged where deliveries were disturbed", func() {
		t := three(state(`{"n":1}`), state(`{"n":2}`), state(`{"n":1}`))
		t.add("s2", &spec.DisturbEvent{D: "d3", Do: "lose-answer"})
		o := t.of(id)
		Expect([]any{o.Status, o.Reason}).To(Equal([]any{spec.StatusNotObserved, "deliveries were disturbed, so no two sessions are alike"}))
	})

	It("is not judged without the evidence", func() {
		t := three(state(`{"n":1}`), state(`{"n":2}`), state(`{"n":1}`))
		t.events[0].Data.(*spec.HeaderEvent).Evidence = allEvidence[:3]
		Expect(t.of(id).Status).To(Equal(spec.StatusNotObserved))
	})
})
