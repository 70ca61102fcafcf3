package engine

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// exchange is one delivery of a session, what was answered and what the engine
// asked next, nil when it was not a decision.
type exchange struct {
	sent   Deliver
	answer spec.Answer
	next   *Deliver
}

// exchanges plays a session of two calls to its end, one of which is retried.
func exchanges(cfg Config) []exchange {
	b := newBench(cfg)
	var list []exchange
	b.step(user("Is berth 7 free?"))
	for b.InFlight() {
		d := b.last()
		body := string(marshal(d.Request.Proposed))
		switch t := d.Request.Trigger.(type) {
		case spec.SessionStartTrigger:
			body = harbourConfig
		case spec.ToolExecuteTrigger:
			body = `{"state":{"seen":"` + t.ID + `"},"actions":[{"type":"tool.result","result":"free"}]}`
		}
		x := exchange{sent: d, answer: ok200(body)}
		next := of[Deliver](b.step(Answer{Decision: d.Decision, Delivery: d.Delivery, Answer: x.answer}))
		if len(next) > 0 {
			x.next = &next[0]
		}
		list = append(list, x)
		if call, ok := b.Asked(); ok {
			reply := says(call, "Yes.")
			if len(b.asked) == 1 {
				reply = calls(call, [3]string{"c1", "crane_status", `{}`}, [3]string{"c2", "tide_table", `{"port":"Brest"}`})
			}
			b.step(reply)
		}
	}
	return list
}

// steady is a request without what a resumed session cannot know: the id of the
// next decision, and the ids of a prompt that was asked before.
func steady(d Deliver) string {
	r := d.Request
	r.DecisionID = ""
	for i, a := range r.Proposed.Actions {
		if call, ok := a.(spec.LlmCallAction); ok {
			call.Messages = nil
			r.Proposed.Actions = append([]spec.Action(nil), r.Proposed.Actions...)
			r.Proposed.Actions[i] = call
		}
	}
	return string(marshal(r))
}

