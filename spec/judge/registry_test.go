package judge_test

import (
	"cmp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// stage adds what has to stand beside an example for it to be judged: the
// other form of session.start, the twin of a refusal, or a session like it.
func stage(t *tape, id string) {
	switch id {
	case "start.works-in-either-form":
		t.exchange("s0", onStart, withAgent, config)
	case "restart.keeps-going":
		t.exchange("s1", onExecute, "", sunny).add("", &spec.WorkerEvent{Event: "restarted"})
	case "deferred.runs-the-inner-tool":
		outright(t)
	case "execute.refuses-undeclared":
		t.exchange("s1", onExecute, "", sunny)
	case "subagent.acts-as-its-agent":
		// The caller was started with the config that is wrong for the subagent.
		r, _ := spec.LookupRequirement(id)
		t.exchange("caller", onStart, withAgent, r.Bad.Answer)
	case "state.stays-on-its-branch":
		for _, session := range []string{"s0", "s1", "s2"} {
			t.add(session, &spec.SessionEvent{})
		}
		beside(t, "s0")
	}
}

// ordeals are the triggers that a worker has to live through, by requirement.
var ordeals = map[string]string{
	"robustness.survives-large-arguments":       callOf("c1", "get_whether", strings.Repeat("x", 1<<20)),
	"robustness.survives-long-history":          onTurnEnd,
	"robustness.survives-deep-nesting":          callOf("c1", "get_whether", strings.Repeat("[", 100)),
	"robustness.survives-odd-text":              callOf("c1", "get_whether", "{\"a\":\"\u2028\"}"),
	"robustness.survives-odd-names":             callOf("c1", "constructor", "{}"),
	"robustness.survives-odd-ids":               callOf("../c1", "get_whether", "{}"),
	"robustness.survives-many-calls":            callOf("c1", "get_whether", "{}"),
	"robustness.survives-empty-text":            callOf("c1", "get_whether", ""),
	"robustness.survives-what-it-does-not-know": onTurnEnd,
	"robustness.survives-broken-requests":       "",
}

// callOf is a tool.execute of a tool that is not declared.
func callOf(id, name, arguments string) string {
	quote := func(s string) string { return string(jsonv.Quote(s)) }
	return `{"type":"tool.execute","id":` + quote(id) + `,"name":` + quote(name) + `,"arguments":` + quote(arguments) +
		`,"input":{"status":"malformed","error":"x"},"attempt":0}`
}

// ordeal is answered rightly; what comes after it is the example.
func ordeal(t *tape, id, trigger string) {
	switch id {
	case "robustness.survives-broken-requests":
		t.raw("s1", "GET").reply("s1", "raw", "HTTP/1.1 405 Method Not Allowed\r\n\r\n")
	case "robustness.survives-long-history":
		messages := strings.Repeat(`,{"id":"m","role":"user","content":"x","tool_calls":[]}`, 200)
		t.exchange("s1", trigger, `{"messages":[`+messages[1:]+`]}`, `{}`)
	case "robustness.survives-what-it-does-not-know":
		t.adds = spec.AddsFields
		t.exchange("s1", trigger, "", `{}`)
	default:
		given := `{"proposed":{"actions":[{"type":"tool.error","id":"c1","error":"no","retryable":false}]}}`
		if id == "robustness.survives-many-calls" {
			given = `{"pending_calls":32,` + given[1:]
		}
		t.exchange("s1", trigger, given, `{"actions":[{"type":"tool.error","error":"there is no such tool, try get_weather"}]}`)
	}
}

// judgeSigned judges an example whose request is signed. Before it a right one
// is taken, in the session and in one that is its twin, except where the secret
// itself is in doubt.
func judgeSigned(id string, e spec.Example) judge.Verdict {
	t := newTape().signed(spec.SignatureValid)
	if id != "signature.accepts-valid" {
		t.add("s2", &spec.SessionEvent{Twin: "s1"}).exchange("s2", e.Trigger, "", sunny)
	}
	t.sign = e.Signature
	if e.Before != "" {
		t.ahead = true
		t.exchange("s1", e.Trigger, e.Given, e.Before)
		t.sign, t.ahead = spec.SignatureValid, false
	}
	return t.exchange("s1", e.Trigger, e.Given, e.Answer).done().verdict()
}

// beside is what the example of a branch says in a session that has no other.
func beside(t *tape, session string) {
	r, _ := spec.LookupRequirement("state.stays-on-its-branch")
	messages, _ := jsonv.Get([]byte(r.Good.Given), "/messages")
	t.exchange(session, r.Good.Trigger, `{"messages":`+string(messages)+`}`, r.Good.Answer)
}

// outright is the example's call of a deferred tool, made without call_tool.
func outright(t *tape) {
	r, _ := spec.LookupRequirement("deferred.runs-the-inner-tool")
	agent, _ := jsonv.Get([]byte(r.Good.Given), "/agent")
	t.exchange("s1", onExecute, `{"agent":`+string(agent)+`}`, sunny)
}

func judgeExample(id string, e spec.Example) judge.Verdict {
	if e.Signature != "" {
		return judgeSigned(id, e)
	}
	t := newTape()
	stage(t, id)
	if trigger, ok := ordeals[id]; ok {
		ordeal(t, id, trigger)
	}
	t.adds = e.Adds
	if e.Declares != "" {
		t.declares(map[string]string{spec.AllTools: e.Declares})
	}
	if e.Before != "" {
		t.exchange("s1", cmp.Or(e.BeforeTrigger, e.Trigger), e.Given, e.Before)
	}
	t.exchange("s1", e.Trigger, e.Given, e.Answer)
	if id == "restart.keeps-its-work" {
		t.add("", &spec.WorkerEvent{Event: "restarted"})
	}
	switch id {
	case "state.stays-on-its-branch":
		beside(t, "s2")
	case "deferred.runs-the-inner-tool":
		outright(t)
	}
	for _, s := range e.Settles {
		t.settles("s1", cmp.Or(s.From, "worker"), s.Body, s.Status, s.Reply)
	}
	return t.done().verdict()
}

// findings are those that an example of a level is held to.
func findings(v judge.Verdict, level spec.Level) []string {
	if level == spec.Advice {
		return append(broken(v), advised(v)...)
	}
	return broken(v)
}

var _ = Describe("The registry and the judge", func() {
	for _, r := range spec.Requirements() {
		if judge.Unchecked(r.ID) != "" {
			It("says why nobody judges "+r.ID, func() {
				o, ok := newTape().verdict().Of(r.ID)
				Expect(ok).To(BeTrue())
				Expect(o.Status).To(Equal(spec.StatusNotObserved))
				Expect(o.Reason).To(Equal(judge.Unchecked(r.ID)))
			})
			continue
		}
		It("passes the good example of "+r.ID, func() {
			v := judgeExample(r.ID, r.Good)
			o, _ := v.Of(r.ID)
			Expect(o.Status).To(Equal(spec.StatusPass), "%+v", o)
			Expect(findings(v, r.Level)).To(BeEmpty())
		})
		It("names the bad example of "+r.ID+", and nothing else", func() {
			v := judgeExample(r.ID, r.Bad)
			Expect(findings(v, r.Level)).To(Equal([]string{r.ID}))
			o, _ := v.Of(r.ID)
			want := spec.StatusWarn
			if r.Level == spec.Must {
				want = spec.StatusFail
			}
			Expect(o.Status).To(Equal(want))
			for _, f := range o.Findings {
				Expect(f.Requirement).To(Equal(r.ID))
				Expect(f.Got).NotTo(BeEmpty())
				Expect(f.Want).NotTo(BeEmpty())
				Expect(f.Session).To(Equal("s1"))
				Expect(f.Exchange).NotTo(BeEmpty())
				Expect(f.Trigger).NotTo(BeEmpty())
			}
		})
	}

	It("has a check or a written reason for each requirement, and no other check", func() {
		known := map[string]int{}
		for _, r := range spec.Requirements() {
			known[r.ID] = 0
		}
		for _, id := range judge.Checked() {
			Expect(known).To(HaveKey(id))
			known[id]++
			Expect(judge.Unchecked(id)).To(BeEmpty(), "%s has a check and a reason why not", id)
		}
		for id, checks := range known {
			if judge.Unchecked(id) == "" {
				Expect(checks).To(Equal(1), id)
			}
		}
	})

	It("gives every requirement, in registry order, with a reason where nothing was observed", func() {
		v := newTape().signed(spec.SignatureValid).done().verdict()
		all := spec.Requirements()
		Expect(v.Observations).To(HaveLen(len(all)))
		for i, o := range v.Observations {
			Expect(o.Requirement).To(Equal(all[i].ID))
			Expect(o.Status).To(Equal(spec.StatusNotObserved))
			Expect(o.Reason).NotTo(BeEmpty())
			Expect(o.Count).To(BeZero())
		}
	})
})
