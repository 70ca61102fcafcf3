package reference_test

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// hostile is a proposal that any decoding and encoding would change: white
// space, escapes, half a surrogate pair, spellings of numbers, equal keys.
const hostile = "{ \"messages\" : [ {\"role\":\"user\",\"content\":\"\\ud83d\\ude00 \\ud800 caf\\u00e9 é <\"} ],\n \"state\":{\"n\":1.50,\"n\":2e0,\"big\":12345678901234567890},\"later\":[ ] }"

var _ = Describe("the reference worker", func() {
	var url string
	BeforeEach(func() { url = serving(reference.Options{}) })

	Describe("session.start", func() {
		names := func(a *spec.AgentConfig) (all []string) {
			for _, t := range a.Tools {
				all = append(all, t.Name)
			}
			return all
		}
		studio := []string{"find_glaze", "kiln_temperature", "book_kiln", "glaze_swatch", "studio_notice", "list_kilns", "fire_kiln", "mix_glaze", "ask_member", "order_clay"}

		DescribeTable("starts from nothing", func(proposed string) {
			d := decided(post(url, raw(`{"type":"session.start"}`, proposed)))
			Expect(d.Agent).NotTo(BeNil())
			Expect(d.Agent.Model).To(Equal("studio"))
			Expect(names(d.Agent)).To(Equal(studio))
		},
			Entry("in the full form", `{"messages":[],"actions":[],"state":null}`),
			Entry("in the short form", `{}`),
			Entry("with null for the agent", `{"agent":null}`),
			Entry("with null for the proposal", `null`),
		)

		It("adds its tools to the config that is proposed, and leaves the rest as spelled", func() {
			p := post(url, raw(`{"type":"session.start"}`,
				`{"messages":[],"agent":{"model":"m","later":1.50,"tools":[{"name":"find_glaze","description":"theirs"},{"name":"other"}],"system":"\u0041"},"channels":{"slack":{"x":1e0}}}`))
			d := decided(p)
			Expect(names(d.Agent)).To(Equal([]string{"find_glaze", "other", "kiln_temperature", "book_kiln", "glaze_swatch", "studio_notice", "list_kilns", "fire_kiln", "mix_glaze", "ask_member", "order_clay"}))
			Expect(d.Agent.Tools[0].Description).To(Equal("theirs"))
			Expect(p.body).To(ContainSubstring(`"model":"m","later":1.50,"tools":[`))
			Expect(p.body).To(ContainSubstring(`"system":"\u0041"`))
			Expect(p.body).To(HaveSuffix(`"channels":{"slack":{"x":1e0}}}`))
		})

		It("says of each tool when to use it", func() {
			d := decided(post(url, raw(`{"type":"session.start"}`, `{}`)))
			for _, t := range d.Agent.Tools {
				Expect(len(t.Description)).To(BeNumerically(">", 60), t.Name)
			}
		})
	})

	DescribeTable("returns the proposal byte for byte", func(trigger string) {
		p := post(url, raw(trigger, hostile))
		Expect(p.status).To(Equal(http.StatusOK))
		Expect(p.body).To(Equal(hostile))
	},
		Entry("client.messages", `{"type":"client.messages","messages":[],"new_from":0,"client":{}}`),
		Entry("client.action", `{"type":"client.action","name":"list_kilns"}`),
		Entry("tool.finished", `{"type":"tool.finished","id":"c1","ok":true,"name":"list_kilns","result":{"content":[]}}`),
		Entry("llm.finished", `{"type":"llm.finished","id":"l1","ok":false,"truncated":false}`),
		Entry("subagent.finished", `{"type":"subagent.finished","id":"c1","ok":true,"session_id":"s2","agent_id":"a"}`),
		Entry("interrupt.resumed", `{"type":"interrupt.resumed","interrupt_id":"i1"}`),
		Entry("turn.finished", `{"type":"turn.finished","turn_id":"t1","cost":"0"}`),
		Entry("a trigger of a later protocol, D14", `{"type":"kiln.exploded","name":"list_kilns"}`),
	)

	DescribeTable("returns the proposed refusal byte for byte", func(trigger string) {
		proposed := `{"messages":[{"role":"user","content":"\u0041"}], "actions" :[{"type":"tool.error","id":"c1","error":"no: \ud800","retryable":false}] }`
		Expect(post(url, raw(trigger, proposed)).body).To(Equal(proposed))
	},
		Entry("of a malformed call", `{"type":"tool.execute","id":"c1","name":"find_glaze","arguments":"{","input":{"status":"malformed","error":"EOF"},"attempt":0}`),
		Entry("of an invalid call", `{"type":"tool.execute","id":"c1","name":"find_glaze","arguments":"{}","input":{"status":"invalid","value":{},"error":"x"},"attempt":0}`),
		Entry("of an undeclared name", `{"type":"tool.execute","id":"c1","name":"fire","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}`),
	)

	DescribeTable("refuses a name that nobody declared when nothing is proposed", func(name, want string) {
		e := failedWith(post(url, call(name, `{}`)))
		Expect(e.Error).To(ContainSubstring(want))
		Expect(e.Retryable).To(BeNil())
		Expect(len(e.Error)).To(BeNumerically("<", 400))
	},
		Entry("a near one", "find_glase", `there is no tool "find_glase" in this studio; did you mean find_glaze?`),
		Entry("an empty one", "", `there is no tool ""`),
		Entry("another case", "Find_Glaze", "did you mean find_glaze?"),
		Entry("a property of objects elsewhere", "__proto__", "no tool"),
		Entry("a path", "../../etc/passwd", "no tool"),
		Entry("a very long one", strings.Repeat("a", 10000), "…"),
	)

	DescribeTable("refuses bad arguments when nothing is proposed", func(status string) {
		t := `{"type":"tool.execute","id":"c1","name":"list_kilns","arguments":"x","input":` + status + `,"attempt":0}`
		Expect(failedWith(post(url, raw(t, `{}`))).Error).To(ContainSubstring("list_kilns was not run"))
	},
		Entry("malformed", `{"status":"malformed","error":"x"}`),
		Entry("invalid", `{"status":"invalid","value":{},"error":"x"}`),
		Entry("valid without a value", `{"status":"valid"}`),
		Entry("valid with a value that is no object", `{"status":"valid","value":[1]}`),
		Entry("no status", `{}`),
	)

	It("names the call and the attempt as they were spelled", func() {
		p := post(url, raw(`{"type":"tool.execute","id":"\ud800\u0041 \"","name":"list_kilns","arguments":"{}","input":{"status":"valid","value":{}},"attempt":7}`, `{}`))
		Expect(p.body).To(ContainSubstring(`"id":"\ud800\u0041 \"","attempt":7}`))
	})

	It("hands the presentation of a channel back beside its result", func() {
		p := post(url, raw(`{"type":"tool.execute","id":"c1","name":"list_kilns","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}`,
			`{"messages":[],"actions":[],"state":null,"channels":{"slack":{"thread":1.0}}}`))
		Expect(p.body).To(HaveSuffix(`,"channels":{"slack":{"thread":1.0}}}`))
		Expect(resulted(p).Result).NotTo(BeNil())
	})

	Describe("what is no decision request", func() {
		It("answers another method with 405", func() {
			resp, err := http.Get(url)
			Expect(err).NotTo(HaveOccurred())
			_ = resp.Body.Close()
			Expect(resp.StatusCode).To(Equal(http.StatusMethodNotAllowed))
			Expect(resp.Header.Get("Allow")).To(Equal("POST"))
		})

		DescribeTable("answers with 400", func(body string) {
			Expect(post(url, body).status).To(Equal(http.StatusBadRequest))
		},
			Entry("nothing", ""),
			Entry("words", "hello"),
			Entry("a list", `[]`),
			Entry("a cut object", `{"trigger":{"type":"turn.finished"}`),
			Entry("two objects", `{"trigger":{"type":"turn.finished"}}{}`),
			Entry("a byte-order mark", "\xef\xbb\xbf"+`{"trigger":{"type":"turn.finished"}}`),
			Entry("another encoding", "{\"trigger\":{\"type\":\"turn.finished\"},\"x\":\"\xe9\"}"),
			Entry("no trigger", `{}`),
			Entry("a trigger without a type", `{"trigger":{}}`),
			Entry("a type that is no text", `{"trigger":{"type":5}}`),
			Entry("a proposal that is no object", `{"trigger":{"type":"turn.finished"},"proposed":"x"}`),
			Entry("nesting without end", `{"trigger":`+strings.Repeat("[", 1<<20)),
		)

		It("answers a body over the bound with 413", func() {
			url := serving(reference.Options{MaxBody: 100})
			Expect(post(url, raw(`{"type":"turn.finished"}`, `{}`)).status).To(Equal(http.StatusRequestEntityTooLarge))
			Expect(post(url, `{"trigger":{"type":"turn.finished"}}`).body).To(Equal(`{}`))
		})

		It("answers a whole conversation of megabytes", func() {
			long := `{"messages":[{"role":"user","content":"` + strings.Repeat("0123456789abcdef", 1<<18) + `"}]}`
			Expect(post(url, raw(`{"type":"client.messages","messages":[],"new_from":0,"client":{}}`, long)).body).To(Equal(long))
		})
	})
})
