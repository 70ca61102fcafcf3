package judge_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("The ladder", func() {
	DescribeTable("gives an answer to tool.execute one name",
		func(answer string, want ...string) {
			v := newTape().exchange("s1", onExecute, "", answer).done().verdict()
			Expect(broken(v)).To(ConsistOf(want))
		},
		Entry("404 with a body that is not JSON", "HTTP/1.1 404 Not Found\r\n\r\nno", "delivery.answers-2xx"),
		Entry("503 with an encoded body", "HTTP/1.1 503 Busy\r\nContent-Encoding: br\r\n\r\nx", "delivery.answers-2xx"),
		Entry("307 with JSON", "HTTP/1.1 307 Elsewhere\r\nLocation: /x\r\n\r\n"+sunny, "delivery.does-not-redirect"),
		Entry("304 without Location", "HTTP/1.1 304 Not Modified\r\n\r\n", "delivery.does-not-redirect"),
		Entry("gzip without the header", "HTTP/1.1 200 OK\r\n\r\n\x1f\x8b\x08", "delivery.answers-uncompressed"),
		Entry("identity is no encoding", "HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\n\r\n"+sunny),
		Entry("text/plain is no matter", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"+sunny),
		Entry("201 is a 2xx", "HTTP/1.1 201 Created\r\n\r\n"+sunny),
		Entry("white space", " \r\n", "response.has-a-body"),
		Entry("byte-order mark", "\ufeff"+sunny, "response.is-json"),
		Entry("two values", sunny+sunny, "response.is-json"),
		Entry("HTML", "<html>", "response.is-json"),
		Entry("NaN", `{"state":NaN}`, "response.is-json"),
		Entry("128 levels", `{"state":`+strings.Repeat("[", 127)+strings.Repeat("]", 127)+`}`, "response.is-json"),
		Entry("invalid UTF-8", "{\"state\":\"\xff\"}", "response.is-json"),
		Entry("a string", `"sunny"`, "response.is-an-object"),
		Entry("a number", `5`, "response.is-an-object"),
		Entry("an array", `[[],[]]`, "response.is-an-object"),
		Entry("null for a list", `{"actions":null}`, "response.fits-the-protocol"),
		Entry("unknown action", `{"actions":[{"type":"tool.done"}]}`, "response.fits-the-protocol"),
		Entry("unknown code", `{"actions":[{"type":"tool.error","error":"x","code":"oops"}]}`, "response.fits-the-protocol"),
		Entry("key twice", `{"actions":[],"actions":[]}`, "response.fits-the-protocol"),
		Entry("attempt 1.0", `{"actions":[{"type":"tool.error","error":"x","attempt":1.0}]}`, "response.fits-the-protocol"),
		Entry("handler nobody knows", `{"agent":{"model":"m","tools":[{"name":"a","handler":"browser"}]}}`, "declare.handler-is-worker-or-client"),
		Entry("error text in a body that does not parse", `{"error":"boom","actions":{}}`, "response.carries-no-error-text"),
		Entry("error object in an empty decision", `{"error":{"message":"boom"}}`, "response.carries-no-error-text"),
		Entry("blank error text is none, but says nothing", `{"error":" "}`, "response.says-something-known", "execute.settles"),
		Entry("error text beside an action", `{"detail":"fyi","actions":[{"type":"tool.error","error":"x"}]}`, "response.has-no-unknown-keys"),
		Entry("bare result in the body", `{"result":"sunny"}`, "response.says-something-known", "execute.settles"),
		Entry("model without config", `{"actions":[{"type":"llm.call","llm":"main"}]}`, "execute.settles"),
		Entry("llm.result without id", `{"actions":[{"type":"llm.result","response":{"model":"m"}}]}`, "response.actions-resolve"),
		Entry("action content with a bad block", `{"actions":[{"type":"tool.result","content":[{"type":"video","data":"AAAA"}]}]}`, "result.blocks-are-valid"),
		Entry("action content that is a string", `{"actions":[{"type":"tool.result","content":"sunny"}]}`, "result.blocks-are-valid"),
		Entry("null decision", `null`, "execute.settles"),
	)

	It("observes nothing above the rung that broke", func() {
		v := newTape().exchange("s1", onExecute, "", "HTTP/1.1 500 No\r\n\r\n").done().verdict()
		for _, o := range v.Observations {
			want := spec.StatusNotObserved
			switch o.Requirement {
			case "delivery.answers-2xx":
				want = spec.StatusFail
			case "delivery.answers-whole", "delivery.answers-in-time", "delivery.answer-is-bounded", "delivery.does-not-redirect":
				want = spec.StatusPass
			case "output.matches-schema", "output.failure-keeps-its-reason", "execute.keeps-its-policy", "restart.keeps-going", "restart.keeps-its-work", "client.leaves-answers-to-the-client", "turn.fails-in-words":
				want = spec.StatusNotApplicable
			case "signature.accepts-valid", "signature.covers-the-bytes", "signature.refuses-forged", "signature.refuses-changed-body",
				"signature.refuses-unsigned", "signature.refuses-with-401", "signature.checks-first":
				want = spec.StatusNotApplicable
			}
			if strings.HasPrefix(o.Requirement, "async.") || strings.HasPrefix(o.Requirement, "deferred.") || strings.HasPrefix(o.Requirement, "subagent.") || o.Requirement == "interrupt.settles-what-it-parked" || o.Requirement == "interrupt.names-the-call" {
				want = spec.StatusNotApplicable
			}
			Expect(o.Status).To(Equal(want), o.Requirement)
		}
	})

	DescribeTable("names how a delivery ended",
		func(end spec.BodyEnd, reason string, status int, want string) {
			t := newTape()
			d := t.ask("s1", onExecute, "")
			t.add("s1", &spec.ResponseEvent{D: d, Status: status, End: end, Reason: reason, Body: spec.BodyOf([]byte(`{"act`))})
			got := broken(t.done().verdict())
			if want == "" {
				Expect(got).To(BeEmpty())
				return
			}
			Expect(got).To(Equal([]string{want}))
		},
		Entry("cut", spec.EndCut, "body ended before its announced end", 200, "delivery.answers-whole"),
		Entry("closed", spec.EndReset, spec.ReasonClosed, 0, "delivery.answers-whole"),
		Entry("not HTTP", spec.EndReset, spec.ReasonNotHTTP, 0, "delivery.answers-whole"),
		Entry("reset for no known reason", spec.EndReset, "", 0, "delivery.answers-whole"),
		Entry("head too big", spec.EndReset, spec.ReasonHeadTooBig, 0, "delivery.answer-is-bounded"),
		Entry("over the limit", spec.EndOverLimit, "body over the limit", 200, "delivery.answer-is-bounded"),
		Entry("silent", spec.EndTimeout, "silent for 60 s", 0, "delivery.answers-in-time"),
		Entry("closed by us", spec.EndTimeout, "closed by hallmark: script done", 0, ""),
		Entry("refused", spec.EndReset, spec.ReasonRefused, 0, ""),
		Entry("not reachable", spec.EndReset, spec.ReasonUnreachable, 0, ""),
		Entry("TLS", spec.EndReset, spec.ReasonTLS, 0, ""),
		Entry("stale", spec.EndStale, spec.ReasonClosed, 0, ""),
		Entry("our caller left", spec.EndClientGone, "", 200, ""),
		Entry("left out", spec.EndOmitted, "", 200, ""),
	)

	It("shows the first bytes of what is not JSON, in hex too", func() {
		o := newTape().exchange("s1", onExecute, "", "\ufeff{}").done().of("response.is-json")
		Expect(o.Findings).To(HaveLen(1))
		Expect(o.Findings[0].Got).To(ContainSubstring("bytes ef bb bf 7b 7d"))
	})

	It("points into the answer and shows what stands there", func() {
		o := newTape().exchange("s1", onExecute, "", `{"actions":[{"type":"tool.error","error":5}]}`).done().of("response.fits-the-protocol")
		Expect(o.Findings[0].Pointer).To(Equal("/actions/0/error"))
		Expect(o.Findings[0].Got).To(HavePrefix("5: "))
	})

	It("says which step was acting, and not one that was passed over", func() {
		t := newTape()
		t.add("s1", &spec.StepEvent{Step: 3, Verb: "model"})
		t.add("s1", &spec.StepEvent{Step: 4, Verb: "model", PassedOver: true})
		o := t.exchange("s1", onExecute, "", "5").done().of("response.is-an-object")
		Expect(*o.Findings[0].Step).To(Equal(3))
		Expect(o.Findings[0].Exchange).To(Equal("d1"))
		Expect(o.Findings[0].Trigger).To(Equal(spec.OnToolExecute))
	})

	It("hints at the secret when an unsigned request is refused with 401", func() {
		o := newTape().exchange("s1", onExecute, "", "HTTP/1.1 401 No\r\n\r\n").done().of("delivery.answers-2xx")
		Expect(o.Findings[0].Hint).To(ContainSubstring("secret"))
	})

	It("does not judge a request that was broken on purpose", func() {
		t := newTape()
		t.add("s1", &spec.RequestEvent{D: "d1", Body: spec.BodyOf([]byte(`{"trigger":`))})
		t.reply("s1", "d1", "HTTP/1.1 400 Bad\r\n\r\n")
		Expect(broken(t.done().verdict())).To(BeEmpty())
	})

	DescribeTable("does not blame a worker for what was done to its delivery, wherever that stands",
		func(place int) {
			t := newTape()
			disturb := &spec.DisturbEvent{D: "d1", Do: "lose-answer"}
			if place == 0 {
				t.add("s1", disturb)
			}
			d := t.ask("s1", onExecute, "")
			if place == 1 {
				t.add("s1", disturb)
			}
			t.reply("s1", d, "HTTP/1.1 500 No\r\n\r\n")
			if place == 2 {
				t.add("s1", disturb)
			}
			Expect(broken(t.done().verdict())).To(BeEmpty())
		},
		Entry("before the request", 0), Entry("before the response", 1), Entry("after the response", 2),
	)
})

var _ = Describe("The time that an answer takes", func() {
	late := func(header *spec.HeaderEvent) spec.Observation {
		header.Evidence = allEvidence
		t := newTapeWith(header)
		d := t.ask("s1", onExecute, "")
		t.overdue("s1", d, 20_000)
		t.add("s1", &spec.ResponseEvent{D: d, End: spec.EndTimeout, Reason: "closed by hallmark: gave up"})
		return t.add("", &spec.CloseEvent{Why: spec.CloseReason(spec.CloseGaveUp, "no answer")}).of("delivery.answers-in-time")
	}

	It("fails when the engine gave the delivery up", func() {
		Expect(late(&spec.HeaderEvent{}).Status).To(Equal(spec.StatusFail))
	})

	It("only warns when the run waited for less than the delivery allows (R16)", func() {
		o := late(&spec.HeaderEvent{Engine: []byte(`{"answer_ms":5000}`)})
		Expect(o.Status).To(Equal(spec.StatusWarn))
		Expect(o.Findings[0].Got).To(ContainSubstring("waited 5s; the delivery allows 20s"))
	})

	It("fails when the bound of the run is as long as the delivery's", func() {
		Expect(late(&spec.HeaderEvent{Engine: []byte(`{"answer_ms":20000}`)}).Status).To(Equal(spec.StatusFail))
	})

	It("is not the worker's matter when the engine's own total ended the delivery sooner", func() {
		t := newTape()
		d := t.ask("s1", onTurnEnd, "")
		t.overdue("s1", d, 2_000).reply("s1", d, `{}`)
		Expect(broken(t.done().verdict())).To(BeEmpty())
	})

	It("is no matter when the engine failed the delivery for something else", func() {
		t := newTape()
		d := t.ask("s1", onTurnEnd, "")
		t.reply("s1", d, `{}`)
		t.add("s1", &spec.OutcomeEvent{D: d, As: spec.OutcomeFailed, Class: "fatal", Code: spec.CodeInvalidResponse})
		t.events[len(t.events)-1].T = 30_000
		Expect(broken(t.done().verdict())).To(BeEmpty())
	})

	It("is told for each of two deliveries that are open at once (D6)", func() {
		t := newTape()
		a := t.ask("s1", onTurnEnd, "")
		b := t.ask("s1", onTurnEnd, "")
		t.reply("s1", b, `{}`).exchange("s1", onTurnEnd, "", `{}`).reply("s1", a, "5")
		o := t.done().of("response.is-an-object")
		Expect(o.Count).To(Equal(3))
		Expect(o.Findings).To(HaveLen(1))
		Expect(o.Findings[0].Exchange).To(Equal("d1"))
	})

	It("counts a late answer once, and not by what it says", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.overdue("s1", d, 20_000)
		t.reply("s1", d, "5")
		Expect(broken(t.done().verdict())).To(Equal([]string{"delivery.answers-in-time"}))
	})
})

