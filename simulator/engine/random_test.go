package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/spec"
)

// answersAnyone are bodies that a worker may send to whatever it is asked.
var answersAnyone = []string{
	`{"actions":[{"type":"subagent.spawn","agent_id":"surveyor","tool_call_id":"s1"},{"type":"subagent.spawn","agent_id":"pilot","tool_call_id":"s2"}]}`,
	`{}`, `null`, `[]`, `{"actions":5}`, `not json`, `{"error":"boom"}`,
	`{"actions":[{"type":"tool.result","result":"free"}]}`,
	`{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`,
	`{"actions":[{"type":"tool.error","error":"no"}],"state":{"n":1}}`,
	`{"actions":[{"type":"tool.result","id":"c1","result":1},{"type":"tool.result","id":"c2","result":2}]}`,
	`{"actions":[{"type":"tool.call","name":"crane_status","arguments":{"a":1},"retry":{"max_attempts":3,"backoff_base_secs":1,"backoff_max_secs":5}}]}`,
	`{"actions":[{"type":"tool.call","id":"c1","name":"ask_pilot","arguments":"["}]}`,
	`{"actions":[{"type":"tool.call","name":"tide_table","arguments":"{}","retry":{"run_timeout_secs":0,"max_attempts":4}}]}`,
	`{"actions":[{"type":"llm.call","messages":[{"role":"user","content":"x"}]}]}`,
	`{"messages":[{"role":"user","content":"fork"}]}`,
	`{"messages":[{"id":"k1","role":"user","content":"known"}],"actions":[{"type":"llm.call"}]}`,
	`{"messages":[{"id":"k1","role":"user"},{"role":"tool","tool_call_id":"c1","content":"x"}],"state":2}`,
	`{"actions":[{"type":"done","data":"bye"}]}`, `{"actions":[{"type":"fail","error":{"message":"m","code":"internal"}}]}`,
	`{"agent":{"model":"m2","llm":"main","tools":[{"name":"crane_status"}]}}`, harbourConfig,
	deferredConfig,
	`{"actions":[{"type":"tool.call","name":"tool_search","arguments":{"query":"tide"}},{"type":"tool.call","name":"call_tool","arguments":{"name":"tide_table","arguments":{"port":"Brest"}}},{"type":"tool.call","name":"call_tool","arguments":"["}]}`,
	`{"actions":[{"type":"subagent.spawn","agent_id":"a","tool_call_id":"c1"},{"type":"message.send","session_id":"s","message":{"role":"user"}}]}`,
}

// hostedAnswers are what a worker that hosts the model may answer to t.
func hostedAnswers(t spec.LlmExecuteTrigger) []spec.Answer {
	call := `{"id":"c1","type":"function","function":{"name":"tide_table","arguments":"{\"port\":1}"}}`
	response := map[string]string{
		"":          `{"model":"m","content":"Yes.","tool_calls":[` + call + `]}`,
		"openai":    `{"model":"m","choices":[{"message":{"content":"Yes.","tool_calls":[` + call + `]}}]}`,
		"anthropic": `{"model":"m","content":[{"type":"text","text":"Yes."},{"type":"tool_use","id":"c1","name":"tide_table","input":{"port":1}}]}`,
	}[t.Format]
	result := `{"actions":[{"type":"llm.result","response":` + response + `}]}`
	return []spec.Answer{
		ok200(result), ok200(`{"actions":[{"type":"llm.error","error":"e","retryable":true}]}`), ok200(hostedWords),
		streamed(result, `{"text":"Yes."}`), streamed("", `{"text":"Ye"}`), streamed(result, `{`),
	}
}

// chooser draws the next choice below n.
type chooser func(n int) int

