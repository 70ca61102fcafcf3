package engine

import (
	"bytes"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("memory", func() {
	It("shares a prompt with the one before", func() {
		b := opened(testConfig())
		var prompts []*llmCall
		for range 3 {
			call, _ := b.Asked()
			prompts = append(prompts, b.llms[call])
			b.step(calls(call, [3]string{"c-" + call, "tide_table", `{"port":"Brest"}`}))
			b.echo()
			b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
			b.echo()
		}
		Expect(&prompts[1].request.Tools[0]).To(BeIdenticalTo(&prompts[2].request.Tools[0]))
		Expect(prompts[2].request.Messages).To(HaveLen(len(prompts[1].request.Messages) + 2))
		Expect(&prompts[2].request.Messages[0].Content[0]).To(BeIdenticalTo(&prompts[1].request.Messages[0].Content[0]))
	})

	It("asks what the worker wrote, however like the prompt before it is", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		ask := func(messages string) string {
			b.answer(`{"actions":[{"type":"llm.call","messages":` + messages + `}]}`)
			asked := b.asked[len(b.asked)-1]
			b.step(says(asked.Call, "Yes."))
			return string(marshal(asked.Request.Messages))
		}
		for _, messages := range []string{
			`[{"id":"a","role":"user","content":"one"},{"id":"b","role":"user","content":"two"}]`,
			`[{"id":"a","role":"user","content":"one"}]`,
			`[{"id":"a","role":"user","content":"changed"},{"id":"b","role":"user","content":"two"}]`,
			`[{"id":"a","role":"user","content":"changed"},{"id":"c","role":"user","content":"two"}]`,
			`[{"id":"a","role":"user","content":"changed","name":"x"}]`,
			`[]`,
		} {
			Expect(ask(messages)).To(Equal(messages))
		}
	})

	It("keeps nothing of an answer's body", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		body := []byte(`{"messages":[{"id":"n1","role":"user","content":"mine"}],"state":{"a":"mine"},` +
			`"actions":[{"type":"llm.call","temperature":1,"messages":[{"role":"user","content":"mine"}],` +
			`"tools":[{"name":"t","description":"","input":{"title":"mine"}}]}]}`)
		d := b.last()
		b.step(Answer{Decision: d.Decision, Delivery: 1, Answer: spec.Answer{Status: 200, Body: body, End: spec.EndWhole}})
		Expect(b.asked).To(HaveLen(2))
		before := string(marshal(b.asked[1].Request))
		copy(body, bytes.Repeat([]byte("#"), len(body)))
		Expect(string(marshal(b.asked[1].Request))).To(Equal(before))
		Expect(string(b.Transcript()[0].Content)).To(Equal(`"mine"`))
		Expect(string(b.State())).To(Equal(`{"a":"mine"}`))
	})
})
