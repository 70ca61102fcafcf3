package engine

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func TestAnswersVectors(t *testing.T) {
	t.Parallel()
	runVectors[answersVector](t, "answers.yaml", 153, nil)
}

type answersVector struct {
	head    `yaml:",inline"`
	Trigger struct {
		Type    spec.TriggerType
		ID      string
		Attempt uint32
	}
	// Open is nil when the vector does not say.
	Open []struct {
		ID      string
		Attempt uint32
		Handler spec.Handler
		Status  spec.CallStatus
	}
	Finished []string
	Config   yaml.Node
	Decision string
	Via      string
	Caller   string
	Response string
	Verdict  string
	Actions  []string
	Fatal    struct {
		Code    spec.ErrorCode
		Param   string
		Message string
		Reason  string
		Detail  string
	}
	Status     int
	Error      string
	Calls      map[string]string
	Recorded   string
	Path       []string
	PathAfter  []string `yaml:"path_after"`
	StateAfter string   `yaml:"state_after"`
	Arguments  *string
}

func (v answersVector) check() []string {
	var p problems
	b := v.bench()
	d := b.live
	switch v.Via {
	case "", "decision":
		v.checkDecision(&p, b, v.answer(b, d))
	default:
		reply := v.outside(b)
		p.same("status", reply.Status, v.Status)
		if v.Error != "" {
			p.same("error", reply.Error, v.Error)
		}
	}
	v.checkState(&p, b)
	return p
}

// outside settles by the settle endpoint or as a client.
func (v answersVector) outside(b *bench) InputReply {
	if v.Via != "settle" {
		return of[InputReply](b.step(Input{Input: read[spec.ClientInput](v.Response), Stranger: v.Caller == "other user"}))[0]
	}
	action, fault := spec.ParseSettle([]byte(v.Response))
	if fault != nil {
		// What does not read never reaches the engine.
		return InputReply{Status: 422, Error: fault.Error()}
	}
	return of[InputReply](b.step(Settle{action}))[0]
}

// answer brings the decision to where the vector wants it and answers it.
func (v answersVector) answer(b *bench, d *decision) Outcome {
	delivery := d.deliveries
	switch v.Decision {
	case "redelivered":
		delivery--
	case "settled":
		b.step(Answer{Decision: d.id, Delivery: delivery, Answer: ok200(`{}`)})
	case "retry_scheduled":
		b.step(Answer{Decision: d.id, Delivery: delivery, Answer: httpStatus(503)})
	case "voided":
		b.step(Answer{Decision: d.id, Delivery: delivery, Answer: httpStatus(503)})
		b.answer(`{"messages":[{"role":"user","content":"another branch"}]}`)
	}
	effects := b.step(Answer{Decision: d.id, Delivery: delivery, Answer: ok200(v.Response)})
	return of[Outcome](effects)[0]
}

func (v answersVector) checkDecision(p *problems, b *bench, o Outcome) {
	switch v.Verdict {
	case "applied":
		want := spec.OutcomeAccepted
		if v.Decision == "redelivered" {
			want = spec.OutcomeLate
		}
		p.same("outcome", o.Event.As, want)
		fates := []string{}
		for _, applied := range o.Applied {
			fates = append(fates, map[bool]string{true: "applied", false: "dropped"}[applied])
		}
		p.same("actions", fates, v.Actions)
	case "ignored":
		p.same("outcome", o.Event.As, spec.OutcomeDropped)
	case "fatal":
		if o.Failure == nil {
			p.add("outcome is %s, want a failure", o.Event.As)
			return
		}
		p.same("class", o.Failure.Class, spec.FailureFatal)
		p.same("code", o.Failure.Info.Code, v.Fatal.Code)
		p.same("param", o.Failure.Info.Param, v.Fatal.Param)
		if v.Fatal.Message != "" {
			p.same("message", o.Failure.Info.Message, v.Fatal.Message)
		}
		if v.Fatal.Detail != "" {
			p.sameJSON("detail", o.Failure.Info.Detail, jsontext.Value(v.Fatal.Detail))
		}
		if v.Fatal.Reason != "" {
			reason, _ := jsonv.Get(o.Failure.Info.Detail, "/reason")
			p.same("reason", string(reason), `"`+v.Fatal.Reason+`"`)
		}
		p.same("turn is open", b.TurnOpen(), false)
	default:
		p.add("verdict %q is not known", v.Verdict)
	}
}

