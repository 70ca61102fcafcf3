package judge_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("K: deferred tools", func() {
	const (
		agent    = `"agent":{"model":"m","tools":[{"name":"get_weather","defer":true}]}`
		outright = `{` + agent + `}`
		retry    = `{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`
		flagged  = `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"no"}],"isError":true}}]}`
	)
	through := func(id string) string {
		return `{` + agent + `,"messages":[{"id":"l1","role":"assistant","tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"call_tool","arguments":"{}"}}]}]}`
	}
	execute := func(id, city string) string {
		return fmt.Sprintf(`{"type":"tool.execute","id":%q,"name":"get_weather","arguments":"{}","input":{"status":"valid","value":{"city":%q}},"attempt":0}`, id, city)
	}
	finished := func(id, rest string) string {
		return `{"type":"tool.finished","id":"` + id + `","name":"get_weather",` + rest + `}`
	}

	DescribeTable("K4: holds a failure through call_tool against equal calls outright, before and after",
		func(build func(*tape), want spec.Status) {
			t := newTape()
			build(t)
			Expect(t.done().of("deferred.runs-the-inner-tool").Status).To(Equal(want))
		},
		Entry("all run", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), sunny)
		}, spec.StatusPass),
		Entry("it runs, whatever came before", func(t *tape) {
			t.exchange("s1", execute("c2", "Oslo"), through("c2"), sunny)
		}, spec.StatusPass),
		Entry("it fails between two that run", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), refused).
				exchange("s1", execute("c3", "Oslo"), outright, sunny)
		}, spec.StatusFail),
		Entry("it fails with a flag", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), flagged).
				exchange("s1", execute("c3", "Oslo"), outright, sunny)
		}, spec.StatusFail),
		Entry("none after it: the world may have changed", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), refused)
		}, spec.StatusNotObserved),
		Entry("it fails outright after it as well", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), refused).
				exchange("s1", execute("c3", "Oslo"), outright, refused).exchange("s1", execute("c4", "Oslo"), outright, sunny)
		}, spec.StatusNotObserved),
		Entry("it fails outright before it", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, refused).exchange("s1", execute("c2", "Oslo"), through("c2"), refused).
				exchange("s1", execute("c3", "Oslo"), outright, sunny)
		}, spec.StatusNotObserved),
		Entry("the others have other arguments", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Bergen"), through("c2"), refused).
				exchange("s1", execute("c3", "Oslo"), outright, sunny)
		}, spec.StatusNotObserved),
		Entry("the others are of another session", func(t *tape) {
			t.exchange("s2", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), refused).
				exchange("s2", execute("c3", "Oslo"), outright, sunny)
		}, spec.StatusNotObserved),
		Entry("a failure that is tried again", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), retry).
				exchange("s1", execute("c3", "Oslo"), outright, sunny)
		}, spec.StatusNotObserved),
		Entry("one that ends later, in a failure", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), `{}`).
				exchange("s1", finished("c2", `"ok":false,"error":{"message":"no tool","code":"handler_error"}`), outright, `{}`).
				exchange("s1", execute("c3", "Oslo"), outright, sunny)
		}, spec.StatusFail),
		Entry("one that ends later, and runs", func(t *tape) {
			t.exchange("s1", execute("c2", "Oslo"), through("c2"), `{}`).
				exchange("s1", finished("c2", `"ok":true,"result":{"content":[]}`), outright, `{}`)
		}, spec.StatusPass),
		Entry("one that is never answered has a name already", func(t *tape) {
			t.exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), `{}`).
				exchange("s1", finished("c2", `"ok":false,"error":{"message":"deadline exceeded","code":"deadline_exceeded"}`), outright, `{}`).
				exchange("s1", execute("c3", "Oslo"), outright, sunny)
		}, spec.StatusNotObserved),
	)

	It("K4: says where the call that failed stands, and what it was told", func() {
		f := newTape().exchange("s1", execute("c1", "Oslo"), outright, sunny).exchange("s1", execute("c2", "Oslo"), through("c2"), refused).
			exchange("s1", execute("c3", "Oslo"), outright, sunny).done().of("deferred.runs-the-inner-tool").Findings[0]
		Expect(f.Exchange).To(Equal("d2"))
		Expect(f.Got).To(Equal(`a failure through call_tool: "there is no such tool"`))
		Expect(f.Want).To(Equal(`a result, as the same call of "get_weather" outright gave before and after it`))
	})

	DescribeTable("K3, K5: gives what the engine ran a name of its own",
		func(tools, name, want string) {
			end := `{"type":"tool.finished","id":"c1","ok":true,"name":"` + name + `","result":{"content":[]}}`
			given := `{"agent":{"model":"m","llm":"main","tools":[{"name":"get_weather","defer":true}` + tools + `]},` +
				`"proposed":{"messages":[{"role":"tool","tool_call_id":"c1","content":""}],"actions":[{"type":"llm.call"}]}}`
			Expect(broken(newTape().exchange("s1", end, given, `{"actions":[{"type":"llm.call"}]}`).done().verdict())).To(Equal([]string{want}))
		},
		Entry("a search", "", "tool_search", "deferred.records-what-the-engine-ran"),
		Entry("a refused call", "", "call_tool", "deferred.records-what-the-engine-ran"),
		Entry("a tool of the worker's", "", "get_weather", "finished.records-the-tool-message"),
		Entry("a search of the worker's own", `,{"name":"tool_search"}`, "tool_search", "finished.records-the-tool-message"),
	)

	DescribeTable("K1: looks for names of the pair where a config defers something",
		func(config string, want spec.Status) {
			Expect(newTape().exchange("s1", onStart, "", `{"agent":{"model":"m",`+config+`}}`).done().of("deferred.leaves-the-pair-to-the-engine").Status).To(Equal(want))
		},
		Entry("none of them", `"tools":[{"name":"a","defer":true}]`, spec.StatusPass),
		Entry("the search", `"defer_tools":true,"tools":[{"name":"tool_search"}]`, spec.StatusWarn),
		Entry("the call", `"tools":[{"name":"call_tool"}],"subagents":[{"id":"s","defer":true}]`, spec.StatusWarn),
		Entry("nothing is deferred", `"tools":[{"name":"tool_search","defer":false}]`, spec.StatusNotApplicable),
	)
})

var _ = Describe("N4: the end of a turn by failure", func() {
	DescribeTable("is said in words",
		func(message string, want ...string) {
			answer := `{"actions":[{"type":"fail","error":{"message":"` + message + `","code":"internal"}}]}`
			Expect(broken(newTape().exchange("s1", onTurnEnd, "", answer).done().verdict())).To(ConsistOf(want))
		},
		Entry("words", "the kiln is cold"),
		Entry("none", "", "turn.fails-in-words"),
		Entry("white space", `\u00a0`, "turn.fails-in-words"),
	)
})
