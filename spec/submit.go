package spec

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// Submission is the body of the worker-submit endpoint: an answer to a decision
// that comes by a call of the worker's own (I2, wire 11).
type Submission struct {
	SessionID  string
	DecisionID string
	// Decision is the answer itself.
	Decision Decision
}

var submissionShape = &shape[Submission]{what: "submission", fields: []field[Submission]{
	must(set("session_id", readText, func(s *Submission) *string { return &s.SessionID })),
	must(set("decision_id", readText, func(s *Submission) *string { return &s.DecisionID })),
	set("messages", readDrafts, func(s *Submission) *[]DraftMessage { return &s.Decision.Messages }),
	set("actions", readActions, func(s *Submission) *[]Action { return &s.Decision.Actions }),
	opt("state", readAny, func(s *Submission) *jsontext.Value { return &s.Decision.State }),
	opt("agent", ptr(readAgent), func(s *Submission) **AgentConfig { return &s.Decision.Agent }),
	set("channels", readObject, func(s *Submission) *jsontext.Value { return &s.Decision.Channels }),
}}

// ParseSubmission reads the body of the worker-submit endpoint as strictly as
// an answer (wire 3, wire 11). What it must name beyond that is checked by
// [ResolveSubmission]. Free values share memory with body. It is safe for
// concurrent use.
func ParseSubmission(body []byte) (Submission, *Fault) {
	return parse(body, of(submissionShape), strict)
}

// ParseSettle reads the body of the settle endpoint: a tool.result, tool.error,
// llm.result or llm.error that names its id; a tool.error says whether it may
// be retried (wire 11). It is read as strictly as an action of an answer. Free
// values share memory with body. It is safe for concurrent use.
func ParseSettle(body []byte) (Action, *Fault) {
	return parse(body, readSettle, strict)
}

func readSettle(p *place, v jsontext.Value) (Action, *Fault) {
	a, f := readAction(p, v)
	if f != nil {
		return nil, f
	}
	switch a := a.(type) {
	case ToolErrorAction:
		if a.Retryable == nil {
			return nil, p.fault("tool.error lacks %q", "retryable")
		}
	case ToolResultAction, LlmResultAction, LlmErrorAction:
	default:
		return nil, p.member("type").fault("%s settles nothing, expected one of tool.result, tool.error, llm.result, llm.error", a.ActionType())
	}
	if settledID(a) == nil {
		return nil, p.fault("%s lacks %q", a.ActionType(), "id")
	}
	return a, nil
}

// ResolveSettle looks for what spoils a settle that was read by [ParseSettle]:
// a result in both forms, or a model's response that is no object (F3). nil
// means that it can be applied.
func ResolveSettle(a Action) *Failure {
	if a, ok := a.(LlmResultAction); ok {
		// Whether the response fits the format that the call asked for is the
		// engine's to say: only it knows the call.
		if jsonv.Kind(a.Response) != '{' {
			return unresolved("response", "invalid_llm_response", "llm.result response cannot be read: expected an object")
		}
		return nil
	}
	return resolveAction(a, ToolFinishedTrigger{}, ResolveContext{})
}

// ResolveSubmission looks for what spoils a submitted answer: every settle must
// name its id and every llm.call its model and block, whatever the decision is
// (wire 11). nil means that it names them; [ResolveDecision] finds the rest.
func ResolveSubmission(d Decision) *Failure {
	for _, a := range d.Actions {
		switch a := a.(type) {
		case ToolResultAction, ToolErrorAction:
			if settledID(a) == nil {
				return unnamedSettle("tool", a)
			}
		case LlmResultAction, LlmErrorAction:
			if settledID(a) == nil {
				return unnamedSettle("llm", a)
			}
		case LlmCallAction:
			if a.Model == nil {
				return unresolved("model", "missing_model", "llm.call omitted `model`, which a submitted decision must name")
			}
			if a.Llm == nil {
				return unresolved("llm", "missing_llm", "llm.call omitted `llm`, which a submitted decision must name")
			}
		}
	}
	return nil
}

func unnamedSettle(kind string, a Action) *Failure {
	return unresolved(kind+".result.id", "unresolvable_settle_id",
		string(a.ActionType())+" omitted its id, which a submitted decision must name", "kind", kind)
}

// settledID is the id that a settling action names, nil when it names none.
func settledID(a Action) *string {
	switch a := a.(type) {
	case ToolResultAction:
		return a.ID
	case ToolErrorAction:
		return a.ID
	case LlmResultAction:
		return a.ID
	case LlmErrorAction:
		return a.ID
	default:
		return nil
	}
}
