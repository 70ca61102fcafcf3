package spec_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

func collect(events ...spec.Event) []*spec.Exchange {
	return slices.Collect(spec.Exchanges(slices.Values(events)))
}

func event(data spec.EventData) spec.Event { return spec.Event{Session: "s1", Data: data} }

func request(d string) spec.Event {
	return event(&spec.RequestEvent{D: d, Trigger: spec.OnToolExecute, Body: spec.BodyOf([]byte(
		`{"session_id":"s","decision_id":"` + d + `","agent_id":"a","trigger":{"type":"tool.execute","id":"c1",` +
			`"name":"f","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}}`))})
}

func response(d, body string) spec.Event {
	return event(&spec.ResponseEvent{D: d, Status: 200, Body: spec.BodyOf([]byte(body)), End: spec.EndWhole})
}

func outcome(d, as string) spec.Event { return event(&spec.OutcomeEvent{D: d, As: as}) }

func names(xs []*spec.Exchange) []string {
	var out []string
	for _, x := range xs {
		out = append(out, fmt.Sprintf("%d %s", x.N, x.D))
	}
	return out
}

var _ = Describe("Exchanges", func() {
	It("puts the example together", func() {
		xs := collect(exampleEvents(GinkgoTB())...)
		Expect(names(xs)).To(Equal([]string{"1 d1", "2 d2", "3 d3", "4 d4", "5 d5", "6 d6", "7 d7", "8 d8"}))
		var steps []int
		for _, x := range xs {
			Expect(x.Session).To(Equal("s1"))
			Expect(x.Damage).To(BeEmpty())
			Expect(x.IsDelivery()).To(BeTrue())
			Expect(x.Outcome.As).To(Equal(spec.OutcomeAccepted))
			asked, fault := x.Asked()
			Expect(fault).To(BeNil())
			Expect(asked.DecisionID).To(Equal(x.Request.Decision))
			Expect(asked.Trigger.TriggerType()).To(Equal(x.Request.Trigger))
			sent, err := spec.Marshal(asked)
			Expect(err).NotTo(HaveOccurred())
			pointer, _, _, same := jsonv.Diff(sent, x.RequestBody)
			Expect(same).To(BeTrue(), pointer)
			d, failure := x.Decided()
			Expect(failure).To(BeNil())
			Expect(d.IsEmpty()).To(BeFalse())
			again, _ := x.Decided()
			Expect(again).To(BeIdenticalTo(d), "decoded once")
			steps = append(steps, *x.Step)
		}
		Expect(steps).To(Equal([]int{0, 0, 1, 1, 1, 1, 2, 2}))
		Expect(string(xs[4].ResponseBody)).To(HavePrefix(": working\n\nevent: decision.result\n"))
		Expect(xs[4].ResponseBody).To(HaveLen(142))
		Expect(xs[4].RequestHeader("Content-Type")).To(Equal("application/json"))
		d, _ := xs[4].Decided()
		Expect(d.Actions).To(ConsistOf(BeAssignableToTypeOf(spec.ToolResultAction{})))
	})

	It("yields in the order of the requests, whatever the order of the answers", func() {
		xs := collect(request("d1"), request("d2"), response("d2", "{}"), outcome("d2", spec.OutcomeAccepted),
			response("d1", "null"), outcome("d1", spec.OutcomeLate))
		Expect(names(xs)).To(Equal([]string{"1 d1", "2 d2"}))
		Expect(xs[0].Outcome.As).To(Equal(spec.OutcomeLate))
		Expect(string(xs[1].ResponseBody)).To(Equal("{}"))
	})

	It("does not wait for outcomes in a capture", func() {
		header := spec.Event{Data: &spec.HeaderEvent{Source: spec.SourceCapture, Evidence: []spec.Evidence{spec.EvidenceExchange}}}
		var seen []string
		for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
			_ = yield(header) && yield(request("d1")) && yield(response("d1", "{}"))
			seen = append(seen, "end of events")
		}) {
			seen = append(seen, x.D)
		}
		Expect(seen).To(Equal([]string{"d1", "end of events"}))
	})

	It("waits for the outcome in a test", func() {
		header := spec.Event{Data: &spec.HeaderEvent{Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceEngine}}}
		var seen []string
		for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
			_ = yield(header) && yield(request("d1")) && yield(response("d1", "{}"))
			seen = append(seen, "response")
			_ = yield(outcome("d1", spec.OutcomeAccepted))
		}) {
			seen = append(seen, x.D)
		}
		Expect(seen).To(Equal([]string{"response", "d1"}))
	})

	It("stops when its reader does", func() {
		n := 0
		for range spec.Exchanges(slices.Values([]spec.Event{request("d1"), request("d2")})) {
			n++
			break
		}
		Expect(n).To(Equal(1))
	})

	It("yields what was never answered at the end", func() {
		xs := collect(request("d1"))
		Expect(xs[0].Answer().End).To(Equal(spec.EndReset))
		_, failure := xs[0].Decided()
		Expect(failure.Info.Code).To(Equal(spec.CodeWorkerUnreachable))
	})

	It("keeps both outcomes of a delivery that ran out of time and was answered late", func() {
		ranOut := event(&spec.OutcomeEvent{D: "d1", As: spec.OutcomeFailed, Class: "retryable", Code: spec.CodeDeadlineExceeded})
		for _, events := range [][]spec.Event{
			{request("d1"), ranOut, response("d1", "{}"), outcome("d1", spec.OutcomeLate)},
			{request("d1"), response("d1", "{}"), ranOut, outcome("d1", spec.OutcomeLate)},
		} {
			xs := collect(events...)
			Expect(xs).To(HaveLen(1))
			Expect(xs[0].Outcomes).To(HaveLen(2))
			Expect(xs[0].Outcome.As).To(Equal(spec.OutcomeLate))
		}
	})

	It("does not count a stale connection as a delivery", func() {
		stale := event(&spec.ResponseEvent{D: "d1", End: spec.EndStale})
		xs := collect(request("d1"), stale, request("d2"), response("d2", "{}"))
		Expect(xs[0].IsDelivery()).To(BeFalse())
		Expect(xs[1].IsDelivery()).To(BeTrue())
	})

	It("waits for no response to a request that was lost on purpose", func() {
		var got []string
		for x := range spec.Exchanges(slices.Values([]spec.Event{
			event(&spec.HeaderEvent{Evidence: []spec.Evidence{spec.EvidenceEngine}}),
			request("d1"), event(&spec.DisturbEvent{D: "d1", Do: "lose-request"}), outcome("d1", spec.OutcomeFailed),
			request("d2"), response("d2", "{}"), outcome("d2", spec.OutcomeAccepted), request("d3"),
		})) {
			got = append(got, x.D)
			if x.D == "d2" {
				break
			}
		}
		Expect(got).To(Equal([]string{"d1", "d2"}))
	})

	It("keeps the steps of sessions apart", func() {
		step := func(session string, n int) spec.Event {
			return spec.Event{Session: session, Data: &spec.StepEvent{Step: n, Verb: "user"}}
		}
		in := func(session, d string) spec.Event {
			return spec.Event{Session: session, Data: &spec.RequestEvent{D: d}}
		}
		xs := collect(step("s1", 0), step("s2", 1), in("s1", "d1"), in("s2", "d1"), in("s3", "d1"))
		Expect(*xs[0].Step).To(Equal(0))
		Expect(*xs[1].Step).To(Equal(1))
		Expect(xs[2].Step).To(BeNil())
	})

	It("takes what is told ahead of the request", func() {
		xs := collect(
			event(&spec.DisturbEvent{D: "d1", Do: "lose-answer"}),
			event(&spec.PieceEvent{D: "d1", Of: "request", Offset: 0, Body: spec.BodyOf([]byte("{\"a\":"))}),
			event(&spec.PieceEvent{D: "d1", Of: "request", Offset: 5, Body: spec.BodyOf([]byte("1}"))}),
			event(&spec.RequestEvent{D: "d1", Pieces: 2}),
			event(&spec.DisturbEvent{D: "d1", Do: "overlap"}),
		)
		Expect(string(xs[0].RequestBody)).To(Equal(`{"a":1}`))
		Expect(xs[0].Disturbed).To(HaveLen(2))
	})

	It("passes over events that belong to no request", func() {
		stray := []spec.Event{
			response("d9", "{}"), outcome("d9", spec.OutcomeLate),
			event(&spec.PieceEvent{D: "d9", Of: "response"}), event(&spec.UnknownEvent{Kind: "later"}),
		}
		for i := range 200 {
			stray = append(stray, event(&spec.DisturbEvent{D: fmt.Sprint("x", i)}))
		}
		Expect(names(collect(append(stray, request("d1"))...))).To(Equal([]string{"1 d1"}))
	})

	It("keeps sessions apart", func() {
		other := response("d1", `{"state":1}`)
		other.Session = "s2"
		second := request("d1")
		second.Session = "s2"
		xs := collect(request("d1"), second, other, response("d1", "{}"))
		Expect(string(xs[0].ResponseBody)).To(Equal("{}"))
		Expect(string(xs[1].ResponseBody)).To(Equal(`{"state":1}`))
	})

	DescribeTable("says that a body is damaged",
		func(want string, events ...spec.Event) {
			Expect(collect(append([]spec.Event{request("d1")}, events...)...)[0].Damage).To(Equal(want))
		},
		Entry("a hole between pieces", "response piece is missing or doubled",
			event(&spec.PieceEvent{D: "d1", Of: "response", Offset: 3, Body: spec.BodyOf([]byte("x"))})),
		Entry("base64 of a piece", "response piece: illegal base64 data at input byte 0",
			event(&spec.PieceEvent{D: "d1", Of: "response", Body: spec.Body{Base64: "%"}})),
		Entry("base64 of a body", "response body: illegal base64 data at input byte 0",
			event(&spec.ResponseEvent{D: "d1", Body: spec.Body{Base64: "%"}})),
	)

	It("does not hold a whole file for one request that stays open", func() {
		const many = 5000
		pulled, most := 0, 0
		for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
			if !yield(request("hung")) {
				return
			}
			for i := range many {
				d := fmt.Sprint("d", i)
				if !yield(request(d)) || !yield(response(d, "{}")) || !yield(outcome(d, spec.OutcomeAccepted)) {
					return
				}
				pulled++
			}
		}) {
			if x.D != "hung" {
				most = max(most, pulled-(x.N-2))
				continue
			}
			Expect(pulled).To(Equal(many), "the open one comes last")
		}
		Expect(most).To(BeNumerically(">", 1000))
		Expect(most).To(BeNumerically("<", 1100))
	})

	It("does not mix two requests of one name", func() {
		xs := collect(request("d1"), request("d1"), response("d1", "{}"))
		Expect(names(xs)).To(Equal([]string{"1 d1", "2 d1"}))
		Expect(xs[0].Response).To(BeNil())
		Expect(xs[1].Response).NotTo(BeNil())
	})
})
