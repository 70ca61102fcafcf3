package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

const (
	runsInner   = "deferred.runs-the-inner-tool"
	recordsPair = "deferred.records-what-the-engine-ran"
)

func deferredChecks() []check {
	return []check{
		{id: runsInner, moment: "no tool was called through call_tool, and outright with the same arguments before and after", see: seeInner},
		{id: recordsPair, moment: "the engine ran no tool_search and refused no call_tool"},
		{id: "deferred.leaves-the-pair-to-the-engine", moment: "no config was returned that defers tools", see: seePair},
	}
}

// defers reports whether a config keeps anything from the model (K1).
func defers(a *spec.AgentConfig) bool {
	if a == nil {
		return false
	}
	_, all := a.Deferral()
	return all || slices.ContainsFunc(a.Tools, a.Defers) ||
		slices.ContainsFunc(a.Subagents, func(s spec.Subagent) bool { return s.Defer != nil && *s.Defer })
}

func seePair(x *exchange) {
	const id = "deferred.leaves-the-pair-to-the-engine"
	if !defers(x.decision.Agent) {
		return
	}
	clean := true
	for i, t := range x.decision.Agent.Tools {
		if t.Name != spec.ToolSearchName && t.Name != spec.CallToolName {
			continue
		}
		clean = false
		x.broke(id, spec.Finding{
			Pointer: fmt.Sprintf("/agent/tools/%d/name", i), Got: quote(t.Name) + ", in a config that defers tools",
			Want: "another name", Hint: "the engine's own tool of this name is dropped, and with it the way to the deferred tools",
		})
	}
	if clean {
		x.held(id)
	}
}

// innerCall is a valid call of a tool that the worker has, made outright or
// through call_tool.
type innerCall struct {
	call string
	// same is equal for calls of one tool with the same arguments.
	same    string
	through bool
	n       int
	place   spec.Finding
}

// inner is what is kept of a session's calls of deferred tools: those that have
// not ended, what ran outright, and what failed through call_tool since.
type inner struct {
	open  []innerCall
	ran   map[string]bool
	doubt []doubt
}

type doubt struct {
	innerCall
	got string
}

// seeInner compares calls through call_tool with equal ones that were made
// outright: where those before and after it ran, a failure in between is not about
// the arguments (K4).
func seeInner(x *exchange) {
	t, ok := x.asked()
	if !ok || x.stopped || x.dropped() || t.Input.Status != spec.InputValid || !defers(x.req.Agent) {
		return
	}
	if _, undeclared := x.undeclared(); undeclared {
		return
	}
	c := innerCall{
		call: t.ID, same: t.Name + "\x00" + string(jsonv.Sorted(t.Input.Value)),
		through: x.through(t), n: x.N, place: x.place(runsInner, spec.Finding{Pointer: "/actions"}),
	}
	for _, s := range x.settles() {
		switch {
		case s.call != t.ID:
		case s.err != nil && s.err.Retryable != nil && *s.err.Retryable:
			return
		case s.err != nil:
			x.state.innerEnded(x.judge, c, false, s.err.Error)
			return
		default:
			stored := toolcall.ReadResult(*s.result, keeper{})
			x.state.innerEnded(x.judge, c, !stored.IsError, toolcall.Rendered(stored))
			return
		}
	}
	if len(x.state.inner.open) < maxOpen {
		x.state.inner.open = append(x.state.inner.open, c)
	}
}

// through reports whether the model made the call by call_tool: the message keeps
// that name, the trigger has the inner one (K4).
func (x *exchange) through(t spec.ToolExecuteTrigger) bool {
	for _, m := range slices.Backward(x.req.Messages) {
		for _, c := range m.ToolCalls {
			if c.ID == t.ID {
				return c.Function.Name == spec.CallToolName && t.Name != spec.CallToolName
			}
		}
	}
	return false
}

// innerFinished takes the end of a call that was let go. An end that the engine
// brought about tells nothing.
func (s *session) innerFinished(j *Judge, t spec.ToolFinishedTrigger) {
	i := slices.IndexFunc(s.inner.open, func(c innerCall) bool { return c.call == t.ID })
	if i < 0 {
		return
	}
	c := s.inner.open[i]
	s.inner.open = slices.Delete(s.inner.open, i, i+1)
	switch {
	case t.Error != nil && (t.Error.Code == spec.CodeDeadlineExceeded || t.Error.Code == spec.CodeInvalidResponse):
	case t.Error != nil:
		s.innerEnded(j, c, false, t.Error.Message)
	case t.Result != nil:
		s.innerEnded(j, c, !t.Result.IsError, toolcall.Rendered(*t.Result))
	}
}

func (s *session) innerEnded(j *Judge, c innerCall, ran bool, words string) {
	switch in := &s.inner; {
	case c.through && ran:
		j.ledger.enter([]note{{id: runsInner, n: c.n}})
	case c.through:
		if in.ran[c.same] && len(in.doubt) < maxOpen {
			in.doubt = append(in.doubt, doubt{c, words})
		}
	case !ran:
		// It does not run outright either.
		delete(in.ran, c.same)
		in.doubt = slices.DeleteFunc(in.doubt, func(d doubt) bool { return d.same == c.same })
	default:
		if in.ran == nil {
			in.ran = map[string]bool{}
		}
		if len(in.ran) < maxOpen {
			in.ran[c.same] = true
		}
		for _, d := range in.doubt {
			if d.same == c.same {
				j.ledger.enter([]note{d.finding()})
			}
		}
		in.doubt = slices.DeleteFunc(in.doubt, func(d doubt) bool { return d.same == c.same })
	}
}

// finding is the note about a call that failed only since it came through
// call_tool.
func (d doubt) finding() note {
	name, _, _ := strings.Cut(d.same, "\x00")
	f := d.place
	f.Got = "a failure through call_tool: " + show(jsontext.Value(jsonv.Quote(d.got)))
	f.Want = "a result, as the same call of " + quote(name) + " outright gave before and after it"
	f.Hint = "take the tool from trigger.name and its arguments from trigger.arguments; the assistant message keeps call_tool"
	return note{id: runsInner, n: d.n, finding: &f}
}
