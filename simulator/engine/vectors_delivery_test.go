package engine

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

func TestDeliveryVectors(t *testing.T) {
	t.Parallel()
	runVectors[deliveryVector](t, "delivery.yaml", 99, map[string]string{
		"no-worker-for-the-agent": "a simulated session always has a worker",
	})
}

type deliveryVector struct {
	head           `yaml:",inline"`
	Trigger        string
	AttemptsBefore uint32 `yaml:"attempts_before"`
	HTTP           struct {
		Status          int
		ContentType     *string `yaml:"content_type"`
		ContentEncoding string  `yaml:"content_encoding"`
		Headers         map[string]string
		Body            string
		BodyBase64      string  `yaml:"body_base64"`
		AfterS          float64 `yaml:"after_s"`
		Fault           string
		RunTimeoutS     *uint32 `yaml:"run_timeout_s"`
	}
	Expect struct {
		Class              string
		Code               spec.ErrorCode
		Message            string
		MessageStarts      string `yaml:"message_starts"`
		Param              string
		Detail             string
		Decision           string
		Turn               string
		NextDeliveryAfterS *int64 `yaml:"next_delivery_after_s"`
	}
	Deltas []int
	Others map[string]string
}

func (v deliveryVector) check() []string {
	var p problems
	b := v.bench()
	out := b.live
	if v.Others["held_inputs"] != "" {
		held := user("and berth 8?")
		held.Input.Queue = true
		b.step(held)
	}
	effects := v.deliver(b, out)
	outcomes := of[Outcome](effects)
	if len(outcomes) != 1 {
		p.add("%d outcomes, want one", len(outcomes))
		return p
	}
	v.checkOutcome(&p, b, outcomes[0])
	v.checkTurn(&p, b, out, effects)
	var deltas []int
	for _, d := range of[Delta](effects) {
		deltas = append(deltas, d.Sequence)
	}
	if v.Expect.Class == "success" {
		p.same("deltas", deltas, v.Deltas)
	}
	v.checkOthers(&p, b, effects)
	return p
}

// deliver lets the answer come, or time pass until the engine gives up.
func (v deliveryVector) deliver(b *bench, out *decision) []Effect {
	a, silent := v.answer()
	if silent {
		return b.step(Tick{To: 20 * time.Second})
	}
	b.step(Tick{To: time.Duration(v.HTTP.AfterS * float64(time.Second))})
	return b.step(Answer{Decision: out.id, Delivery: out.deliveries, Answer: a})
}

// answer is what the transport saw; silent says that nothing came before the
// deadline of the decision.
func (v deliveryVector) answer() (a spec.Answer, silent bool) {
	h := v.HTTP
	a = spec.Answer{Status: h.Status, Body: []byte(h.Body), End: spec.EndWhole}
	if h.BodyBase64 != "" {
		body, err := base64.StdEncoding.DecodeString(h.BodyBase64)
		if err != nil {
			panic(err)
		}
		a.Body = body
	}
	if h.ContentType != nil {
		a.Headers = append(a.Headers, [2]string{"content-type", *h.ContentType})
	}
	if h.ContentEncoding != "" {
		a.Headers = append(a.Headers, [2]string{"content-encoding", h.ContentEncoding})
	}
	for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
		a.Headers = append(a.Headers, [2]string{name, h.Headers[name]})
	}
	switch h.Fault {
	case "":
	case "connection refused":
		a.End, a.Reason = spec.EndReset, spec.ReasonRefused
	case "dns failure":
		a.End, a.Reason = spec.EndReset, spec.ReasonUnreachable
	case "connect timeout":
		a.End, a.Reason = spec.EndReset, spec.ReasonUnreachable
	case "tls failure":
		a.End, a.Reason = spec.EndReset, spec.ReasonTLS
	case "reset before the response head", "close before the response head":
		a.End, a.Reason = spec.EndReset, spec.ReasonClosed
	case "garbage instead of a response head":
		a.End, a.Reason = spec.EndReset, spec.ReasonNotHTTP
	case "close before the announced length", "reset inside a chunked body", "reset after the bytes given":
		a.End = spec.EndCut
	case "no answer", "one byte a second":
		if h.RunTimeoutS == nil {
			return a, true
		}
		a.End, a.Reason = spec.EndTimeout, spec.ReasonSilence
	default:
		panic("fault " + h.Fault)
	}
	return a, false
}

func (v deliveryVector) checkOutcome(p *problems, b *bench, o Outcome) {
	if v.Expect.Class == "success" {
		p.same("outcome", o.Event.As, spec.OutcomeAccepted)
		switch v.Expect.Decision {
		case "as sent":
			p.same("call c1 is done", strings.Contains(v.HTTP.Body, "tool.result") && b.tools["c1"].status == statusDone,
				strings.Contains(v.HTTP.Body, "tool.result"))
			if strings.Contains(v.HTTP.Body, "llm.result") {
				p.same("model call m9 is done", b.llms["m9"].status, statusDone)
			}
		case "empty":
			p.same("actions", len(o.Applied), 0)
			p.same("call c1 is open", b.tools["c1"].status.open(), true)
		default:
			p.add("decision %q is not known", v.Expect.Decision)
		}
		return
	}
	if o.Failure == nil {
		p.add("outcome is %s, want a failure", o.Event.As)
		return
	}
	p.same("class", o.Failure.Class, v.Expect.Class)
	p.same("code", o.Failure.Info.Code, v.Expect.Code)
	p.same("param", o.Failure.Info.Param, v.Expect.Param)
	if v.Expect.Message != "" {
		p.same("message", o.Failure.Info.Message, v.Expect.Message)
	}
	if !strings.HasPrefix(o.Failure.Info.Message, v.Expect.MessageStarts) {
		p.add("message %q does not start with %q", o.Failure.Info.Message, v.Expect.MessageStarts)
	}
	if v.Expect.Detail != "" {
		p.sameJSON("detail", o.Failure.Info.Detail, jsontext.Value(v.Expect.Detail))
	}
}

