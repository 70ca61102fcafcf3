package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// asked is a request of a session of few words, for a capture made by hand.
func asked(session, decision, trigger string) []byte {
	return fmt.Appendf(nil, `{"session_id":"%[1]s","decision_id":"%[2]s","agent_id":"a",`+
		`"identity":{"subject":{"type":"user","id":"u"},"visibility":"private","metadata":{}},"trigger":%[3]s,"proposed":{},`+
		`"state":null,"agent":null,"calls":[],"pending_calls":0,"messages":[],"message_tree":{"nodes":[],"head_id":null},`+
		`"ancestry":[],"attempts":0,"deadline":"2026-08-28T12:00:20.000Z","turn_id":null}`, session, decision, trigger)
}

const executes = `{"type":"tool.execute","id":"call_1","name":"refund","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}`

// capture is a capture of events, each of session s1 unless it says otherwise.
func capture(name string, data ...spec.EventData) string {
	GinkgoHelper()
	events := []spec.Event{{Data: &spec.HeaderEvent{
		Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceCapture, ID: name,
		MadeBy: spec.MadeBy{Hallmark: "test", Registry: spec.RegistryVersion}, Started: "2026-08-28T12:00:00.000Z",
		Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession},
	}}}
	for _, d := range data {
		events = append(events, spec.Event{Session: "s1", Data: d})
	}
	events = append(events, spec.Event{Data: &spec.CloseEvent{Why: "shutdown"}})
	path := filepath.Join(GinkgoT().TempDir(), name+".jsonl")
	Expect(os.WriteFile(path, written(events), 0o600)).To(Succeed())
	return path
}

func sentAs(d string, body []byte) *spec.RequestEvent {
	return &spec.RequestEvent{
		D: d, Decision: "d-" + d, Delivery: 1, Trigger: spec.OnToolExecute, Method: "POST", Target: "/", Proto: "HTTP/1.1",
		Now: "2026-08-28T12:00:00.000Z", Headers: [][2]string{{"content-type", "application/json"}}, Body: spec.BodyOf(body),
	}
}

func answeredBy(d, body string) *spec.ResponseEvent {
	return &spec.ResponseEvent{
		D: d, Status: 200, Headers: [][2]string{{"content-type", "application/json"}}, Body: spec.BodyOf([]byte(body)),
		Bytes: int64(len(body)), End: spec.EndWhole,
	}
}

// says answers every request with one text.
func says(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("content-type", "application/json")
		_, _ = io.WriteString(w, body)
	})
}

const refunded = `{"actions":[{"type":"tool.result","id":"call_1","attempt":0,"result":{"content":[{"type":"text","text":"refunded"}]}}]}`

