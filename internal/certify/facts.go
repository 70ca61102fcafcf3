package certify

import (
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// facts are what a report says of a recording beside its verdicts.
type facts struct {
	end, reason string
	exchanges   int
	// measured is the latest measured time, in µs.
	measured int64
	agentID  string
	// agent is the config of the first answered session.start that has one.
	agent *spec.AgentConfig
	calls map[string]int
	// bad says that arguments which do not fit were delivered, policies what
	// the worker did with them.
	bad      bool
	policies []judge.Policy
	// settles says that the worker settled a call by a request of its own.
	settles bool
	// older are keys of that config which another revision would read.
	older []string
	// starts are the exchanges of session.start that wait for their answer.
	starts map[[2]string]bool
	// large are the bodies of requests that stand in pieces ahead of them.
	large map[[2]string][]byte
}

// maxLarge bounds a body that is put together from pieces, in bytes.
const maxLarge = 64 << 20

func (f *facts) add(e spec.Event) {
	f.measured = max(f.measured, e.W)
	switch d := e.Data.(type) {
	case *spec.SessionEvent:
		if f.agentID == "" {
			f.agentID = d.AgentID
		}
	case *spec.RequestEvent:
		f.exchanges++
		f.addRequest(e.Session, d)
	case *spec.PieceEvent:
		f.addPiece(e.Session, d)
	case *spec.ResponseEvent:
		f.addResponse(e.Session, d)
	case *spec.InputEvent:
		f.settles = f.settles || d.From == "worker" && len(d.Settled) > 0
	case *spec.CloseEvent:
		f.end, f.reason = spec.SplitCloseReason(d.Why)
	}
}

// addRequest counts a delivered tool.execute under the name of its tool.
func (f *facts) addRequest(session string, d *spec.RequestEvent) {
	switch d.Trigger {
	case spec.OnSessionStart:
		if f.agent == nil {
			if f.starts == nil {
				f.starts = map[[2]string]bool{}
			}
			f.starts[[2]string{session, d.D}] = true
		}
	case spec.OnToolExecute:
		body, err := d.Body.Bytes()
		if key := [2]string{session, d.D}; d.Pieces > 0 {
			body = f.large[key]
			delete(f.large, key)
		}
		if err != nil || body == nil {
			return
		}
		raw, _ := jsonv.Get(body, "/trigger")
		trigger, fault := spec.ParseTrigger(raw)
		if fault != nil {
			return
		}
		if t, ok := trigger.(spec.ToolExecuteTrigger); ok {
			if f.calls == nil {
				f.calls = map[string]int{}
			}
			f.calls[t.Name]++
			f.bad = f.bad || t.Input.Status != spec.InputValid
		}
	}
}

func (f *facts) addPiece(session string, d *spec.PieceEvent) {
	key := [2]string{session, d.D}
	b, err := d.Body.Bytes()
	if d.Of != "request" || err != nil || len(f.large[key])+len(b) > maxLarge {
		return
	}
	if f.large == nil {
		f.large = map[[2]string][]byte{}
	}
	f.large[key] = append(f.large[key], b...)
}

func (f *facts) addResponse(session string, d *spec.ResponseEvent) {
	key := [2]string{session, d.D}
	if f.agent != nil || !f.starts[key] || d.End != spec.EndWhole {
		return
	}
	delete(f.starts, key)
	body, err := d.Body.Bytes()
	if err != nil {
		return
	}
	decision, fault := spec.ParseDecision(body)
	if fault != nil {
		return
	}
	f.agent = decision.Agent
	if raw, ok := jsonv.Get(body, "/agent"); ok {
		f.older = olderForms(raw)
	}
}

// toolsOf lists the declared tools with the calls that were delivered, and what
// was done with arguments that do not fit.
func toolsOf(agent *spec.AgentConfig, calls map[string]int, policies []judge.Policy) []reports.Tool {
	if agent == nil {
		return nil
	}
	tools := make([]reports.Tool, 0, len(agent.Tools))
	for _, t := range agent.Tools {
		tool := reports.Tool{Name: t.Name, Handler: t.RunsOn(), Output: t.Output != nil, Calls: calls[t.Name]}
		for _, p := range policies {
			switch {
			case p.Tool != t.Name || !p.Seen():
			case p.Class == spec.InputInvalid:
				tool.Invalid = p.Is()
			default:
				tool.Malformed = p.Is()
			}
		}
		tools = append(tools, tool)
	}
	return tools
}