var _ = Describe("Streamed answers", func() {
	const sse = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	DescribeTable("are judged by their last frame",
		func(stream string, want ...string) {
			v := newTape().exchange("s1", onExecute, "", sse+stream).done().verdict()
			Expect(broken(v)).To(ConsistOf(want))
		},
		Entry("a result", "event: decision.result\ndata: "+sunny+"\n\n"),
		Entry("a result that is no object", "event: decision.result\ndata: 5\n\n", "response.is-an-object"),
		Entry("a reported failure", "event: decision.error\ndata: {\"message\":\"busy\"}\n\n"),
		Entry("no last frame", ": hello\n\n", "stream.ends-with-a-decision"),
		Entry("an unknown frame", "event: done\ndata: {}\n\n", "stream.frames-are-known"),
		Entry("a delta that nobody asked for", "event: llm.token.delta\ndata: {}\n\nevent: decision.result\ndata: {}\n\n", "stream.deltas-only-where-asked"),
	)

	It("may be cut after its last frame", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.add("s1", &spec.ResponseEvent{
			D: d, Status: 200, End: spec.EndCut, Headers: [][2]string{{"Content-Type", "Text/Event-Stream; charset=utf-8"}},
			Body: spec.BodyOf([]byte("event: decision.result\ndata: " + sunny + "\n\n")),
		})
		Expect(broken(t.done().verdict())).To(BeEmpty())
	})

	It("are put together from pieces", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		stream := "event: decision.result\ndata: " + sunny + "\n\n"
		t.add("s1", &spec.PieceEvent{D: d, Of: "response", Offset: 0, Body: spec.BodyOf([]byte(stream[:9]))})
		t.add("s1", &spec.PieceEvent{D: d, Of: "response", Offset: 9, Body: spec.BodyOf([]byte(stream[9:]))})
		t.add("s1", &spec.ResponseEvent{D: d, Status: 200, End: spec.EndWhole, Pieces: 2, Headers: [][2]string{{"content-type", "text/event-stream"}}})
		Expect(t.done().of("execute.settles").Status).To(Equal(spec.StatusPass))
	})

	It("with a missing piece are not judged", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.add("s1", &spec.PieceEvent{D: d, Of: "response", Offset: 9, Body: spec.BodyOf([]byte("x"))})
		t.add("s1", &spec.ResponseEvent{D: d, Status: 200, End: spec.EndWhole, Pieces: 2})
		Expect(broken(t.done().verdict())).To(BeEmpty())
	})
})