var _ = Describe("what of a recording cannot be sent or compared", func() {
	body := asked("s-1", "d-1", executes)

	DescribeTable("has a name, and is no divergence",
		func(code string, sent int, data ...spec.EventData) {
			r := resent([]string{capture("one", data...)}, says(`{"state":"another"}`), replay.ResendConfig{})
			Expect(divergences(r)).To(BeEmpty())
			Expect(noted(r)).To(HaveKey(code))
			Expect(r.Sent).To(Equal(sent))
			Expect(r.Sessions[0].Verdict).To(Equal(replay.SessionUntold))
			Expect(r.Compared()).To(BeZero())
		},
		Entry("a request that was not recorded whole", replay.NoteNoBody, 0,
			&spec.RequestEvent{D: "d1", Method: "POST", Target: "/", End: spec.EndOmitted, Reason: "over the limit"}, answeredBy("d1", refunded)),
		Entry("a request without a body", replay.NoteNoBody, 0, &spec.RequestEvent{D: "d1", Method: "POST", Target: "/"}, answeredBy("d1", refunded)),
		Entry("a request that is none", replay.NoteUnreadable, 0, sentAs("d1", []byte(`{"hello":1}`)), answeredBy("d1", refunded)),
		Entry("a request that was signed wrongly", replay.NoteSignedWrong, 0, func() *spec.RequestEvent {
			r := sentAs("d1", body)
			r.Signature = spec.SignatureWrong
			return r
		}(), answeredBy("d1", refunded)),
		Entry("an answer that nobody recorded", replay.NoteNoAnswer, 1, sentAs("d1", body)),
		Entry("an answer whose reader had left", replay.NoteNoAnswer, 1, sentAs("d1", body), &spec.ResponseEvent{D: "d1", End: spec.EndClientGone}),
		Entry("an answer that was left out", replay.NoteNoAnswer, 1, sentAs("d1", body), &spec.ResponseEvent{D: "d1", Status: 200, End: spec.EndOmitted}),
		Entry("a worker that was not there", replay.NoteNoAnswer, 1, sentAs("d1", body), &spec.ResponseEvent{D: "d1", End: spec.EndReset, Reason: spec.ReasonRefused}),
	)

	It("is a call that is settled at once now, and was settled later", func() {
		for was, now := range map[string]string{"null": refunded, refunded: "null"} {
			r := resent([]string{capture("later", sentAs("d1", body), answeredBy("d1", was))}, says(now), replay.ResendConfig{})
			Expect(divergences(r)).To(BeEmpty())
			Expect(noted(r)).To(HaveKeyWithValue(replay.NoteSettledOtherwise, 1))
		}
	})

	It("is a capture with holes, joined in the middle, and sent as it stands", func() {
		file := capture("joined",
			&spec.SessionEvent{SessionID: "s-1", AgentID: "a", Origin: "joined"},
			&spec.GapEvent{Lost: 3, Reason: "the queue was full"},
			sentAs("d4", body), answeredBy("d4", refunded))
		r := resent([]string{file}, says(refunded), replay.ResendConfig{})
		Expect(divergences(r)).To(BeEmpty())
		Expect(r.Agree).To(Equal(1))
		Expect(noted(r)).To(And(HaveKey(replay.NoteJoined), HaveKey(replay.NoteGap)))
		Expect(r.Sessions[0].ID).To(Equal("s-1"))
	})

	It("is what stand-ins may be the cause of", func() {
		const standIn = "hm-red-key-abcdefgh-000"
		arguments := strings.Replace(executes, `"arguments":"{}"`, `"arguments":"{\"card\":\"`+standIn+`\"}"`, 1)
		r := resent([]string{capture("redacted", sentAs("d1", asked("s-1", "d-1", arguments)), answeredBy("d1", refunded))},
			says(strings.Replace(refunded, "refunded", "no such card", 1)), replay.ResendConfig{})
		Expect(divergences(r)).To(BeEmpty())
		Expect(noted(r)).To(And(HaveKeyWithValue(replay.NoteUnsure, 1), HaveKey(replay.NoteStandIns)))

		By("and what a stand-in stands for")
		r = resent([]string{capture("answer", sentAs("d1", body), answeredBy("d1", strings.Replace(refunded, "refunded", "card "+standIn+" is charged", 1)))},
			says(strings.Replace(refunded, "refunded", "card 4111-1111 is charged", 1)), replay.ResendConfig{})
		Expect(divergences(r)).To(BeEmpty())
		Expect(r.Agree).To(Equal(1))

		By("and no more than that")
		r = resent([]string{capture("other", sentAs("d1", body), answeredBy("d1", strings.Replace(refunded, "refunded", "card "+standIn+" is charged", 1)))},
			says(strings.Replace(refunded, "refunded", "card 4111-1111 is refused", 1)), replay.ResendConfig{})
		Expect(divergences(r)).To(HaveLen(1))
	})

	It("is a header that was redacted: it is not sent", func() {
		q := sentAs("d1", body)
		q.Headers = append(q.Headers, [2]string{"Authorization", "Bearer hm-red-header-abcdefgh"}, [2]string{"X-Tenant", "acme"}, [2]string{"Content-Length", "9"})
		var got http.Header
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Clone()
			says(refunded).ServeHTTP(w, r)
		})
		r := resent([]string{capture("headers", q, answeredBy("d1", refunded))}, h, replay.ResendConfig{})
		Expect(r.Agree).To(Equal(1))
		Expect(noted(r)).To(HaveKey(replay.NoteStandIns))
		Expect(got).NotTo(HaveKey("Authorization"))
		Expect(got.Get("X-Tenant")).To(Equal("acme"))
	})
})

