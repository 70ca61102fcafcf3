package judge_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("What a worker lives through", func() {
	const (
		named  = "robustness.survives-odd-names"
		strays = "robustness.survives-broken-requests"
		whole  = "delivery.answers-whole"
		gone   = "(the connection closes before a response head)"
	)
	odd := callOf("c1", "constructor", "{}")
	refusing := `{"actions":[{"type":"tool.error","error":"there is no such tool, try get_weather"}]}`
	given := `{"proposed":{"actions":[{"type":"tool.error","id":"c1","error":"no","retryable":false}]}}`
	nobody := func(t *tape, session string) *tape {
		d := t.ask(session, onTurnEnd, "")
		return t.add(session, &spec.ResponseEvent{D: d, End: spec.EndReset, Reason: spec.ReasonRefused})
	}

	DescribeTable("is told by the exchange after it",
		func(t *tape, id string, status spec.Status, want ...string) {
			t.done()
			Expect(broken(t.verdict())).To(ConsistOf(want))
			Expect(t.of(id).Status).To(Equal(status))
		},
		Entry("an answer", newTape().exchange("s1", odd, given, refusing).exchange("s1", onTurnEnd, "", `{}`), named, spec.StatusPass),
		Entry("an answer in another session", newTape().exchange("s1", odd, given, refusing).exchange("s2", onTurnEnd, "", `{}`), named, spec.StatusPass),
		Entry("any answer at all", newTape().exchange("s1", odd, given, refusing).exchange("s1", onTurnEnd, "", "HTTP/1.1 500 Oops\r\n\r\n"), named, spec.StatusPass, "delivery.answers-2xx"),
		Entry("nothing, since the case is over", newTape().exchange("s1", odd, given, refusing), named, spec.StatusNotObserved),
		Entry("a connection that closes", newTape().exchange("s1", odd, given, refusing).exchange("s1", onTurnEnd, "", gone), named, spec.StatusFail, named),
		Entry("nobody, however often", nobody(nobody(newTape().exchange("s1", odd, given, refusing), "s1"), "s1"), named, spec.StatusFail, named),
		Entry("nobody, after no answer either", nobody(newTape().exchange("s1", odd, given, gone), "s1"), named, spec.StatusFail, named, whole),
		Entry("somebody, after no answer", newTape().exchange("s1", odd, given, gone).exchange("s1", onTurnEnd, "", `{}`), named, spec.StatusPass, whole),
		Entry("nobody, as before it", newTape().exchange("s1", onTurnEnd, "", gone).exchange("s1", odd, given, gone).exchange("s1", onTurnEnd, "", gone),
			named, spec.StatusNotObserved, whole),
		Entry("a fresh session", newTape().raw("s1", "GET").reply("s1", "raw", "HTTP/1.1 405 No\r\n\r\n").
			add("s1a1", &spec.SessionEvent{Alive: &spec.AliveOf{Of: "s1"}}).exchange("s1a1", onStart, withAgent, config), strays, spec.StatusPass),
		Entry("a fresh session that meets nobody", nobody(newTape().raw("s1", "GET").reply("s1", "raw", "HTTP/1.1 405 No\r\n\r\n").
			add("s1a1", &spec.SessionEvent{Alive: &spec.AliveOf{Of: "s1"}}), "s1a1"), strays, spec.StatusFail, strays),
		Entry("nothing, where the request could not be made", newTape().raw("s1", "GET").
			add("s1", &spec.ResponseEvent{D: "raw", End: spec.EndOmitted}).exchange("s1", onTurnEnd, "", gone), strays, spec.StatusNotObserved, whole),
		Entry("nobody, a while after we had hung up", newTape().raw("s1", "POST").
			add("s1", &spec.ResponseEvent{D: "raw", End: spec.EndClientGone}).exchange("s1", onTurnEnd, "", `{}`).
			exchange("s1", onTurnEnd, "", `{}`).exchange("s1", onTurnEnd, "", gone), strays, spec.StatusFail, strays),
		Entry("a worker that was restarted between", newTape().exchange("s1", odd, given, refusing).
			add("", &spec.WorkerEvent{Event: "restarted"}).exchange("s1", onTurnEnd, "", gone), named, spec.StatusNotObserved, whole),
	)

	It("is not told by a capture, where somebody else may have ended it", func() {
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceCapture, Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession}})
		t.exchange("s1", odd, given, refusing).exchange("s1", onTurnEnd, "", gone).done()
		Expect(broken(t.verdict())).To(ConsistOf(whole))
		Expect(t.of(named).Status).To(Equal(spec.StatusNotObserved))
	})

	It("names the request that ended it, and what met nobody", func() {
		f := newTape().exchange("s1", odd, given, refusing).exchange("s1", onTurnEnd, "", gone).done().of(named).Findings[0]
		Expect([]string{f.Session, f.Exchange, string(f.Trigger), f.Got}).To(Equal([]string{
			"s1", "d1", "tool.execute", `after a call of "constructor" the next request (s1/d2) met nobody: closed before a response head`,
		}))
		f = newTape().raw("s1", "BREW").reply("s1", "raw", "HTTP/1.1 405 No\r\n\r\n").exchange("s1", onTurnEnd, "", gone).done().of(strays).Findings[0]
		Expect([]string{f.Exchange, string(f.Trigger), f.Got}).To(Equal([]string{
			"raw", "turn.finished", "after BREW / with 0 bytes the next request (s1/d1) met nobody: closed before a response head",
		}))
	})

	const (
		large   = "robustness.survives-large-arguments"
		nesting = "robustness.survives-deep-nesting"
		text    = "robustness.survives-odd-text"
		ids     = "robustness.survives-odd-ids"
		empty   = "robustness.survives-empty-text"
	)
	DescribeTable("is what the request holds",
		func(trigger string, want ...string) {
			t := newTape().exchange("s1", trigger, given, refusing).exchange("s1", onTurnEnd, "", `{}`).done()
			var seen []string
			for _, o := range t.verdict().Observations {
				if strings.HasPrefix(o.Requirement, "robustness.") && o.Status == spec.StatusPass {
					seen = append(seen, o.Requirement)
				}
			}
			Expect(seen).To(ConsistOf(want))
		},
		Entry("nothing odd", callOf("call_0aZ-9", "get_weather", `{"city":"Malmö\n"}`)),
		Entry("almost a megabyte", callOf("c1", "x", strings.Repeat("x", 1<<20-1))),
		Entry("a megabyte", callOf("c1", "x", strings.Repeat("x", 1<<20)), large),
		Entry("99 levels", callOf("c1", "x", strings.Repeat("[", 99))),
		Entry("100 levels", callOf("c1", "x", strings.Repeat(`{"a":`, 100)), nesting),
		Entry("brackets in a text", callOf("c1", "x", `{"a":"\"`+strings.Repeat("[", 100)+`"}`)),
		Entry("levels that end", callOf("c1", "x", strings.Repeat("[]", 100))),
		Entry("an escaped NUL", callOf("c1", "x", `{"a":"\u0000"}`), text),
		Entry("half a pair", callOf("c1", "x", `{"a":"\ud835"}`), text),
		Entry("an escape of a plain letter", callOf("c1", "x", `{"a":"\u0041\u00"}`)),
		Entry("a raw line feed", callOf("c1", "x", "{\"a\":\"\n\"}"), text),
		Entry("line breaks between the parts", callOf("c1", "x", "{\n\t\"a\": \"\\n\"\r\n}")),
		Entry("a combining mark", callOf("c1", "x", "{\"a\":\"e\u0301\"}"), text),
		Entry("an emoji", callOf("c1", "x", `{"a":"🏺"}`), text),
		Entry("no arguments", callOf("c1", "x", ""), empty),
		Entry("blank arguments", callOf("c1", "x", " \t"), empty),
		Entry("no name", callOf("c1", "", "{}"), empty),
		Entry("a long name", callOf("c1", strings.Repeat("x", 65), "{}"), named),
		Entry("a name with a dot", callOf("c1", "a.b", "{}"), named),
		Entry("an id with a quote", callOf(`c"1`, "x", "{}"), ids),
		Entry("an inherited id", callOf("toString", "x", "{}"), ids),
	)

	It("is what a client says that is new, and not what was said before", func() {
		says := func(newFrom string) *tape {
			return newTape().exchange("s1", `{"type":"client.messages","messages":[{"role":"user","content":"\u2028"},{"role":"user","content":"x"}],"new_from":`+newFrom+`,"client":{}}`, "", `{}`).
				exchange("s1", onTurnEnd, "", `{}`).done()
		}
		Expect(says("0").of(text).Status).To(Equal(spec.StatusPass))
		Expect(says("1").of(text).Status).To(Equal(spec.StatusNotObserved))
		Expect(says("9").of(text).Status).To(Equal(spec.StatusNotObserved))
	})
})

