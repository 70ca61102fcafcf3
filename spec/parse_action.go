package spec

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// actionReaders reads each type of action (wire 5).
var actionReaders = map[ActionType]func(p *place, members []jsonv.Member) (Action, *Fault){
	DoToolCall: asAction(&shape[ToolCallAction]{what: "tool.call", fields: []field[ToolCallAction]{
		opt("id", ptr(readText), func(a *ToolCallAction) **string { return &a.ID }),
		must(set("name", readText, func(a *ToolCallAction) *string { return &a.Name })),
		must(set("arguments", readAny, func(a *ToolCallAction) *jsontext.Value { return &a.Arguments })),
		opt("retry", readOverride, func(a *ToolCallAction) **RetryOverride { return &a.Retry }),
	}}),
	DoToolResult: asAction(&shape[ToolResultAction]{what: "tool.result", fields: []field[ToolResultAction]{
		opt("id", ptr(readText), func(a *ToolResultAction) **string { return &a.ID }),
		opt("attempt", ptr(readU32), func(a *ToolResultAction) **uint32 { return &a.Attempt }),
		opt("result", readAny, func(a *ToolResultAction) *jsontext.Value { return &a.Result }),
		opt("content", list(readBlock), func(a *ToolResultAction) *[]ToolContent { return &a.Content }),
		opt("structured_content", readAny, func(a *ToolResultAction) *jsontext.Value { return &a.StructuredContent }),
		set("is_error", ptr(readBool), func(a *ToolResultAction) **bool { return &a.IsError }),
	}}),
	DoToolError: asAction(&shape[ToolErrorAction]{what: "tool.error", fields: []field[ToolErrorAction]{
		opt("id", ptr(readText), func(a *ToolErrorAction) **string { return &a.ID }),
		opt("attempt", ptr(readU32), func(a *ToolErrorAction) **uint32 { return &a.Attempt }),
		must(set("error", readText, func(a *ToolErrorAction) *string { return &a.Error })),
		set("retryable", ptr(readBool), func(a *ToolErrorAction) **bool { return &a.Retryable }),
		opt("code", readCode, func(a *ToolErrorAction) *ErrorCode { return &a.Code }),
		opt("detail", readAny, func(a *ToolErrorAction) *jsontext.Value { return &a.Detail }),
	}}),
	DoLlmCall: asAction(&shape[LlmCallAction]{what: "llm.call", fields: []field[LlmCallAction]{
		opt("id", ptr(readText), func(a *LlmCallAction) **string { return &a.ID }),
		opt("llm", ptr(readText), func(a *LlmCallAction) **string { return &a.Llm }),
		opt("model", ptr(readText), func(a *LlmCallAction) **string { return &a.Model }),
		opt("messages", readDrafts, func(a *LlmCallAction) *[]DraftMessage { return &a.Messages }),
		opt("tools", list(of(llmToolShape)), func(a *LlmCallAction) *[]LlmTool { return &a.Tools }),
		opt("temperature", readNumber, func(a *LlmCallAction) *jsontext.Value { return &a.Temperature }),
		opt("max_completion_tokens", ptr(readU64), func(a *LlmCallAction) **uint64 { return &a.MaxCompletionTokens }),
		opt("reasoning", ptr(of(reasoningShape)), func(a *LlmCallAction) **ReasoningConfig { return &a.Reasoning }),
		opt("stream", ptr(readBool), func(a *LlmCallAction) **bool { return &a.Stream }),
		opt("retry", readOverride, func(a *LlmCallAction) **RetryOverride { return &a.Retry }),
	}}),
	DoLlmResult: asAction(&shape[LlmResultAction]{what: "llm.result", fields: []field[LlmResultAction]{
		opt("id", ptr(readText), func(a *LlmResultAction) **string { return &a.ID }),
		opt("attempt", ptr(readU32), func(a *LlmResultAction) **uint32 { return &a.Attempt }),
		must(set("response", readAny, func(a *LlmResultAction) *jsontext.Value { return &a.Response })),
	}}),
	DoLlmError: asAction(&shape[LlmErrorAction]{what: "llm.error", fields: []field[LlmErrorAction]{
		opt("id", ptr(readText), func(a *LlmErrorAction) **string { return &a.ID }),
		opt("attempt", ptr(readU32), func(a *LlmErrorAction) **uint32 { return &a.Attempt }),
		must(set("error", readText, func(a *LlmErrorAction) *string { return &a.Error })),
		set("retryable", ptr(readBool), func(a *LlmErrorAction) **bool { return &a.Retryable }),
		opt("code", readCode, func(a *LlmErrorAction) *ErrorCode { return &a.Code }),
		opt("detail", readAny, func(a *LlmErrorAction) *jsontext.Value { return &a.Detail }),
	}}),
	DoSubagentSpawn: asAction(&shape[SubagentSpawnAction]{what: "subagent.spawn", fields: []field[SubagentSpawnAction]{
		opt("session_id", ptr(readText), func(a *SubagentSpawnAction) **string { return &a.SessionID }),
		must(set("agent_id", readText, func(a *SubagentSpawnAction) *string { return &a.AgentID })),
		must(set("tool_call_id", readText, func(a *SubagentSpawnAction) *string { return &a.ToolCallID })),
		opt("message", ptr(readDraft), func(a *SubagentSpawnAction) **DraftMessage { return &a.Message }),
		opt("retry", readOverride, func(a *SubagentSpawnAction) **RetryOverride { return &a.Retry }),
		opt("mode", oneOf("mode", "blocking", "detached", "wait"), func(a *SubagentSpawnAction) *string { return &a.Mode }),
	}}),
	DoMessageSend: asAction(&shape[MessageSendAction]{what: "message.send", fields: []field[MessageSendAction]{
		must(set("session_id", readText, func(a *MessageSendAction) *string { return &a.SessionID })),
		must(set("message", readDraft, func(a *MessageSendAction) *DraftMessage { return &a.Message })),
	}}),
	DoInterrupt: asAction(&shape[InterruptAction]{what: "interrupt", fields: []field[InterruptAction]{
		opt("interrupt_id", ptr(readText), func(a *InterruptAction) **string { return &a.InterruptID }),
		must(set("reason", readText, func(a *InterruptAction) *string { return &a.Reason })),
		opt("payload", readAny, func(a *InterruptAction) *jsontext.Value { return &a.Payload }),
	}}),
	DoInterruptResolve: asAction(&shape[InterruptResolveAction]{what: "interrupt.resolve", fields: []field[InterruptResolveAction]{
		must(set("interrupt_id", readText, func(a *InterruptResolveAction) *string { return &a.InterruptID })),
		opt("payload", readAny, func(a *InterruptResolveAction) *jsontext.Value { return &a.Payload }),
	}}),
	DoConnectorSync: asAction(&shape[ConnectorSyncAction]{what: "connector.sync", fields: []field[ConnectorSyncAction]{
		must(set("path", readText, func(a *ConnectorSyncAction) *string { return &a.Path })),
	}}),
	DoDone: asAction(&shape[DoneAction]{what: "done", fields: []field[DoneAction]{
		opt("data", readAny, func(a *DoneAction) *jsontext.Value { return &a.Data }),
	}}),
	DoFail: asAction(&shape[FailAction]{what: "fail", fields: []field[FailAction]{
		must(set("error", of(errorInfoShape), func(a *FailAction) *ErrorInfo { return &a.Error })),
	}}),
}

