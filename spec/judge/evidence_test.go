package judge_test

import (
	"runtime"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

var _ = Describe("Evidence", func() {
	It("that a recording does not hold leaves a requirement unobserved, with the reason", func() {
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceTest, Evidence: []spec.Evidence{spec.EvidenceExchange}})
		v := t.exchange("s1", onExecute, "", `{}`).done().verdict()
		Expect(broken(v)).To(BeEmpty())
		for _, o := range v.Observations {
			r, _ := spec.LookupRequirement(o.Requirement)
			if r.Evidence == spec.EvidenceSession {
				Expect(o.Status).To(Equal(spec.StatusNotObserved))
				Expect(o.Reason).To(Equal("the recording does not hold the evidence that this needs: session"))
			}
		}
		o, _ := v.Of("delivery.answers-2xx")
		Expect(o.Status).To(Equal(spec.StatusPass))
	})

	It("is none at all without a header", func() {
		t := newTapeWith(nil)
		for _, o := range t.exchange("s1", onExecute, "", "5").verdict().Observations {
			Expect(o.Status).To(Equal(spec.StatusNotObserved))
			Expect(o.Reason).To(ContainSubstring("no header"))
		}
	})
})

var _ = Describe("A verdict", func() {
	It("may be asked for twice, and in between", func() {
		t := newTape().exchange("s1", onStart, "", `{}`).exchange("s1", onExecute, "", `{}`).exchange("s1", onUnknown, unknown, refused)
		j := judge.New(judge.Options{})
		for _, e := range t.events {
			j.Add(e)
		}
		before := j.Verdict()
		Expect(j.Verdict()).To(Equal(before))
		j.Add(spec.Event{Data: &spec.CloseEvent{Why: spec.CloseScriptDone}})
		Expect(broken(before)).NotTo(ContainElement("execute.settles"))
		Expect(broken(j.Verdict())).To(ContainElement("execute.settles"))
	})

	It("keeps a bounded number of findings and counts the rest", func() {
		j := judge.New(judge.Options{MaxFindings: 3})
		t := newTape()
		for range 10 {
			t.exchange("s1", onExecute, "", "5")
		}
		for _, e := range t.events {
			j.Add(e)
		}
		o, _ := j.Verdict().Of("response.is-an-object")
		Expect(o.Findings).To(HaveLen(3))
		Expect(o.Count).To(Equal(10))
		Expect(o.Reason).To(Equal("7 more findings are left out"))
	})

	It("lists findings in the order of the requests, across sessions", func() {
		t := newTape()
		a, b := t.ask("s1", onExecute, ""), t.ask("s2", onExecute, "")
		t.reply("s2", b, "5").reply("s1", a, "6").exchange("s2", onExecute, "", "7")
		var got []string
		for _, f := range t.done().of("response.is-an-object").Findings {
			got = append(got, f.Got)
		}
		Expect(got).To(Equal([]string{"6", "5", "7"}))
	})
})

// live is the heap in use after a full collection, in bytes.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

var _ = Describe("Memory", Serial, func() {
	It("does not grow with the number of exchanges", func() {
		j := judge.New(judge.Options{})
		big := `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 32<<10) + `"}]}}]}`
		one := func() []spec.Event {
			return newTape().exchange("s1", onExecute, "", big).exchange("s1", onFinished, "", `{}`).events
		}
		feed := func(times int) {
			for range times {
				for _, e := range one() {
					j.Add(e)
				}
			}
		}
		feed(10)
		before := live()
		feed(150)
		after := live()
		// 150 answers of 32 KiB have passed; none may have stayed.
		Expect(int64(after) - int64(before)).To(BeNumerically("<", 2<<20))
		o, _ := j.Verdict().Of("execute.settles")
		Expect(o.Count).To(Equal(160))
	})

	It("does not grow with requests that are never answered", func() {
		j := judge.New(judge.Options{})
		body := spec.BodyOf([]byte(strings.Repeat("x", 64<<10)))
		j.Add(spec.Event{Data: &spec.HeaderEvent{Evidence: allEvidence}})
		before := live()
		for range 1000 {
			clone := strings.Clone(*body.Text)
			j.Add(spec.Event{Session: "s1", Data: &spec.RequestEvent{D: "d1", Body: spec.Body{Text: &clone}}})
		}
		Expect(int64(live()) - int64(before)).To(BeNumerically("<", 16<<20))
		runtime.KeepAlive(j)
	})
})
