package judge_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// The triggers of model calls that the worker hosts, and what became of one.
const (
	question      = `"request":{"model":"m","messages":[{"role":"user","content":"How is Oslo?"}]}`
	onModel       = `{"type":"llm.execute","id":"l1",` + question + `,"stream":false,"attempt":0}`
	onModelStream = `{"type":"llm.execute","id":"l1",` + question + `,"stream":true,"attempt":0}`
	onOpenAI      = `{"type":"llm.execute","id":"l1",` + question + `,"format":"openai","stream":true,"attempt":0}`
	onAnthropic   = `{"type":"llm.execute","id":"l1",` + question + `,"format":"anthropic","stream":true,"attempt":0}`
	modelEnded    = `{"type":"llm.finished","id":"l1","ok":true,"message":{"role":"assistant","content":"Sunny."},"truncated":false}`
	modelTooLate  = `{"type":"llm.finished","id":"l1","ok":false,"truncated":false,"error":{"message":"deadline exceeded","code":"deadline_exceeded"}}`
)

// replying is an answer with this response of a hosted model.
func replying(response string) string {
	return `{"actions":[{"type":"llm.result","response":` + response + `}]}`
}

// calling is a response with a call of the tool, with these arguments.
func calling(id, kind, name, reason string) string {
	call := fmt.Sprintf(`{"id":%q,"type":%q,"function":{"name":%q,"arguments":"{}"}}`, id, kind, name)
	return `{"model":"m","tool_calls":[` + call + `],"finish_reason":"` + reason + `"}`
}

var _ = Describe("A model that the worker hosts", func() {
	const (
		once      = "model.settles-once"
		functions = "model.tool-calls-are-functions"
		fresh     = "model.tool-call-ids-are-new"
		reason    = "model.finish-reason-fits"
		usage     = "model.usage-adds-up"
		reads     = "model.response-reads"
		errors    = "model.error-has-text"
	)
	listed := `{"calls":[{"id":"l2","kind":"llm_call","status":"pending","attempt":0,"handler":"worker","stream":false}]}`
	tokens := func(input, fresh, read, written, output, total int) string {
		return fmt.Sprintf(`{"model":"m","content":"x","usage":{"input":%d,"uncached_input":%d,"cache_read":%d,"cache_write":%d,"output":%d,"total":%d}}`,
			input, fresh, read, written, output, total)
	}

	DescribeTable("is held to its answer",
		func(given, answer string, want ...string) {
			t := newTape().exchange("s1", onModel, given, answer).exchange("s1", modelEnded, "", `{}`)
			Expect(broken(t.done().verdict())).To(ConsistOf(want))
		},
		Entry("a text", "", replying(`{"model":"m","content":"Sunny."}`)),
		Entry("nothing at all but a cost", "", replying(`{"model":"m","cost":"0.001"}`)),
		Entry("an error", "", `{"actions":[{"type":"llm.error","error":"the provider is down"}]}`),
		Entry("an error of white space", "", `{"actions":[{"type":"llm.error","error":" \n"}]}`, errors),
		Entry("the asked id, by name", "", `{"actions":[{"type":"llm.result","id":"l1","attempt":0,"response":{"model":"m"}}]}`),
		Entry("an id that nobody asked", "", `{"actions":[{"type":"llm.result","id":"l9","response":{"model":"m"}}]}`, once),
		Entry("another call that is open, beside the asked one", listed,
			`{"actions":[{"type":"llm.error","id":"l2","error":"given up"},{"type":"llm.result","response":{"model":"m"}}]}`),
		Entry("another attempt", "", `{"actions":[{"type":"llm.error","attempt":3,"error":"no"}]}`, once),
		Entry("two settles", "", `{"actions":[{"type":"llm.error","error":"no"},{"type":"llm.error","error":"no"}]}`, once),
		Entry("no model", "", replying(`{"content":"Sunny."}`), reads),
		Entry("a number for a cost", "", replying(`{"model":"m","cost":1}`), reads),
		Entry("keys of a provider beside its own", "", replying(`{"id":"x","model":"m","content":"Sunny."}`)),

		Entry("a call", "", replying(calling("c9", "function", "get_weather", "tool_calls"))),
		Entry("a call of the model's own kind", "", replying(calling("c9", "tool_use", "get_weather", "tool_calls")), functions),
		Entry("a call without an id", "", replying(calling(" ", "function", "get_weather", "tool_calls")), functions),
		Entry("a call of no tool", "", replying(calling("c9", "function", "", "tool_calls")), functions),
		Entry("one id for two calls", "", replying(`{"model":"m","tool_calls":[
			{"id":"c9","type":"function","function":{"name":"a","arguments":"{}"}},{"id":"c9","type":"function","function":{"name":"b","arguments":"{}"}}]}`), fresh),

		Entry("stop beside a call", "", replying(calling("c9", "function", "get_weather", "stop")), reason),
		Entry("cut short beside a call", "", replying(calling("c9", "function", "get_weather", "length"))),
		Entry("a refusal", "", replying(`{"model":"m","content":"No.","finish_reason":"refusal"}`)),
		Entry("a reason of its own", "", replying(`{"model":"m","content":"No.","finish_reason":"end_turn"}`)),
		Entry("calls that are not there", "", replying(`{"model":"m","content":"No.","finish_reason":"tool_calls"}`), reason),

		Entry("sums that are right", "", replying(tokens(10, 5, 3, 2, 4, 14))),
		Entry("an input without the cache", "", replying(tokens(5, 5, 3, 2, 4, 9)), usage),
		Entry("a total without the output", "", replying(tokens(10, 5, 3, 2, 4, 10)), usage),
	)

	It("may let a call go, and settle it later", func() {
		t := newTape().exchange("s1", onModel, "", `{}`)
		t.settles("s1", "worker", `{"type":"llm.result","id":"l1","response":{"model":"m","content":"Sunny."}}`, 200, "")
		Expect(broken(t.exchange("s1", modelEnded, "", `{}`).done().verdict())).To(BeEmpty())
		Expect(t.of(once).Status).To(Equal(spec.StatusPass))
	})

	DescribeTable("owes a settle to each call",
		func(t *tape, want ...string) { Expect(broken(t.done().verdict())).To(ConsistOf(want)) },
		Entry("one that passed its deadline", newTape().exchange("s1", onModel, "", `{}`).exchange("s1", modelTooLate, "", `{}`), once),
		Entry("one that is open at the end", newTape().exchange("s1", onModel, "", `{}`), once),
		Entry("one that ended some other way", newTape().exchange("s1", onModel, "", `{}`).exchange("s1", modelEnded, "", `{}`)),
		Entry("one that somebody else settled", newTape().exchange("s1", onModel, "", `{}`).
			settles("s1", "machine", `{"type":"llm.error","id":"l1","error":"called off"}`, 200, "")),
		Entry("one whose turn failed", newTape().exchange("s1", onModel, "", `{}`).add("s1", &spec.TurnEvent{Event: spec.TurnFailed})),
		Entry("one that a restart took along", newTape().exchange("s1", onModel, "", `{}`).
			add("", &spec.WorkerEvent{Event: "restarted"}).exchange("s1", modelTooLate, "", `{}`), "restart.keeps-its-work"),
		Entry("one that was asked again and answered", newTape().exchange("s1", onModel, "", `{}`).
			exchange("s1", strings.Replace(onModel, `"attempt":0`, `"attempt":1`, 1), "", replying(`{"model":"m"}`))),
	)

	It("reads a later settle in the format that the call asked for", func() {
		t := newTape().exchange("s1", onOpenAI, "", `{}`)
		t.exchange("s1", onExecute, "", `{"actions":[{"type":"tool.error","error":"no"},{"type":"llm.result","id":"l1","response":{"model":"m","content":"Sunny."}}]}`)
		Expect(broken(t.done().verdict())).To(ConsistOf(reads, once))
		Expect(t.of(reads).Findings[0].Exchange).To(Equal("d2"))
	})
})

