package scenarios_test

import (
	"os"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
)

func num(n int) *int                      { return &n }
func word(s string) *string               { return &s }
func is(b bool) *bool                     { return &b }
func raw(s string) jsontext.Value         { return jsontext.Value(s) }
func equals(s string) *scenarios.Match    { return &scenarios.Match{Equals: raw(s)} }
func plain(s string) *scenarios.Text      { return &scenarios.Text{Parts: parts(s)} }
func parts(s string) []scenarios.TextPart { return []scenarios.TextPart{{Plain: s}} }

func same(got, want any) {
	GinkgoHelper()
	places := cmpopts.IgnoreTypes(scenarios.Pos{})
	Expect(cmp.Diff(want, got, places)).To(BeEmpty())
}

var _ = Describe("the document", Ordered, func() {
	var doc *scenarios.Document

	BeforeAll(func() {
		text, err := os.ReadFile("testdata/every-key.yaml")
		Expect(err).NotTo(HaveOccurred())
		doc, err = scenarios.Parse("every-key.yaml", text)
		Expect(err).NotTo(HaveOccurred())
	})

	It("has what stands at its head", func() {
		same(doc.Name, "every-key.yaml")
		same(doc.Title, "Every key of the language")
		same(doc.About, "Read once, so that no key is forgotten.")
		same(doc.Refs, []string{"rule:H5", "gap:17"})
		same(doc.Tags, []string{"all", "keys"})
		same(doc.Requirements, []scenarios.Requirement{{ID: "execute.settles-once"}})
		same(doc.Copies, 3)
		same(doc.Limits, scenarios.Limits{Decisions: 9, Real: 10 * time.Second, Patience: time.Minute})
		Expect(doc.Warnings).To(HaveLen(1))
		Expect(doc.Warnings[0].Message).To(Equal("with engine.hosted the worker answers for the model, so model steps are passed over"))
	})

	It("has its needs", func() {
		same(doc.Needs, scenarios.Needs{
			Tool: &scenarios.ToolNeed{Label: "tool", Name: "a", Handler: "client", Output: is(true), Input: "required",
				Deferred: is(false), Sample: "flagged", Each: true},
			Tools:    []scenarios.ToolNeed{{Label: "second", Handler: "worker", Input: "any"}},
			Features: []string{"async", "settle"},
		})
	})

	It("has its engine", func() {
		same(doc.Engine, scenarios.Engine{
			AgentID: "billing", Identity: raw(`{"visibility":"private","metadata":{"plan":"pro"}}`), Start: "bare",
			Retry: []scenarios.RetryLayer{
				{Kind: "default", QueueTimeoutSecs: num(1), RunTimeoutSecs: num(2), TotalTimeoutSecs: num(3)},
				{Kind: "tool", MaxAttempts: num(4), BackoffBaseSecs: num(5), BackoffMaxSecs: num(6)},
				{Kind: "client"}, {Kind: "llm", MaxAttempts: num(0)}, {Kind: "subagent"}, {Kind: "decision"},
			},
			Dialects: []scenarios.Dialect{
				{FirstAttempt: 1, EmptyProposed: "short", FailedCall: "fail", Identity: "older"},
				{EmptyProposed: "full", FailedCall: "interrupt", Identity: "current"},
			},
			Hosted:    []string{"native", "anthropic"},
			Signature: scenarios.Signature{Is: "upper-hex", On: "tool.execute", Ahead: true}, SpareReplies: 7, CutLetters: true, Adds: "unknown-fields",
			Headers: []scenarios.Header{{Name: "X-B", Value: "two"}, {Name: "X-A", Value: "one"}},
		})
	})

	It("reads an engine's start of its own", func() {
		doc := parse(head + "engine: {start: {model: m}}\n" + steps)
		same(doc.Engine.StartAgent, raw(`{"model":"m"}`))
		same(doc.Engine.Start, "")
	})

	It("has what is given, varied and put right", func() {
		same(doc.Given, scenarios.Given{
			Messages: []scenarios.Message{
				{Role: "user", ID: "m1", Content: raw(`[{"type":"text","text":"hi"}]`)},
				{Role: "assistant", Calls: []scenarios.Call{{As: "g1", Tool: *plain("a"), Arguments: raw(`{}`), Via: "direct"}}},
				{Role: "tool", Call: "g1", Name: "a", Content: raw(`"ok"`)},
			},
			State: raw(`[1,2.50]`), Agent: raw(`{"model":"m"}`),
		})
		same(doc.Cases, []scenarios.CaseEntry{{Name: "one", Values: []scenarios.NamedValue{
			{Name: "raw", Value: raw(`"x"`)}, {Name: "deep", Value: raw(`{"b":1,"a":[2]}`)}}}})
		same(doc.Vary, []scenarios.Variation{
			{Name: "size", Values: []jsontext.Value{raw(`1`), raw(`"big"`)}},
			{Name: "bad", Generator: &scenarios.Generator{Class: "invalid", Kinds: []string{"as text", "null"}, Tool: "$tool", Count: 20}},
		})
		same(doc.Twins, []scenarios.Twin{
			{Call: "c1", Tool: "a", Arguments: raw(`{"x":1}`), Is: "answers"},
			{Call: "c1", Raw: &scenarios.Text{Parts: []scenarios.TextPart{{Plain: "a"}, {Plain: "b"}}}, Is: "runs"},
			{Call: "c1", Generate: "valid", Is: "runs"},
			{Signature: "valid", Is: "runs"},
			{Given: &scenarios.Given{State: raw(`1`)}, Is: "runs"},
		})
	})

	It("has the steps of user and model", func() {
		same(doc.Steps[0], scenarios.Step{
			User: &scenarios.UserStep{
				Text: &scenarios.Text{Parts: []scenarios.TextPart{{Plain: "a"}, {Repeat: "b", Times: 2}}},
				ID:   "u1", Queue: true, Now: true, Tools: raw(`[{"name":"pick","handler":"client"}]`), Context: raw(`[2]`), State: raw(`{"s":3}`),
			},
			Session: "other", Exactly: true, Note: "why",
			Expect: []scenarios.Check{{Exchange: &scenarios.ExchangeCheck{
				Trigger: "client.messages", Delivery: num(2), Open: num(0), Proposed: "continues", Times: num(2),
				Calls:   []scenarios.CallCheck{{Label: "g1", Is: "done", Handler: "server", Tries: num(2), Text: equals(`"t"`)}},
				Request: []scenarios.PointerCheck{{Pointer: "/a", Match: *equals(`1`)}, {Match: scenarios.Match{Present: true}}},
			}}},
		})
		Expect(doc.Steps[0].User.Text.String()).To(Equal("abb"))
		same(doc.Steps[1].User, &scenarios.UserStep{Content: raw(`[1]`)})
		same(doc.Steps[2].User, &scenarios.UserStep{Append: []scenarios.Message{{Role: "user", Content: raw(`"x"`)}}})
		same(doc.Steps[3].User, &scenarios.UserStep{View: []scenarios.Message{}})
		same(doc.Steps[4].Model, &scenarios.ModelStep{
			Text: plain("Look."), Stop: "length", Usage: raw(`{"total":1}`), ID: "l1",
			Calls: []scenarios.Call{
				{As: "c1", Tool: *plain("$tool"), Raw: &scenarios.Text{Parts: []scenarios.TextPart{{Repeat: "[", Times: 3}}}, ID: "w1", Via: "call_tool"},
				{As: "c2", Tool: *plain("b"), Generate: "boundary", Via: "direct", Repeat: 2},
			},
		})
		same(doc.Steps[5].Model, &scenarios.ModelStep{Fail: &scenarios.ModelFailure{Code: "provider_error", Message: "gone"}})
	})

	It("has the checks of exchanges", func() {
		same(doc.Steps[4].Expect, []scenarios.Check{
			{Exchange: &scenarios.ExchangeCheck{Trigger: "tool.execute", Call: "c1", Try: num(2), Input: "invalid", Never: true}},
			{Exchange: &scenarios.ExchangeCheck{Trigger: "tool.finished", Call: "c2_1", OK: is(false),
				Error:  &scenarios.ErrorCheck{Message: equals(`"m"`), Code: equals(`"c"`), Param: equals(`"p"`)},
				Answer: &scenarios.Answer{Is: []scenarios.Word{scenarios.WordRecords, scenarios.WordWaits}}}},
			{Exchange: &scenarios.ExchangeCheck{Trigger: "tool.execute", Answer: &scenarios.Answer{
				Is: []scenarios.Word{scenarios.WordRuns},
				Text: &scenarios.Match{Equals: raw(`"a"`), Contains: raw(`"b"`), Matches: word("^c$"), Like: word("d*"),
					OneOf: []jsontext.Value{raw(`1`), raw(`"2"`)}, Not: equals(`null`), Subset: raw(`{"s":1}`),
					Schema: raw(`{"type":"string"}`), Length: &scenarios.Length{Min: num(1), Max: num(2)}, Under: num(9),
					Type: "string", Present: true},
				Structured: &scenarios.Match{Length: &scenarios.Length{Min: num(3), Max: num(3)}},
				Blocks:     []string{"text", "resource_link"}, IsError: is(false), Error: &scenarios.Match{Absent: true},
				Retryable: is(true), Code: word("internal"), State: equals(`1`), Agent: equals(`["x"]`),
				At:     []scenarios.PointerCheck{{Pointer: "/actions/0/id", Match: *equals(`"w1"`)}},
				Status: num(200), SameAs: num(1),
			}}},
		})
	})

	It("has all other steps", func() {
		same(doc.Steps[6:], []scenarios.Step{
			{Client: &scenarios.ClientStep{Call: "c1", Attempt: num(1),
				Result: &scenarios.Result{Text: plain("r"), Structured: raw(`{"a":1}`), IsError: is(true)}}},
			{Client: &scenarios.ClientStep{Call: "c1", Error: word("no"), Retryable: is(true)}},
			{Client: &scenarios.ClientStep{Action: "act", Args: raw(`[1]`)}},
			{Client: &scenarios.ClientStep{Resume: "i1", Payload: raw(`null`)}},
			{Await: &scenarios.AwaitStep{Settled: []string{"c1", "c2_2"}, Order: "listed", Within: 10 * time.Second}},
			{Settle: &scenarios.SettleStep{Call: "c1", Result: &scenarios.Result{Content: raw(`[1]`)}, Attempt: num(2), Status: 409}},
			{Settle: &scenarios.SettleStep{Call: "c1", Error: word("bad"), Retryable: is(false), Status: 200}},
			{Wait: &scenarios.WaitStep{For: 90 * time.Minute}},
			{Wait: &scenarios.WaitStep{Until: "deadline", Call: "c1", Less: 350 * time.Millisecond}},
			{Wait: &scenarios.WaitStep{Until: "retry", Plus: 1500 * time.Millisecond}},
			{Until: &scenarios.UntilStep{Trigger: "turn.finished", Call: "c1", Try: num(1), Is: "due"}},
			{Disturb: &scenarios.DisturbStep{Do: "late", Trigger: "tool.execute", Call: "c1", Try: num(1), By: 3 * time.Second, Times: 2}},
			{Restart: &scenarios.RestartStep{What: "engine"}},
			{Send: &scenarios.SendStep{Method: "GET", Path: "/x", Headers: []scenarios.Header{{Name: "A", Value: "b"}},
				Body: plain("text"), CutAfter: num(3), Status: num(400)}},
			{Send: &scenarios.SendStep{Method: "POST", Path: "/", Base64: []byte("hi")}},
		})
	})

	It("has the checks of the end", func() {
		same(doc.Finally, []scenarios.Check{
			{State: &scenarios.StateCheck{Turn: &scenarios.TurnCheck{Is: "failed"}}},
			{State: &scenarios.StateCheck{Turn: &scenarios.TurnCheck{Is: "completed", Code: word("x"), Data: &scenarios.Match{Absent: true}}}},
			{State: &scenarios.StateCheck{
				Calls: []scenarios.CallCheck{{Label: "c1", Is: "open"}},
				State: &scenarios.Match{Subset: raw(`{}`)}, Agent: &scenarios.Match{Present: true},
				Transcript: []scenarios.TranscriptCheck{
					{Role: "assistant", Calls: []string{"c1", "c2_1"}},
					{Role: "tool", Call: "c1", Text: equals(`"t"`)},
				},
				Alive: true,
			}},
		})
	})

	It("names the verb of each step", func() {
		var verbs []string
		for _, i := range []int{0, 4, 6, 10, 11, 13, 16, 17, 18, 19} {
			verbs = append(verbs, doc.Steps[i].Verb())
		}
		Expect(verbs).To(Equal([]string{"user", "model", "client", "await", "settle", "wait", "until", "disturb", "restart", "send"}))
		Expect((&scenarios.Step{}).Verb()).To(BeEmpty())
	})
})