func asAction[A Action](s *shape[A]) func(p *place, members []jsonv.Member) (Action, *Fault) {
	return func(p *place, members []jsonv.Member) (Action, *Fault) {
		var a A
		f := s.readMembers(p, members, &a)
		return a, f
	}
}

// readTag splits an object that says its own type and returns that type.
func readTag(p *place, v jsontext.Value, what string) (string, []jsonv.Member, *Fault) {
	if jsonv.Kind(v) != '{' {
		return "", nil, p.wrongType(v, "an object ("+what+")")
	}
	members := jsonv.SoundMembers(v)
	at := -1
	for i, m := range members {
		if m.Name != "type" {
			continue
		}
		if at >= 0 && !p.lenient {
			f := p.fault("member %q is given twice", "type")
			f.Pointer += "/type"
			return "", nil, f
		}
		at = i
	}
	if at < 0 {
		return "", nil, p.fault("%s lacks %q", what, "type")
	}
	kind, ok := jsonv.SoundText(members[at].Value)
	if !ok {
		tag := p.member("type")
		tag.tag = true
		return "", nil, tag.wrongType(members[at].Value, "a string")
	}
	return kind, members, nil
}

// readAction reads one action. The engine looks at the type first and then
// reads the rest, so any other fault inside has the path of the action (D2).
func readAction(p *place, v jsontext.Value) (Action, *Fault) {
	p.sealed = true
	kind, members, f := readTag(p, v, "action")
	if f != nil {
		return nil, f
	}
	read, ok := actionReaders[ActionType(kind)]
	switch {
	case !ok && p.lenient:
		return UnknownAction{Type: ActionType(kind), Raw: v}, nil
	case !ok:
		tag := p.member("type")
		tag.tag = true
		return nil, tag.fault("unknown action type %q", kind)
	}
	// The whole action is read into memory before its type decides, unknown
	// members included, so half a surrogate pair in those spoils it as well.
	if f := noLoneSurrogate(p, v); f != nil {
		return nil, f
	}
	return read(p, members)
}

var readActions = list(readAction)

// UnknownAction is an action that this package does not know, as the proposal
// of a later engine may hold one. Raw is its whole JSON text. A worker's answer
// never reads so: there an unknown type spoils the answer (wire 3).
type UnknownAction struct {
	Type ActionType
	Raw  jsontext.Value
}

// ActionType implements [Action].
func (a UnknownAction) ActionType() ActionType { return a.Type }

// MarshalJSONTo writes the action as it was read.
func (a UnknownAction) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(a.Raw) }

// RawArguments returns the argument string of the call that a starts: a string
// as it is, null as the empty string, any other value as compact JSON with
// sorted keys (C7).
func (a ToolCallAction) RawArguments() string {
	if s, ok := jsonv.Text(a.Arguments); ok {
		return s
	}
	if a.Arguments == nil || isNull(a.Arguments) {
		return ""
	}
	return string(jsonv.Sorted(a.Arguments))
}
