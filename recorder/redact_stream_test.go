package recorder_test

import (
	"bytes"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("Redaction of a recording", func() {
	const long, short = "tok-0123456789-é-end", "345-inner"
	r := recorder.NewRedactor([]recorder.Secret{{Value: long}, {Value: short}}, []byte("k"))
	const stream = "event: x\ndata: {\"t\":\"tok-0123456789-é-end\"} 火345-inner tok-0123456789-é-en tok-01tok-0123456789-é-end"

	// cut sends body in pieces that end at the places given, and the response
	// after them.
	cut := func(x *recorder.Redaction, body string, places ...int) []spec.Event {
		var out []spec.Event
		from := 0
		for _, to := range append(places, len(body)) {
			piece := &spec.PieceEvent{D: "d1", Of: "response", Offset: int64(from), Body: spec.BodyOf([]byte(body[from:to]))}
			out = append(out, x.Redact(spec.Event{Session: "s1", Data: piece})...)
			from = to
		}
		end := &spec.ResponseEvent{D: "d1", Status: 200, Pieces: len(places) + 1, Bytes: int64(len(body)), End: spec.EndWhole}
		return append(out, x.Redact(spec.Event{Session: "s1", Data: end})...)
	}
	// joined puts the pieces together, and holds what the response says to them.
	joined := func(events []spec.Event) string {
		GinkgoHelper()
		var b bytes.Buffer
		for _, e := range events[:len(events)-1] {
			p := e.Data.(*spec.PieceEvent)
			Expect(p.Offset).To(Equal(int64(b.Len())))
			part, err := p.Body.Bytes()
			Expect(err).NotTo(HaveOccurred())
			Expect(part).NotTo(BeEmpty())
			b.Write(part)
		}
		end := events[len(events)-1].Data.(*spec.ResponseEvent)
		Expect(end.Pieces).To(Equal(len(events) - 1))
		Expect(end.Bytes).To(Equal(int64(b.Len())))
		return b.String()
	}

	It("finds a secret that is cut at any byte", func() {
		whole := joined(cut(r.Begin(), stream))
		Expect(strings.Count(whole, "hm-red-secret-")).To(Equal(3))
		Expect(whole).NotTo(ContainSubstring(long))
		Expect(whole).NotTo(ContainSubstring(short))
		for i := range len(stream) + 1 {
			Expect(joined(cut(r.Begin(), stream, i))).To(Equal(whole), "cut at %d", i)
			for j := i; j <= len(stream); j += 13 {
				Expect(joined(cut(r.Begin(), stream, i, j))).To(Equal(whole), "cut at %d and %d", i, j)
			}
		}
		By("and when every byte comes alone")
		var every []int
		for i := range len(stream) {
			every = append(every, i)
		}
		Expect(joined(cut(r.Begin(), stream, every...))).To(Equal(whole))
	})

	It("keeps text text, although it moves the cuts", func() {
		text := strings.Repeat("火", 40)
		for i := 3; i < len(text); i += 3 {
			for _, e := range cut(r.Begin(), text, i) {
				if p, ok := e.Data.(*spec.PieceEvent); ok {
					line, err := spec.MarshalEvent(spec.Event{Data: p})
					Expect(err).NotTo(HaveOccurred())
					Expect(string(line)).NotTo(ContainSubstring("base64"))
				}
			}
		}
	})

	It("keeps two streams apart, and gives out at the close what no response ended", func() {
		x := r.Begin()
		piece := func(d string, text string) []spec.Event {
			return x.Redact(spec.Event{Session: "s1", Data: &spec.PieceEvent{D: d, Of: "response", Body: spec.BodyOf([]byte(text))}})
		}
		Expect(piece("d1", long[:5])).To(BeEmpty())
		Expect(piece("d2", long[5:]+strings.Repeat(".", 30))).To(HaveLen(1))
		last := x.Redact(spec.Event{Data: &spec.CloseEvent{Why: "done"}})
		Expect(last).To(HaveLen(3))
		Expect(last[0].Session).To(Equal("s1"))
		Expect(last[0].Data.(*spec.PieceEvent).D).To(Equal("d1"))
		Expect(last[2].Session).To(BeEmpty())
	})

	It("writes recordings that verify", func() {
		var file bytes.Buffer
		w := recorder.NewWriter(&file, func() time.Duration { return 0 })
		x := r.Begin()
		events := x.Redact(spec.Event{Data: &spec.HeaderEvent{Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceTest, ID: "a"}})
		events = append(events, x.Redact(spec.Event{Session: "s1", Data: &spec.SessionEvent{SessionID: "1", Origin: "new"}})...)
		events = append(events, x.Redact(spec.Event{Session: "s1", Data: &spec.RequestEvent{D: "d1", Method: "POST", Body: spec.BodyOf([]byte("{}"))}})...)
		events = append(events, cut(x, stream, 20, 30, 70)...)
		for _, e := range events {
			Expect(w.Write(e)).To(Succeed())
		}
		Expect(w.Close("done", 0)).To(Succeed())
		Expect(file.String()).NotTo(Or(ContainSubstring(long), ContainSubstring(short)))
		report, err := recorder.Verify(&file, "a.jsonl")
		Expect(err).NotTo(HaveOccurred())
		Expect(report.State).To(Equal(recorder.StateWhole), report.String())
	})

	It("leaves all as it is without a secret", func() {
		var none *recorder.Redactor
		e := spec.Event{Data: &spec.PieceEvent{D: "d1", Of: "response", Body: spec.BodyOf([]byte("a"))}}
		Expect(none.Begin().Redact(e)).To(Equal([]spec.Event{e}))
		Expect(recorder.NewRedactor(nil, nil).Begin().Redact(e)).To(Equal([]spec.Event{e}))
	})
})
