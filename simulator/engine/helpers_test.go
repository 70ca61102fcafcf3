package engine

import (
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/schema"
	"github.com/hallmarkdev/hallmark/spec"
)

var start = time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC)

// testConfig is a session whose ids tell what they are of.
func testConfig() Config {
	return Config{
		SessionID: "s-1", AgentID: "harbour", At: start, Pace: time.Millisecond,
		Dialect: spec.DefaultDialect(),
		ID:      func(kind IDKind, n int) string { return fmt.Sprintf("%s-%d", kind, n) },
	}
}

func user(text string) Input {
	content := jsontext.Value(fmt.Sprintf("%q", text))
	return Input{Input: spec.ClientInput{
		Type: spec.InputClientMessage, AgentID: "harbour",
		Message: &spec.DraftMessage{Role: spec.RoleUser, Content: content},
	}}
}

// says is a model's answer in words, calls one with tool calls "id name args".
func says(call, text string) Reply {
	return Reply{Call: call, Response: &spec.LlmResponse{Model: "m-small", Content: &text, FinishReason: "stop"}}
}

func calls(call string, made ...[3]string) Reply {
	r := &spec.LlmResponse{Model: "m-small", FinishReason: "tool_calls"}
	for _, m := range made {
		r.ToolCalls = append(r.ToolCalls, spec.ToolCall{
			ID: m[0], Type: "function", Function: spec.ToolFunction{Name: m[1], Arguments: m[2]},
		})
	}
	return Reply{Call: call, Response: r}
}

func of[T Effect](effects []Effect) []T {
	var out []T
	for _, f := range effects {
		if t, ok := f.(T); ok {
			out = append(out, t)
		}
	}
	return out
}

func ok200(body string) spec.Answer {
	return spec.Answer{Status: 200, Body: []byte(body), End: spec.EndWhole}
}

func httpStatus(n int) spec.Answer { return spec.Answer{Status: n, End: spec.EndWhole} }

// bench runs an engine and keeps what it asked for.
type bench struct {
	*Engine
	delivered []Deliver
	asked     []AskModel
	outcomes  []Outcome
	turned    []Turn
	replied   []InputReply
	missing   []Unsupported
	spawned   []Spawn
	// unchecked says that requests are not held against their schema.
	unchecked bool
}

// requestSchema is our own schema of what an engine sends.
var requestSchema = sync.OnceValue(func() *schema.Schema {
	text, _ := spec.Schema("request")
	s, err := schema.Compile(text)
	if err != nil {
		panic(err)
	}
	return s
})

// mustBeRequest panics unless a delivery is what an engine sends, byte for byte.
func mustBeRequest(d Deliver) {
	body := marshal(d.Request)
	if found := requestSchema().Validate(body); len(found) > 0 {
		panic(fmt.Sprintf("%v in %s", found, body))
	}
}

func newBench(cfg Config) *bench {
	e, err := New(cfg)
	if err != nil {
		panic(err)
	}
	return &bench{Engine: e}
}

func (b *bench) step(ev Event) []Effect {
	effects := b.Step(ev)
	for _, f := range effects {
		switch f := f.(type) {
		case Deliver:
			b.delivered = append(b.delivered, f)
			if !b.unchecked {
				mustBeRequest(f)
			}
		case AskModel:
			b.asked = append(b.asked, f)
		case Outcome:
			b.outcomes = append(b.outcomes, f)
		case Turn:
			b.turned = append(b.turned, f)
		case InputReply:
			b.replied = append(b.replied, f)
		case Spawn:
			b.spawned = append(b.spawned, f)
		case Unsupported:
			b.missing = append(b.missing, f)
		}
	}
	return effects
}

// last is the newest delivery.
func (b *bench) last() Deliver { return b.delivered[len(b.delivered)-1] }

// answer answers the newest delivery with body and status 200.
func (b *bench) answer(body string) []Effect {
	d := b.last()
	return b.step(Answer{Decision: d.Decision, Delivery: d.Delivery, Answer: ok200(body)})
}

// echo answers the newest delivery with its own proposal.
func (b *bench) echo() []Effect {
	body, err := spec.Marshal(b.last().Request.Proposed)
	if err != nil {
		panic(err)
	}
	return b.answer(string(body))
}

func (b *bench) fail(a spec.Answer) []Effect {
	d := b.last()
	return b.step(Answer{Decision: d.Decision, Delivery: d.Delivery, Answer: a})
}
