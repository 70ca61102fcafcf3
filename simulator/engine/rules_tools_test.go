package engine

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("E: arguments", func() {
	It("E2: reads them by the schema that the model saw, not by that of now", func() {
		b := opened(testConfig())
		b.step(calls(b.asked[0].Call, [3]string{"c1", "tide_table", `{"quay":2}`}))
		proposed := marshal(b.last().Request.Proposed)
		changed := strings.Replace(string(proposed), `"state":null`, `"agent":{"model":"m-small","llm":"main"}`, 1)
		b.answer(changed)
		t := b.last().Request.Trigger.(spec.ToolExecuteTrigger)
		Expect(t.Input.Status).To(Equal(spec.InputInvalid))
		Expect(b.last().Request.Proposed.Actions).To(HaveLen(1))
	})

	It("E3: checks no schema for a call that the worker made itself", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[{"type":"tool.call","id":"w","name":"tide_table","arguments":{"z":1,"a":2}}]}`)
		t := b.last().Request.Trigger.(spec.ToolExecuteTrigger)
		Expect(t.Arguments).To(Equal(`{"a":2,"z":1}`))
		Expect(t.Input.Status).To(Equal(spec.InputValid))
		Expect(b.last().Request.Proposed.IsEmpty()).To(BeTrue())
	})

	It("E8: delivers all three classes", func() {
		for arguments, want := range map[string]spec.InputStatus{
			`{"port":"Brest"}`: spec.InputValid, `{}`: spec.InputInvalid, `[`: spec.InputMalformed,
		} {
			b := opened(testConfig())
			b.step(calls(b.asked[0].Call, [3]string{"c1", "tide_table", arguments}))
			b.echo()
			Expect(b.last().Request.Trigger.(spec.ToolExecuteTrigger).Input.Status).To(Equal(want))
		}
	})
})

var _ = Describe("F: settling", func() {
	It("F8: makes the uris of blobs and keeps no bytes", func() {
		b := executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","content":[{"type":"image","data":"aGVsbG8=","mimeType":"image/png"}]}]}`)
		t := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
		Expect(t.Result.Content).To(Equal([]spec.StoredContent{
			{Type: spec.BlockBlob, URI: "blob://simulated/blob-1?mime=image%2Fpng&size=5"},
		}))
	})

	It("F11, F12: ends a flagged result that breaks its schema with an error", func() {
		b := newBench(testConfig())
		b.step(user("hello"))
		b.answer(`{"agent":{"model":"m","llm":"main","tools":[{"name":"t","output":{"type":"number"}}]}}`)
		b.echo()
		b.step(calls(b.asked[0].Call, [3]string{"c1", "t", `{}`}))
		b.echo()
		b.answer(`{"actions":[{"type":"tool.result","result":"gauge stuck","is_error":true}]}`)
		t := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
		Expect(t.OK).To(BeFalse())
		Expect(t.Error.Code).To(Equal(spec.CodeInvalidResponse))
		Expect(t.Error.Param).To(Equal("output"))
	})

	It("F13: finishes a flagged result ok", func() {
		b := executing(testConfig())
		b.answer(`{"actions":[{"type":"tool.result","result":"gauge stuck","is_error":true}]}`)
		t := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
		Expect(t.OK).To(BeTrue())
		Expect(t.Result.IsError).To(BeTrue())
	})
})

