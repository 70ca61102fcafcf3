package simulator

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// crewed is the scripted worker with two subagents. The pilot asks the surveyor
// in turn.
const crewed = `{"agent":{"model":"m","llm":"main","tools":[{"name":"toll","description":"Sound the bell."}],` +
	`"subagents":[{"id":"surveyor"},{"id":"pilot"}]}}`

// crew answers as the scripted worker does, each agent with a config of its own.
func crew(_ context.Context, _ int, a asked) Got {
	if a.Trigger.Type != spec.OnSessionStart {
		return ok(a.answer())
	}
	agent, _ := jsonv.Get([]byte(a.raw), "/agent_id")
	switch string(agent) {
	case `"surveyor"`:
		return ok(`{"agent":{"model":"m","llm":"main","system":"You sound depths."}}`)
	case `"pilot"`:
		return ok(`{"agent":{"model":"m","llm":"main","subagents":[{"id":"surveyor"}]}}`)
	}
	return ok(crewed)
}

// crewCase plans one scenario for that worker.
func crewCase(steps string) CaseInput {
	doc, err := scenarios.Parse("s.yaml", []byte("scenario: A crew\nsteps:\n"+steps))
	if err != nil {
		panic(err)
	}
	var d spec.Decision
	if err := json.Unmarshal([]byte(crewed), &d); err != nil {
		panic(err)
	}
	cases, err := scenarios.Plan([]*scenarios.Document{doc}, scenarios.Declared{Agent: d.Agent}, scenarios.PlanOptions{})
	if err != nil {
		panic(err)
	}
	in := input(cases[0])
	in.Seed, in.Fixed = 3, true
	return in
}

// told is the story of one session, without the ends of its exchanges.
func told(got recorded, alias string) []string {
	var all []string
	for _, e := range got.events {
		if e.Session != alias {
			continue
		}
		switch d := e.Data.(type) {
		case *spec.SessionEvent:
			all = append(all, "session of "+d.AgentID+" below "+d.Parent+" as "+d.Label)
		case *spec.RequestEvent:
			all = append(all, string(d.Trigger))
		case *spec.StepEvent:
			word := "step "
			if d.PassedOver {
				word = "passed over "
			}
			all = append(all, word+string(rune('0'+d.Step)))
		case *spec.TurnEvent:
			all = append(all, "turn "+d.Event)
		case *spec.CloseEvent:
			all = append(all, d.Why)
		}
	}
	return all
}

const asksSurveyor = `
  - user: How deep is berth 7?
  - model: {calls: [{as: s, tool: surveyor, arguments: {message: Sound berth 7.}}]}
`

func TestASubagentHasASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), crewCase(asksSurveyor+`
  - session: s
    model: Four metres.
  - model: It is four metres deep.
`), &scripted{serve: crew})
		g.Expect(told(got, "s1.1")).To(Equal([]string{
			"session of surveyor below s1 as s", "turn started", "session.start", "client.messages", "step 2", "llm.finished", "turn.finished", "turn completed",
		}))
		g.Expect(told(got, "s1")).To(Equal([]string{
			"session of agent below  as ", "step 0", "turn started", "session.start", "client.messages", "step 1", "llm.finished",
			"subagent.finished", "step 3", "llm.finished", "turn.finished", "turn completed",
		}))
		g.Expect(strings.Join(got.story(), "\n")).To(HaveSuffix("script done"))
		g.Expect(got.Decisions).To(Equal(10))
	})
}

func TestASubagentWithoutStepsGetsSpareReplies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), crewCase(asksSurveyor+"  - model: Done.\n"), &scripted{serve: crew})
		g.Expect(told(got, "s1.1")).To(ContainElement("turn completed"))
		g.Expect(told(got, "s1")).To(ContainElements("subagent.finished", "step 2", "turn completed"))
	})
}

// Two subagents at once: their steps act in the order written, whoever asks first.
func TestSubagentsKeepTheOrderOfTheirSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		steps := `
  - user: Go.
  - model: {calls: [{as: a, tool: surveyor, arguments: {message: Sound.}}, {as: b, tool: pilot, arguments: {message: Come.}}]}
  - session: b
    model: I come.
  - session: a
    model: Four metres.
  - model: Done.
`
		got := drive(t.Context(), crewCase(steps), &scripted{serve: crew})
		order := []string{}
		for _, line := range got.story() {
			if strings.Contains(line, " step ") {
				order = append(order, strings.Fields(line)[2])
			}
		}
		g.Expect(order).To(Equal([]string{"0", "1", "2", "3", "4"}))
		g.Expect(told(got, "s1")).To(ContainElement("turn completed"))
		// The same case gives the same recording, byte for byte (R20).
		for range 3 {
			g.Expect(drive(t.Context(), crewCase(steps), &scripted{serve: crew}).digest()).To(Equal(got.digest()))
		}
	})
}

func TestASubagentAsksAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), crewCase(`
  - user: Go.
  - model: {calls: [{as: p, tool: pilot, arguments: {message: Come.}}]}
  - session: p
    model: {calls: [{as: d, tool: surveyor, arguments: {message: Sound.}}]}
  - session: d
    model: Four metres.
  - session: p
    model: I come.
  - model: Done.
`), &scripted{serve: crew})
		g.Expect(told(got, "s1.1.1")[0]).To(Equal("session of surveyor below s1.1 as d"))
		g.Expect(told(got, "s1.1")).To(ContainElements("subagent.finished", "step 4", "turn completed"))
		for _, e := range got.events {
			if d, ok := e.Data.(*spec.RequestEvent); ok && e.Session == "s1.1.1" {
				ancestry, _ := jsonv.Get([]byte(*d.Body.Text), "/ancestry")
				list, _ := jsonv.Elements(ancestry)
				g.Expect(list).To(HaveLen(2), "the root first")
			}
		}
		g.Expect(strings.Join(got.story(), "\n")).To(HaveSuffix("script done"))
	})
}

func TestStepsOfASubagentThatNeverComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), crewCase(asksSurveyor+`
  - session: s
    disturb: {trigger: session.start, do: lose-answer}
  - session: s
    model: Four metres.
  - model: Done.
`), &scripted{serve: func(ctx context.Context, n int, a asked) Got {
			if a.Trigger.Type == spec.OnLlmFinished && a.seen == 1 {
				// It spawns nobody and asks again.
				return ok(`{"messages":` + list(a, "/proposed/messages") + `,"actions":[{"type":"llm.call","messages":[{"role":"user","content":"x"}]}]}`)
			}
			return crew(ctx, n, a)
		}})
		g.Expect(told(got, "s1")).To(ContainElements("step 2", "passed over 3", "step 4", "turn completed"))
		g.Expect(strings.Join(got.story(), "\n")).To(HaveSuffix("script done"))
	})
}

func list(a asked, pointer string) string {
	v, _ := jsonv.Get([]byte(a.raw), pointer)
	return string(v)
}

// A disturbance is armed before its subagent is there.
func TestASubagentIsDisturbed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), crewCase(`
  - user: How deep is berth 7?
  - session: s
    disturb: {trigger: session.start, do: lose-answer}
  - model: {calls: [{as: s, tool: surveyor, arguments: {message: Sound berth 7.}}]}
  - session: s
    model: Four metres.
  - model: Done.
`), &scripted{serve: crew})
		g.Expect(told(got, "s1.1")[:4]).To(Equal([]string{"session of surveyor below s1 as s", "turn started", "session.start", "session.start"}))
		g.Expect(told(got, "s1")).To(ContainElement("turn completed"))
	})
}

// Its redelivery moves the time of the whole family.
func TestAFamilyKeepsOneTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		start := time.Now()
		got := drive(t.Context(), crewCase(asksSurveyor+"  - model: Done.\n"), &scripted{serve: func(ctx context.Context, n int, a asked) Got {
			if agent, _ := jsonv.Get([]byte(a.raw), "/agent_id"); string(agent) == `"surveyor"` && a.Trigger.Type == spec.OnSessionStart && a.seen == 2 {
				return Got{Answer: spec.Answer{Status: 503, End: spec.EndWhole}}
			}
			return crew(ctx, n, a)
		}})
		var ended int64
		for _, e := range got.events {
			if d, ok := e.Data.(*spec.RequestEvent); ok && d.Trigger == spec.OnSubagentFinished {
				ended = e.T
			}
		}
		g.Expect(ended).To(BeNumerically(">=", 2000))
		g.Expect(told(got, "s1")).To(ContainElement("turn completed"))
		g.Expect(time.Since(start)).To(BeZero())
	})
}

// A subagent that waits for a person is resumed in its own session.
func TestASubagentIsResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), crewCase(asksSurveyor+`
  - session: s
    model: {fail: {code: rate_limited, message: too many}}
  - session: s
    client: {resume: open}
  - session: s
    model: Four metres.
  - model: Done.
`), &scripted{serve: crew})
		g.Expect(told(got, "s1.1")).To(ContainElements("step 2", "step 3", "interrupt.resumed", "step 4", "turn completed"))
		g.Expect(told(got, "s1")).To(ContainElements("subagent.finished", "turn completed"))
	})
}

// Families side by side take turns as sessions do, each as one.
func TestFamiliesSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		doc, err := scenarios.Parse("s.yaml", []byte("scenario: Crews\ncopies: 3\nsteps:\n"+asksSurveyor+
			"  - session: s\n    model: Four metres.\n  - model: Done.\n"))
		g.Expect(err).NotTo(HaveOccurred())
		var d spec.Decision
		g.Expect(json.Unmarshal([]byte(crewed), &d)).To(Succeed())
		cases, err := scenarios.Plan([]*scenarios.Document{doc}, scenarios.Declared{Agent: d.Agent}, scenarios.PlanOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		in := input(cases[0])
		in.Seed, in.Fixed = 3, true
		got := drive(t.Context(), in, &scripted{serve: crew})
		for _, alias := range []string{"s1", "s2", "s3"} {
			g.Expect(told(got, alias)).To(ContainElements("subagent.finished", "turn completed"), alias)
			g.Expect(told(got, alias+".1")).To(ContainElements("step 2", "turn completed"), alias)
		}
		g.Expect(got.Decisions).To(Equal(30))
		for range 3 {
			g.Expect(drive(t.Context(), in, &scripted{serve: crew}).digest()).To(Equal(got.digest()))
		}
	})
}
