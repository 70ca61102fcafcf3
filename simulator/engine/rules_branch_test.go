package engine

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// acted lets the worker answer a client.action with body: a way to record what
// it likes while no turn runs.
func (b *bench) acted(body string) {
	b.step(sends(spec.ClientInput{Type: spec.InputClientAction, Name: "edit"}))
	b.answer(body)
}

// recordedPath is a session with the messages a, b and c on its path.
func recordedPath() *bench {
	b := newBench(testConfig())
	b.step(sends(spec.ClientInput{Type: spec.InputClientAction, Name: "edit"}))
	b.answer(harbourConfig)
	b.answer(`{"messages":[{"id":"a","role":"user"},{"id":"b","role":"assistant"},{"id":"c","role":"user"}]}`)
	return b
}

func (b *bench) ids() (ids []string) {
	for _, m := range b.Transcript() {
		ids = append(ids, m.ID)
	}
	return ids
}

var _ = Describe("O: branches", func() {
	It("O3: hangs state and config on the head after the response's own messages", func() {
		b := recordedPath()
		b.acted(`{"messages":[{"id":"a","role":"user"},{"role":"user"}],"state":"forked","agent":{"model":"m-fork"}}`)
		Expect(string(b.State())).To(Equal(`"forked"`))
		b.acted(`{"messages":[{"id":"a","role":"user"},{"id":"b","role":"user"}]}`)
		Expect(b.State()).To(BeNil())
		Expect(b.Agent().Model).To(Equal("m-small"), "A4: what belongs to no branch is the fallback")
		b.acted(`{"messages":[{"role":"user","content":"a new root"}]}`)
		Expect(b.Agent().Model).To(Equal("m-small"))
	})

	It("O3: has what a branch wrote in force again when the head moves forward over it", func() {
		b := recordedPath()
		b.acted(`{"state":"at c","agent":{"model":"m-c"}}`)
		b.acted(`{"messages":[{"id":"a","role":"user"}]}`)
		Expect(b.State()).To(BeNil())
		b.acted(`{"state":"at a"}`)
		b.acted(`{"messages":[{"id":"a","role":"user"},{"id":"b","role":"user"},{"id":"c","role":"user"}]}`)
		Expect(b.ids()).To(Equal([]string{"a", "b", "c"}))
		Expect(string(b.State())).To(Equal(`"at c"`))
		Expect(b.Agent().Model).To(Equal("m-c"))
		b.acted(`{"messages":[{"id":"a","role":"user"},{"id":"b","role":"user"}]}`)
		Expect(string(b.State())).To(Equal(`"at a"`))
	})

	It("O3: gives each request the versions of its own branch", func() {
		b := recordedPath()
		b.acted(`{"state":"old"}`)
		b.step(sends(spec.ClientInput{Type: spec.InputClientMessages, Messages: []spec.DraftMessage{{ID: "a"}, {ID: "b"}, {Role: spec.RoleUser}}}))
		Expect(string(b.last().Request.State)).To(Equal(`"old"`), "nothing is recorded yet")
		b.echo()
		b.step(says(b.asked[0].Call, "Yes."))
		Expect(b.last().Request.State).To(BeNil())
	})

	It("O4: moves the head back on a list that stops early, and leaves the tree alone on an empty one", func() {
		b := recordedPath()
		b.acted(`{"messages":[]}`)
		Expect(b.ids()).To(Equal([]string{"a", "b", "c"}))
		b.acted(`{"messages":[{"id":"a","role":"user"},{"id":"b","role":"user"}]}`)
		Expect(b.ids()).To(Equal([]string{"a", "b"}))
		Expect(b.tree.wire().Nodes).To(HaveLen(3))
		Expect(b.tree.wire().HeadID).To(Equal("b"))
	})

	It("O4: records a known id after the first new message again, under a fresh id", func() {
		b := recordedPath()
		b.acted(`{"messages":[{"id":"a","role":"user"},{"id":"x","role":"user"},{"id":"c","role":"user","content":"again"}]}`)
		Expect(b.ids()).To(Equal([]string{"a", "x", "message-1"}))
		Expect(string(b.Transcript()[2].Content)).To(Equal(`"again"`))
	})

	It("O4: starts a new root with a list that begins with something new", func() {
		b := recordedPath()
		b.acted(`{"messages":[{"id":"x","role":"user"},{"id":"a","role":"user"}]}`)
		nodes := b.tree.wire().Nodes
		Expect(nodes[3].ParentID).To(BeEmpty())
		Expect(b.ids()).To(Equal([]string{"x", "message-1"}))
	})

	It("O4: lets a tool message stand for the one recorded, before the first new message only", func() {
		b := newBench(testConfig())
		b.step(sends(spec.ClientInput{Type: spec.InputClientAction, Name: "edit"}))
		b.answer(harbourConfig)
		b.answer(`{"messages":[{"id":"m","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"tide_table","arguments":"{}"}}]},` +
			`{"id":"t","role":"tool","tool_call_id":"c1","content":"04:12"}]}`)
		b.acted(`{"messages":[{"id":"m","role":"assistant"}]}`)
		b.acted(`{"messages":[{"id":"m","role":"assistant"},{"role":"tool","tool_call_id":"c1","content":"mine"}]}`)
		Expect(b.ids()).To(Equal([]string{"m", "t"}), "also from a head that was moved back")
		Expect(string(b.Transcript()[1].Content)).To(Equal(`"04:12"`))
		b.acted(`{"messages":[{"id":"m","role":"assistant"},{"role":"user"},{"role":"tool","tool_call_id":"c1","content":"mine"}]}`)
		Expect(b.ids()).To(Equal([]string{"m", "message-1", "message-2"}))
	})

	It("O5: voids what the branch left asked for, client calls too, and drops their answers", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"}, [2]string{"c1", "crane_status"}, [2]string{"c2", "crane_status"})
		first := b.ids()[0]
		b.answer(`{"messages":[{"id":"` + first + `","role":"user"}],"actions":[{"type":"tool.result","result":"free"}]}`)
		Expect(b.Calls()).To(BeEmpty())
		Expect(b.lastOutcome().Event.Settled).To(Equal([]spec.Settled{
			{Call: "c1", By: "tool.result", Then: "dropped", Reason: "the call was voided"}}))
		Expect(b.InFlight()).To(BeFalse(), "the tool.execute of c2 was waiting")
		b.step(sends(spec.ClientInput{Type: spec.InputToolResult, ID: "k"}))
		Expect(b.lastReply()).To(Equal(InputReply{Status: 409, Error: "effect is not pending"}))
	})

	It("O5: voids a model call that was asked for on the branch that is left", func() {
		b := opened(testConfig())
		b.acted(`{"messages":[{"role":"user","content":"another root"}]}`)
		_, asked := b.Asked()
		Expect(asked).To(BeFalse())
		b.step(says(b.asked[0].Call, "Yes."))
		Expect(b.InFlight()).To(BeFalse(), "its answer is dropped")
	})

	It("O5: voids a call that waits for its retry", func() {
		cfg := testConfig()
		three, ten := uint32(3), uint32(10)
		cfg.Retry.Tool = &spec.RetryOverride{MaxAttempts: &three, BackoffBaseSecs: &ten, BackoffMaxSecs: &ten}
		b := executing(cfg)
		b.answer(`{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`)
		b.acted(`{"messages":[{"role":"user","content":"another root"}]}`)
		Expect(b.Calls()).To(BeEmpty())
		_, timer := b.NextTimer()
		Expect(timer).To(BeFalse())
	})
})
