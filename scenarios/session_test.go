package scenarios_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// puppet is a worker in memory that answers what it is told. The arguments of
// a call of the tool say, when they fit, are the answer to it; a list under
// tries has one answer for each attempt. The tool mumble is answered by no JSON.
// Instead holds answers to triggers by their type; everything else is echoed.
type puppet struct {
	instead map[spec.TriggerType]string
}

// declaredByPuppet is the config of the puppet.
const declaredByPuppet = `{"model":"m","llm":"main","system":"Be brief.","tools":[{"name":"say"},{"name":"mumble"},
	{"name":"measure","output":{"type":"number"}},{"name":"confirm","handler":"client"},
	{"name":"strict","input":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}]}`

// Post implements simulator.Poster.
func (p puppet) Post(ctx context.Context, post simulator.Post) simulator.Got {
	return posting{p.answer}.Post(ctx, post)
}

// posting is a Poster that gives each request to a function.
type posting struct{ answer func(body []byte) string }

// Post implements simulator.Poster.
func (p posting) Post(_ context.Context, post simulator.Post) simulator.Got {
	post.OnConn("new")
	return simulator.Got{Proto: "HTTP/1.1", Conn: "new", Answer: spec.Answer{
		Status: http.StatusOK, Body: []byte(p.answer(post.Body)), End: spec.EndWhole,
	}}
}

func (p puppet) answer(body []byte) string {
	at := func(pointer string) string {
		v, _ := jsonv.Get(body, pointer)
		if text, ok := jsonv.Text(v); ok {
			return text
		}
		return string(v)
	}
	kind := spec.TriggerType(at("/trigger/type"))
	if instead, ok := p.instead[kind]; ok {
		return instead
	}
	switch {
	case kind == spec.OnSessionStart:
		return `{"agent":` + declaredByPuppet + `}`
	case kind != spec.OnToolExecute || at("/trigger/input/status") != "valid":
		return at("/proposed")
	case at("/trigger/name") == "mumble":
		return "I am not sure."
	case at("/trigger/input/value/tries") != "":
		return at("/trigger/input/value/tries/" + at("/trigger/attempt"))
	default:
		return at("/trigger/input/value")
	}
}

// told is a session that was driven, to be held against expectations.
type told struct {
	text   string
	events []spec.Event
}

// tell drives a scenario. EXPECT stands in it for items of a step, FINALLY for
// those about the whole session; both are empty while it is driven.
func tell(text string, p simulator.Poster) told {
	GinkgoHelper()
	t := told{text: text}
	in := simulator.CaseInput{Case: t.planned("", ""), Settings: simulator.Settings{Seed: 1, Fixed: true, Agent: simulator.DefaultAgent()}}
	r := simulator.Drive(context.Background(), in, p, func(e spec.Event) { t.events = append(t.events, e) })
	t.events = append(t.events, spec.Event{T: r.T, Data: &spec.CloseEvent{Why: r.Why}})
	return t
}

// planned is the case with the given items.
func (t told) planned(expect, finally string) scenarios.Case {
	GinkgoHelper()
	text := strings.NewReplacer("EXPECT", "["+expect+"]", "FINALLY", "["+finally+"]").Replace(t.text)
	var agent spec.AgentConfig
	d, fault := spec.ParseDecision([]byte(`{"agent":` + declaredByPuppet + `}`))
	Expect(fault).To(BeNil())
	agent = *d.Agent
	cases, err := scenarios.Plan([]*scenarios.Document{parse(text)}, scenarios.Declared{Agent: &agent}, scenarios.PlanOptions{})
	Expect(err).NotTo(HaveOccurred())
	Expect(cases).To(HaveLen(1))
	return cases[0]
}

// unmet gives the findings in one line each: place: got | want.
func (t told) unmet(expect, finally string) []string {
	GinkgoHelper()
	var lines []string
	for _, f := range t.findings(expect, finally) {
		at := f.Expectation
		if f.Exchange != "" {
			at += " " + f.Exchange
		}
		if f.Pointer != "" {
			at += " " + f.Pointer
		}
		lines = append(lines, fmt.Sprintf("%s: %s | %s", at, f.Got, f.Want))
	}
	return lines
}

func (t told) findings(expect, finally string) []spec.Finding {
	GinkgoHelper()
	x := scenarios.NewExpectations(t.planned(expect, finally))
	for _, e := range t.events {
		x.Add(e)
	}
	return x.Findings()
}

// holds wants an item to hold, or not to.
func (t told) holds(expect, finally string, want bool) {
	GinkgoHelper()
	found := t.unmet(expect, finally)
	if want {
		Expect(found).To(BeEmpty())
	} else {
		Expect(found).NotTo(BeEmpty(), "it holds: %s %s", expect, finally)
	}
}

// conversation is a talk in which the model makes the given calls, in YAML.
func conversation(calls string) string {
	return `scenario: A talk
limits: {patience: 1ms}
steps:
  - user: Go.
  - model: {calls: [` + calls + `]}
    expect: EXPECT
  - model: done
finally: FINALLY
`
}

// says is a call of the tool say with an answer in JSON.
func says(label, answer string) string {
	return fmt.Sprintf("{as: %s, tool: say, raw: %s}", label, jsonv.Quote(answer))
}

// resultOf is the answer that settles a call by a result.
func resultOf(result string) string {
	return `{"actions":[{"type":"tool.result","result":` + result + `}]}`
}

func errorOf(members string) string {
	return `{"actions":[{"type":"tool.error",` + members + `}]}`
}

// replaced is text with the one place of old changed.
func replaced(text, old, with string) string {
	GinkgoHelper()
	Expect(strings.Count(text, old)).To(Equal(1))
	return strings.Replace(text, old, with, 1)
}