// play runs a session of n random events and returns everything it did, as
// text. Checked holds each request against the schema of requests. broken is called with what should never be.
func play(n int, checked bool, choose chooser, broken func(format string, args ...any)) string {
	cfg := testConfig()
	cfg.Hosted = append([]string{"", ""}, spec.HostedForms()...)[choose(5)]
	b := newBench(cfg)
	b.unchecked = !checked
	var log bytes.Buffer
	w := &watcher{bench: b, broken: broken, ended: map[string]bool{}}
	if choose(4) != 0 {
		b = opened(cfg)
		b.unchecked = !checked
		w.bench, w.open = b, "turn-1"
	}
	for range n {
		for _, f := range b.step(w.event(choose)) {
			fmt.Fprintf(&log, "%T %s\n", f, w.look(f))
		}
		if t, ok := b.NextTimer(); ok && t.At <= b.Now() {
			broken("timer %v is not in the future of %s", t, b.Now())
		}
	}
	for i, d := range w.delivered[len(w.delivered)-len(w.bodies):] {
		if again := string(marshal(d.Request)); again != w.bodies[i] {
			broken("a request that was sent has changed:\n%s\n%s", w.bodies[i], again)
		}
	}
	return log.String()
}

type watcher struct {
	*bench
	broken func(format string, args ...any)
	open   string
	// bodies are the requests as they were when they went out.
	bodies []string
	ended  map[string]bool
}

func (w *watcher) event(choose chooser) Event {
	switch choose(12) {
	case 0:
		in := user("hello")
		in.Input.Queue = choose(2) == 0
		return in
	case 1:
		view := []spec.DraftMessage{{ID: "k1", Role: spec.RoleUser}, {Role: spec.RoleUser, Content: jsontext.Value(`"new"`)}}
		if choose(3) == 0 {
			return w.sees([]spec.DraftMessage{answerOf("c1", "aye"), answerOf("c2", "aye"), answerOf("c1", "no")}[:1+choose(3)]...)
		}
		types := []string{spec.InputClientAppend, spec.InputClientMessages, spec.InputClientAction, spec.InputInterruptResume}
		if open, ok := w.OpenInterrupt(); ok && choose(2) == 0 {
			return resumes(open, `{"go":1}`)
		}
		return Input{Input: spec.ClientInput{Type: types[choose(len(types))], Messages: view}}
	case 2:
		id, result := []string{"c1", "c2"}[choose(2)], jsontext.Value(`1`)
		switch choose(3) {
		case 0:
			return Settle{spec.ToolResultAction{ID: &id, Result: result}}
		case 1:
			return Submit{Decision: w.someDecision(choose), Answer: spec.Decision{Actions: []spec.Action{spec.ToolResultAction{ID: &id, Result: result}}}}
		default:
			return Input{Input: spec.ClientInput{Type: spec.InputToolResult, ID: id, Result: result}}
		}
	case 3:
		return Tick{To: w.Now() + time.Duration(choose(200))*time.Second}
	case 4:
		if choose(8) == 0 {
			return Restart{}
		}
		if n := len(w.spawned); n > 0 {
			return ChildEnded{Session: w.spawned[choose(n)].Session, Cost: "0.1"}
		}
		if choose(40) == 0 {
			return Interrupt{Reason: "stop"}
		}
		fallthrough
	case 5, 6:
		if call, ok := w.Asked(); ok {
			if choose(3) == 0 {
				return says(call, "Yes.")
			}
			return calls(call, [3]string{"c1", "tide_table", `{"port":1}`}, [3]string{fmt.Sprint("r", w.Now()), "crane_status", `{`})
		}
		fallthrough
	default:
		return w.answer(choose)
	}
}

func (w *watcher) answer(choose chooser) Event {
	if len(w.delivered) == 0 {
		return user("hello")
	}
	d := w.last()
	if choose(6) == 0 {
		d = w.delivered[choose(len(w.delivered))]
	}
	a := Answer{Decision: d.Decision, Delivery: d.Delivery}
	switch choose(8) {
	case 0:
		a.Answer = httpStatus([]int{200, 204, 400, 500, 503}[choose(5)])
	case 1:
		a.Answer = ok200(`{"actions":[{"type":"tool.result","result":"free"}]}`)
		if choose(8) == 7 {
			a.Answer = ok200(`{"actions":[{"type":"interrupt","reason":"ask"}]}`)
		}
	case 2, 3:
		a.Answer = ok200(answersAnyone[choose(len(answersAnyone))])
	case 4, 5:
		a.Answer = ok200(string(marshal(d.Request.Proposed)))
		if t, ok := d.Request.Trigger.(spec.LlmExecuteTrigger); ok {
			a.Answer = hostedAnswers(t)[choose(len(hostedAnswers(t)))]
		}
	default:
		a.Answer = ok200(string(marshal(d.Request.Proposed)))
	}
	return a
}

