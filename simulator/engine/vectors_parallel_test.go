package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func TestParallelVectors(t *testing.T) {
	t.Parallel()
	runVectors[parallelVector](t, "parallel.yaml", 44, nil)
}

type modelCall struct {
	ID        string
	Tool      string
	Arguments string
}

type parallelVector struct {
	head  `yaml:",inline"`
	Model []modelCall
	Tools map[string]struct {
		Handler  spec.Handler
		Subagent bool
		Retry    *struct {
			MaxAttempts     *uint32 `yaml:"max_attempts"`
			BackoffBaseSecs *uint32 `yaml:"backoff_base_secs"`
			BackoffMaxSecs  *uint32 `yaml:"backoff_max_secs"`
			RunTimeoutSecs  *uint32 `yaml:"run_timeout_secs"`
		}
	}
	Steps  []parallelStep
	Path   []string
	Stalls bool
	GoesOn bool `yaml:"goes_on"`
	Turn   string
}

type parallelStep struct {
	Decision     string
	Calls        parallelCalls
	PendingCalls *uint32 `yaml:"pending_calls"`
	Proposed     parallelProposed
	Answer       string
	OK           *bool
	Code         spec.ErrorCode
	Content      string
	Input        spec.InputStatus
	During       []string
	Seconds      int
	TimeLeftS    *int64 `yaml:"time_left_s"`
	Delivery     int
	Event        string
	Via          string
}

// parallelCalls are ids in a decision, whole calls in a model's answer.
type parallelCalls struct {
	ids  []string
	made []modelCall
}

func (c *parallelCalls) UnmarshalYAML(decode func(any) error) error {
	if decode(&c.ids) == nil {
		return nil
	}
	return decode(&c.made)
}

type parallelProposed struct {
	empty            bool
	Records, Actions []string
}

func (p *parallelProposed) UnmarshalYAML(decode func(any) error) error {
	var word string
	if decode(&word) == nil {
		p.empty = word == "empty"
		return nil
	}
	type plain parallelProposed
	return decode((*plain)(p))
}

// parallelRun is a vector under way.
type parallelRun struct {
	problems
	*bench
	vector parallelVector
	// seen is how many deliveries were looked at.
	seen int
	// here names the step in problems.
	here string
}

func (v parallelVector) check() []string {
	r := &parallelRun{bench: v.bench(), vector: v}
	r.seen = len(r.delivered)
	r.step(v.reply("m1", v.Model))
	for i, s := range v.Steps {
		r.here = fmt.Sprintf("step %d %s%s", i, s.Decision, s.Event)
		if s.Event != "" {
			r.event(s)
			continue
		}
		if r.seen == len(r.delivered) {
			r.add("%s: nothing is delivered", r.here)
			return r.problems
		}
		d := r.delivered[r.seen]
		r.seen++
		r.inspect(s, d)
		for _, what := range s.During {
			r.outside(what)
		}
		r.step(Tick{To: r.Now() + time.Duration(s.Seconds)*time.Second})
		r.step(Answer{Decision: d.Decision, Delivery: d.Delivery, Answer: r.answerTo(s, d)})
		if strings.Contains(s.Answer, "dropped") {
			r.same(r.here+" is dropped", r.dropped(), true)
		}
	}
	r.end()
	return r.problems
}

// bench has a model that is asked for m1.
func (v parallelVector) bench() *bench {
	cfg := testConfig()
	cfg.Pace = 0
	cfg.ID = func(kind IDKind, n int) string {
		if kind == IDLlmCall {
			return "m" + strconv.Itoa(n)
		}
		return string(kind) + strconv.Itoa(n)
	}
	config := agent(`{"model":"m-small","llm":"main","tools":[{"name":"tide_table"},{"name":"weigh_cargo"},` +
		`{"name":"crane_status","input":{"properties":{"crane":{"type":"integer"}}}},{"name":"ask_pilot"}]}`)
	for i := range config.Tools {
		t := &config.Tools[i]
		t.Handler = v.Tools[t.Name].Handler
		if t.Name == "tide_table" && v.breaksOutput() {
			t.Output = jsontext.Value(`{"type":"number"}`)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Tools)) {
		if v.Tools[name].Subagent {
			config.Subagents = append(config.Subagents, spec.Subagent{ID: name})
		}
	}
	b := newBench(cfg)
	b.step(user("Is berth 7 free?"))
	b.answer(string(marshal(spec.Decision{Agent: config})))
	b.echo()
	return b
}

func (v parallelVector) breaksOutput() bool {
	for _, s := range v.Steps {
		if s.Answer == "result that breaks output" {
			return true
		}
	}
	return false
}

func (v parallelVector) reply(call string, made []modelCall) Reply {
	var list [][3]string
	for _, m := range made {
		if m.Arguments == "" {
			m.Arguments = "{}"
		}
		list = append(list, [3]string{m.ID, m.Tool, m.Arguments})
	}
	return calls(call, list...)
}

