package scenarios_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

var everyWord = []scenarios.Word{
	scenarios.WordResult, scenarios.WordError, scenarios.WordSettles, scenarios.WordRuns, scenarios.WordRefuses,
	scenarios.WordPending, scenarios.WordProposed, scenarios.WordRecords, scenarios.WordAsksModel, scenarios.WordWaits,
	scenarios.WordEmpty, scenarios.WordDone, scenarios.WordInterrupt, scenarios.WordFails,
}

var _ = DescribeTable("the words for an answer hold for these and for no others",
	func(calls string, p puppet, exchange string, words ...scenarios.Word) {
		t := tell(conversation(calls), p)
		Expect(t.unmet("{"+exchange+"}", "")).To(BeEmpty(), "the exchange itself")
		for _, w := range everyWord {
			t.holds(fmt.Sprintf("{%s, answer: %s}", exchange, w), "", slices.Contains(words, w))
		}
	},
	Entry("a result", says("c1", resultOf(`"ok"`)), puppet{}, "trigger: tool.execute, call: c1",
		scenarios.WordResult, scenarios.WordSettles, scenarios.WordRuns),
	Entry("a result for the call by its id", says("c1", `{"actions":[{"type":"tool.result","id":"call-9","result":"x"},{"type":"tool.result","result":"y"}]}`), puppet{},
		"trigger: tool.execute, call: c1", scenarios.WordResult, scenarios.WordSettles, scenarios.WordRuns),
	Entry("a flagged result", says("c1", resultOf(`{"content":[{"type":"text","text":"no"}],"isError":true}`)), puppet{},
		"trigger: tool.execute, call: c1", scenarios.WordResult, scenarios.WordSettles, scenarios.WordRefuses),
	Entry("an error", says("c1", errorOf(`"error":"no"`)), puppet{}, "trigger: tool.execute, call: c1",
		scenarios.WordError, scenarios.WordSettles, scenarios.WordRefuses),
	Entry("the error that was proposed", `{as: c1, tool: say, raw: "null"}`, puppet{}, "trigger: tool.execute, call: c1",
		scenarios.WordError, scenarios.WordSettles, scenarios.WordRefuses, scenarios.WordProposed),
	Entry("two settles", says("c1", `{"actions":[{"type":"tool.result","result":"a"},{"type":"tool.error","error":"b"}]}`), puppet{},
		"trigger: tool.execute, call: c1"),
	Entry("the empty decision", says("c1", `{}`), puppet{}, "trigger: tool.execute, call: c1",
		scenarios.WordPending, scenarios.WordProposed, scenarios.WordEmpty),
	Entry("a settle of another call", says("c1", `{"actions":[{"type":"tool.result","id":"call-9","result":"x"}]}`), puppet{},
		"trigger: tool.execute, call: c1", scenarios.WordPending),
	Entry("an interrupt", says("c1", `{"actions":[{"type":"interrupt","reason":"ask"}]}`), puppet{},
		"trigger: tool.execute, call: c1", scenarios.WordPending, scenarios.WordInterrupt),
	Entry("no JSON", `{as: c1, tool: mumble, raw: "{}"}`, puppet{}, "trigger: tool.execute, call: c1", scenarios.WordFails),
	Entry("a decision that is spoiled", says("c1", `{"actions":[{"type":"tool.result","result":"a","content":[]}]}`), puppet{},
		"trigger: tool.execute, call: c1", scenarios.WordFails),
	Entry("what was proposed at the end of a call", says("c1", resultOf(`"ok"`)), puppet{}, "trigger: tool.finished, call: c1",
		scenarios.WordPending, scenarios.WordProposed, scenarios.WordRecords, scenarios.WordAsksModel),
	Entry("what was proposed while another call is open", says("c1", resultOf(`"ok"`))+", "+says("c2", resultOf(`"ok"`)), puppet{},
		"trigger: tool.finished, call: c1", scenarios.WordPending, scenarios.WordProposed, scenarios.WordRecords, scenarios.WordWaits),
	Entry("nothing at the end of a call", says("c1", resultOf(`"ok"`)), puppet{map[spec.TriggerType]string{spec.OnToolFinished: "null"}},
		"trigger: tool.finished, call: c1", scenarios.WordPending, scenarios.WordEmpty),
	Entry("the end of a turn", says("c1", resultOf(`"ok"`)),
		puppet{map[spec.TriggerType]string{spec.OnToolFinished: `{"actions":[{"type":"done","data":1}]}`}},
		"trigger: tool.finished, call: c1", scenarios.WordPending, scenarios.WordDone),
)

var _ = Describe("a list of words", func() {
	It("wants any of them", func() {
		t := tell(conversation(says("c1", errorOf(`"error":"no"`))), puppet{})
		t.holds("{trigger: tool.execute, answer: [runs, refuses]}", "", true)
		t.holds("{trigger: tool.execute, answer: [runs, pending]}", "", false)
		Expect(t.unmet("{trigger: tool.execute, answer: [runs, pending]}", "")).To(Equal([]string{
			`steps[1].expect[0] d4: tool.error "no" | an answer that is runs or pending`,
		}))
	})
})

