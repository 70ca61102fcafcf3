package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func TestRetriesVectors(t *testing.T) {
	t.Parallel()
	runVectors[retriesVector](t, "retries.yaml", 74, nil)
}

type retriesVector struct {
	head     `yaml:",inline"`
	Kind     toolcall.PolicyKind
	Policy   string
	Config   string
	Action   string
	WaitsS   *[]int `yaml:"waits_s"`
	Timeline []retriesMoment
}

type retriesMoment struct {
	At       int
	Event    string
	Attempt  int
	Deadline *int
	Expires  *int
	OK       bool
	Code     spec.ErrorCode
	Message  string
	Text     string
}

func (v retriesVector) check() []string {
	switch {
	case v.Timeline != nil && v.Kind == toolcall.ForDecision:
		return v.checkDeliveries()
	case v.Timeline != nil:
		return v.checkCall()
	case v.WaitsS != nil:
		return v.checkWaits()
	default:
		return v.checkPolicy()
	}
}

func (v retriesVector) policy() spec.RetryPolicy { return read[spec.RetryPolicy](v.Policy) }

// override is a policy as the action of a call writes it.
func (v retriesVector) override() *spec.RetryOverride { return wholePolicy(v.policy()) }

// checkPolicy asks for a call under the layers of the vector and looks at its
// policy. Kinds of calls that are not simulated are resolved alone.
func (v retriesVector) checkPolicy() []string {
	var p problems
	config := &spec.AgentConfig{Model: "m-small", Llm: "main", Tools: []spec.AgentTool{
		{Name: "worker tool"}, {Name: "client tool", Handler: spec.HandlerClient},
	}}
	if v.Config != "" {
		config.Retry = parsed(spec.ParseAgent([]byte(`{"model":"m","retry":` + v.Config + `}`))).Retry
	}
	b := newBench(testConfig())
	b.step(user("Is berth 7 free?"))
	b.answer(string(marshal(spec.Decision{Agent: config})))
	own := ""
	if v.Action != "" {
		own = `,"retry":` + v.Action
	}
	var got spec.RetryPolicy
	switch v.Kind {
	case toolcall.ForWorkerTool, toolcall.ForClientTool:
		b.answer(fmt.Sprintf(`{"actions":[{"type":"tool.call","id":"c1","name":%q,"arguments":"{}"%s}]}`, v.Kind, own))
		got = b.tools["c1"].policy
	case toolcall.ForModelCall:
		b.answer(fmt.Sprintf(`{"actions":[{"type":"llm.call","id":"m1","messages":[]%s}]}`, own))
		got = b.llms["m1"].policy
	case toolcall.ForDecision:
		got = b.Engine.policy
	default:
		got = b.resolve(v.Kind, nil, nil)
	}
	p.sameJSON("policy", marshal(got), jsontext.Value(v.Policy))
	return p
}

// called is a session in which the call c1 was dispatched under the vector's
// policy, at a moment that is not zero.
func (v retriesVector) called(name string) *bench {
	cfg := testConfig()
	cfg.Pace = 0
	// Only the call's own clock is to be seen.
	long := uint32(100_000_000)
	cfg.Retry.Decision = &spec.RetryOverride{RunTimeoutSecs: &long, TotalTimeoutSecs: &long}
	b := newBench(cfg)
	b.step(user("Is berth 7 free?"))
	b.answer(`{"agent":{"model":"m-small","llm":"main","tools":[{"name":"worker tool","output":{"type":"string"}},` +
		`{"name":"client tool","handler":"client"}]}}`)
	if v.Kind != toolcall.ForModelCall {
		b.echo()
		b.step(Tick{To: 100 * time.Second})
		b.step(calls(b.asked[0].Call, [3]string{"c1", name, "{}"}))
	}
	action := `{"type":"tool.call","id":"c1","name":"` + name + `","arguments":"{}"`
	if v.Kind == toolcall.ForModelCall {
		action = `{"type":"llm.call","id":"c1","messages":[]`
	}
	messages := marshal(b.last().Request.Proposed.Messages)
	b.answer(`{"messages":` + string(messages) + `,"actions":[` + action + `,"retry":` + string(marshal(v.override())) + `}]}`)
	return b
}

// checkWaits fails every attempt at once and measures the waits.
func (v retriesVector) checkWaits() []string {
	var p problems
	b := v.called("worker tool")
	waits := []int{}
	for len(waits) < 20 {
		at := b.Now()
		b.answer(`{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`)
		fate := b.outcomes[len(b.outcomes)-1].Event.Settled[0]
		if fate.Then != thenRetry {
			break
		}
		retry := time.Duration(fate.At) * time.Millisecond
		waits = append(waits, int((retry-at)/time.Second))
		b.step(Tick{To: retry})
	}
	p.same("waits", waits, *v.WaitsS)
	return p
}

// callRun follows one call through time.
type callRun struct {
	problems
	*bench
	vector retriesVector
	first  time.Duration
	seen   int
	got    []string
}

// checkCall plays the timeline of a call: what others do is done, what the
// engine must do is watched, and nothing else may happen.
func (v retriesVector) checkCall() []string {
	name := string(v.Kind)
	if v.Kind == toolcall.ForConnectorTool {
		// No connector is dialled; the clock of a call is the same wherever it runs.
		name = "harbour__tides"
	}
	r := &callRun{bench: v.called(name), vector: v}
	r.first = r.attempts().first
	r.watch()
	var want []string
	for _, m := range v.Timeline {
		r.until(r.first + time.Duration(m.At)*time.Second)
		switch m.Event {
		case "attempt":
			want = append(want, fmt.Sprintf("%d attempt %d", m.At, m.Attempt))
			r.inspect(m)
		case "finished":
			want = append(want, fmt.Sprintf("%d finished %t %s %s", m.At, m.OK, m.Code, m.Message))
		default:
			r.act(m)
		}
		r.watch()
	}
	r.until(r.Now() + time.Hour)
	r.same("what happens", r.shortened(want), want)
	return r.problems
}

