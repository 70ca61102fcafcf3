package recorder_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// found lists the exchanges of a recording that a query finds.
func found(file []byte, q recorder.Query) []string {
	GinkgoHelper()
	var names []string
	for m, err := range recorder.Find(recorder.NewReader(bytes.NewReader(file)).All(), q) {
		Expect(err).NotTo(HaveOccurred())
		names = append(names, m.Exchange)
	}
	return names
}

var _ = Describe("Find", func() {
	const session, turn = "01989a3c-5400-7c01-8f10-3b7a1d6e0001", "01989a3c-5400-7c02-8f10-3b7a1d6e0002"
	started := time.Date(2026, 11, 30, 20, 10, 45, 599e6, time.UTC)

	DescribeTable("finds the exchanges of which all holds that is asked for",
		func(q recorder.Query, want ...string) {
			Expect(found(example(), q)).To(HaveExactElements(want))
			line, err := recorder.Summarize(bytes.NewReader(example()), "x")
			Expect(err).NotTo(HaveOccurred())
			if len(want) > 0 {
				Expect(q.May(line)).To(BeTrue(), "the index never denies what the file holds")
			}
		},
		Entry("everything", recorder.Query{}, "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"),
		Entry("a session", recorder.Query{Session: session, Tool: "book_slot"}, "d4", "d5", "d6"),
		Entry("the beginning of one", recorder.Query{Session: session[:13], Status: "5xx"}),
		Entry("another session", recorder.Query{Session: session + "0"}),
		Entry("a turn", recorder.Query{Turn: turn, Text: "client.messages"}, "d2"),
		Entry("the beginning of a turn", recorder.Query{Turn: turn[:8]}),
		Entry("a trace", recorder.Query{Trace: "00000000"}),
		Entry("a text of a request", recorder.Query{Text: "Room 4 is yours at nine."}, "d7", "d8"),
		Entry("a text with a quote, as JSON spells it", recorder.Query{Text: `{"room":4,"at":"09:00"}`}, "d3", "d4", "d5", "d6", "d7", "d8"),
		Entry("a status", recorder.Query{Status: "200", Failed: true}, "d4"),
		Entry("a class of them", recorder.Query{Status: "2xx", Tool: "book_slot", Failed: true}, "d4"),
		Entry("an end", recorder.Query{Status: "cut"}),
		Entry("a time", recorder.Query{Since: started.Add(303_700 * time.Microsecond)}, "d8"),
		Entry("a time that is over", recorder.Query{Since: started.Add(time.Second)}),
	)

	It("tells of each what a person needs to go there", func() {
		for m, err := range recorder.Find(recorder.NewReader(bytes.NewReader(example())).All(), recorder.Query{Failed: true}) {
			Expect(err).NotTo(HaveOccurred())
			Expect(m).To(Equal(recorder.Match{
				Session: "s1", Exchange: "d4", Line: 19, SessionID: session, TurnID: turn, At: "2026-11-30T20:10:45.780Z",
				Trigger: spec.OnToolExecute, Tool: "book_slot", Status: 200,
				Failure: `tool.error (retryable) "The calendar is busy. Try again."`,
			}))
		}
	})

	It("gives what was found before a damaged line, and then the damage", func() {
		all := lines(example())
		all[22] = bytes.Replace(all[22], []byte("calls"), []byte("Calls"), 1)
		var names []string
		var last error
		for m, err := range recorder.Find(recorder.NewReader(bytes.NewReader(join(all))).All(), recorder.Query{}) {
			if last = err; err == nil {
				names = append(names, m.Exchange)
			}
		}
		Expect(names).To(Equal([]string{"d1", "d2", "d3", "d4"}))
		Expect(last).To(MatchError(ContainSubstring("line 23")))
	})

	It("refuses a status that no answer has", func() {
		for _, ok := range []string{"", "100", "599", "4xx", "timeout", "client-gone"} {
			Expect(recorder.CheckStatus(ok)).To(Succeed())
		}
		for _, bad := range []string{"99", "600", "0xx", "6xx", "xx", "20x", "-1", "whole", "+1xx"} {
			Expect(recorder.CheckStatus(bad)).NotTo(Succeed(), bad)
		}
		Expect(recorder.CheckStatus("rest")).To(MatchError(ContainSubstring(`did you mean "reset"`)))
	})

	It("is never denied by an index line that is full", func() {
		line := recorder.IndexLine{Statuses: map[string]int64{"200": 1}}
		for i := range 1000 {
			line.Sessions = append(line.Sessions, fmt.Sprint(i))
			line.Tools = append(line.Tools, fmt.Sprint(i))
		}
		Expect(recorder.Query{Session: "s", Tool: "t"}.May(line)).To(BeTrue())
		Expect(recorder.Query{Turn: "t"}.May(line)).To(BeFalse())
		Expect(recorder.Query{Failed: true}.May(line)).To(BeFalse())
		Expect(recorder.Query{Status: "404"}.May(line)).To(BeFalse())
	})
})