var _ = DescribeTable("what else an answer must be",
	func(answer, demand string, want bool) {
		t := tell(conversation(says("c1", answer)), puppet{})
		t.holds("{trigger: tool.execute, call: c1, answer: "+demand+"}", "", want)
	},
	Entry("text", resultOf(`"12.30 EUR"`), `{text: 12.30 EUR}`, true),
	Entry("another text", resultOf(`"12.3 EUR"`), `{text: 12.30 EUR}`, false),
	Entry("text of several blocks", resultOf(`{"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"https://x.example/"}]}`),
		`{text: "a\nhttps://x.example/"}`, true),
	Entry("text of structured content", resultOf(`{"structuredContent":{"b":1,"a":2},"content":[{"type":"text","text":"x"}]}`), `{text: {contains: '"b":1'}}`, true),
	Entry("no text in an error", errorOf(`"error":"x"`), `{text: {present: true}}`, false),
	Entry("structured", resultOf(`{"structuredContent":{"a":[1,2]}}`), `{structured: {subset: {a: [2]}}}`, true),
	Entry("none structured", resultOf(`"x"`), `{structured: {absent: true}}`, true),
	Entry("none structured where some is wanted", resultOf(`"x"`), `{structured: {present: true}}`, false),
	Entry("blocks", resultOf(`{"content":[{"type":"text","text":"a"},{"type":"image","data":"AA==","mimeType":"image/png"}]}`), `{blocks: [text, image]}`, true),
	Entry("blocks in another order", resultOf(`{"content":[{"type":"text","text":"a"},{"type":"image","data":"AA==","mimeType":"image/png"}]}`), `{blocks: [image, text]}`, false),
	Entry("blocks of content at the action", `{"actions":[{"type":"tool.result","content":[{"type":"text","text":"a"}]}]}`, `{blocks: [text]}`, true),
	Entry("a plain value is one text", resultOf(`{"a":1}`), `{blocks: [text]}`, true),
	Entry("no block", resultOf(`null`), `{blocks: []}`, true),
	Entry("no block of an error", errorOf(`"error":"x"`), `{blocks: []}`, false),
	Entry("flagged", resultOf(`{"content":[{"type":"text","text":"a"}],"isError":true}`), `{is_error: true}`, true),
	Entry("flagged where it must not be", resultOf(`{"content":[{"type":"text","text":"a"}],"isError":true}`), `{is_error: false}`, false),
	Entry("not flagged", resultOf(`"x"`), `{is_error: false}`, true),
	Entry("nothing to be flagged", `{}`, `{is_error: false}`, false),
	Entry("an error's text", errorOf(`"error":"busy now"`), `{error: {contains: busy}}`, true),
	Entry("another error's text", errorOf(`"error":"gone"`), `{error: {contains: busy}}`, false),
	Entry("no error", resultOf(`"x"`), `{error: {contains: busy}}`, false),
	Entry("retryable", errorOf(`"error":"x","retryable":true`), `{retryable: true}`, true),
	Entry("not retryable", errorOf(`"error":"x"`), `{retryable: true}`, false),
	Entry("not retryable, as wanted", errorOf(`"error":"x"`), `{retryable: false}`, true),
	Entry("nothing to be retried", resultOf(`"x"`), `{retryable: false}`, false),
	Entry("a code", errorOf(`"error":"x","code":"rate_limited"`), `{code: rate_limited}`, true),
	Entry("another code", errorOf(`"error":"x","code":"rate_limited"`), `{code: refused}`, false),
	Entry("the code of an error without one", errorOf(`"error":"x"`), `{code: handler_error}`, true),
	Entry("a code of no error", resultOf(`"x"`), `{code: handler_error}`, false),
	Entry("state", `{"state":{"seen":[1,2]},"actions":[{"type":"tool.result","result":"x"}]}`, `{state: {subset: {seen: [2]}}}`, true),
	Entry("no state", resultOf(`"x"`), `{state: {subset: {seen: [2]}}}`, false),
	Entry("no agent", resultOf(`"x"`), `{agent: {absent: true}}`, true),
	Entry("an agent", `{"agent":{"model":"m"},"actions":[{"type":"tool.result","result":"x"}]}`, `{agent: {subset: {model: m}}}`, true),
	Entry("a place in the body", resultOf(`"x"`), `{at: {/actions/0/type: tool.result}}`, true),
	Entry("a place with another value", resultOf(`"x"`), `{at: {/actions/0/type: tool.error}}`, false),
	Entry("a place that is not there", resultOf(`"x"`), `{at: {/actions/1: {absent: true}}}`, true),
	Entry("a status", resultOf(`"x"`), `{status: 200}`, true),
	Entry("another status", resultOf(`"x"`), `{status: 204}`, false),
	Entry("several at once, of which one does not hold", resultOf(`"x"`), `{is: runs, text: x, is_error: true}`, false),
)

var _ = Describe("an answer that failed", func() {
	It("has a status and meets no demand on what it says", func() {
		t := tell(conversation(`{as: c1, tool: mumble, raw: "{}"}`), puppet{})
		t.holds("{trigger: tool.execute, call: c1, answer: {is: fails, status: 200}}", "", true)
		t.holds("{trigger: tool.execute, call: c1, answer: {is_error: false}}", "", false)
		t.holds("{trigger: tool.execute, call: c1, answer: {state: {absent: true}}}", "", false)
		t.holds("{trigger: tool.execute, call: c1, answer: {text: {not: {contains: secret}}}}", "", false)
	})
})