func (r *parallelRun) event(s parallelStep) {
	switch {
	case s.Event == "time":
		r.step(Tick{To: r.Now() + time.Duration(s.Seconds)*time.Second})
	case strings.HasPrefix(s.Event, "child of "):
		r.childEnds(strings.Fields(s.Event)[2])
	case strings.HasPrefix(s.Event, "model answers "):
		r.step(r.vector.reply(strings.TrimPrefix(s.Event, "model answers "), s.Calls.made))
	default:
		r.outside(s.Event)
	}
}

// childEnds ends the child that a call has spawned.
func (r *parallelRun) childEnds(call string) {
	for _, s := range r.spawned {
		if s.Call == call {
			said := "done"
			r.step(ChildEnded{Session: s.Session, Result: &said})
			return
		}
	}
	r.add("%s: call %s has spawned no child", r.here, call)
}

// outside settles a call from elsewhere.
func (r *parallelRun) outside(what string) {
	result := jsontext.Value(`"from the endpoint"`)
	var in Event
	want := 202
	if id, ok := strings.CutPrefix(what, "settle "); ok {
		in, want = Settle{spec.ToolResultAction{ID: &id, Result: result}}, 200
	} else if id, ok := strings.CutPrefix(what, "client answers "); ok {
		in = Input{Input: spec.ClientInput{Type: spec.InputToolResult, ID: id, Result: result}}
	} else {
		panic("event " + what)
	}
	r.same(what, of[InputReply](r.step(in))[0].Status, want)
}

// inspect compares a delivery with what the step says of it.
func (r *parallelRun) inspect(s parallelStep, d Deliver) {
	req := d.Request
	name := string(req.Trigger.TriggerType())
	if d.Call != "" {
		name += " " + d.Call
	}
	if strings.Contains(s.Decision, "/") {
		name += "/" + strconv.Itoa(d.Try)
	}
	r.same(r.here, name, s.Decision)
	r.same(r.here+" delivery", d.Delivery, max(1, s.Delivery))
	if s.Calls.ids != nil {
		ids := []string{}
		for _, c := range req.Calls {
			ids = append(ids, c.ID)
		}
		r.same(r.here+" calls", ids, s.Calls.ids)
	}
	if s.PendingCalls != nil {
		r.same(r.here+" pending_calls", req.PendingCalls, *s.PendingCalls)
	}
	r.inspectProposed(s, req)
	switch t := req.Trigger.(type) {
	case spec.ToolFinishedTrigger:
		r.same(r.here+" ok", t.OK, s.OK == nil || *s.OK)
		if s.Code != "" {
			r.same(r.here+" code", t.Error.Code, s.Code)
		}
		if s.Content != "" {
			text, _ := jsonv.Text(toolcall.Message(t).Content)
			r.same(r.here+" content", text, s.Content)
		}
	case spec.ToolExecuteTrigger:
		if s.Input != "" {
			r.same(r.here+" input", t.Input.Status, s.Input)
		}
		if s.TimeLeftS != nil {
			r.same(r.here+" time left", t.Deadline.Sub(start.Add(d.Sent)), time.Duration(*s.TimeLeftS)*time.Second)
		}
	}
}

func (r *parallelRun) inspectProposed(s parallelStep, req spec.DecisionRequest) {
	p := req.Proposed
	if s.Proposed.empty {
		r.same(r.here+" proposed is empty", p.IsEmpty(), true)
		return
	}
	var records, actions []string
	for _, m := range p.Messages[min(len(req.Messages), len(p.Messages)):] {
		records = append(records, place(spec.Message(m)))
	}
	for _, a := range p.Actions {
		word := string(a.ActionType())
		switch a := a.(type) {
		case spec.ToolCallAction:
			word += " " + *a.ID
		case spec.ToolErrorAction:
			word += " " + *a.ID
		case spec.SubagentSpawnAction:
			word += " " + a.ToolCallID
		}
		actions = append(actions, word)
	}
	r.same(r.here+" records", records, s.Proposed.Records)
	r.same(r.here+" actions", actions, s.Proposed.Actions)
}

// place names a message as the vectors do.
func place(m spec.Message) string {
	if m.Role == spec.RoleTool {
		return "tool " + m.ToolCallID
	}
	return string(m.Role) + " " + m.ID
}

// dropped reports whether the last answer held a settle that was dropped.
func (r *parallelRun) dropped() bool {
	for _, s := range r.outcomes[len(r.outcomes)-1].Event.Settled {
		if s.Then == thenDropped {
			return true
		}
	}
	return false
}

func (r *parallelRun) end() {
	var path []string
	for _, m := range r.tree.path[1:] {
		path = append(path, place(m))
	}
	r.same("path", path, r.vector.Path)
	if r.vector.Stalls {
		_, asked := r.Asked()
		_, timer := r.NextTimer()
		r.same("turn open, model asked, delivery out, timer set",
			[]bool{r.TurnOpen(), asked, r.InFlight(), timer}, []bool{true, false, false, false})
	}
	if r.vector.GoesOn {
		_, asked := r.Asked()
		r.same("model is asked", asked, true)
	}
	if r.vector.Turn != "" {
		r.same("turn", r.turned[len(r.turned)-1].Event.Event, map[string]string{"fails": spec.TurnFailed}[r.vector.Turn])
		r.same("deliveries that follow", len(r.delivered)-r.seen, 0)
	}
}