var _ = Describe("R5: resuming from one request", func() {
	It("predicts the next request of each exchange, byte for byte but for what it cannot know", func() {
		predicted := 0
		for _, x := range exchanges(testConfig()) {
			request, fault := spec.ParseRequest(marshal(x.sent.Request))
			Expect(fault).To(BeNil())
			cfg := testConfig()
			cfg.At = start.Add(x.sent.Sent)
			e, _, err := Resume(cfg, request)
			Expect(err).NotTo(HaveOccurred())
			Expect(e.InFlight()).To(BeTrue())
			next := of[Deliver](e.Step(Answer{Decision: request.DecisionID, Delivery: 1, Answer: x.answer}))
			switch {
			case x.next == nil, request.PendingCalls > uint32(len(request.Calls)),
				request.Trigger.TriggerType() == spec.OnSessionStart:
				// The next request needs what this one does not hold.
				continue
			}
			Expect(next).To(HaveLen(1), string(request.Trigger.TriggerType()))
			Expect(steady(next[0])).To(Equal(steady(*x.next)))
			predicted++
		}
		Expect(predicted).To(Equal(3))
	})

	It("says what it assumes", func() {
		list := exchanges(testConfig())
		x := list[len(list)-4]
		Expect(x.sent.Request.Trigger.TriggerType()).To(Equal(spec.OnToolFinished))
		_, assumed, err := Resume(testConfig(), x.sent.Request)
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Join(assumed, "\n")).To(ContainSubstring("saw the tools of the config in force"))
		_, assumed, err = Resume(testConfig(), list[0].sent.Request)
		Expect(err).NotTo(HaveOccurred())
		Expect(assumed).To(BeEmpty())
	})

	It("mints no id that the session holds already", func() {
		list := exchanges(testConfig())
		e, _, err := Resume(testConfig(), list[len(list)-1].sent.Request)
		Expect(err).NotTo(HaveOccurred())
		before := len(e.Transcript())
		messages := append([]spec.DraftMessage(nil), list[len(list)-1].sent.Request.Proposed.Messages...)
		messages = append(messages, spec.DraftMessage{Role: spec.RoleUser}, spec.DraftMessage{Role: spec.RoleUser})
		e.Step(Answer{
			Decision: list[len(list)-1].sent.Decision, Delivery: 1,
			Answer: ok200(string(marshal(spec.Decision{Messages: messages}))),
		})
		Expect(e.Transcript()).To(HaveLen(before + 2))
	})

	It("takes no harm from a tree that runs in circles or lacks the path", func() {
		request := spec.DecisionRequest{
			SessionID: "s-1", DecisionID: "d-1", AgentID: "harbour", Trigger: spec.ClientMessagesTrigger{},
			Messages: []spec.Message{{ID: "a", Role: spec.RoleUser}, {ID: "z", Role: spec.RoleUser}},
			MessageTree: spec.MessageTree{HeadID: "b", Nodes: []spec.MessageNode{
				{Message: spec.Message{ID: "a"}, ParentID: "b"}, {Message: spec.Message{ID: "b"}, ParentID: "a"},
				{Message: spec.Message{ID: "b"}, ParentID: "b"}, {Message: spec.Message{}},
			}},
		}
		e, assumed, err := Resume(testConfig(), request)
		Expect(err).NotTo(HaveOccurred())
		Expect(e.Transcript()).To(HaveLen(2))
		Expect(len(assumed)).To(BeNumerically(">=", 4))
	})

	It("refuses a request without a trigger", func() {
		_, _, err := Resume(testConfig(), spec.DecisionRequest{SessionID: "s-1", DecisionID: "d-1", AgentID: "a"})
		Expect(err).To(MatchError("resume d-1: the request has no trigger"))
	})

	It("carries calls in every state on", func() {
		arguments, stream := "{}", true
		deadline := spec.At(start.Add(50 * time.Second))
		call := func(id string, kind spec.CallKind, status spec.CallStatus) spec.Call {
			return spec.Call{
				ID: id, Kind: kind, Status: status, Attempt: 1, Deadline: &deadline, Name: "crane_status",
				Arguments: &arguments, Handler: spec.HandlerWorker, Stream: &stream,
			}
		}
		model := call("m1", spec.CallLlm, spec.CallPending)
		model.Handler = spec.HandlerServer
		turn := "t-1"
		request := spec.DecisionRequest{
			SessionID: "s-1", DecisionID: "d-1", AgentID: "harbour", TurnID: &turn,
			Trigger: spec.ToolFinishedTrigger{ID: "c0", OK: true, Name: "crane_status"},
			State:   jsontext.Value(`null`), PendingCalls: 6,
			Calls: []spec.Call{
				call("c1", spec.CallTool, spec.CallPending), call("c2", spec.CallTool, spec.CallQueued),
				call("c3", spec.CallTool, spec.CallRetryScheduled), model,
				{ID: "s1", Kind: spec.CallSubagent, Status: spec.CallRunning, AgentID: "surveyor", SessionID: "k-1"},
				{ID: "s2", Kind: spec.CallSubagent, Status: spec.CallQueued, AgentID: "surveyor", SessionID: "k-2"},
			},
			Ancestry: []string{"r-1"},
		}
		e, assumed, err := Resume(testConfig(), request)
		Expect(err).NotTo(HaveOccurred())
		Expect(e.HeldByWorker()).To(BeTrue())
		asked, _ := e.Asked()
		Expect(asked).To(Equal("m1"))
		Expect(strings.Join(assumed, "\n")).To(ContainSubstring("subagent s1 has the policy that the config in force gives it"))
		effects := e.Step(Answer{Decision: "d-1", Delivery: 1, Answer: ok200(`{}`)})
		next := of[Deliver](effects)
		Expect(next).To(HaveLen(1))
		Expect(next[0].Call).To(Equal("c2"))
		Expect(next[0].Request.PendingCalls).To(BeEquivalentTo(6), "c1 to c3, two subagents, and one that has no name")
		Expect(next[0].Request.Ancestry).To(Equal([]string{"r-1"}))
		Expect(of[Spawn](effects)).To(HaveLen(1), "the one that was queued")
		Expect(of[Spawn](effects)[0].Session).To(Equal("k-2"))
		e.Step(ChildEnded{Session: "k-1"})
		Expect(e.tools["s1"].status).To(Equal(statusDone), "its subagent.finished waits for the live decision")
		shown, _ := jsonv.Get(marshal(next[0].Request), "/calls/0/deadline")
		Expect(string(shown)).To(Equal(`"2026-08-28T12:00:50.000Z"`))
	})
})

var _ = Describe("what an engine cannot be made of", func() {
	DescribeTable("names the member",
		func(change func(*Config), want string) {
			cfg := testConfig()
			change(&cfg)
			_, err := New(cfg)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("no session", func(c *Config) { c.SessionID = "" }, "session id"),
		Entry("no agent", func(c *Config) { c.AgentID = "" }, "agent id"),
		Entry("no ids", func(c *Config) { c.ID = nil }, "source of ids"),
		Entry("a pace that goes back", func(c *Config) { c.Pace = -1 }, "pace"),
		Entry("a form", func(c *Config) { c.Dialect.EmptyProposed = "long" }, "empty_proposed"),
		Entry("a failed call", func(c *Config) { c.Dialect.FailedCall = "cry" }, "failed_call"),
	)
})
