package spec

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

func readTime(p *place, v jsontext.Value) (*Timestamp, *Fault) {
	s, f := readText(p, v)
	if f != nil {
		return nil, f
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return nil, p.fault("expected an RFC 3339 time, got %q", s)
	}
	return &Timestamp{at}, nil
}

var clientContextShape = &shape[ClientContext]{what: "client", fields: []field[ClientContext]{
	opt("tools", list(of(agentToolShape)), func(c *ClientContext) *[]AgentTool { return &c.Tools }),
	opt("context", list(readAny), func(c *ClientContext) *[]jsontext.Value { return &c.Context }),
	opt("state", readAny, func(c *ClientContext) *jsontext.Value { return &c.State }),
	opt("forwarded_props", readAny, func(c *ClientContext) *jsontext.Value { return &c.ForwardedProps }),
}}

var toolInputShape = &shape[ToolInput]{what: "input", fields: []field[ToolInput]{
	must(set("status", oneOf("input status", InputValid, InputInvalid, InputMalformed), func(i *ToolInput) *InputStatus { return &i.Status })),
	opt("value", readAny, func(i *ToolInput) *jsontext.Value { return &i.Value }),
	opt("error", ptr(readText), func(i *ToolInput) **string { return &i.Error }),
}}

// triggerReaders reads each type of trigger (wire 4).
var triggerReaders = map[TriggerType]func(p *place, members []jsonv.Member) (Trigger, *Fault){
	OnSessionStart: asTrigger(&shape[SessionStartTrigger]{what: "session.start"}),
	OnClientMessages: asTrigger(&shape[ClientMessagesTrigger]{what: "client.messages", fields: []field[ClientMessagesTrigger]{
		must(set("messages", readDrafts, func(t *ClientMessagesTrigger) *[]DraftMessage { return &t.Messages })),
		must(set("new_from", readU32, func(t *ClientMessagesTrigger) *uint32 { return &t.NewFrom })),
		opt("client", of(clientContextShape), func(t *ClientMessagesTrigger) *ClientContext { return &t.Client }),
	}}),
	OnClientAction: asTrigger(&shape[ClientActionTrigger]{what: "client.action", fields: []field[ClientActionTrigger]{
		must(set("name", readText, func(t *ClientActionTrigger) *string { return &t.Name })),
		opt("args", readAny, func(t *ClientActionTrigger) *jsontext.Value { return &t.Args }),
	}}),
	OnToolExecute: asTrigger(&shape[ToolExecuteTrigger]{what: "tool.execute", fields: []field[ToolExecuteTrigger]{
		must(set("id", readText, func(t *ToolExecuteTrigger) *string { return &t.ID })),
		must(set("name", readText, func(t *ToolExecuteTrigger) *string { return &t.Name })),
		must(set("arguments", readText, func(t *ToolExecuteTrigger) *string { return &t.Arguments })),
		must(set("input", of(toolInputShape), func(t *ToolExecuteTrigger) *ToolInput { return &t.Input })),
		must(set("attempt", readU32, func(t *ToolExecuteTrigger) *uint32 { return &t.Attempt })),
		opt("deadline", readTime, func(t *ToolExecuteTrigger) **Timestamp { return &t.Deadline }),
	}}),
	OnToolFinished: asTrigger(&shape[ToolFinishedTrigger]{what: "tool.finished", fields: []field[ToolFinishedTrigger]{
		must(set("id", readText, func(t *ToolFinishedTrigger) *string { return &t.ID })),
		must(set("ok", readBool, func(t *ToolFinishedTrigger) *bool { return &t.OK })),
		must(set("name", readText, func(t *ToolFinishedTrigger) *string { return &t.Name })),
		opt("result", ptr(of(storedResultShape)), func(t *ToolFinishedTrigger) **StoredResult { return &t.Result }),
		opt("error", ptr(of(errorInfoShape)), func(t *ToolFinishedTrigger) **ErrorInfo { return &t.Error }),
	}}),
	OnLlmExecute: asTrigger(&shape[LlmExecuteTrigger]{what: "llm.execute", fields: []field[LlmExecuteTrigger]{
		must(set("id", readText, func(t *LlmExecuteTrigger) *string { return &t.ID })),
		must(set("request", readAny, func(t *LlmExecuteTrigger) *jsontext.Value { return &t.Request })),
		opt("format", readText, func(t *LlmExecuteTrigger) *string { return &t.Format }),
		must(set("stream", readBool, func(t *LlmExecuteTrigger) *bool { return &t.Stream })),
		must(set("attempt", readU32, func(t *LlmExecuteTrigger) *uint32 { return &t.Attempt })),
		opt("deadline", readTime, func(t *LlmExecuteTrigger) **Timestamp { return &t.Deadline }),
	}}),
	OnLlmFinished: asTrigger(&shape[LlmFinishedTrigger]{what: "llm.finished", fields: []field[LlmFinishedTrigger]{
		must(set("id", readText, func(t *LlmFinishedTrigger) *string { return &t.ID })),
		must(set("ok", readBool, func(t *LlmFinishedTrigger) *bool { return &t.OK })),
		opt("message", ptr(readDraft), func(t *LlmFinishedTrigger) **DraftMessage { return &t.Message }),
		opt("truncated", readBool, func(t *LlmFinishedTrigger) *bool { return &t.Truncated }),
		opt("refused", readBool, func(t *LlmFinishedTrigger) *bool { return &t.Refused }),
		opt("usage", ptr(of(usageShape)), func(t *LlmFinishedTrigger) **Usage { return &t.Usage }),
		opt("cost", readText, func(t *LlmFinishedTrigger) *string { return &t.Cost }),
		opt("error", ptr(of(errorInfoShape)), func(t *LlmFinishedTrigger) **ErrorInfo { return &t.Error }),
	}}),
	OnSubagentFinished: asTrigger(&shape[SubagentFinishedTrigger]{what: "subagent.finished", fields: []field[SubagentFinishedTrigger]{
		must(set("id", readText, func(t *SubagentFinishedTrigger) *string { return &t.ID })),
		must(set("ok", readBool, func(t *SubagentFinishedTrigger) *bool { return &t.OK })),
		must(set("session_id", readText, func(t *SubagentFinishedTrigger) *string { return &t.SessionID })),
		must(set("agent_id", readText, func(t *SubagentFinishedTrigger) *string { return &t.AgentID })),
		opt("result", ptr(readText), func(t *SubagentFinishedTrigger) **string { return &t.Result }),
		opt("error", ptr(of(errorInfoShape)), func(t *SubagentFinishedTrigger) **ErrorInfo { return &t.Error }),
	}}),
	OnInterruptResumed: asTrigger(&shape[InterruptResumedTrigger]{what: "interrupt.resumed", fields: []field[InterruptResumedTrigger]{
		must(set("interrupt_id", readText, func(t *InterruptResumedTrigger) *string { return &t.InterruptID })),
		opt("payload", readAny, func(t *InterruptResumedTrigger) *jsontext.Value { return &t.Payload }),
	}}),
	OnTurnFinished: asTrigger(&shape[TurnFinishedTrigger]{what: "turn.finished", fields: []field[TurnFinishedTrigger]{
		must(set("turn_id", readText, func(t *TurnFinishedTrigger) *string { return &t.TurnID })),
		opt("data", readAny, func(t *TurnFinishedTrigger) *jsontext.Value { return &t.Data }),
		opt("cost", readText, func(t *TurnFinishedTrigger) *string { return &t.Cost }),
		opt("usage", of(usageShape), func(t *TurnFinishedTrigger) *Usage { return &t.Usage }),
	}}),
}

func asTrigger[T Trigger](s *shape[T]) func(p *place, members []jsonv.Member) (Trigger, *Fault) {
	return func(p *place, members []jsonv.Member) (Trigger, *Fault) {
		var t T
		f := s.readMembers(p, members, &t)
		return t, f
	}
}

func readTrigger(p *place, v jsontext.Value) (Trigger, *Fault) {
	kind, members, f := readTag(p, v, "trigger")
	if f != nil {
		return nil, f
	}
	read, ok := triggerReaders[TriggerType(kind)]
	if !ok {
		return UnknownTrigger{Type: TriggerType(kind), Raw: v}, nil
	}
	return read(p, members)
}

// ParseTrigger reads a trigger (wire 4). Unknown members pass, and a type that
// this package does not know gives an [UnknownTrigger]. It is safe for
// concurrent use.
func ParseTrigger(body []byte) (Trigger, *Fault) { return parse(body, readTrigger, lenient) }