var _ = Describe("Failure", func() {
	of := func(body string, r spec.ResponseEvent) string {
		x := &spec.Exchange{Request: &spec.RequestEvent{Trigger: spec.OnToolExecute}, RequestBody: []byte(`{"trigger":{"type":"tool.execute","id":"c","name":"t","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}}`), Response: &r, ResponseBody: []byte(body)}
		return recorder.Failure(x)
	}
	whole := spec.ResponseEvent{Status: 200, End: spec.EndWhole}

	DescribeTable("says what went wrong", func(body string, r spec.ResponseEvent, want string) {
		Expect(of(body, r)).To(Equal(want))
	},
		Entry("nothing", `{}`, whole, ""),
		Entry("a status", `{}`, spec.ResponseEvent{Status: 503, End: spec.EndWhole}, "status 503"),
		Entry("a cut", `{}`, spec.ResponseEvent{Status: 200, End: spec.EndCut, Reason: "the worker hung up"}, `answer cut "the worker hung up"`),
		Entry("an answer that does not read", `[1]`, whole, "invalid_response \"invalid decision response at `[0]`: expected an array, got t…\""),
		Entry("a tool error", `{"actions":[{"type":"tool.error","error":"no room"}]}`, whole, `tool.error "no room"`),
		Entry("a flagged result", `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"none"}],"isError":true}}]}`, whole, `tool.result "none"`),
		Entry("a flag of the action", `{"actions":[{"type":"tool.result","result":"none","is_error":true}]}`, whole, `tool.result (isError) "none"`),
		Entry("a good result", `{"actions":[{"type":"tool.result","result":"fine"}]}`, whole, ""),
	)

	It("tells of a call that failed before, and of an answer that never came", func() {
		x := &spec.Exchange{
			Request:      &spec.RequestEvent{Trigger: spec.OnToolFinished},
			RequestBody:  []byte(`{"trigger":{"type":"tool.finished","id":"c","ok":false,"name":"t","error":{"message":"too late","code":"deadline_exceeded"}}}`),
			ResponseBody: []byte("{}"),
		}
		Expect(recorder.Failure(x)).To(Equal("no answer"))
		x.Response = &whole
		Expect(recorder.Failure(x)).To(Equal(`deadline_exceeded "too late"`))
	})
})

var _ = Describe("The index", func() {
	It("is about a file only as long as that is as it was", func() {
		name := filepath.Join(GinkgoT().TempDir(), "a.jsonl")
		Expect(os.WriteFile(name, example(), 0o600)).To(Succeed())
		line, err := recorder.Summarize(bytes.NewReader(example()), "a.jsonl")
		Expect(err).NotTo(HaveOccurred())
		Expect(line.Describes(name)).To(BeFalse(), "without a stamp it is about nothing")
		Expect(line.Stamp(name)).To(Succeed())
		Expect(line.Describes(name)).To(BeTrue())
		Expect(line.Failed).To(Equal(int64(1)))
		Expect(line.Tools).To(Equal([]string{"book_slot"}))
		text, err := recorder.MarshalIndexLine(line)
		Expect(err).NotTo(HaveOccurred())
		index := filepath.Join(filepath.Dir(name), recorder.IndexName)
		stale := line
		stale.Why = "before"
		old, err := recorder.MarshalIndexLine(stale)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(index, []byte(string(old)+string(text)+"{\n\n"+strings.Repeat("x", 2<<20)+"\n"), 0o600)).To(Succeed())
		got, err := recorder.ReadIndex(index)
		Expect(err).NotTo(HaveOccurred())
		Expect(got).To(HaveLen(1))
		Expect(recorder.MarshalIndexLine(got["a.jsonl"])).To(Equal(text))

		other := reseal(nil, 42, func(e spec.Event) { e.Data.(*spec.CloseEvent).Lost = 1 })
		for _, text := range [][]byte{append(example(), '\n'), other, nil} {
			Expect(os.WriteFile(name, text, 0o600)).To(Succeed())
			Expect(line.Describes(name)).To(BeFalse())
		}
		Expect(os.Remove(name)).To(Succeed())
		Expect(line.Describes(name)).To(BeFalse())
		none, err := recorder.ReadIndex(name)
		Expect(err).NotTo(HaveOccurred())
		Expect(none).To(BeEmpty())
	})
})