var _ = Describe("an id in an answer", func() {
	// answers answers with text, in which CALL is the id of the call that is asked for.
	answers := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			q, fault := spec.ParseRequest(body)
			Expect(fault).To(BeNil())
			says(strings.ReplaceAll(text, "CALL", q.Trigger.CallID())).ServeHTTP(w, r)
		})
	}

	DescribeTable("is that of the call, and no other, whether ids are new or not",
		func(was, now string, same bool) {
			file := capture("ids", sentAs("d1", asked("s-1", "d-1", executes)), answeredBy("d1", was))
			for _, as := range []bool{false, true} {
				r := resent([]string{file}, answers(now), replay.ResendConfig{SameIDs: as})
				Expect(divergences(r)).To(HaveLen(map[bool]int{true: 0, false: 1}[same]), "same ids: %v", as)
			}
		},
		Entry("in a message", `{"messages":[{"role":"tool","tool_call_id":"call_1","content":"x"}]}`,
			`{"messages":[{"role":"tool","tool_call_id":"CALL","content":"x"}]}`, true),
		Entry("in a message about another call", `{"messages":[{"role":"tool","tool_call_id":"call_1","content":"x"}]}`,
			`{"messages":[{"role":"tool","tool_call_id":"call_other","content":"x"}]}`, false),
		Entry("inside a text", strings.Replace(refunded, "refunded", "by call_1.", 1), strings.NewReplacer("refunded", "by CALL.", "call_1", "CALL").Replace(refunded), true),
		Entry("inside a text about another call", strings.Replace(refunded, "refunded", "by call_1.", 1),
			strings.NewReplacer("refunded", "by call_other.", "call_1", "CALL").Replace(refunded), false),
	)

	It("comes back as it is where the worker makes up the same again", func() {
		const interrupts = `{"actions":[{"type":"interrupt","interrupt_id":"approve-refund","reason":"a refund"}]}`
		resumed := asked("s-1", "d-2", `{"type":"interrupt.resumed","interrupt_id":"approve-refund","payload":{"status":"resolved"}}`)
		file := capture("interrupt", sentAs("d1", asked("s-1", "d-1", executes)), answeredBy("d1", interrupts), sentAs("d2", resumed), answeredBy("d2", refunded))
		for _, exact := range []bool{false, true} {
			var got []string
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				q, fault := spec.ParseRequest(body)
				Expect(fault).To(BeNil())
				if t, is := q.Trigger.(spec.InterruptResumedTrigger); is {
					got = append(got, t.InterruptID)
					says(refunded).ServeHTTP(w, r)
					return
				}
				says(interrupts).ServeHTTP(w, r)
			})
			resent([]string{file}, h, replay.ResendConfig{Exact: exact})
			Expect(got).To(Equal([]string{"approve-refund"}), "exact: %v", exact)
		}
	})
})