var _ = Describe("G: calls side by side", func() {
	It("G5: takes a redelivery up only when nothing queued can go", func() {
		b := executing(testConfig(), "c2", "c3")
		waiting := b.last().Decision
		b.fail(httpStatus(503))
		b.step(Tick{To: b.Now() + 10*time.Second})
		Expect(b.last().Call).To(Equal("c2"))
		b.answer(`{}`)
		Expect(b.last().Call).To(Equal("c3"), "due for 8 s, but c3 is queued")
		b.answer(`{}`)
		Expect(b.last().Decision).To(Equal(waiting))
	})

	It("G10: repeats the model call that asked, whatever the config is now", func() {
		b := executing(testConfig())
		b.answer(`{"agent":{"model":"m-large","llm":"spare"},"actions":[{"type":"tool.result","result":"free"}]}`)
		call := b.last().Request.Proposed.Actions[0].(spec.LlmCallAction)
		Expect([]string{*call.Llm, *call.Model}).To(Equal([]string{"main", "m-small"}))
		Expect(call.Tools).To(HaveLen(3))
		Expect(call.Messages).To(HaveLen(4), "system, user, assistant, tool")
		Expect(call.ID).To(BeNil())
	})
})

var _ = Describe("H: clocks", func() {
	three, two, ten := uint32(3), uint32(2), uint32(10)
	retried := func() Config {
		cfg := testConfig()
		cfg.Retry.Tool = &spec.RetryOverride{MaxAttempts: &three, BackoffBaseSecs: &two, BackoffMaxSecs: &ten}
		return cfg
	}

	It("H2, H6: retries by the engine's own layer, with the same call and a fresh deadline", func() {
		b := executing(retried())
		first := b.last().Request.Trigger.(spec.ToolExecuteTrigger)
		b.answer(`{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`)
		Expect(b.lastOutcome().Event.Settled).To(Equal(
			[]spec.Settled{{Call: "c1", By: "tool.error", Then: "retry", At: 2004}}))
		Expect(b.Calls()[0].Status).To(Equal(spec.CallRetryScheduled))
		Expect(b.Calls()[0].Deadline).To(BeNil())
		Expect(b.Calls()[0].Attempt).To(BeEquivalentTo(1))
		Expect(b.HeldByWorker()).To(BeFalse())
		timer, _ := b.NextTimer()
		Expect(timer).To(Equal(Timer{At: 2004 * time.Millisecond, Why: "retry", Of: "c1"}))
		b.step(Tick{To: timer.At})
		Expect(b.last().Try).To(Equal(2))
		second := b.last().Request.Trigger.(spec.ToolExecuteTrigger)
		Expect(second.Deadline.Sub(first.Deadline.Time)).To(Equal(2 * time.Second))
		second.Deadline, second.Attempt = first.Deadline, first.Attempt
		Expect(second).To(Equal(first))
	})

	DescribeTable("takes up first the retry that is due first, then the call that was requested first",
		func(a, b attempts, want bool) {
			Expect(earlier(&a, &b)).To(Equal(want))
			Expect(earlier(&b, &a)).To(Equal(!want))
		},
		Entry("by time", attempts{retryAt: 1, order: 2}, attempts{retryAt: 2, order: 1}, true),
		Entry("by order", attempts{retryAt: 1, order: 2}, attempts{retryAt: 1, order: 1}, false),
	)

	It("gap 1: counts attempts from the dialect's first", func() {
		cfg := retried()
		cfg.Dialect.FirstAttempt = 1
		b := executing(cfg)
		Expect(b.last().Request.Attempts).To(BeEquivalentTo(1))
		Expect(b.last().Request.Trigger.(spec.ToolExecuteTrigger).Attempt).To(BeEquivalentTo(1))
		b.answer(`{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`)
		b.step(Tick{To: 3 * time.Second})
		Expect(b.last().Try).To(Equal(2))
		Expect(b.last().Request.Trigger.(spec.ToolExecuteTrigger).Attempt).To(BeEquivalentTo(2))
	})

	It("H4: asks the model again after a time-out, and gives up after the last attempt", func() {
		cfg := testConfig()
		cfg.Retry.Llm = &spec.RetryOverride{MaxAttempts: &two}
		b := opened(cfg)
		timer, _ := b.NextTimer()
		Expect(timer.Why).To(Equal("deadline"))
		b.step(Tick{To: timer.At})
		_, asked := b.Asked()
		Expect(asked).To(BeFalse())
		b.step(Tick{To: timer.At + 2*time.Second})
		Expect(b.asked[1].Call).To(Equal(b.asked[0].Call))
		b.step(Tick{To: time.Hour})
		var finished []Deliver
		for _, d := range b.delivered {
			if d.Request.Trigger.TriggerType() == spec.OnLlmFinished && d.Delivery == 1 {
				finished = append(finished, d)
			}
		}
		Expect(finished).To(HaveLen(1))
		Expect(finished[0].Request.Trigger.(spec.LlmFinishedTrigger).Error.Code).To(Equal(spec.CodeDeadlineExceeded))
	})

	It("H4: tries no more when the total ends with the attempt", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[{"type":"tool.call","id":"w","name":"crane_status","arguments":"{}",` +
			`"retry":{"run_timeout_secs":10,"total_timeout_secs":10,"max_attempts":3}}]}`)
		b.answer(`{}`)
		b.step(Tick{To: 11 * time.Second})
		Expect(b.last().Request.Trigger.TriggerType()).To(Equal(spec.OnToolFinished))
	})

	It("says what happens next, calls before decisions", func() {
		cfg := testConfig()
		twenty := uint32(20)
		cfg.Pace = 0
		cfg.Retry.Tool = &spec.RetryOverride{RunTimeoutSecs: &twenty}
		b := executing(cfg, "c2")
		timer, _ := b.NextTimer()
		Expect(timer).To(Equal(Timer{At: 20 * time.Second, Why: "deadline", Of: "c1"}))
		b.step(Tick{To: timer.At})
		Expect(b.Now()).To(Equal(20 * time.Second))
		timer, _ = b.NextTimer()
		Expect(timer.At).To(BeNumerically(">", b.Now()), "all that was due has happened")
		b.step(Tick{To: 0})
		Expect(b.Now()).To(Equal(20*time.Second), "time does not go back")
	})

	It("bounds what a policy of endless attempts may do in one step", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		b.answer(`{"actions":[{"type":"tool.call","name":"crane_status","arguments":"{}",` +
			`"retry":{"run_timeout_secs":0,"max_attempts":4294967295}}]}`)
		Expect(b.missing).To(HaveLen(1))
		Expect(b.missing[0].What).To(ContainSubstring("timers"))
	})

	It("outlives time-outs beyond all time", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Yes."))
		call := `{"actions":[{"type":"tool.call","name":"crane_status","arguments":"{}","retry":{"queue_timeout_secs":4294967295,` +
			`"run_timeout_secs":4294967295,"total_timeout_secs":4294967295}}]}`
		b.answer(call)
		b.answer(`{}`)
		first, _ := b.NextTimer()
		b.step(Tick{To: first.At})
		b.answer(call)
		second, _ := b.NextTimer()
		Expect(second.At).To(Equal(b.last().Deadline))
		Expect(b.last().Request.Calls[0].Deadline.After(start.Add(b.Now()))).To(BeTrue())
	})

	It("R1: shifts the four deadlines and nothing else", func() {
		b := executing(testConfig(), "c2")
		d := b.last()
		fixed, err := d.Body(start.Add(d.Sent))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(fixed)).To(Equal(string(marshal(d.Request))))
		live, err := d.Body(start.Add(d.Sent + time.Hour + 1500*time.Microsecond))
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(string(fixed), `"2026-08-28T12:00:20.004Z"`)).To(Equal(1))
		Expect(strings.Count(string(fixed), `"2026-08-28T12:02:00.004Z"`)).To(Equal(3))
		want := strings.NewReplacer("12:00:20.004Z", "13:00:20.005Z", "12:02:00.004Z", "13:02:00.005Z").Replace(string(fixed))
		Expect(string(live)).To(Equal(want))
		Expect(string(marshal(d.Request))).To(Equal(string(fixed)), "the request itself stays")
	})
})
