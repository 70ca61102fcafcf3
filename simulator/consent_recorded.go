package simulator

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// Refused reports whether nobody allowed any call.
func (c Consent) Refused() bool { return c.refused }

// Bounds reports whether anything may not be called.
func (c Consent) Bounds() bool {
	return c.refused || c.opts.OnlyTools != nil || len(c.opts.SkipTools) > 0 || len(c.opts.Policies) > 0
}

// Names reports whether tools are named that may, or may not, be called.
func (c Consent) Names() bool { return len(c.opts.OnlyTools)+len(c.opts.SkipTools) > 0 }

// Executes is the reason why a recorded call of a tool may not be sent to the
// worker again, "" when it may: a replay is bound like a run (R3).
func (c Consent) Executes(t spec.ToolExecuteTrigger) string {
	switch {
	case c.refused:
		return fmt.Sprintf("calls %s, and nobody allowed any call", t.Name)
	case c.policy(t.Name) == CallNever:
		return fmt.Sprintf("calls %s, which may not be called", t.Name)
	case c.policy(t.Name) == CallSamplesOnly && !c.harmlessCall(t):
		return fmt.Sprintf("calls %s with arguments that are no sample, which it may not", t.Name)
	}
	return ""
}

// harmlessCall reports whether samples-only allows a recorded call, whichever of
// the two forms of its arguments a worker reads.
func (c Consent) harmlessCall(t spec.ToolExecuteTrigger) bool {
	raw := &scenarios.Text{Parts: []scenarios.TextPart{{Plain: t.Arguments}}}
	return c.harmless(t.Name, nil, raw) && (t.Input.Value == nil || c.harmless(t.Name, t.Input.Value, nil))
}

// AsksModel is the reason why a model that the worker hosts may not be asked
// again, "" when it may: nobody knows beforehand what it calls. declared is the
// config of the session, nil when it is not known.
func (c Consent) AsksModel(declared *spec.AgentConfig) string {
	const why = "asks a model that the worker hosts, which calls what it likes"
	if c.refused {
		return why + ", and nobody allowed any call"
	}
	if declared == nil {
		if c.Bounds() {
			return why + ", and not every tool may be called"
		}
		return ""
	}
	for _, t := range declared.Tools {
		if c.policy(t.Name) != CallGenerated {
			return fmt.Sprintf("%s, and %s may not be called so", why, t.Name)
		}
	}
	return ""
}
