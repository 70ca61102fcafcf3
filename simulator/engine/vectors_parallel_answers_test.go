package engine

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// answerTo makes the worker's answer out of the word that a step gives.
func (r *parallelRun) answerTo(s parallelStep, d Deliver) spec.Answer {
	p := d.Request.Proposed.Decision
	result := spec.ToolResultAction{Result: jsontext.Value(`"done"`)}
	toolMessage := func(id string) spec.DraftMessage {
		return spec.DraftMessage{Role: spec.RoleTool, ToolCallID: id, Content: jsontext.Value(`"done"`)}
	}
	ask := spec.LlmCallAction{Messages: []spec.DraftMessage{}}
	yes := true
	var answer spec.Decision
	switch s.Answer {
	case "proposed":
		answer = r.withRetries(p)
	case "empty":
	case "result", "result (dropped)":
		answer.Actions = []spec.Action{result}
	case "result that breaks output":
		answer.Actions = []spec.Action{spec.ToolResultAction{Result: jsontext.Value(`"no number"`)}}
	case "error":
		answer.Actions = []spec.Action{spec.ToolErrorAction{Error: "no tide data"}}
	case "retryable error":
		answer.Actions = []spec.Action{spec.ToolErrorAction{Error: "no tide data", Retryable: &yes}}
	case "status 503":
		return httpStatus(503)
	case "status 400":
		return httpStatus(400)
	case "only tool.call a":
		answer = spec.Decision{Messages: p.Messages, Actions: p.Actions[:1]}
	case "only tool.call a, and a tool message for b":
		answer = spec.Decision{Messages: append(p.Messages, toolMessage("b")), Actions: p.Actions[:1]}
	case "proposed, a tool message for b, and llm.call":
		answer = spec.Decision{Messages: append(p.Messages, toolMessage("b")), Actions: append(p.Actions, ask)}
	case "both tool messages, and llm.call":
		path := d.Request.Messages
		for _, m := range path {
			answer.Messages = append(answer.Messages, m.Draft())
		}
		answer.Messages = append(answer.Messages, toolMessage("a"), toolMessage("b"))
		answer.Actions = []spec.Action{ask}
	case "messages only":
		answer.Messages = p.Messages
	case "result, and done":
		answer.Actions = []spec.Action{result, spec.DoneAction{Data: null}}
	case "result, and result for a":
		a := "a"
		answer.Actions = []spec.Action{result, spec.ToolResultAction{ID: &a, Result: jsontext.Value(`"done"`)}}
	case "result, and tool.call w":
		w := "w"
		answer.Actions = []spec.Action{result, spec.ToolCallAction{
			ID: &w, Name: "weigh_cargo", Arguments: jsontext.Value(`"{}"`),
		}}
	default:
		panic("answer " + s.Answer)
	}
	return ok200(string(marshal(answer)))
}

// withRetries gives the tool calls of a proposal the policies of the vector.
func (r *parallelRun) withRetries(p spec.Decision) spec.Decision {
	actions := append([]spec.Action(nil), p.Actions...)
	for i, a := range actions {
		call, ok := a.(spec.ToolCallAction)
		if !ok {
			continue
		}
		if own := r.vector.Tools[call.Name].Retry; own != nil {
			call.Retry = &spec.RetryOverride{
				MaxAttempts: own.MaxAttempts, RunTimeoutSecs: own.RunTimeoutSecs,
				BackoffBaseSecs: own.BackoffBaseSecs, BackoffMaxSecs: own.BackoffMaxSecs,
			}
			actions[i] = call
		}
	}
	p.Actions = actions
	return p
}
