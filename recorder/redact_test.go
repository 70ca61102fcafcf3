package recorder_test

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("Redactor", func() {
	const token = "tok-0123456789"
	r := recorder.NewRedactor([]recorder.Secret{{Value: token, Variable: "API_TOKEN"}, {Value: "pin"}, {Variable: "EMPTY"}}, []byte("a key of the run"))
	text := func(b spec.Body) string {
		GinkgoHelper()
		bytes, err := b.Bytes()
		Expect(err).NotTo(HaveOccurred())
		return string(bytes)
	}

	It("replaces secrets in headers and bodies, and counts them", func() {
		sent := &spec.RequestEvent{
			D:       "d1",
			Headers: [][2]string{{"Authorization", "Bearer " + token}, {"X-Pin", "pin"}, {"X-Other", "pinned"}},
			Body:    spec.BodyOf([]byte(`{"a":"` + token + `","b":"pin"}`)),
		}
		before := *sent
		got := r.Redact(spec.Event{Data: sent}).Data.(*spec.RequestEvent)
		Expect(got.Headers[0][1]).To(MatchRegexp(`^Bearer hm-red-secret-[a-z2-7]{8}-{10}$`))
		Expect(got.Headers[1][1]).To(HavePrefix("hm-red-secret-"))
		Expect(got.Headers[2][1]).To(Equal("pinned"), "a short secret counts as a whole value only")
		Expect(text(got.Body)).To(MatchRegexp(`^\{"a":"hm-red-secret-[a-z2-7]{8}-{10}","b":"pin"\}$`))
		Expect(got.Redacted).To(Equal(3))
		Expect(*sent).To(Equal(before), "the event that was given is left alone")
	})

	It("replaces secrets that a worker sends back, and keeps the length true", func() {
		body := []byte("\xff" + token + "\xff")
		e := spec.Event{Data: &spec.ResponseEvent{Headers: [][2]string{{"Set-Cookie", token}}, Body: spec.BodyOf(body), Bytes: int64(len(body))}}
		got := r.Redact(e).Data.(*spec.ResponseEvent)
		Expect(text(got.Body)).NotTo(ContainSubstring(token))
		Expect(got.Bytes).To(Equal(int64(len(text(got.Body)))))
		Expect(got.Headers[0][1]).NotTo(ContainSubstring(token))
		piece := r.Redact(spec.Event{Data: &spec.PieceEvent{Body: spec.BodyOf([]byte("data: " + token))}}).Data.(*spec.PieceEvent)
		Expect(text(piece.Body)).To(HavePrefix("data: hm-red-secret-"))
		worker := r.Redact(spec.Event{Data: &spec.WorkerEvent{Stderr: "bad token " + token}}).Data.(*spec.WorkerEvent)
		Expect(worker.Stderr).To(HavePrefix("bad token hm-red-secret-"))
	})

	It("gives one secret one stand-in within a run, and another in another", func() {
		of := func(r *recorder.Redactor) string {
			e := r.Redact(spec.Event{Data: &spec.RequestEvent{Headers: [][2]string{{"A", token}}}})
			return e.Data.(*spec.RequestEvent).Headers[0][1]
		}
		Expect(of(r)).To(Equal(of(r)))
		Expect(of(r)).NotTo(Equal(of(recorder.NewRedactor([]recorder.Secret{{Value: token}}, []byte("another key")))))
	})

	It("finds a secret in every event that holds words of others", func() {
		body := spec.BodyOf([]byte(`{"a":"` + token + `"}`))
		info := &spec.ErrorInfo{Message: token, Param: token, Detail: jsontext.Value(`"` + token + `"`)}
		for _, data := range []spec.EventData{
			&spec.RequestEvent{Body: body, Headers: [][2]string{{token, "x"}}},
			&spec.ResponseEvent{Body: body, Headers: [][2]string{{"X-" + token, "x"}}, Reason: token},
			&spec.PieceEvent{Body: body}, &spec.InputEvent{Body: body, Reply: token}, &spec.AskEvent{Body: body},
			&spec.ReplyEvent{Body: body, Error: info},
			&spec.OutcomeEvent{Param: token, Reason: token, Settled: []spec.Settled{{Reason: token}}},
			&spec.TurnEvent{Data: jsontext.Value(`"` + token + `"`), Error: info},
			&spec.WorkerEvent{Stderr: token, Exit: token}, &spec.CloseEvent{Why: token},
		} {
			before, err := spec.MarshalEvent(spec.Event{Data: data})
			Expect(err).NotTo(HaveOccurred())
			Expect(string(before)).To(ContainSubstring(token))
			after, err := spec.MarshalEvent(r.Redact(spec.Event{Data: data}))
			Expect(err).NotTo(HaveOccurred())
			Expect(string(after)).NotTo(ContainSubstring(token), string(data.EventKind()))
			again, err := spec.MarshalEvent(spec.Event{Data: data})
			Expect(err).NotTo(HaveOccurred())
			Expect(again).To(Equal(before), "the event that was given is left alone")
		}
	})

	It("knows a secret in the spellings of JSON, and the longest first", func() {
		slashed := recorder.NewRedactor([]recorder.Secret{{Value: "ab/cd/ef/01"}, {Value: `quo"ted\secret`}, {Value: "ab/cd/ef/01/and/more"}}, []byte("k"))
		got := slashed.Redact(spec.Event{Data: &spec.PieceEvent{Body: spec.BodyOf([]byte(`ab\/cd\/ef\/01 ab/cd/ef/01 quo\"ted\\secret ab/cd/ef/01/and/more`))}})
		Expect(text(got.Data.(*spec.PieceEvent).Body)).To(MatchRegexp(`^(hm-red-secret-\w{8}-{10} ?){4}$`))
	})

	It("pads a stand-in to the length class of its secret", func() {
		for n, class := range map[int]int{1: 32, 32: 32, 33: 64, 64: 64, 65: 128, 1000: 1024} {
			value := strings.Repeat("k", n)
			of := recorder.NewRedactor([]recorder.Secret{{Value: value}}, []byte("k"))
			e := of.Redact(spec.Event{Data: &spec.RequestEvent{Headers: [][2]string{{"A", value}}}})
			Expect(e.Data.(*spec.RequestEvent).Headers[0][1]).To(HaveLen(class), "%d bytes", n)
		}
	})

	It("leaves no part of secrets that overlap", func() {
		of := recorder.NewRedactor([]recorder.Secret{{Value: "one-two-three"}, {Value: "three-four"}}, []byte("k"))
		e := of.Redact(spec.Event{Data: &spec.PieceEvent{Body: spec.BodyOf([]byte("a one-two-three-four b"))}})
		Expect(text(e.Data.(*spec.PieceEvent).Body)).To(MatchRegexp(`^a hm-red-secret-\w{8}-{10} b$`))
	})

	It("tells a header which variables hold the secrets", func() {
		e := r.Redact(spec.Event{Data: &spec.HeaderEvent{}})
		Expect(e.Data.(*spec.HeaderEvent).Redaction.Variables).To(HaveLen(1))
		for standIn, variable := range e.Data.(*spec.HeaderEvent).Redaction.Variables {
			Expect(standIn + " " + variable).To(MatchRegexp(`^hm-red-secret-\w{8}-{10} API_TOKEN$`))
		}
	})

	It("hands back what holds no secret as it was", func() {
		e := spec.Event{Data: &spec.RequestEvent{Headers: [][2]string{{"A", "b"}}, Body: spec.BodyOf([]byte("{}"))}}
		Expect(r.Redact(e)).To(Equal(e))
		Expect((*recorder.Redactor)(nil).Redact(e).Data).To(BeIdenticalTo(e.Data))
	})
})