// shortened leaves out messages and codes that the timeline does not pin.
func (r *callRun) shortened(want []string) []string {
	out := append([]string(nil), r.got...)
	for i := range out {
		if i < len(want) && strings.HasPrefix(out[i], strings.TrimRight(want[i], " ")) {
			out[i] = want[i]
		}
	}
	return out
}

func (r *callRun) attempts() *attempts {
	if c := r.llms["c1"]; c != nil {
		return &c.attempts
	}
	return &r.tools["c1"].attempts
}

// until lets time pass, timer by timer.
func (r *callRun) until(to time.Duration) {
	for {
		t, ok := r.NextTimer()
		if !ok || t.At > to {
			r.step(Tick{To: to})
			r.watch()
			return
		}
		r.step(Tick{To: t.At})
		r.watch()
	}
}

// watch notes attempts that began and the end of the call, and lets go of
// deliveries whose attempt is over.
func (r *callRun) watch() {
	a := r.attempts()
	if a.status == statusPending && a.failures+1 > r.seen {
		r.seen = a.failures + 1
		r.note("attempt %d", r.seen)
	}
	if d := r.live; d != nil && d.call != nil && (d.kind == spec.OnToolFinished || a.status != statusPending || d.try != r.seen) {
		if a.status == statusPending || a.status == statusWaiting || d.kind != spec.OnToolFinished {
			// An attempt that ended on delivery was seen by its delivery only.
			if d.try > r.seen {
				r.seen = d.try
				r.note("attempt %d", r.seen)
			}
			r.answer(`{}`)
			r.watch()
			return
		}
		t := d.trigger.(spec.ToolFinishedTrigger)
		r.noteEnd(t.OK, t.Error)
		r.answer(`{}`)
	}
	if d := r.live; d != nil && d.kind == spec.OnLlmFinished && d.llm != nil && d.llm.id == "c1" {
		t := d.trigger.(spec.LlmFinishedTrigger)
		r.noteEnd(t.OK, t.Error)
		r.answer(`{}`)
	}
}

func (r *callRun) noteEnd(ok bool, err *spec.ErrorInfo) {
	if err == nil {
		err = &spec.ErrorInfo{}
	}
	r.note("finished %t %s %s", ok, err.Code, err.Message)
}

func (r *callRun) note(format string, args ...any) {
	r.got = append(r.got, fmt.Sprintf("%d ", (r.Now()-r.first)/time.Second)+fmt.Sprintf(format, args...))
}

// inspect looks at the clocks of an attempt that has just begun.
func (r *callRun) inspect(m retriesMoment) {
	a := r.attempts()
	if m.Deadline != nil {
		shown := r.last().Request.Trigger.(spec.ToolExecuteTrigger).Deadline
		r.same("deadline", shown.Sub(start)-r.first, time.Duration(*m.Deadline)*time.Second)
	}
	if m.Expires != nil {
		r.same("expires", *a.expires-r.first, time.Duration(*m.Expires)*time.Second)
	}
}

// act does what the worker or the client does.
func (r *callRun) act(m retriesMoment) {
	if r.vector.Kind == toolcall.ForModelCall {
		r.step(says("c1", "high"))
		return
	}
	failure := map[string]any{"type": "tool.error", "id": "c1", "error": "busy", "retryable": m.Event == "retryable error"}
	if m.Text != "" {
		failure["error"], failure["code"] = m.Text, m.Code
	}
	id, high := "c1", jsontext.Value(`"high"`)
	outside := Settle{spec.ToolResultAction{ID: &id, Result: high}}
	switch m.Event {
	case "result":
		if r.live == nil {
			// The tool.execute of this attempt was answered already.
			r.same("status", of[InputReply](r.step(outside))[0].Status, 200)
			return
		}
		r.answer(`{"actions":[{"type":"tool.result","result":"high"}]}`)
	case "result that breaks output":
		r.answer(`{"actions":[{"type":"tool.result","result":"5"}]}`)
	case "result naming attempt 1 (dropped)":
		r.answer(`{"actions":[{"type":"tool.result","attempt":0,"result":"high"}]}`)
		settled := r.outcomes[len(r.outcomes)-1].Event.Settled
		r.same("settle", settled[0].Then, thenDropped)
	case "error", "retryable error":
		if r.vector.Kind == toolcall.ForClientTool {
			text, retryable := "busy", true
			r.step(Input{Input: spec.ClientInput{Type: spec.InputToolError, ID: "c1", Error: &text, Retryable: &retryable}})
			return
		}
		r.answer(string(marshal(map[string]any{"actions": []any{failure}})))
	case "empty decision":
		r.answer(`{}`)
		r.same("held", r.HeldByWorker(), true)
	case "settle through the endpoint":
		r.same("status", of[InputReply](r.step(outside))[0].Status, 200)
	case "settle through the endpoint (409)":
		r.same("status", of[InputReply](r.step(outside))[0].Status, 409)
	case "client answers":
		in := Input{Input: spec.ClientInput{Type: spec.InputToolResult, ID: id, Result: high}}
		r.same("status", of[InputReply](r.step(in))[0].Status, 202)
	default:
		panic("event " + m.Event)
	}
}