// streaming is an HTTP response that streams frames: name, data, name, data …
func streaming(frames ...string) string {
	var b strings.Builder
	b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
	for i := 0; i+1 < len(frames); i += 2 {
		if frames[i] != "" {
			b.WriteString("event: " + frames[i] + "\n")
		}
		b.WriteString("data: " + frames[i+1] + "\n\n")
	}
	return b.String()
}

var _ = Describe("A stream", func() {
	const (
		delta  = "llm.token.delta"
		result = "decision.result"
		failed = "decision.error"
		fits   = "stream.deltas-fit-the-format"
		adds   = "stream.deltas-add-up"
		known  = "stream.frames-are-known"
		reads  = "stream.frames-read"
		ends   = "stream.ends-with-a-decision"
		asked  = "stream.deltas-only-where-asked"
		quiet  = "stream.says-nothing-after-the-decision"
	)
	says := func(text string) string { return replying(`{"model":"m","content":"` + text + `"}`) }
	weather := replying(`{"model":"m","tool_calls":[{"id":"c9","type":"function","function":{"name":"get_weather","arguments":"{\"city\":1}"}}],"finish_reason":"tool_calls"}`)
	openAI := replying(`{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Sunny."},"finish_reason":"stop"}]}`)
	anthropic := replying(`{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Sunny."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
	long := strings.Repeat("and rain ", 40)

	DescribeTable("is held to its frames",
		func(trigger, answer string, want ...string) {
			t := newTape().exchange("s1", trigger, "", answer)
			Expect(broken(t.verdict())).To(ConsistOf(want))
		},
		Entry("pieces and the whole", onModelStream, streaming(delta, `{"text":"Sun"}`, delta, `{"text":"ny."}`, result, says("Sunny."))),
		Entry("no pieces", onModelStream, streaming(result, says("Sunny."))),
		Entry("thoughts, which are no part of the answer", onModelStream, streaming(delta, `{"reasoning":"Hm."}`, delta, `{"text":"Sunny."}`, result, says("Sunny."))),
		Entry("a piece that says why it stops", onModelStream, streaming(delta, `{"text":"Sunny."}`, delta, `{"finish_reason":"stop"}`, result, says("Sunny."))),
		Entry("a piece too few", onModelStream, streaming(delta, `{"text":"Sun"}`, result, says("Sunny.")), adds),
		Entry("a piece too few at the end of a long text", onModelStream, streaming(delta, `{"text":"`+long+`"}`, result, says(long+"and hail")), adds),
		Entry("pieces of nothing", onModelStream, streaming(delta, `{"text":"Sunny."}`, result, replying(`{"model":"m"}`)), adds),
		Entry("a piece of another shape", onModelStream, streaming(delta, `{"text":5}`, result, says("Sunny.")), reads),
		Entry("a piece that is no JSON", onModelStream, streaming(delta, `Sun`, result, says("Sunny.")), reads),
		Entry("a failure of the delivery", onModelStream, streaming(delta, `{"text":"Sun"}`, failed, `{"message":"the provider hung up"}`)),
		Entry("a failure that says nothing", onModelStream, streaming(failed, `{"error":"no"}`), reads),
		Entry("pieces after which nothing comes", onModelStream, streaming(delta, `{"text":"Sunny."}`), ends),
		Entry("nothing at all", onModelStream, streaming(), ends),
		Entry("pieces that nobody asked for", onModel, streaming(delta, `{"text":"Sunny."}`, result, says("Sunny.")), asked),
		Entry("pieces of a tool", onExecute, streaming(delta, `{"text":"Sunny."}`, result, sunny), asked),
		Entry("a frame of its own", onExecute, streaming("progress", `{}`, result, sunny), known),
		Entry("a frame without a name", onExecute, streaming("", sunny), known),
		Entry("two decisions", onExecute, streaming(result, sunny, result, sunny), quiet),
		Entry("a piece after the decision", onModelStream, streaming(result, says("Sunny."), delta, `{"text":"Sunny."}`), quiet),
		Entry("words after the decision", onExecute, streaming(result, sunny)+"data: more", quiet),

		Entry("a call in pieces", onModelStream,
			streaming(delta, `{"tool_calls":[{"id":"c9","name":"get_weather","arguments":"{\"city\""}]}`, delta, `{"tool_calls":[{"id":"c9","arguments":":1}"}]}`, result, weather)),
		Entry("a call that lost a piece", onModelStream,
			streaming(delta, `{"tool_calls":[{"id":"c9","name":"get_weather","arguments":"{\"city\""}]}`, result, weather), adds),
		Entry("a call under another name", onModelStream,
			streaming(delta, `{"tool_calls":[{"id":"c9","name":"weather","arguments":"{\"city\":1}"}]}`, result, weather), adds),
		Entry("a call that the answer does not hold", onModelStream,
			streaming(delta, `{"tool_calls":[{"id":"c8","name":"get_weather","arguments":"{}"}]}`, result, weather), adds),

		Entry("a provider's events", onOpenAI,
			streaming(delta, `{"choices":[{"delta":{"content":"Sun"}}]}`, delta, `{"choices":[{"delta":{"content":"ny."}}]}`, result, openAI)),
		Entry("a provider's event without words", onOpenAI,
			streaming(delta, `{"choices":[]}`, delta, `{"choices":[{"delta":{"content":"Sunny."}}]}`, result, openAI)),
		Entry("a provider's event that got lost", onOpenAI, streaming(delta, `{"choices":[{"delta":{"content":"Sun"}}]}`, result, openAI), adds),
		Entry("our own pieces where a provider's were asked for", onOpenAI, streaming(delta, `{"text":"Sunny."}`, result, openAI), fits),
		Entry("another provider's events", onAnthropic,
			streaming(delta, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Sunny."}}`, delta, `{"type":"message_stop"}`, result, anthropic)),
		Entry("the first provider's for the other", onAnthropic, streaming(delta, `{"choices":[{"delta":{"content":"Sunny."}}]}`, result, anthropic), fits),
	)

	It("shows the ends of two long texts that differ", func() {
		f := newTape().exchange("s1", onModelStream, "", streaming(delta, `{"text":"`+long+`"}`, result, says(long+"and hail"))).of(adds).Findings[0]
		Expect(f.Got).To(MatchRegexp(`^pieces that add up to "….*and rain ", and an answer of "….*and hail"$`))
		Expect(len(f.Got)).To(BeNumerically("<", 400))
	})

	It("that falls silent is told from an answer that never came", func() {
		t := newTape()
		d := t.ask("s1", onModelStream, "")
		t.add("s1", &spec.ResponseEvent{
			D: d, Status: 200, End: spec.EndTimeout, Reason: "silent for 60 s", Headers: [][2]string{{"content-type", "text/event-stream"}},
			Body: spec.BodyOf([]byte("event: llm.token.delta\ndata: {\"text\":\"Sun\"}\n\nevent: llm.token")),
		})
		Expect(broken(t.verdict())).To(ConsistOf("delivery.answers-in-time"))
		f := t.of("delivery.answers-in-time").Findings[0]
		Expect(f.Got).To(Equal("a stream that fell silent after 1 of its frames: no whole answer: silent for 60 s"))
		Expect(f.Hint).To(ContainSubstring("decision.error"))
	})
})