var _ = Describe("consent to send recorded calls", func() {
	agreed := func(o simulator.ConsentOptions) simulator.Consent {
		GinkgoHelper()
		o.Declared = &spec.AgentConfig{Tools: []spec.AgentTool{{Name: "refund"}, {Name: "look"}}}
		c, err := simulator.Agree("http://worker.example/", o)
		Expect(err).NotTo(HaveOccurred())
		return c
	}
	counting := func(n *atomic.Int32) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n.Add(1)
			says(refunded).ServeHTTP(w, r)
		})
	}

	It("ends a session at the first call that may not be made", func() {
		look := strings.Replace(executes, "refund", "look", 1)
		file := capture("two", sentAs("d1", asked("s-1", "d-1", look)), answeredBy("d1", refunded),
			sentAs("d2", asked("s-1", "d-2", executes)), answeredBy("d2", refunded),
			sentAs("d3", asked("s-1", "d-3", look)), answeredBy("d3", refunded))
		consent := agreed(simulator.ConsentOptions{OnlyTools: []string{"look"}})
		plan, err := replay.PlanResend(context.Background(), []string{file}, consent)
		Expect(err).NotTo(HaveOccurred())
		Expect(plan.Calls).To(Equal([]replay.PlannedCalls{{Tool: "look", Times: 1, Held: 1}, {Tool: "refund", Held: 1}}))
		Expect(plan.Summary(false)).To(Equal("will call 1 of 2 tools, 1 time (look: 1 held back, refund: never), in 1 of 3 requests of 1 session"))
		var n atomic.Int32
		r := resent([]string{file}, counting(&n), replay.ResendConfig{Consent: consent})
		Expect(n.Load()).To(Equal(int32(1)))
		Expect(noted(r)).To(HaveKeyWithValue(replay.NoteNotAllowed, 2))
	})

	DescribeTable("is not got round by how a call is spelled",
		func(trigger string) {
			var n atomic.Int32
			file := capture("hidden", sentAs("d1", asked("s-1", "d-1", trigger)), answeredBy("d1", refunded))
			r := resent([]string{file}, counting(&n), replay.ResendConfig{Consent: agreed(simulator.ConsentOptions{OnlyTools: []string{"look"}})})
			Expect(n.Load()).To(BeZero(), "%+v", r.Sessions)
		},
		Entry("as it is", executes),
		Entry("with escapes in its type", strings.Replace(executes, "tool.execute", `tool.\u0065xecute`, 1)),
		Entry("with escapes in the name of the member", strings.Replace(executes, `"name"`, `"n\u0061me"`, 1)),
		Entry("with a second name behind it", strings.Replace(executes, `"name":"refund"`, `"name":"refund","name":"look"`, 1)),
		Entry("with a second name in capitals", strings.Replace(executes, `"name":"refund"`, `"name":"look","Name":"refund"`, 1)),
		Entry("without its attempt", strings.Replace(executes, `,"attempt":0`, "", 1)),
		Entry("with an attempt that is none", strings.Replace(executes, `"attempt":0`, `"attempt":"0"`, 1)),
		Entry("with a name that is none", strings.Replace(executes, `"refund"`, `["refund"]`, 1)),
		Entry("with a second trigger behind it", executes+`,"trigger":{"type":"session.start"}`),
	)

	It("lets samples be sent, and nothing like them", func() {
		consent := agreed(simulator.ConsentOptions{Policies: map[string]simulator.CallPolicy{"refund": simulator.CallSamplesOnly}})
		Expect(consent.Executes(spec.ToolExecuteTrigger{Name: "refund", Arguments: "{}"})).To(ContainSubstring("no sample"))
		Expect(consent.Executes(spec.ToolExecuteTrigger{Name: "refund", Arguments: "{"})).To(BeEmpty())
		Expect(consent.Executes(spec.ToolExecuteTrigger{Name: "look", Arguments: "{}"})).To(BeEmpty())
	})
})

var _ = Describe("a worker that is trouble", func() {
	file := func(n int) (files []string) {
		for i := range n {
			body := asked(fmt.Sprint("s-", i), fmt.Sprint("d-", i), executes)
			files = append(files, capture(fmt.Sprint("c", i), sentAs("d1", body), answeredBy("d1", refunded)))
		}
		return files
	}
	with := func(a spec.Answer, conn string) simulator.Poster {
		return constant{simulator.Got{Answer: a, Conn: conn}}
	}

	It("hangs: three sessions in a row end the run", func() {
		r, err := replay.Resend(context.Background(), file(6), with(spec.Answer{End: spec.EndTimeout, Reason: "no answer within 20s"}, "new"), replay.ResendConfig{Jobs: 1})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Ended).To(Equal(replay.EndedHung))
		Expect(r.Sent).To(Equal(3))
		Expect(divergences(r)).To(HaveLen(3))
		Expect(divergences(r)[0].Code).To(Equal(replay.CodeMissing))
		Expect(noted(r)).To(HaveKeyWithValue(replay.NoteNotRun, 3))
	})

	It("hangs, by a bound that is shorter than its own: nothing is proven", func() {
		r, err := replay.Resend(context.Background(), file(2), with(spec.Answer{End: spec.EndTimeout, Reason: "no answer within 1s"}, "new"), replay.ResendConfig{Jobs: 1, Patience: time.Second})
		Expect(err).NotTo(HaveOccurred())
		Expect(divergences(r)).To(BeEmpty())
		Expect(noted(r)).To(HaveKeyWithValue(replay.NoteHung, 2))
	})

	It("is not there", func() {
		r, err := replay.Resend(context.Background(), file(6), with(spec.Answer{End: spec.EndReset, Reason: spec.ReasonRefused}, ""), replay.ResendConfig{Jobs: 1})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Ended).To(Equal(replay.EndedUnreachable))
		Expect(r.Sent).To(BeZero())
		Expect(divergences(r)).To(BeEmpty())
	})

	It("is asked once more on a new connection when an old one had been closed", func() {
		var fresh atomic.Int32
		p := posting(func(p simulator.Post) simulator.Got {
			if !p.Fresh {
				return simulator.Got{Conn: "reused", Answer: spec.Answer{End: spec.EndStale}}
			}
			fresh.Add(1)
			return simulator.Got{Conn: "new", Answer: spec.Answer{Status: 200, Body: []byte(refunded), End: spec.EndWhole}}
		})
		r, err := replay.Resend(context.Background(), file(1), p, replay.ResendConfig{})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Agree).To(Equal(1))
		Expect(fresh.Load()).To(Equal(int32(1)))
	})
})

