package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// quay is a config with a tool and two subagents; more is spliced into it.
func quay(more string) string {
	return `{"agent":{"model":"m-small","llm":"main","tools":[{"name":"crane_status"}],` +
		`"subagents":[{"id":"surveyor","description":"Sounds depths."},{"id":"pilot","prefix":true}]` + more + `}}`
}

// called is a session of that config in which the model made calls, "id tool
// arguments" each, and the worker echoed.
func called(cfg Config, config string, made ...[3]string) *bench {
	b := newBench(cfg)
	b.step(user("Is berth 7 free?"))
	b.answer(config)
	b.echo()
	b.step(calls(b.asked[0].Call, made...))
	b.echo()
	return b
}

// names lists the tools that the model was shown last.
func (b *bench) names() []string {
	var all []string
	for _, t := range b.asked[len(b.asked)-1].Request.Tools {
		all = append(all, t.Name)
	}
	return all
}

// texts is a result in words.
func texts(s string) *string { return &s }

// toolMessage is the newest tool message of a proposal.
func (b *bench) toolMessage() string {
	m := b.last().Request.Proposed.Messages
	return string(m[len(m)-1].Content)
}

const sound = `{"message":"Sound berth 7."}`

var _ = Describe("L: subagents", func() {
	asked := func(config string) *bench {
		b := newBench(testConfig())
		b.step(user("Is berth 7 free?"))
		b.answer(config)
		b.echo()
		return b
	}

	Describe("L1: are offered as tools", func() {
		It("one each, behind the declared ones, with message and session", func() {
			b := asked(quay(""))
			Expect(b.names()).To(Equal([]string{"crane_status", "surveyor", "agent__pilot"}))
			tool := b.asked[0].Request.Tools[1]
			Expect(tool.Description).To(Equal("Sounds depths."))
			input := read[struct {
				Properties map[string]jsontext.Value `json:"properties"`
				Required   []string                  `json:"required"`
			}](string(tool.Input))
			Expect(input.Properties).To(HaveLen(2))
			Expect(input.Properties).To(HaveKey("session"))
			Expect(input.Required).To(Equal([]string{"message"}))
			Expect(b.missing).To(BeEmpty())
		})

		It("one for all with the strategy single", func() {
			b := asked(quay(`,"subagent_tools":{"strategy":"single"}`))
			Expect(b.names()).To(Equal([]string{"crane_status", "subagent"}))
			tool := b.asked[0].Request.Tools[1]
			Expect(string(tool.Input)).To(ContainSubstring(`"enum":["surveyor","pilot"]`))
			Expect(tool.Description).To(ContainSubstring("surveyor: Sounds depths."))
			b.step(calls(b.asked[0].Call, [3]string{"s", "subagent", `{"agent":"pilot","message":"Come."}`}))
			b.echo()
			Expect(b.spawned[0].AgentID).To(Equal("pilot"))
			Expect(string(b.spawned[0].Message.Content)).To(Equal(`"Come."`))
		})

		It("but for names that a declared tool has", func() {
			b := asked(strings.Replace(quay(""), "crane_status", "surveyor", 1))
			Expect(b.names()).To(Equal([]string{"surveyor", "agent__pilot"}))
			b.step(calls(b.asked[0].Call, [3]string{"s", "surveyor", `{}`}))
			b.echo()
			Expect(b.spawned).To(BeEmpty())
			Expect(b.lastTrigger()).To(Equal(spec.OnToolExecute))
			b = asked(strings.Replace(quay(`,"subagent_tools":{"strategy":"single"}`), "crane_status", "subagent", 1))
			Expect(b.names()).To(Equal([]string{"subagent"}))
		})

		It("C8, G10: once, in a call that is repeated too", func() {
			b := called(testConfig(), quay(""), [3]string{"c", "crane_status", `{}`})
			b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
			b.echo()
			Expect(b.names()).To(Equal([]string{"crane_status", "surveyor", "agent__pilot"}))
		})
	})

	Describe("L2: a call becomes a spawn", func() {
		It("of a child that hears the message and derives its id from decision and call", func() {
			b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound})
			Expect(b.spawned).To(HaveLen(1))
			s := b.spawned[0]
			Expect(s.Call).To(Equal("s"))
			Expect(s.Continues).To(BeFalse())
			Expect(string(s.Message.Content)).To(Equal(`"Sound berth 7."`))
			Expect(s.Session).To(MatchRegexp(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`))
			Expect(called(testConfig(), quay(""), [3]string{"s", "surveyor", sound}).spawned[0].Session).To(Equal(s.Session))
			Expect(called(testConfig(), quay(""), [3]string{"t", "surveyor", sound}).spawned[0].Session).NotTo(Equal(s.Session))
			call := b.Calls()[0]
			Expect(call).To(Equal(spec.Call{
				ID: "s", Kind: spec.CallSubagent, Status: spec.CallRunning, Anchor: call.Anchor, AgentID: "surveyor", SessionID: s.Session,
			}), "wire 2: off the attempt's clock, so without a deadline")
		})

		It("once, however often its decision or its id comes", func() {
			b := newBench(testConfig())
			b.step(user("Is berth 7 free?"))
			b.answer(quay(""))
			b.echo()
			b.step(calls(b.asked[0].Call, [3]string{"s", "surveyor", sound}))
			first := b.last()
			b.fail(httpStatus(503))
			b.step(Tick{To: b.Now() + 2*time.Second})
			Expect(b.last().Delivery).To(Equal(2))
			body := string(marshal(first.Request.Proposed))
			b.step(Answer{Decision: first.Decision, Delivery: 1, Answer: ok200(body)})
			b.step(Answer{Decision: first.Decision, Delivery: 2, Answer: ok200(body)})
			b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "again"}})
			b.answer(`{"actions":[{"type":"subagent.spawn","agent_id":"surveyor","tool_call_id":"s"}]}`)
			Expect(b.spawned).To(HaveLen(1))
		})

		It("with the raw arguments where there is no message", func() {
			b := called(testConfig(), quay(""), [3]string{"s", "surveyor", `{"berth":7}`}, [3]string{"t", "agent__pilot", `not JSON`})
			Expect(string(b.spawned[0].Message.Content)).To(Equal(`"{\"berth\":7}"`))
			Expect(string(b.spawned[1].Message.Content)).To(Equal(`"not JSON"`))
			Expect(b.spawned[1].AgentID).To(Equal("pilot"))
			b = newBench(testConfig())
			b.step(user("Is berth 7 free?"))
			b.answer(quay(""))
			b.echo()
			b.step(calls(b.asked[0].Call, [3]string{"s", "surveyor", `{"berth":7}`}))
			messages := string(marshal(b.last().Request.Proposed.Messages))
			b.answer(`{"messages":` + messages + `,"actions":[{"type":"subagent.spawn","agent_id":"surveyor","tool_call_id":"s"}]}`)
			Expect(string(b.spawned[0].Message.Content)).To(Equal(`"{\"berth\":7}"`), "an action that leaves it out")
		})

		It("B8: and opens a turn when a client's action starts it", func() {
			b := newBench(testConfig())
			b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "survey"}})
			b.answer(quay(""))
			d := b.last().Decision
			b.answer(`{"actions":[{"type":"subagent.spawn","agent_id":"surveyor","tool_call_id":"s","message":{"role":"user","content":"Go."}}]}`)
			Expect(b.turned[0].Event.TurnID).To(Equal("action:" + d))
		})
	})

	Describe("L2: its child", func() {
		It("is a session of its own, started like any other", func() {
			cfg := testConfig()
			cfg.Agent = agent(`{"model":"m-agent","llm":"main","system":"You run the harbour."}`)
			b := called(cfg, quay(""), [3]string{"s", "surveyor", sound})
			k := b.Child(b.spawned[0])
			k.ID = func(kind IDKind, n int) string { return fmt.Sprintf("child-%s-%d", kind, n) }
			c := newBench(k)
			c.step(Tick{To: b.Now()})
			c.step(Input{Input: spec.ClientInput{Type: spec.InputClientMessage, AgentID: "surveyor", Message: &b.spawned[0].Message}})
			start := c.last().Request
			Expect(start.Trigger).To(Equal(spec.SessionStartTrigger{}))
			Expect(start.SessionID).To(Equal(b.spawned[0].Session))
			Expect(start.AgentID).To(Equal("surveyor"))
			Expect(start.Ancestry).To(Equal([]string{"s-1"}))
			Expect(start.Proposed.Agent).To(Equal(&spec.AgentConfig{Model: "m-agent", Llm: "main"}), "A3, and nothing of the parent's own")
			Expect(c.last().Sent).To(Equal(b.Now()), "on the clock of its parent")
			c.answer(`{"agent":{"model":"m-depth","llm":"main"}}`)
			Expect(string(c.last().Request.Trigger.(spec.ClientMessagesTrigger).Messages[0].Content)).To(Equal(`"Sound berth 7."`))
			c.echo()
			c.step(says(c.asked[0].Call, "4 m"))
			c.echo()
			c.echo()
			end, over := EndOf(k.SessionID, c.turned[len(c.turned)-1])
			Expect(over).To(BeTrue())
			_, over = EndOf(k.SessionID, c.turned[0])
			Expect(over).To(BeFalse())
			b.step(end)
			Expect(b.last().Request.Trigger).To(Equal(spec.SubagentFinishedTrigger{
				ID: "s", OK: true, SessionID: k.SessionID, AgentID: "surveyor", Result: texts("4 m"),
			}))
			Expect(b.Child(Spawn{}).Agent).NotTo(BeNil())
			Expect(newBench(testConfig()).Child(Spawn{}).Agent).To(BeNil())
		})

		It("gives its output as text, whatever it is", func() {
			for data, want := range map[string]string{`"4 m"`: "4 m", `{"m": 4}`: `{"m":4}`, `4.0`: "4.0"} {
				end, _ := EndOf("k", Turn{Event: spec.TurnEvent{Event: spec.TurnCompleted, Data: jsontext.Value(data)}})
				Expect(*end.Result).To(Equal(want))
			}
			end, _ := EndOf("k", Turn{Event: spec.TurnEvent{Event: spec.TurnCompleted}})
			Expect(end.Result).To(BeNil())
		})
	})

	Describe("L3: the answer", func() {
		It("G6, G8, G11: counts and waits as that of a tool does", func() {
			b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound}, [3]string{"c", "crane_status", `{}`})
			Expect(b.last().Request.PendingCalls).To(BeEquivalentTo(2))
			b.step(ChildEnded{Session: b.spawned[0].Session, Result: texts("4 m")})
			b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
			Expect(b.lastTrigger()).To(Equal(spec.OnSubagentFinished), "G5: it came first")
			Expect(b.last().Request.PendingCalls).To(BeEquivalentTo(1))
			Expect(b.last().Request.Proposed.Actions).To(BeEmpty())
			Expect(b.toolMessage()).To(Equal(string(marshal(`{"result":"4 m","session":"` + b.spawned[0].Session + `"}`))))
			b.echo()
			b.echo()
			Expect(b.asked).To(HaveLen(2))
			Expect(b.tree.path[2].Name).To(Equal("surveyor"))
		})

		It("is the error's text on failure, and null where the child said nothing", func() {
			b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound}, [3]string{"t", "agent__pilot", sound})
			b.step(ChildEnded{Session: b.spawned[0].Session, Error: &spec.ErrorInfo{Message: "no boat", Code: spec.CodeHandlerError}})
			Expect(b.last().Request.Trigger.(spec.SubagentFinishedTrigger).OK).To(BeFalse())
			Expect(b.toolMessage()).To(Equal(`"no boat"`))
			b.echo()
			b.step(ChildEnded{Session: b.spawned[1].Session})
			Expect(b.toolMessage()).To(ContainSubstring(`result\":null`))
		})

		It("goes on with a child that the model names, once that is idle", func() {
			b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound})
			k := b.spawned[0].Session
			b.step(ChildEnded{Session: k, Result: texts("4 m")})
			b.echo()
			b.step(calls(b.asked[1].Call,
				[3]string{"t", "surveyor", `{"message":"And berth 8?","session":"` + k + `"}`},
				[3]string{"u", "surveyor", `{"message":"And berth 9?","session":"` + k + `"}`},
				[3]string{"v", "surveyor", `{"message":"And berth 9?","session":"unheard-of"}`},
				[3]string{"w", "agent__pilot", `{"message":"And berth 9?","session":"` + k + `"}`},
			))
			b.echo()
			Expect(b.spawned).To(HaveLen(2))
			Expect(b.spawned[1].Continues).To(BeTrue())
			Expect(b.spawned[1].Session).To(Equal(k))
			for _, why := range []string{"busy: " + k, "not found: unheard-of", "not found: " + k} {
				t := b.last().Request.Trigger.(spec.SubagentFinishedTrigger)
				Expect(t.OK).To(BeFalse())
				Expect(t.Error.Code).To(Equal(spec.CodeUnroutable), "L4")
				Expect(t.Error.Message).To(ContainSubstring(why))
				b.echo()
			}
			b.step(ChildEnded{Session: k, Result: texts("5 m")})
			Expect(b.last().Call).To(Equal("t"))
		})

		It("L5: counts what the child cost in the turn", func() {
			b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound})
			b.step(ChildEnded{Session: b.spawned[0].Session, Cost: "0.25", Usage: spec.Usage{Input: 3, UncachedInput: 3, Output: 1, Total: 4}})
			b.echo()
			b.step(says(b.asked[1].Call, "Yes."))
			b.echo()
			t := b.last().Request.Trigger.(spec.TurnFinishedTrigger)
			Expect(t.Cost).To(Equal("0.25"))
			Expect(t.Usage.Total).To(BeEquivalentTo(4))
			b.echo()
			Expect(b.turned[1].Cost).To(Equal("0.25"))
		})
	})

	Describe("L4: does not run", func() {
		refused := func(cfg Config, config string) spec.SubagentFinishedTrigger {
			b := called(cfg, config, [3]string{"s", "surveyor", sound})
			Expect(b.spawned).To(BeEmpty())
			return b.last().Request.Trigger.(spec.SubagentFinishedTrigger)
		}

		It("beyond the depth limit", func() {
			cfg := testConfig()
			cfg.Ancestry = []string{"1", "2", "3", "4", "5"}
			t := refused(cfg, quay(""))
			Expect(t.Error).To(Equal(&spec.ErrorInfo{Code: spec.CodeBudgetExceeded, Message: "subagent depth limit reached: max_subagent_depth is 5"}))
			Expect(t.SessionID).NotTo(BeEmpty())
			Expect(refused(testConfig(), quay(`,"max_subagent_depth":0`)).Error.Message).To(HaveSuffix("max_subagent_depth is 0"), "0 is never")
			cfg.Ancestry = cfg.Ancestry[1:]
			Expect(called(cfg, quay(""), [3]string{"s", "surveyor", sound}).spawned).To(HaveLen(1))
		})

		It("without an agent", func() {
			b := called(testConfig(), quay(`,"subagent_tools":{"strategy":"single"}`), [3]string{"s", "subagent", sound})
			Expect(b.last().Request.Trigger.(spec.SubagentFinishedTrigger).Error.Code).To(Equal(spec.CodeUnroutable))
		})
	})

	It("F2, F4: is settled by its child alone", func() {
		b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound}, [3]string{"c", "crane_status", `{}`})
		id := "s"
		b.step(Settle{spec.ToolResultAction{ID: &id, Result: jsontext.Value(`1`)}})
		Expect(b.lastReply()).To(Equal(InputReply{Status: 403, Error: "caller may not settle this effect"}))
		b.answer(`{"actions":[{"type":"tool.result","id":"s","result":1}]}`)
		Expect(b.outcomes[len(b.outcomes)-1].Applied).To(Equal([]bool{false}))
		Expect(b.tools["s"].status).To(Equal(statusRunning))
	})

	It("O5: is left alone when its branch is left, and its answer is dropped", func() {
		b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound})
		b.step(Input{Input: spec.ClientInput{Type: spec.InputClientAction, Name: "fork"}})
		b.answer(`{"messages":[{"role":"user","content":"another branch"}]}`)
		Expect(b.Calls()[0].Status).To(Equal(spec.CallRunning))
		n := len(b.delivered)
		b.step(ChildEnded{Session: b.spawned[0].Session, Result: texts("4 m")})
		Expect(b.delivered).To(HaveLen(n))
		Expect(b.Calls()).To(BeEmpty())
		b.step(ChildEnded{Session: b.spawned[0].Session})
		b.step(ChildEnded{Session: "unheard-of"})
		Expect(b.delivered).To(HaveLen(n), "and a second end, or a stranger's, is none")
	})

	It("M1: goes on while the session is parked, and its decision waits", func() {
		b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound}, [3]string{"c", "crane_status", `{}`})
		b.answer(`{"actions":[{"type":"interrupt","interrupt_id":"may-i","reason":"ask"}]}`)
		b.step(ChildEnded{Session: b.spawned[0].Session, Result: texts("4 m")})
		Expect(b.InFlight()).To(BeFalse())
		b.step(resumes("may-i", `true`))
		b.answer(`{"actions":[{"type":"tool.result","id":"c","result":"free"}]}`)
		Expect(b.lastTrigger()).To(Equal(spec.OnSubagentFinished))
	})

	It("H1: ends with its total", func() {
		b := called(testConfig(), quay(""), [3]string{"s", "surveyor", sound})
		b.step(Tick{To: b.Now() + 59*time.Minute})
		Expect(b.tools["s"].status).To(Equal(statusRunning))
		b.step(Tick{To: b.Now() + time.Minute})
		Expect(b.last().Request.Trigger.(spec.SubagentFinishedTrigger).Error.Code).To(Equal(spec.CodeDeadlineExceeded))
		b.step(ChildEnded{Session: b.spawned[0].Session, Result: texts("too late")})
		Expect(b.tools["s"].status).To(Equal(statusFailed))
	})
})