var _ = Describe("What a worker bears of a later protocol", func() {
	const fields, triggers = "robustness.tolerates-unknown-fields", "robustness.answers-unknown-triggers"
	with := func(adds string) *tape {
		t := newTape()
		t.adds, t.ahead = adds, adds == spec.AddsTrigger
		return t
	}

	It("blames a refusal on the fields, not on the delivery", func() {
		v := with(spec.AddsFields).exchange("s1", onExecute, "", "HTTP/1.1 422 No\r\n\r\nextra fields").done()
		Expect(broken(v.verdict())).To(ConsistOf(fields))
		Expect(v.of(fields).Status).To(Equal(spec.StatusWarn))
		Expect(v.of(fields).Findings[0].Got).To(HavePrefix("status 422, "))
	})

	It("judges what is taken like any other delivery", func() {
		v := with(spec.AddsFields).exchange("s1", onExecute, "", `{"actions":[{"type":"tool.error","error":""}]}`).done()
		Expect(v.of(fields).Status).To(Equal(spec.StatusPass))
		Expect(broken(v.verdict())).NotTo(BeEmpty())
	})

	It("blames nothing but the answer for an answer that does not read", func() {
		for answer, want := range map[string]string{
			`"ok"`: "response.is-an-object", `{"actions":null}`: "response.fits-the-protocol", "HTTP/1.1 204 No\r\n\r\n": "response.has-a-body",
		} {
			v := with(spec.AddsFields).exchange("s1", onExecute, "", answer).done()
			Expect(broken(v.verdict())).To(ContainElement(want), answer)
			Expect(v.of(fields).Status).To(Equal(spec.StatusPass), answer)
		}
		v := with(spec.AddsFields).exchange("s1", onExecute, "", "(the connection closes before a response head)").done()
		Expect(v.of(fields).Status).To(Equal(spec.StatusNotObserved))
	})

	It("takes any decision for an unknown trigger, and nothing else", func() {
		for answer, want := range map[string]spec.Status{
			`{}`: spec.StatusPass, `null`: spec.StatusPass, "HTTP/1.1 404 No\r\n\r\n": spec.StatusWarn, "oops": spec.StatusWarn,
			"(the connection closes before a response head)": spec.StatusWarn, "(no answer before the deadline)": spec.StatusWarn,
		} {
			v := with(spec.AddsTrigger).exchange("s1", `{"type":"hallmark.later"}`, "", answer).done()
			Expect(v.of(triggers).Status).To(Equal(want), answer)
			if want == spec.StatusPass {
				Expect(broken(v.verdict())).To(BeEmpty(), answer)
			} else {
				Expect(broken(v.verdict())).To(ConsistOf(triggers), answer)
			}
		}
	})
})
