package simulator

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// asked is what the scripted worker reads of a request.
type asked struct {
	DecisionID string `json:"decision_id"`
	Trigger    struct {
		Type      spec.TriggerType `json:"type"`
		ID        string           `json:"id"`
		Name      string           `json:"name"`
		Arguments string           `json:"arguments"`
		Attempt   int              `json:"attempt"`
	} `json:"trigger"`
	Proposed jsontext.Value `json:"proposed"`
	Agent    jsontext.Value `json:"agent"`
	raw      string
	// seen counts the requests with this trigger, this one included.
	seen int
}

const declared = `{"agent":{"model":"m","llm":"main","tools":[` +
	`{"name":"find_berth","description":"Find a free berth.","input":{"type":"object","properties":{"length":{"type":"integer"}},"required":["length"]}},` +
	`{"name":"toll","description":"Sound the bell.","handler":"worker"}]}}`

// answer is what the scripted worker does with each request: it declares its
// tools, settles calls and echoes every other proposal.
func (a asked) answer() string {
	switch {
	case a.Trigger.Type == spec.OnSessionStart:
		return declared
	case a.Trigger.Type == spec.OnToolExecute && strings.Contains(string(a.Proposed), `"actions":[]`):
		return fmt.Sprintf(`{"actions":[{"type":"tool.result","result":%q}]}`, "ran "+a.Trigger.Name+" "+a.Trigger.Arguments)
	default:
		return string(a.Proposed)
	}
}

// scripted is a Poster without HTTP: it answers through serve. Its answers
// come from other goroutines, as those of a transport do.
type scripted struct {
	serve func(ctx context.Context, n int, a asked) Got

	// offline refuses every connection.
	offline bool

	mu     sync.Mutex
	bodies []string
	fresh  []bool
	seen   map[spec.TriggerType]int
}

func ok(body string) Got {
	return Got{Proto: "HTTP/1.1", Answer: spec.Answer{Status: http.StatusOK, Body: []byte(body), End: spec.EndWhole}}
}

// Post implements Poster.
func (s *scripted) Post(ctx context.Context, p Post) Got {
	a := read(p.Body)
	s.mu.Lock()
	s.bodies = append(s.bodies, a.raw)
	s.fresh = append(s.fresh, p.Fresh)
	n := len(s.bodies)
	if s.seen == nil {
		s.seen = map[spec.TriggerType]int{}
	}
	s.seen[a.Trigger.Type]++
	a.seen = s.seen[a.Trigger.Type]
	s.mu.Unlock()
	if s.offline {
		return Got{Answer: spec.Answer{End: spec.EndReset, Reason: spec.ReasonRefused}}
	}
	p.OnConn("new")
	var got Got
	if s.serve == nil {
		got = ok(a.answer())
	} else {
		got = s.serve(ctx, n, a)
	}
	got.Conn = "new"
	return got
}

func read(body []byte) asked {
	var a asked
	if err := json.Unmarshal(body, &a); err != nil {
		panic(err)
	}
	a.raw = string(body)
	return a
}

// hang waits until the request is closed.
func hang(ctx context.Context) Got {
	<-ctx.Done()
	return Got{Answer: spec.Answer{End: spec.EndTimeout, Reason: context.Cause(ctx).Error()}}
}

// planned plans one scenario for the scripted worker's tools.
func planned(yaml string) []scenarios.Case {
	var d spec.Decision
	if err := json.Unmarshal([]byte(declared), &d); err != nil {
		panic(err)
	}
	return plannedFor(d.Agent, yaml)
}

// plannedFor plans a scenario for an agent with this config.
func plannedFor(agent *spec.AgentConfig, yaml string) []scenarios.Case {
	docs, err := scenarios.Load(fstest.MapFS{"s.yaml": &fstest.MapFile{Data: []byte(yaml), Mode: fs.ModePerm}}, ".")
	if err != nil {
		panic(err)
	}
	cases, err := scenarios.Plan(docs, scenarios.Declared{Agent: agent}, scenarios.PlanOptions{Features: []string{"restart"}})
	if err != nil {
		panic(err)
	}
	return cases
}

func input(c scenarios.Case) CaseInput {
	return CaseInput{Case: c, Settings: Settings{Seed: 1, Fixed: true, Agent: DefaultAgent()}}
}

// recorded drives a case and returns its events, through a file and back.
type recorded struct {
	Result
	events []spec.Event
	file   []byte
}

func drive(ctx context.Context, in CaseInput, t Poster) recorded {
	var out recorded
	var file bytes.Buffer
	w := recorder.NewWriter(&file, func() time.Duration { return 0 })
	out.Result = Drive(ctx, in, t, func(e spec.Event) {
		out.events = append(out.events, e)
		if err := w.Write(e); err != nil {
			panic(err)
		}
	})
	if err := w.Close(out.Why, out.T); err != nil {
		panic(err)
	}
	out.file = file.Bytes()
	return out
}

// story is one line an event: what happened, in order.
func (r recorded) story() []string {
	var lines []string
	for _, e := range r.events {
		line := fmt.Sprintf("%d %s", e.T, e.Data.EventKind())
		switch d := e.Data.(type) {
		case *spec.HeaderEvent:
			continue
		case *spec.StepEvent:
			line += fmt.Sprintf(" %d %s", d.Step, d.Verb)
			if d.PassedOver {
				line += " passed over"
			}
		case *spec.InputEvent:
			line += fmt.Sprintf(" %d", d.Status)
			if d.From != "client" {
				line += " " + d.From + " " + r.labelOf(d.Call) + d.Reply
				for _, s := range d.Settled {
					line += " " + s.Then
				}
				if d.Dropped != "" {
					line += " " + d.Dropped
				}
			}
		case *spec.RequestEvent:
			line += fmt.Sprintf(" %s %s/%d", d.D, d.Trigger, d.Delivery)
			if d.Try > 0 {
				line += fmt.Sprintf(" try %d", d.Try)
			}
		case *spec.ResponseEvent:
			line += fmt.Sprintf(" %s %s", d.D, d.End)
		case *spec.OutcomeEvent:
			line += fmt.Sprintf(" %s %s", d.D, d.As)
			for _, s := range d.Settled {
				line += " " + s.Then
			}
		case *spec.TimeEvent:
			line += fmt.Sprintf(" %s +%d", d.Why, d.Passed)
			if d.Why == whyPatience && d.Of != "" {
				line += " " + r.labelOf(d.Of)
			}
		case *spec.TurnEvent:
			line += " " + d.Event
		case *spec.DisturbEvent:
			line += " " + d.D + " " + d.Do
		case *spec.WorkerEvent:
			line += " " + d.Event
		case *spec.PieceEvent:
			line += fmt.Sprintf(" %s %d", d.D, d.Offset)
		}
		lines = append(lines, line)
	}
	return append(lines, r.Why)
}

// labelOf is the label of a call with a space behind it, "" for no call.
func (r recorded) labelOf(id string) string {
	for label, known := range r.events[0].Data.(*spec.HeaderEvent).Case.Labels {
		if known == id {
			return label + " "
		}
	}
	return ""
}

// digest is what two runs of one case have in common when they are the same.
func (r recorded) digest() string {
	_, asked, _ := strings.Cut(string(r.file), `"asked":"`)
	asked, _, _ = strings.Cut(asked, `"`)
	return asked
}
