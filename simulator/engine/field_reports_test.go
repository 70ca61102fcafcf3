package engine

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// calling is a session whose model has called tool t, declared as told.
func calling(declared, arguments string) *bench {
	b := newBench(testConfig())
	b.step(user("Go."))
	b.answer(`{"agent":{"model":"m","llm":"main","tools":[` + declared + `]}}`)
	b.echo()
	b.step(calls(b.asked[0].Call, [3]string{"c1", "t", arguments}))
	b.echo()
	return b
}

// input is what the engine makes of the arguments of the call that is out.
func (b *bench) input() spec.ToolInput {
	return b.last().Request.Trigger.(spec.ToolExecuteTrigger).Input
}

func (b *bench) ended() spec.ToolFinishedTrigger {
	return b.last().Request.Trigger.(spec.ToolFinishedTrigger)
}

// prompt is the newest request to the model, as JSON.
func (b *bench) prompt() string { return string(marshal(b.asked[len(b.asked)-1].Request)) }

// What was seen to go wrong in engines, and does not in this one.
var _ = Describe("failures seen in public", func() {
	It("field-report:002: answers a cut call with its error and goes on, and the model reads both", func() {
		b := calling(`{"name":"t"}`, `{"query":`)
		Expect(b.input().Status).To(Equal(spec.InputMalformed))
		b.echo()
		Expect(b.ended().OK).To(BeFalse())
		b.echo()
		Expect(b.asked).To(HaveLen(2))
		Expect(b.prompt()).To(ContainSubstring(`"arguments":"{\"query\":"`))
		Expect(b.prompt()).To(MatchRegexp(`"role":"tool","content":"invalid tool arguments: [^"]+".*"tool_call_id":"c1"`))
		Expect(b.TurnOpen()).To(BeTrue())
	})

	DescribeTable("field-report:011: joins no calls and takes none apart",
		func(arguments string) {
			b := calling(`{"name":"t"}`, arguments)
			Expect(b.input().Status).To(Equal(spec.InputMalformed))
			Expect(b.last().Request.Trigger.(spec.ToolExecuteTrigger).Arguments).To(Equal(arguments))
			Expect(b.last().Request.Calls).To(HaveLen(1))
		},
		Entry("the same object twice", `{"x":3,"y":2}{"x":3,"y":2}`),
		Entry("two objects", `{"n":1}{"n":2}`),
	)

	DescribeTable("field-report:023: finds the type of a field behind a reference",
		func(schema string) {
			b := calling(`{"name":"t","input":`+schema+`}`, `{"period":"{\"kind\":\"week\"}"}`)
			Expect(b.input().Status).To(Equal(spec.InputInvalid))
			Expect(string(b.input().Value)).To(Equal(`{"period":"{\"kind\":\"week\"}"}`), "nothing is converted (E5)")
			Expect(*b.input().Error).To(HavePrefix("/period: "))
		},
		Entry("in $defs", `{"type":"object","properties":{"period":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"object"}}}`),
		Entry("in definitions", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"period":{"$ref":"#/definitions/p"}},"definitions":{"p":{"type":"object"}}}`),
		Entry("by two steps", `{"properties":{"period":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"object"}}}`),
		Entry("by an anchor", `{"properties":{"period":{"$ref":"#p"}},"$defs":{"p":{"$anchor":"p","type":"object"}}}`),
	)

	It("field-report:031: keeps every digit of a number, on the way there and back", func() {
		const digits = "2512292042121000001"
		b := calling(`{"name":"t","input":{"properties":{"id":{"type":"integer"}}},"output":{"properties":{"id":{"const":`+digits+`}}}}`, `{"id":`+digits+`}`)
		Expect(string(b.input().Value)).To(Equal(`{"id":` + digits + `}`))
		b.answer(`{"actions":[{"type":"tool.result","result":{"structuredContent":{"id":` + digits + `}}}]}`)
		Expect(b.ended().OK).To(BeTrue(), "a float would not be that const")
		Expect(string(b.ended().Result.StructuredContent)).To(Equal(`{"id":` + digits + `}`))
		b.echo()
		Expect(b.prompt()).To(ContainSubstring(`"content":"{\"id\":` + digits + `}"`))
	})

	DescribeTable("field-report:032: counts no number out",
		func(number, schema string, want spec.InputStatus) {
			b := calling(`{"name":"t","input":{"properties":{"ms":`+schema+`}}}`, `{"ms":`+number+`}`)
			Expect(b.input().Status).To(Equal(want))
		},
		Entry("a thousand million digits, too many", "1e1000000000", `{"type":"integer","maximum":60000}`, spec.InputInvalid),
		Entry("a thousand million digits, no bound", "1e1000000000", `{"type":"number"}`, spec.InputValid),
		Entry("as many behind the point", "0.1e-999999999", `{"type":"integer"}`, spec.InputInvalid),
		Entry("beyond floats", "1e400", `{"maximum":10}`, spec.InputInvalid),
		Entry("beyond floats the other way", "-1e400", `{"maximum":10}`, spec.InputValid),
		Entry("minus zero", "-0", `{"type":"integer","minimum":0}`, spec.InputValid),
	)

	It("field-report:055: makes one block of text of what is no tool result", func() {
		for result, want := range map[string]string{
			`{"temp":18}`: `{"temp":18}`, `"sunny"`: "sunny", `18`: "18", `[1,2]`: "[1,2]", `{"content":[],"temp":18}`: `{"content":[],"temp":18}`,
		} {
			b := executing(testConfig())
			b.answer(`{"actions":[{"type":"tool.result","result":` + result + `}]}`)
			Expect(b.ended().Result.Content).To(Equal([]spec.StoredContent{{Type: spec.BlockText, Text: &want}}), result)
		}
	})

	It("field-report:064: ends a call whose result breaks the declared output, and shows the model no such result", func() {
		b := calling(`{"name":"t","output":{"properties":{"mean":{"type":"number"}}}}`, `{}`)
		b.answer(`{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"{\"mean\":null}"}],"structuredContent":{"mean":null}}}]}`)
		Expect(b.ended().OK).To(BeFalse())
		Expect(b.ended().Error.Code).To(Equal(spec.CodeInvalidResponse))
		b.echo()
		Expect(b.prompt()).To(ContainSubstring("tool output violated its declared schema: /mean"))
		Expect(b.prompt()).NotTo(ContainSubstring(`{\"mean\":null}`))
	})

	// By the protocol a flagged result is held to the schema like any other
	// (F12), so its text survives where none is declared, and in a tool.error.
	It("field-report:070: hides no text of a failure where the protocol does not ask for it", func() {
		b := executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","result":{"isError":true,"content":[{"type":"text","text":"rate limited"}]}}]}`)
		b.echo()
		Expect(b.prompt()).To(ContainSubstring(`"content":"rate limited"`))
		b = calling(`{"name":"t","output":{"type":"object"}}`, `{}`)
		b.answer(`{"actions":[{"type":"tool.error","error":"rate limited"}]}`)
		Expect(b.ended().Error.Message).To(Equal("rate limited"))
		b.echo()
		Expect(b.prompt()).To(ContainSubstring(`"content":"rate limited"`))
	})

	It("field-report:071: keeps a structured result where no output is declared", func() {
		b := executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"ok"}],"structuredContent":{"id":7}}}]}`)
		Expect(string(b.ended().Result.StructuredContent)).To(Equal(`{"id":7}`))
		Expect(b.ended().Result.Content).To(HaveLen(1))
	})

	It("field-report:074: keeps the flag of a failure, wherever it stands", func() {
		for _, action := range []string{
			`"result":{"isError":true,"content":[{"type":"text","text":"disk full"}]}`,
			`"content":[{"type":"text","text":"disk full"}],"is_error":true`, `"result":"disk full","is_error":true`,
		} {
			b := executing(testConfig())
			b.answer(`{"actions":[{"type":"tool.result",` + action + `}]}`)
			Expect(b.ended().OK).To(BeTrue())
			Expect(b.ended().Result.IsError).To(BeTrue(), action)
			Expect(string(marshal(b.last().Request))).To(ContainSubstring(`"isError":true`))
		}
	})

	It("field-report:079: stores a link as a link, and takes a block of no known kind for none", func() {
		b := executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","content":[{"type":"resource_link","uri":"https://example.test/a","name":"a"}]}]}`)
		name := "a"
		Expect(b.ended().Result.Content).To(Equal([]spec.StoredContent{{Type: spec.BlockLink, URI: "https://example.test/a", Name: &name}}))

		video := `{"content":[{"data":"AAAA","type":"video"}]}`
		b = executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","result":{"content":[{"type":"video","data":"AAAA"}]}}]}`)
		Expect(b.ended().Result.Content).To(Equal([]spec.StoredContent{{Type: spec.BlockText, Text: &video}}))

		b = executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","content":[{"type":"video","data":"AAAA"}]}]}`)
		Expect(b.lastOutcome().Event.As).To(Equal(spec.OutcomeFailed))
		Expect(b.TurnOpen()).To(BeFalse(), "the answer is spoiled, and with it the turn (F3)")
	})

	It("field-report:080: asks the model nothing while a call is open, and then gives it all results", func() {
		b := executing(testConfig(), "c2", "c3")
		b.answer(`{"actions":[{"type":"tool.result","result":"one"}]}`)
		b.answer(`{}`)
		b.answer(`{"actions":[{"type":"tool.result","result":"three"}]}`)
		b.echo()
		b.echo()
		Expect(b.asked).To(HaveLen(1))
		Expect(b.Calls()).To(HaveLen(1))
		Expect(b.Calls()[0].ID).To(Equal("c2"))
		timer, _ := b.NextTimer()
		Expect(timer.Of).To(Equal("c2"))
		b.step(Tick{To: timer.At})
		Expect(b.ended().ID).To(Equal("c2"))
		b.echo()
		Expect(b.asked).To(HaveLen(2))
		for _, id := range []string{"c1", "c2", "c3"} {
			Expect(b.prompt()).To(ContainSubstring(`"tool_call_id":"` + id + `"`))
		}
	})

	It("field-report:082: pairs results with calls by their ids", func() {
		b := executing(testConfig(), "c2")
		b.answer(`{"actions":[{"type":"tool.result","id":"c2","result":"of the second"},{"type":"tool.result","id":"c1","result":"of the first"}]}`)
		b.answer(`{}`) // c2 is over, so the answer to it is dropped (G2)
		texts := map[string]string{}
		for len(texts) < 2 {
			texts[b.ended().ID] = *b.ended().Result.Content[0].Text
			b.echo()
		}
		Expect(texts).To(Equal(map[string]string{"c1": "of the first", "c2": "of the second"}))
		Expect(b.prompt()).To(MatchRegexp(`"content":"of the first","tool_calls":\[\],"tool_call_id":"c1"|"content":"of the first","tool_call_id":"c1"`))
	})

	It("field-report:089: gives no two things one id, however many come at one moment", func() {
		minted := map[string]int{}
		cfg := testConfig()
		cfg.Pace = 0
		cfg.ID = func(kind IDKind, n int) string {
			id := fmt.Sprintf("%s-%d", kind, n)
			minted[id]++
			return id
		}
		b := opened(cfg)
		var made [][3]string
		for n := range 64 {
			made = append(made, [3]string{fmt.Sprint("c", n), "crane_status", `{}`})
		}
		b.step(calls(b.asked[0].Call, made...))
		b.echo()
		for range 64 {
			b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
		}
		Expect(b.Now()).To(BeZero(), "all at one moment")
		decisions := map[string]bool{}
		for _, d := range b.delivered {
			Expect(decisions[d.Decision]).To(BeFalse(), d.Decision)
			decisions[d.Decision] = true
		}
		for id, times := range minted {
			Expect(times).To(Equal(1), id)
		}
	})

	DescribeTable("field-report:091: tries a call again only if its error asks for it",
		func(members string, tries int) {
			three, none := uint32(3), uint32(0)
			cfg := testConfig()
			cfg.Retry.Tool = &spec.RetryOverride{MaxAttempts: &three, BackoffBaseSecs: &none}
			b := executing(cfg)
			for range 3 {
				if b.last().Request.Trigger.TriggerType() != spec.OnToolExecute {
					break
				}
				b.answer(`{"actions":[{"type":"tool.error","error":"connection reset after send"` + members + `}]}`)
				b.step(Tick{To: b.Now() + time.Second})
			}
			executed := 0
			for _, d := range b.delivered {
				if d.Request.Trigger.TriggerType() == spec.OnToolExecute {
					executed++
				}
			}
			Expect(executed).To(Equal(tries))
			Expect(b.ended().OK).To(BeFalse())
		},
		Entry("it says nothing", ``, 1),
		Entry("it says no", `,"retryable":false`, 1),
		Entry("a code that sounds like it", `,"code":"rate_limited"`, 1),
		Entry("it says yes", `,"retryable":true`, 3),
	)

	It("field-report:071, field-report:074: tells nobody of more than there was", func() {
		b := executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","result":"ok"}]}`)
		Expect(strings.Contains(string(marshal(b.last().Request)), "isError")).To(BeFalse())
		Expect(b.ended().Result.StructuredContent).To(BeNil())
	})
})