func (v deliveryVector) checkTurn(p *problems, b *bench, out *decision, effects []Effect) {
	ended := of[Turn](effects)
	event := "none"
	if len(ended) > 0 {
		event = ended[0].Event.Event
	}
	switch v.Expect.Turn {
	case "goes on", "untouched":
		p.same("turn is open", b.TurnOpen(), true)
		p.same("turn event", event, "none")
	case "waits", "none: no other decision goes out before the retry":
		p.same("state", out.state, decisionWaiting)
		p.same("turn event", event, "none")
		if v.Trigger == string(spec.OnSessionStart) {
			p.same("deliveries", len(of[Deliver](effects)), 0)
		}
	case "fails":
		p.same("turn event", event, spec.TurnFailed)
		if len(ended) > 0 && (ended[0].Event.Error == nil || ended[0].Event.Error.Code != v.Expect.Code) {
			p.add("the turn does not carry the error")
		}
	case "none: the failure is logged":
		p.same("turn event", event, "none")
		p.same("turn is open", b.TurnOpen(), false)
	case "completes with its output and the error":
		p.same("turn event", event, spec.TurnCompleted)
		if len(ended) > 0 {
			p.same("output", string(ended[0].Event.Data), `"Yes."`)
			p.same("error", ended[0].Event.Error != nil && ended[0].Event.Error.Code == v.Expect.Code, true)
		}
	default:
		p.add("turn %q is not known", v.Expect.Turn)
	}
	if want := v.Expect.NextDeliveryAfterS; want != nil {
		p.same("retry", out.retryAt-b.Now(), time.Duration(*want)*time.Second)
	}
}

// checkOthers looks at what a lost turn takes along.
func (v deliveryVector) checkOthers(p *problems, b *bench, effects []Effect) {
	if v.Others == nil {
		return
	}
	p.same("others", v.Others, map[string]string{
		"open_calls": "voided", "queued_decisions": "dropped", "running_subagents": "go on",
		"held_inputs": "kept", "session": "open",
	})
	p.same("c1", b.tools["c1"].status, statusVoided)
	p.same("c2", b.tools["c2"].status, statusVoided)
	p.same("s1", b.tools["s1"].status, statusRunning)
	next := of[Deliver](effects)
	if len(next) != 1 || next[0].Request.Trigger.TriggerType() != spec.OnClientMessages {
		p.add("after the failure %d deliveries, want that of the held input alone", len(next))
	}
}

// bench has a first delivery out, of the trigger that the vector names.
func (v deliveryVector) bench() *bench {
	cfg := testConfig()
	cfg.Pace = 0
	if v.HTTP.RunTimeoutS != nil {
		cfg.Retry.Decision = &spec.RetryOverride{RunTimeoutSecs: v.HTTP.RunTimeoutS}
	}
	if v.Trigger == string(spec.OnSessionStart) {
		b := newBench(cfg)
		b.step(user("Is berth 7 free?"))
		return b
	}
	turnID := "t-1"
	req := spec.DecisionRequest{
		SessionID: "s-1", DecisionID: "d-1", AgentID: "harbour", TurnID: &turnID, Attempts: v.AttemptsBefore,
		Agent: agent(`{"model":"m-small","llm":"main"}`), Trigger: v.trigger(),
	}
	for _, m := range parsed(spec.ParseMessages([]byte(answersPath))) {
		req.Messages = append(req.Messages, spec.Message(m))
	}
	if v.Trigger == "session.start, no input yet" {
		req.TurnID = nil
	}
	for _, id := range []string{"c1", "c2"} {
		arguments := "{}"
		req.Calls = append(req.Calls, spec.Call{
			ID: id, Kind: spec.CallTool, Status: spec.CallPending, Anchor: "m1", Name: "tide_table",
			Arguments: &arguments, Handler: spec.HandlerWorker,
		})
	}
	if v.Others != nil {
		req.Calls = append(req.Calls, spec.Call{
			ID: "s1", Kind: spec.CallSubagent, Status: spec.CallRunning, Anchor: "m1", AgentID: "surveyor", SessionID: "k-1",
		})
	}
	e, _, err := Resume(cfg, req)
	if err != nil {
		panic(err)
	}
	if v.Trigger == string(spec.OnClientAction) {
		e.turns.running = &turn{id: turnID, cost: "0"}
	}
	return &bench{Engine: e}
}

func (v deliveryVector) trigger() spec.Trigger {
	switch v.Trigger {
	case "", string(spec.OnToolExecute):
		return spec.ToolExecuteTrigger{ID: "c1", Name: "tide_table", Arguments: "{}"}
	case "session.start, no input yet":
		return spec.SessionStartTrigger{}
	case string(spec.OnClientMessages):
		return spec.ClientMessagesTrigger{}
	case string(spec.OnClientAction):
		return spec.ClientActionTrigger{Name: "refresh"}
	case string(spec.OnTurnFinished):
		return spec.TurnFinishedTrigger{TurnID: "t-1", Data: jsontext.Value(`"Yes."`), Cost: "0"}
	case string(spec.OnLlmFinished):
		return spec.LlmFinishedTrigger{ID: "m1", OK: true}
	case string(spec.OnToolFinished):
		return spec.ToolFinishedTrigger{ID: "c0", OK: true}
	case string(spec.OnLlmExecute):
		return spec.LlmExecuteTrigger{ID: "m9"}
	case "llm.execute stream":
		return spec.LlmExecuteTrigger{ID: "m9", Stream: true}
	}
	panic("trigger " + v.Trigger)
}
