package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("session.start", func() {
	const (
		yields = "start.yields-a-config"
		either = "start.works-in-either-form"
		fails  = "HTTP/1.1 500 No\r\n\r\ncannot read tools of undefined"
	)

	It("passes both when both forms yield", func() {
		t := newTape().exchange("s1", onStart, withAgent, config).exchange("s2", onStart, "", config).done()
		Expect(t.of(yields).Count).To(Equal(2))
		Expect(t.of(either).Status).To(Equal(spec.StatusPass))
	})

	It("is one warning when a form fails and the other yields, whatever the failure (R2)", func() {
		for _, answer := range []string{`{}`, fails, "HTTP/1.1 204 No\r\n\r\n", "5"} {
			t := newTape().exchange("s1", onStart, withAgent, config).exchange("s2", onStart, "", answer).done()
			Expect(broken(t.verdict())).To(Equal([]string{either}), answer)
			o := t.of(either)
			Expect(o.Status).To(Equal(spec.StatusWarn))
			Expect(o.Findings[0].Session).To(Equal("s2"))
			Expect(o.Findings[0].Hint).To(ContainSubstring("agent file"))
			Expect(t.of(yields).Status).To(Equal(spec.StatusPass))
		}
	})

	It("is the worker's failure when no form yields", func() {
		t := newTape().exchange("s1", onStart, withAgent, fails).exchange("s2", onStart, "", `{}`).done()
		Expect(broken(t.verdict())).To(Equal([]string{"delivery.answers-2xx", yields}))
		o := t.of(yields)
		Expect(o.Findings).To(HaveLen(2))
		Expect(o.Findings[0].Got).To(ContainSubstring("status 500"))
		Expect(t.of(either).Status).To(Equal(spec.StatusNotObserved))
	})

	It("is not forgiven when the same form yields elsewhere", func() {
		t := newTape().exchange("s1", onStart, withAgent, config).exchange("s2", onStart, withAgent, fails).done()
		Expect(broken(t.verdict())).To(Equal([]string{"delivery.answers-2xx"}))
	})

	It("is not observed when only one form was tried", func() {
		o := newTape().exchange("s1", onStart, withAgent, config).done().of(either)
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
		Expect(o.Reason).To(Equal("session.start was tried in one form only"))
	})

	It("is not observed when the worker was not there", func() {
		t := newTape()
		d := t.ask("s1", onStart, "")
		t.add("s1", &spec.ResponseEvent{D: d, End: spec.EndReset, Reason: spec.ReasonRefused})
		Expect(broken(t.done().verdict())).To(BeEmpty())
		Expect(t.of(yields).Status).To(Equal(spec.StatusNotObserved))
	})

	It("is one warning too when a form is met by a closed connection", func() {
		t := newTape().exchange("s1", onStart, withAgent, config)
		t.exchange("s2", onStart, "", "(the connection closes before a response head)").done()
		Expect(broken(t.verdict())).To(Equal([]string{either}))
	})

	It("that never comes to an answer says nothing of the config", func() {
		for words := range wordsOf {
			v := newTape().exchange("s1", onStart, "", words).done().verdict()
			Expect(broken(v)).NotTo(ContainElement(yields), words)
			Expect(broken(v)).To(HaveLen(1))
		}
	})

	It("may fail once and be delivered again", func() {
		t := newTape().exchange("s1", onStart, "", "HTTP/1.1 503 No\r\n\r\n").exchange("s1", onStart, "", config).done()
		Expect(t.of(yields).Status).To(Equal(spec.StatusPass))
		Expect(t.of("delivery.answers-2xx").Status).To(Equal(spec.StatusFail))
	})
})
