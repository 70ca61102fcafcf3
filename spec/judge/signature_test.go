package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("A wrong signature", func() {
	const (
		forged = "signature.refuses-forged"
		by401  = "signature.refuses-with-401"
		turned = "HTTP/1.1 401 Unauthorized\r\n\r\nno"
	)
	// twin is a recording in which the same call ran, signed right.
	twin := func() *tape {
		return newTape().signed(spec.SignatureValid).add("s2", &spec.SessionEvent{Twin: "s1"}).exchange("s2", onExecute, "", sunny)
	}

	DescribeTable("is weighed by what the answer means",
		func(answer string, want ...string) {
			t := twin()
			t.sign = spec.SignatureForged
			v := t.exchange("s1", onExecute, "", answer).done().verdict()
			Expect(broken(v)).To(ConsistOf(want))
			o, _ := v.Of(forged)
			if len(want) == 1 && want[0] == forged {
				Expect(o.Status).To(Equal(spec.StatusFail))
				return
			}
			Expect(o.Status).To(Equal(spec.StatusPass), "it was refused")
		},
		Entry("status 401", turned),
		Entry("another status", "HTTP/1.1 403 Forbidden\r\n\r\nno", by401),
		Entry("a fault of its own", "HTTP/1.1 500 Oops\r\n\r\nno", by401),
		Entry("a redirect", "HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n", by401),
		Entry("status 200 with an error text", `{"error":"bad signature"}`, by401),
		Entry("status 200 without a body", "", by401),
		Entry("status 200 with what is no decision", "no", by401),
		Entry("the empty decision, where the real one is answered", `{}`, by401),
		Entry("a failed call, where the real one runs", `{"actions":[{"type":"tool.error","error":"bad signature"}]}`, by401),
		Entry("a connection that closes", "(the connection closes before a response head)", by401),
		Entry("a result", sunny, forged),
	)

	It("proves nothing where the right one is refused too", func() {
		t := newTape().signed(spec.SignatureForged).exchange("s1", onExecute, "", turned)
		o, _ := t.done().verdict().Of(forged)
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
		Expect(o.Reason).To(Equal("no rightly signed tool.execute was taken, so a refusal proves nothing"))
		Expect(o.Weak).To(BeTrue())
	})

	It("is free in another spelling of the right code", func() {
		for _, kind := range []string{spec.SignatureBareHex, spec.SignatureUpperHex} {
			for _, answer := range []string{sunny, turned} {
				t := twin()
				t.sign = kind
				Expect(broken(t.exchange("s1", onExecute, "", answer).done().verdict())).To(BeEmpty(), kind)
			}
		}
	})

	It("is a moment of no other requirement", func() {
		t := newTape().signed(spec.SignatureForged).exchange("s1", onExecute, "", "HTTP/1.1 500 No\r\n\r\n")
		for _, o := range t.done().verdict().Observations {
			Expect(o.Status).NotTo(BeElementOf(spec.StatusPass, spec.StatusFail), o.Requirement)
		}
	})

	It("that was obeyed leaves no call open", func() {
		t := twin()
		t.sign = spec.SignatureForged
		Expect(broken(t.exchange("s1", onExecute, "", sunny).done().verdict())).To(Equal([]string{forged}))
	})

	It("is held against nobody where the run does not sign", func() {
		t := newTape()
		t.sign = spec.SignatureAbsent
		v := t.exchange("s1", onExecute, "", sunny).done().verdict()
		o, _ := v.Of("signature.refuses-unsigned")
		Expect(o.Status).To(Equal(spec.StatusNotApplicable))
		Expect(o.Reason).To(ContainSubstring("--secret-env"))
	})

	It("in a capture is not judged as a decision, nor as provoked", func() {
		scheme := "hmac-sha256"
		t := newTapeWith(&spec.HeaderEvent{Source: spec.SourceCapture, Signing: &scheme, Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession}})
		d := t.ask("s1", onExecute, "")
		t.events[1].Data.(*spec.RequestEvent).Signature = spec.SignatureWrong
		v := t.reply("s1", d, turned).verdict()
		Expect(broken(v)).To(BeEmpty())
		o, _ := v.Of("delivery.answers-2xx")
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
	})
})

var _ = Describe("A right signature", func() {
	const turned = "HTTP/1.1 401 Unauthorized\r\n\r\nno"

	It("that is refused at first is about the secret, and later about the bytes", func() {
		t := newTape().signed(spec.SignatureValid)
		Expect(broken(t.exchange("s1", onExecute, "", turned).done().verdict())).To(Equal([]string{"signature.accepts-valid"}))
		t = newTape().signed(spec.SignatureValid).exchange("s1", onStart, withAgent, config)
		Expect(broken(t.exchange("s1", onExecute, "", "HTTP/1.1 403 No\r\n\r\n").verdict())).To(Equal([]string{"signature.covers-the-bytes"}))
	})

	It("shows that the bytes count only where a second encoder would change them", func() {
		t := newTape().signed(spec.SignatureValid).exchange("s1", onExecute, "", sunny)
		Expect(t.of("signature.covers-the-bytes").Status).To(Equal(spec.StatusNotObserved))
		t.exchange("s1", onExecute, `{"state":"é"}`, sunny)
		Expect(t.of("signature.covers-the-bytes").Status).To(Equal(spec.StatusPass))
	})
})

var _ = Describe("A call whose forged copy was refused", func() {
	const turned = "HTTP/1.1 401 Unauthorized\r\n\r\nno"
	play := func(twinAnswer, answer string) spec.Observation {
		t := newTape().signed(spec.SignatureValid)
		if twinAnswer != "" {
			t.add("s2", &spec.SessionEvent{Twin: "s1"}).exchange("s2", onExecute, "", twinAnswer)
		}
		t.sign, t.ahead = spec.SignatureForged, true
		t.exchange("s1", onExecute, "", turned)
		t.sign, t.ahead = spec.SignatureValid, false
		return t.exchange("s1", onExecute, "", answer).done().of("signature.checks-first")
	}

	It("ends as it does without the copy", func() {
		Expect(play(sunny, sunny).Status).To(Equal(spec.StatusPass))
		o := play(sunny, refused)
		Expect(o.Status).To(Equal(spec.StatusFail))
		Expect(o.Findings[0].Want).To(HaveSuffix("(s2/d1)"))
		Expect(o.Findings[0].Exchange).To(Equal("d3"))
	})

	It("tells nothing where there is no twin that ran", func() {
		Expect(play("", refused).Status).To(Equal(spec.StatusNotObserved))
		Expect(play(refused, refused).Status).To(Equal(spec.StatusNotObserved))
	})
})