func (v answersVector) checkState(p *problems, b *bench) {
	words := map[status]string{statusDone: "completed", statusFailed: "failed", statusVoided: "voided"}
	for id, want := range v.Calls {
		got := "unknown"
		if c := b.tools[id]; c != nil {
			got = words[c.status]
			if c.status.open() {
				got = "open"
			}
		}
		p.same("call "+id, got, want)
	}
	if v.Recorded != "" {
		p.same("recorded", toolcall.Rendered(*b.tools["c1"].result), v.Recorded)
	}
	if v.PathAfter != nil {
		var path []string
		for _, m := range b.tree.path {
			path = append(path, m.ID)
			if strings.HasPrefix(m.ID, string(IDMessage)) {
				path[len(path)-1] = "new"
			}
		}
		p.same("path", path, v.PathAfter)
	}
	if v.StateAfter != "" {
		p.sameJSON("state", b.state.current, jsontext.Value(v.StateAfter))
	}
	if v.Arguments != nil {
		p.same("arguments", b.tools["w1"].arguments, *v.Arguments)
	}
}

const answersPath = `[
	{"id":"u1","role":"user","content":"Is berth 7 free?"},
	{"id":"m1","role":"assistant","tool_calls":[
		{"id":"c1","type":"function","function":{"name":"tide_table","arguments":"{}"}},
		{"id":"c2","type":"function","function":{"name":"crane_status","arguments":"{}"}}]}]`

// bench resumes an engine from the request that the vector describes.
func (v answersVector) bench() *bench {
	cfg := testConfig()
	cfg.Dialect.FirstAttempt = 1
	cfg.Blocks = []string{"main", "spare"}
	turn := "t-1"
	req := spec.DecisionRequest{
		SessionID: "s-1", DecisionID: "d-1", AgentID: "harbour", TurnID: &turn, Attempts: 1,
		State:   jsontext.Value(`{"day":1,"port":"Brest"}`),
		Agent:   agent(v.config()),
		Trigger: v.trigger(),
	}
	if v.Decision == "redelivered" {
		req.Attempts = 2
	}
	for _, m := range parsed(spec.ParseMessages([]byte(answersPath))) {
		req.Messages = append(req.Messages, spec.Message(m))
	}
	if len(v.Path) > 2 {
		id, call, _ := strings.Cut(v.Path[2], " (tool message of ")
		req.Messages = append(req.Messages, spec.Message{
			ID: id, Role: spec.RoleTool, ToolCallID: strings.TrimSuffix(call, ")"), Content: jsontext.Value(`"04:12"`),
		})
	}
	req.Calls = v.calls()
	e, _, err := Resume(cfg, req)
	if err != nil {
		panic(err)
	}
	for _, id := range v.Finished {
		e.assumeOver(spec.ToolCall{ID: id})
	}
	return &bench{Engine: e}
}

func (v answersVector) config() string {
	switch {
	case v.Config.IsZero():
		return `{"model":"m-small","llm":"main"}`
	case v.Config.Tag == "!!null":
		return "null"
	default:
		return v.Config.Value
	}
}

func (v answersVector) calls() []spec.Call {
	call := func(id string, attempt uint32, handler spec.Handler, status spec.CallStatus) spec.Call {
		arguments := "{}"
		return spec.Call{
			ID: id, Kind: spec.CallTool, Status: status, Attempt: attempt, Anchor: "m1",
			Name: "tide_table", Arguments: &arguments, Handler: handler,
		}
	}
	var list []spec.Call
	if v.Open == nil {
		list = append(list, call("c1", 1, spec.HandlerWorker, spec.CallPending),
			call("c2", 1, spec.HandlerWorker, spec.CallPending))
	}
	for _, o := range v.Open {
		if o.Handler == "" {
			o.Handler = spec.HandlerWorker
		}
		if o.Status == "" {
			o.Status = spec.CallPending
		}
		list = append(list, call(o.ID, o.Attempt, o.Handler, o.Status))
	}
	return list
}

func (v answersVector) trigger() spec.Trigger {
	id := v.Trigger.ID
	switch v.Trigger.Type {
	case spec.OnClientMessages:
		return spec.ClientMessagesTrigger{}
	case spec.OnClientAction:
		return spec.ClientActionTrigger{Name: "refresh"}
	case spec.OnToolFinished:
		return spec.ToolFinishedTrigger{ID: id, OK: true}
	case spec.OnLlmFinished:
		return spec.LlmFinishedTrigger{ID: id, OK: true}
	case spec.OnLlmExecute:
		return spec.LlmExecuteTrigger{ID: id, Attempt: v.Trigger.Attempt}
	case spec.OnInterruptResumed:
		return spec.InterruptResumedTrigger{InterruptID: id}
	case "", spec.OnToolExecute:
		t := spec.ToolExecuteTrigger{ID: "c1", Name: "tide_table", Arguments: "{}", Attempt: 1}
		if v.Trigger.ID != "" {
			t.ID, t.Attempt = v.Trigger.ID, v.Trigger.Attempt
		}
		return t
	}
	panic("trigger " + v.Trigger.Type)
}