// constant gives one answer to everything.
type constant struct{ got simulator.Got }

func (c constant) Post(context.Context, simulator.Post) simulator.Got { return c.got }

// posting answers by a function.
type posting func(simulator.Post) simulator.Got

func (f posting) Post(_ context.Context, p simulator.Post) simulator.Got { return f(p) }

var _ = Describe("many recordings", func() {
	It("stream through, whatever their number", func() {
		// One file under many names: what is held is what counts.
		one := capture("one", sentAs("d1", asked("s-1", "d-1", executes)), answeredBy("d1", refunded))
		files := slices.Repeat([]string{one}, 10_000)
		var most, n atomic.Uint64
		p := posting(func(simulator.Post) simulator.Got {
			if n.Add(1)%2000 == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most.Store(max(most.Load(), m.HeapAlloc))
			}
			return simulator.Got{Conn: "reused", Answer: spec.Answer{Status: 200, Body: []byte(refunded), End: spec.EndWhole}}
		})
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := replay.Resend(context.Background(), files, p, replay.ResendConfig{Jobs: 2})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Agree).To(Equal(10_000))
		// What is kept of each is its verdict; a recording is some kilobytes.
		Expect(most.Load() - min(most.Load(), before.HeapAlloc)).To(BeNumerically("<", 16<<20))
	})

	It("keep the parts of a rotated one in order", func() {
		first := capture("x", sentAs("d1", asked("s-1", "d-1", executes)), answeredBy("d1", refunded))
		text, err := os.ReadFile(first)
		Expect(err).NotTo(HaveOccurred())
		events := eventsIn(text)
		header := *events[0].Data.(*spec.HeaderEvent)
		header.Continues = "x.jsonl"
		events[0].Data = &header
		events[1].Data = sentAs("d2", asked("s-1", "d-2", executes))
		events[2].Data = answeredBy("d2", refunded)
		second := strings.TrimSuffix(first, ".jsonl") + "-002.jsonl"
		Expect(os.WriteFile(second, written(events), 0o600)).To(Succeed())
		var order []string
		p := posting(func(p simulator.Post) simulator.Got {
			q, _ := spec.ParseRequest(p.Body)
			order = append(order, q.DecisionID)
			return simulator.Got{Conn: "new", Answer: spec.Answer{Status: 200, Body: []byte(refunded), End: spec.EndWhole}}
		})
		r, err := replay.Resend(context.Background(), []string{second, first}, p, replay.ResendConfig{Jobs: 2, SameIDs: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(order).To(Equal([]string{"d-1", "d-2"}))
		Expect(r.Sessions).To(HaveLen(1))
		Expect(r.Agree).To(Equal(2))
	})
})

func eventsIn(text []byte) (events []spec.Event) {
	GinkgoHelper()
	for e, err := range recorder.NewReader(bytes.NewReader(text)).All() {
		Expect(err).NotTo(HaveOccurred())
		events = append(events, e)
	}
	return events
}
