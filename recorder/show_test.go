package recorder_test

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"strings"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// sequence gives events without error.
func sequence(events []spec.Event) iter.Seq2[spec.Event, error] {
	return func(yield func(spec.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// shown is the story of events, after the header.
func shown(opts recorder.ShowOptions, events ...spec.Event) string {
	GinkgoHelper()
	h := header()
	h.Data.(*spec.HeaderEvent).Evidence = []spec.Evidence{spec.EvidenceEngine}
	var out bytes.Buffer
	Expect(recorder.Show(&out, sequence(append([]spec.Event{h}, events...)), opts)).To(Succeed())
	_, story, _ := strings.Cut(out.String(), "\n\n")
	return story
}

func outcome(d string, o spec.OutcomeEvent) spec.Event {
	o.D = d
	return spec.Event{Session: "s1", Data: &o}
}

// ask is a tool.execute request that proposes nothing.
func ask(d string) spec.Event {
	return request(d, []byte(`{"session_id":"s","decision_id":"x","agent_id":"a","identity":{"visibility":"shared","metadata":{}},"trigger":{"type":"tool.execute","id":"c1","name":"book","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0},"proposed":{"messages":[],"actions":[],"state":null},"state":null,"agent":null,"calls":[],"pending_calls":0,"messages":[],"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,"deadline":null,"turn_id":null}`))
}

var _ = Describe("Show", func() {
	It("tells the published example", func() {
		want, err := os.ReadFile("testdata/show-example.txt")
		Expect(err).NotTo(HaveOccurred())
		var out bytes.Buffer
		Expect(recorder.Show(&out, recorder.NewReader(bytes.NewReader(example())).All(), recorder.ShowOptions{})).To(Succeed())
		Expect(out.String()).To(Equal(string(want)))
	})

	It("leaves out what stands between, and cuts lines, when asked to", func() {
		var out bytes.Buffer
		Expect(recorder.Show(&out, recorder.NewReader(bytes.NewReader(example())).All(), recorder.ShowOptions{ExchangesOnly: true, Width: 60})).To(Succeed())
		Expect(out.String()).NotTo(ContainSubstring("·"))
		Expect(strings.Count(out.String(), "\n")).To(Equal(8 + 1 + 8 + 1 + 3))
		for line := range strings.Lines(out.String()) {
			Expect(len([]rune(strings.TrimSuffix(line, "\n")))).To(BeNumerically("<=", 60))
		}
	})

	It("tells a cut file up to the cut, and returns the cut", func() {
		var out bytes.Buffer
		err := recorder.Show(&out, recorder.NewReader(bytes.NewReader(example()[:12000])).All(), recorder.ShowOptions{})
		_, ok := errors.AsType[*recorder.CutError](err)
		Expect(ok).To(BeTrue())
		Expect(out.String()).To(ContainSubstring("d3  llm.finished"))
		Expect(out.String()).NotTo(ContainSubstring("closed"))
	})

	It("returns an error of writing", func() {
		for left := range 4 {
			err := recorder.Show(&brittle{left: left}, recorder.NewReader(bytes.NewReader(example())).All(), recorder.ShowOptions{})
			Expect(err).To(MatchError(errFull), "after %d", left)
			Expect(err).To(MatchError(HavePrefix("show recording: ")))
		}
	})

	DescribeTable("tells what came back",
		func(r spec.ResponseEvent, o *spec.OutcomeEvent, want string) {
			r.D = "d1"
			events := []spec.Event{ask("d1"), {Session: "s1", W: 1500, Data: &r}}
			if o != nil {
				events = append(events, outcome("d1", *o))
			}
			Expect(shown(recorder.ShowOptions{}, events...)).To(Equal("0.000  s1  d1  tool.execute  book  " + want + "\n"))
		},
		Entry("nothing to do", answer(200, `{}`), nil, `200  2 B  1.5 ms  empty`),
		Entry("null", answer(200, ` null `), nil, `200  6 B  1.5 ms  empty`),
		Entry("a result value", answer(200, `{"actions":[{"type":"tool.result","result":{"n":2512292042121000001}}]}`), nil,
			`200  71 B  1.5 ms  tool.result {"n":2512292042121000001}`),
		Entry("an error result with blocks", answer(200, `{"actions":[{"type":"tool.result","is_error":true,"content":[{"type":"text","text":"no\nroom"}]}],"state":{}}`), nil,
			`200  109 B  1.5 ms  tool.result (isError) "no\nroom", state`),
		Entry("a 500", answer(500, `{"error":"boom"}`), &spec.OutcomeEvent{As: "failed", Class: "retryable", Reason: "status 500"},
			`500  16 B  1.5 ms  "{"error":"boom"}" → failed retryable: status 500`),
		Entry("a time-out", spec.ResponseEvent{End: spec.EndTimeout, Reason: "no answer in 20 s"}, &spec.OutcomeEvent{As: "failed", Class: "retryable"},
			`- timeout  0 B  1.5 ms  no answer in 20 s → failed retryable`),
		Entry("a cut body", spec.ResponseEvent{Status: 200, End: spec.EndCut, Reason: "closed early", Bytes: 3, Body: spec.BodyOf([]byte(`{"a`))}, nil,
			`200 cut  3 B  1.5 ms  closed early`),
		Entry("a stale connection", spec.ResponseEvent{End: spec.EndStale}, nil,
			`- stale  0 B  1.5 ms  not delivered: an idle connection had been closed`),
		Entry("a dropped settle", answer(200, `{}`), &spec.OutcomeEvent{As: "accepted", Settled: []spec.Settled{{Call: "c1", By: "tool.result", Then: "dropped", Reason: "settled before"}}},
			`200  2 B  1.5 ms  empty → settle dropped settled before`),
	)

	It("knows a proposal that came back with empty lists left out or added", func() {
		const says, call = `{"messages":[{"role":"user","content":"hi"}],"actions":[],"state":null}`,
			`{"messages":[{"role":"user","content":"hi"}],"actions":[{"type":"llm.call","messages":[{"role":"user","content":"hi"}]}],"state":null}`
		for _, c := range []struct{ proposed, answer, want string }{
			{call, `{"messages":[{"role":"user","content":"hi","tool_calls":[]}],"actions":[{"type":"llm.call","messages":[{"role":"user","content":"hi","tool_calls":[]}]}]}`, "proposed (llm.call)"},
			{call, `{"messages":[],"actions":[{"type":"llm.call","messages":[{"role":"user","content":"hi"}]}]}`, "llm.call"},
			{says, `{"messages":[{"role":"user","content":"hi"}]}`, "proposed"},
			{says, `{"messages":[{"role":"user","content":"ho"}],"actions":[]}`, "1 message"},
		} {
			req, r := ask("d1"), answer(200, c.answer)
			d := req.Data.(*spec.RequestEvent)
			d.Body = spec.BodyOf([]byte(strings.Replace(*d.Body.Text, `{"messages":[],"actions":[],"state":null}`, c.proposed, 1)))
			r.D = "d1"
			Expect(shown(recorder.ShowOptions{}, req, spec.Event{Session: "s1", Data: &r})).To(HaveSuffix(" ms  " + c.want + "\n"))
		}
	})

	It("tells why an answer that does not read is none", func() {
		r := answer(200, "<html>")
		r.D = "d1"
		Expect(shown(recorder.ShowOptions{}, ask("d1"), spec.Event{Session: "s1", Data: &r})).To(ContainSubstring(" fatal: "))
	})

	It("tells what happened beside the exchanges", func() {
		at := func(t int64, d spec.EventData) spec.Event { return spec.Event{Session: "s1", T: t, Data: d} }
		Expect(shown(recorder.ShowOptions{},
			at(0, &spec.StepEvent{Step: 3, Verb: "model", PassedOver: true}),
			at(1, &spec.DisturbEvent{D: "d4", Do: "lose-answer", By: "--disturb"}),
			at(2, &spec.GapEvent{Lost: 2, Reason: "queue full"}),
			at(3, &spec.WorkerEvent{Event: "exited", Exit: "signal: killed", Stderr: "oom"}),
			at(4, &spec.TurnEvent{Event: "failed", Error: &spec.ErrorInfo{Code: spec.CodeHandlerError, Message: "boom"}}),
			at(60005, &spec.TimeEvent{Why: "deadline", Of: "c9", Passed: 60001}),
			at(60005, &spec.TimeEvent{Why: "deadline", Of: "c9", Passed: 2000, Then: "retry"}),
			at(60005, &spec.TimeEvent{Why: "patience"}),
			at(60005, &spec.TimeEvent{Why: "patience", Of: "c9"}),
			at(60005, &spec.InputEvent{From: "worker", Body: spec.BodyOf([]byte(`{"type":"tool.error"}`)), Call: "c9", Status: 200, Settled: []spec.Settled{{Call: "c9", Then: "retry", At: 62005}}}),
			at(60005, &spec.InputEvent{From: "machine", Body: spec.BodyOf([]byte(`{"type":"tool.result"}`)), Call: "c9", Status: 409, Reply: "effect is not pending"}),
			at(60005, &spec.InputEvent{From: "worker", Body: spec.BodyOf([]byte(`{}`)), Decision: "x-1", Status: 200, Dropped: "the decision was answered already"}),
			at(60006, &spec.InputEvent{From: "client", Body: spec.BodyOf([]byte(`{"type":"client.message"}`)), Status: 409}),
			at(60006, &spec.InputEvent{From: "client", Call: "c9", Body: spec.BodyOf([]byte(`{"type":"tool.result","result":{"content":[{"type":"text","text":"yes"}]}}`)), Status: 409, Reply: "effect is not pending"}),
			at(60006, &spec.InputEvent{From: "client", Body: spec.BodyOf([]byte(`{"type":"client.messages","messages":[{"role":"user"},{"role":"user","content":"ho"}]}`)), Status: 202}),
			at(60006, &spec.InputEvent{From: "client", Body: spec.BodyOf([]byte(`{"type":"client.action","name":"refresh"}`)), Status: 202}),
			at(60007, &spec.ReplyEvent{Error: &spec.ErrorInfo{Message: "rate limited"}}),
			at(60008, &spec.UnknownEvent{Kind: "omen"}),
			at(60009, &spec.SessionEvent{SessionID: "b", AgentID: "desk", Parent: "a", Origin: "joined"}),
			request("d1", nil),
		)).To(Equal(strings.TrimPrefix(`
 0.000  s1  · step 3: model, passed over
 0.001  s1  · d4: disturbed: lose-answer by --disturb
 0.002  s1  · GAP: 2 events lost: queue full
 0.003  s1  · worker exited: signal: killed: "oom"
 0.004  s1  · turn failed: handler_error "boom"
60.005  s1  · 60.001 s pass: deadline of c9
60.005  s1  · 2.000 s pass: deadline of c9, then retry
60.005  s1  · the worker was waited for in vain
60.005  s1  · the settle of c9 waited for its turn in vain
60.005  s1  · worker: tool.error of c9, retry at 62.005
60.005  s1  · machine: tool.result of c9, answered 409: effect is not pending
60.005  s1  · worker: answers the decision x-1, nothing changes: the decision was answered already
60.006  s1  · client: client.message, answered 409
60.006  s1  · client: tool.result of c9 "yes", answered 409: effect is not pending
60.006  s1  · client: client.messages, 2 messages "ho"
60.006  s1  · client: client.action "refresh"
60.007  s1  · model fails: "rate limited"
60.008  s1  · unknown kind omen
60.009  s1  · session b, agent desk, child of a, joined
 0.000  s1  d1      -      no answer
`, "\n")))
	})

	It("lets nothing of a worker's reach the terminal", func() {
		evil := "\x1b[31m\r\n\u202e\u2028\u200b\x07\xff\x00\u0085"
		r := answer(200, evil)
		r.D = "d1"
		story := shown(recorder.ShowOptions{},
			ask("d1"), spec.Event{Session: evil, Data: &r}, spec.Event{Session: "s1", Data: &r},
			spec.Event{Session: evil, Data: &spec.WorkerEvent{Event: evil, Exit: evil, Stderr: evil}},
			spec.Event{Data: &spec.UnknownEvent{Kind: spec.EventKind(evil)}},
			spec.Event{Data: &spec.ReplyEvent{Body: spec.BodyOf([]byte(`{"content":"\u001b[2J"}`))}},
		)
		for _, c := range story {
			Expect(c == '\n' || unicode.IsGraphic(c)).To(BeTrue(), "%U in %q", c, story)
		}
		Expect(story).To(ContainSubstring(`model says "\u{1b}[2J"`))
		Expect(strings.Count(story, "\n")).To(Equal(4))
	})

	It("keeps the order when an answer comes late, and does not wait for one for ever", func() {
		r1, r2 := response("d1", []byte("{}")), response("d2", []byte("{}"))
		story := shown(recorder.ShowOptions{}, ask("d1"), ask("d2"), r2, outcome("d2", spec.OutcomeEvent{As: "accepted"}), r1, outcome("d1", spec.OutcomeEvent{As: "late"}))
		Expect(story).To(MatchRegexp(`^.* d1 .*empty → late\n.* d2 .*empty\n$`))

		events := []spec.Event{ask("d1")}
		for range 7000 {
			events = append(events, spec.Event{Session: "s1", Data: &spec.StepEvent{Verb: "wait"}})
		}
		story = shown(recorder.ShowOptions{}, append(events, r1, outcome("d1", spec.OutcomeEvent{As: "accepted"}))...)
		Expect(story).To(HavePrefix("0.000  s1  d1"))
		Expect(story).To(ContainSubstring("the answer comes more than 5000 lines later"))
		Expect(strings.Count(story, " d1 ")).To(Equal(1))
	})
})

func answer(status int, body string) spec.ResponseEvent {
	return spec.ResponseEvent{Status: status, Body: spec.BodyOf([]byte(body)), Bytes: int64(len(body)), End: spec.EndWhole}
}
