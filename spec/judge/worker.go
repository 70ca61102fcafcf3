package judge

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// declared is what the worker is known to declare, over the whole recording.
type declared struct {
	config, tools, others, outputs, clients, defers bool
	// letGo says that it answered a tool.execute and left the call open.
	letGo bool
	// fails says that it ended a turn by fail.
	fails bool
	// asks says that it answered a call with an interrupt.
	asks bool
	// subagents says that it declares some.
	subagents bool
	policies  policies
}

func (d *declared) note(a *spec.AgentConfig) {
	if a == nil {
		return
	}
	d.config = true
	d.defers = d.defers || defers(a)
	d.tools = d.tools || len(a.Tools) > 0
	d.subagents = d.subagents || len(a.Subagents) > 0
	d.others = d.others || len(a.Subagents)+len(a.Mcp)+len(a.Plugins) > 0
	for _, t := range a.Tools {
		d.outputs = d.outputs || t.Output != nil
		d.clients = d.clients || t.RunsOn() == spec.HandlerClient
	}
}

// lacks says why a requirement does not apply to this recording, "" when it
// may.
func (j *Judge) lacks(r spec.Requirement) string {
	if r.ID == keepsPolicy && j.worker.config && len(j.header.Worker.BadArguments) == 0 {
		return "nobody has said what the worker does with bad arguments: set bad_arguments in hallmark.yaml"
	}
	if r.Area() == "restart" && j.worker.config && (j.header.Case == nil || !slices.Contains(j.header.Case.Features, "restart")) {
		return "nothing here can restart the worker: that takes --start or --restart-cmd, or workertest.Factory or Command"
	}
	return j.worker.lacks(r)
}

// lacks says why a requirement does not apply to this worker, "" when it may.
func (d *declared) lacks(r spec.Requirement) string {
	if !d.config {
		return ""
	}
	if r.ID == "client.leaves-answers-to-the-client" && !d.clients {
		return "the worker declares no tool that the client answers"
	}
	if r.ID == keepsWork && !d.letGo {
		return "the worker let go of no call: it answers each at once"
	}
	if (r.ID == settlesParked || r.ID == namesParked) && !d.asks {
		return "the worker answered no call with an interrupt"
	}
	if r.ID == failsInWords && !d.fails {
		return "the worker ended no turn by fail"
	}
	switch r.Area() {
	case "output":
		if !d.outputs {
			return "the worker declares no tool with an output schema"
		}
	case "declare":
		if !d.tools {
			return "the worker declares no tools"
		}
	case "deferred":
		if !d.defers {
			return "the worker defers no tools"
		}
	case "subagent":
		if !d.subagents {
			return "the worker declares no subagents"
		}
	case "async":
		if !d.letGo {
			return "the worker let go of no call: it answers each at once"
		}
	case "execute", "result", "finished", "calls", "retry", "agent":
		if !d.tools && !d.others {
			return "the worker declares no tools"
		}
	}
	return ""
}

// outputOf is the schema that a tool's results have to match, nil when there
// is none (F11).
func outputOf(x *exchange, call string) (tool string, has bool, t spec.AgentTool) {
	name := ""
	if asked, ok := x.req.Trigger.(spec.ToolExecuteTrigger); ok && asked.ID == call {
		name = asked.Name
	} else {
		for _, c := range x.req.Calls {
			if c.ID == call && c.Kind == spec.CallTool {
				name = c.Name
			}
		}
	}
	t, ok := x.req.Agent.Tool(name)
	return name, ok && t.Output != nil, t
}
