package recorder_test

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// withBodies changes the bodies of the example, the pieces of its stream
// included.
func withBodies(change func(d, of, body string) string) []spec.Event {
	GinkgoHelper()
	events, err := read(example())
	Expect(err).NotTo(HaveOccurred())
	text := func(d, of string, b *spec.Body) {
		if b.Text != nil {
			s := change(d, of, *b.Text)
			b.Text = &s
		}
	}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *spec.RequestEvent:
			text(d.D, "request", &d.Body)
		case *spec.ResponseEvent:
			text(d.D, "response", &d.Body)
		case *spec.PieceEvent:
			text(d.D, "piece", &d.Body)
		}
	}
	return events
}

func diff(a, b iter.Seq2[spec.Event, error], accept ...string) recorder.Comparison {
	GinkgoHelper()
	rules, err := recorder.ParseRules(accept)
	Expect(err).NotTo(HaveOccurred())
	c, err := recorder.Diff(a, b, recorder.DiffOptions{Accept: rules})
	Expect(err).NotTo(HaveOccurred())
	return c
}

var _ = Describe("Diff", func() {
	plain := func() iter.Seq2[spec.Event, error] { return recorder.NewReader(bytes.NewReader(example())).All() }
	same := recorder.Comparison{Exchanges: 8, Sessions: 1}

	It("finds a recording to be like itself", func() {
		Expect(diff(plain(), plain())).To(Equal(same))
	})

	It("compares ids by their order and not by their text, deadlines not at all", func() {
		other := withBodies(func(_, _, body string) string {
			return strings.NewReplacer(
				"01989a3c-5400-7c01", "0f0f0f0f-5400-7c01", "01989a3c-5400-7d0", "0f0f0f0f-9999-7d0",
				`"call_5QmZ"`, `"call_zzz"`, `"m-01"`, `"first"`, `"l-01"`, `"model-x"`, `"2026-08-28T12:`, `"2027-01-01T00:`,
			).Replace(body)
		})
		Expect(diff(plain(), sequence(other))).To(Equal(same))
	})

	It("tells two ids that were swapped, and one that is a part of a text", func() {
		other := withBodies(func(d, of, body string) string {
			if d == "d4" && of == "response" {
				return strings.Replace(body, "The calendar is busy", "call_5QmZ is busy", 1)
			}
			return body
		})
		c := diff(plain(), sequence(other))
		Expect(c.First).NotTo(BeNil())
		Expect(c.First.Pointer).To(Equal("/actions/0/error"))
		Expect(c.First.B).To(Equal(`"call_5QmZ is busy. Try again."`))
	})

	DescribeTable("finds the first place that differs",
		func(at, of, old, by string, want recorder.Difference) {
			other := withBodies(func(d, which, body string) string {
				if d == at && which == of {
					Expect(body).To(ContainSubstring(old))
					return strings.Replace(body, old, by, 1)
				}
				return body
			})
			c := diff(plain(), sequence(other))
			Expect(c.First).To(HaveValue(Equal(want)))
			Expect(c.Exchanges).To(Equal(int64(at[1] - '1')))
		},
		Entry("a text", "d4", "response", "busy", "shut", recorder.Difference{
			Session: "s1", ExchangeA: "d4", ExchangeB: "d4", LineA: 19, LineB: 19, What: recorder.WhatAnswer,
			Delivery: "tool.execute book_slot call 2", Pointer: "/actions/0/error", A: `"The calendar is busy. Try again."`, B: `"The calendar is shut. Try again."`,
		}),
		Entry("a member", "d4", "response", `,"retryable":true`, ``, recorder.Difference{
			Session: "s1", ExchangeA: "d4", ExchangeB: "d4", LineA: 19, LineB: 19, What: recorder.WhatAnswer,
			Delivery: "tool.execute book_slot call 2", Pointer: "/actions/0/retryable", A: `true`, B: `absent`,
		}),
		Entry("a request", "d6", "request", "Room 4 is booked", "Room 5 is booked", recorder.Difference{
			Session: "s1", ExchangeA: "d6", ExchangeB: "d6", LineA: 29, LineB: 29, What: recorder.WhatRequest,
			Delivery: "tool.finished book_slot call 2", Pointer: "request:/trigger/result/content/0/text", A: `"Room 4 is booked at 09:00."`, B: `"Room 5 is booked at 09:00."`,
		}),
		Entry("another trigger", "d1", "request", `"session.start"`, `"turn.started"`, recorder.Difference{
			Session: "s1", ExchangeA: "d1", ExchangeB: "d1", LineA: 6, LineB: 6, What: recorder.WhatOrder, A: "session.start", B: "turn.started",
		}),
	)

	It("takes what means the same for the same", func() {
		other := withBodies(func(d, of, body string) string {
			if of == "response" && d == "d4" {
				return ` {"messages": null , "agent":null,"actions" :[ {"error":"The calendar is b\u0075sy. Try again.","retryable":true,"type":"tool.error"} ]}`
			}
			return body
		})
		// "messages": null spoils an answer; without it all means the same.
		Expect(diff(plain(), sequence(other)).First).To(HaveField("What", recorder.WhatAnswer))
		other = withBodies(func(d, of, body string) string {
			if of == "response" && d == "d4" {
				return ` {"messages": [] , "agent":null,"actions" :[ {"error":"The calendar is b\u0075sy. Try again.","retryable":true,"type":"tool.error"} ]}`
			}
			return body
		})
		Expect(diff(plain(), sequence(other))).To(Equal(same))
	})

	It("lets places differ that are accepted, and names those where nothing does", func() {
		other := withBodies(func(d, of, body string) string {
			if d == "d4" && of == "response" {
				return strings.Replace(body, "busy", "shut", 1)
			}
			return body
		})
		Expect(diff(plain(), sequence(other), "/actions/*/error")).To(Equal(same))
		Expect(diff(plain(), sequence(other), "/actions/0/error", "request:/state", "/actions/0")).To(Equal(recorder.Comparison{Exchanges: 8, Sessions: 1, Refused: []*recorder.RuleError{
			{Rule: "request:/state", Reason: "no request has that place"},
			{Rule: "/actions/0", Reason: "covers more than what differs, which is /actions/0/error", Instead: []string{"/actions/0/error"}},
		}}))
	})

	It("lets a place differ that only one of them has, by the pointer that it shows", func() {
		other := withBodies(func(d, of, body string) string {
			if d == "d4" && of == "response" {
				return strings.Replace(body, `,"retryable":true`, "", 1)
			}
			return body
		})
		Expect(diff(plain(), sequence(other), "/actions/0/retryable")).To(Equal(same))
	})

	It("says what comes on one side only, and an outcome that is another", func() {
		events, err := read(example())
		Expect(err).NotTo(HaveOccurred())
		short := slices.DeleteFunc(slices.Clone(events), func(e spec.Event) bool { return e.N >= 38 && e.N < 41 })
		c := diff(plain(), sequence(short))
		Expect(c.First).To(HaveValue(Equal(recorder.Difference{Session: "s1", ExchangeA: "d8", LineA: 38, What: recorder.WhatOrder, A: "turn.finished", B: "nothing more"})))
		c = diff(sequence(short), plain())
		Expect(c.First).To(HaveValue(Equal(recorder.Difference{Session: "s1", ExchangeB: "d8", LineB: 38, What: recorder.WhatOrder, A: "nothing more", B: "turn.finished"})))

		other := withBodies(func(_, _, body string) string { return body })
		other[7].Data = &spec.OutcomeEvent{D: "d1", As: spec.OutcomeLate}
		Expect(diff(plain(), sequence(other)).First).To(HaveValue(HaveField("What", recorder.WhatOutcome)))
	})

	It("compares sessions each by itself, in whatever order they went", func() {
		events, err := read(example())
		Expect(err).NotTo(HaveOccurred())
		of := func(alias string) []spec.Event {
			var out []spec.Event
			for _, e := range events {
				if e.Session != "" {
					e.Session = alias
					out = append(out, e)
				}
			}
			return out
		}
		one, two := of("s1"), of("s2")
		after := slices.Concat(events[:1], one, two)
		var between []spec.Event
		for i := range one {
			between = append(between, two[i], one[i])
		}
		c := diff(sequence(after), sequence(append(events[:1:1], between...)))
		Expect(c).To(Equal(recorder.Comparison{Exchanges: 16, Sessions: 2}))
	})

	It("says which of the two does not read", func() {
		cut := recorder.NewReader(bytes.NewReader(example()[:9000])).All()
		_, err := recorder.Diff(plain(), cut, recorder.DiffOptions{})
		Expect(err).To(MatchError(HavePrefix("second recording: recording is cut")))
	})
})