// look checks an effect and returns it as text.
func (w *watcher) look(f Effect) string {
	switch f := f.(type) {
	case Deliver:
		return w.lookAt(f)
	case Turn:
		if f.Event.Event == spec.TurnStarted {
			if w.open != "" {
				w.broken("turn %s starts while %s runs", f.Event.TurnID, w.open)
			}
			w.open = f.Event.TurnID
			return f.Event.TurnID
		}
		if w.open != f.Event.TurnID || w.ended[w.open] {
			w.broken("turn %s ends while %q runs", f.Event.TurnID, w.open)
		}
		w.ended[w.open], w.open = true, ""
		return string(marshal(f.Event))
	case Outcome:
		return fmt.Sprint(f.Decision, f.Delivery, f.At, f.Applied, string(marshal(f.Event)), string(marshal(f.Failure)))
	case AskModel:
		return fmt.Sprint(f.Call, f.Stream, string(marshal(f.Request)))
	case Replied:
		return fmt.Sprint(f.Call, string(marshal(f.Response)), string(marshal(f.Error)))
	case Delta:
		return fmt.Sprint(f.Call, f.Sequence, string(f.Data))
	default:
		return fmt.Sprintf("%+v", f)
	}
}

func (w *watcher) lookAt(d Deliver) string {
	body, err := d.Body(start.Add(d.Sent))
	if err != nil {
		w.broken("encode: %v", err)
	}
	again, fault := spec.ParseRequest(body)
	if fault != nil {
		w.broken("the request does not read: %v\n%s", fault, body)
	}
	// A null that stands for nothing is not kept by the reader.
	want := bytes.ReplaceAll(body, []byte(`,"data":null`), nil)
	if got := marshal(again); !bytes.Equal(got, want) {
		w.broken("the request reads back as another:\n%s\n%s", want, got)
	}
	if _, fault := spec.ParseDecision(marshal(d.Request.Proposed)); fault != nil {
		w.broken("the proposal is no answer: %v", fault)
	}
	r := d.Request
	if !slices.IsSortedFunc(r.Calls, func(a, b spec.Call) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) }) {
		w.broken("calls are not sorted: %v", r.Calls)
	}
	tools := 0
	for _, c := range r.Calls {
		if c.Kind == spec.CallTool {
			tools++
		}
	}
	if int(r.PendingCalls) < tools {
		w.broken("pending_calls %d with %d tool calls", r.PendingCalls, tools)
	}
	head := ""
	if n := len(r.Messages); n > 0 {
		head = r.Messages[n-1].ID
	}
	if head != r.MessageTree.HeadID {
		w.broken("the path ends at %q, the head is %q", head, r.MessageTree.HeadID)
	}
	w.bodies = append(w.bodies, string(body))
	return string(body)
}

func TestAnySession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		play(60, true, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }, t.Fatalf)
	})
}

func TestSameEventsSameBytes(t *testing.T) {
	t.Parallel()
	var first string
	for run := range 10 {
		log := ""
		// One session comes to a few of the triggers only.
		for part := range uint64(12) {
			random := rand.New(rand.NewPCG(7, part))
			log += play(250, run == 0, random.IntN, t.Fatalf)
		}
		if run == 0 {
			first = log
		}
		if log != first {
			t.Fatalf("run %d differs", run)
		}
	}
	for _, trigger := range []spec.TriggerType{
		spec.OnClientMessages, spec.OnClientAction, spec.OnLlmFinished,
		spec.OnToolExecute, spec.OnToolFinished, spec.OnTurnFinished, spec.OnLlmExecute, spec.OnInterruptResumed,
		spec.OnSubagentFinished,
	} {
		if !strings.Contains(first, `"trigger":{"type":"`+string(trigger)) {
			t.Errorf("no %s happened", trigger)
		}
	}
}

// someDecision is the id of a decision that was delivered, or of none.
func (w *watcher) someDecision(choose chooser) string {
	if len(w.delivered) == 0 || choose(4) == 0 {
		return "unheard-of"
	}
	return w.delivered[len(w.delivered)-1-choose(min(3, len(w.delivered)))].Decision
}
