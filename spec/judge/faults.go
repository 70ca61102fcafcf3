package judge

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// The places of a decision whose faults have a requirement of their own.
var (
	inBlocks  = regexp.MustCompile(`^/actions/\d+/content(/|$)`)
	inHandler = regexp.MustCompile(`^/agent/tools/\d+/handler$`)
)

// nameOfFault names the requirement that a decision which does not read
// breaks.
func nameOfFault(f *spec.Fault) string {
	switch {
	case inBlocks.MatchString(f.Pointer):
		return "result.blocks-are-valid"
	case inHandler.MatchString(f.Pointer):
		return "declare.handler-is-worker-or-client"
	}
	return "response.fits-the-protocol"
}

func wantOfFault(f *spec.Fault) string {
	switch nameOfFault(f) {
	case "result.blocks-are-valid":
		return "a list of text, image, audio, resource and resource_link blocks"
	case "declare.handler-is-worker-or-client":
		return "worker, client, or no handler"
	}
	return "a decision of the protocol"
}

// seeResolve looks for what spoils a decision that reads (F3, D12), one action
// after the other, so that the finding knows which.
func seeResolve(x *exchange) {
	const id = "response.actions-resolve"
	known := spec.ResolveContext{Agent: x.req.Agent, CallFormat: x.state.formatOf}
	t := x.req.Trigger
	if f := spec.ResolveDecision(spec.Decision{Agent: x.decision.Agent}, t, known); f != nil {
		x.broke("declare.handler-is-worker-or-client", spec.Finding{
			Pointer: handlerPointer(x.decision.Agent), Got: "server: " + f.Info.Message, Want: "worker, client, or no handler",
			Hint: "leave the handler out: the tool then runs on the worker",
		})
		return
	}
	if x.decision.Agent != nil {
		known.Agent = x.decision.Agent
	}
	for i, a := range x.decision.Actions {
		f := spec.ResolveDecision(spec.Decision{Actions: []spec.Action{a}}, t, known)
		if f == nil {
			continue
		}
		at := settle{at: fmt.Sprintf("/actions/%d", i)}
		if reason(f) == "ambiguous_tool_result" {
			x.broke("result.one-form", spec.Finding{
				Pointer: at.pointer(""), Got: "both result and content", Want: "result or content",
				Hint: "send content blocks inside result",
			})
			return
		}
		if reason(f) == "invalid_llm_response" {
			pointer := at.pointer("/response")
			if f.Fault != nil {
				pointer += f.Fault.Pointer
			}
			x.broke("model.response-reads", spec.Finding{
				Pointer: pointer, Got: f.Info.Message, Want: "the response in the form that the llm.execute asked for",
				Hint: "with a format it is the provider's own response, without one an LlmResponse",
			})
			return
		}
		if reason(f) == "unresolvable_settle_id" && x.trigger() == spec.OnInterruptResumed && strings.HasPrefix(f.Info.Param, "tool.") {
			x.broke(namesParked, spec.Finding{
				Pointer: at.pointer(""), Got: f.Info.Message, Want: "the id of the call that it settles",
				Hint: "take it from calls: interrupt.resumed is about no call of its own",
			})
			return
		}
		x.broke(id, spec.Finding{
			Pointer: at.pointer(""), Got: f.Info.Message, Want: "an action that this decision can carry out",
			Hint: hintOf(reason(f), x),
		})
		return
	}
	x.held(id)
	x.accepted = true
}

func handlerPointer(a *spec.AgentConfig) string {
	for i, t := range a.Tools {
		if t.Handler == spec.HandlerServer {
			return toolPointer(i, "/handler")
		}
	}
	return "/agent/tools"
}

// reason is the reason in the detail of a failure of F3.
func reason(f *spec.Failure) string {
	v, _ := jsonv.Get(f.Info.Detail, "/reason")
	s, _ := jsonv.Text(v)
	return s
}

func hintOf(reason string, x *exchange) string {
	switch reason {
	case "unresolvable_settle_id":
		return "this answers " + string(x.trigger()) + ": route on trigger.type first, or name the call's id"
	case "missing_model", "missing_llm", "unknown_llm":
		return "name a model and a block that the engine has, or return the proposed llm.call"
	}
	return ""
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
