package spec

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TriggerType implements [Trigger].
func (SessionStartTrigger) TriggerType() TriggerType { return OnSessionStart }

// TriggerType implements [Trigger].
func (ClientMessagesTrigger) TriggerType() TriggerType { return OnClientMessages }

// TriggerType implements [Trigger].
func (ClientActionTrigger) TriggerType() TriggerType { return OnClientAction }

// TriggerType implements [Trigger].
func (ToolExecuteTrigger) TriggerType() TriggerType { return OnToolExecute }

// TriggerType implements [Trigger].
func (ToolFinishedTrigger) TriggerType() TriggerType { return OnToolFinished }

// TriggerType implements [Trigger].
func (LlmExecuteTrigger) TriggerType() TriggerType { return OnLlmExecute }

// TriggerType implements [Trigger].
func (LlmFinishedTrigger) TriggerType() TriggerType { return OnLlmFinished }

// TriggerType implements [Trigger].
func (SubagentFinishedTrigger) TriggerType() TriggerType { return OnSubagentFinished }

// TriggerType implements [Trigger].
func (InterruptResumedTrigger) TriggerType() TriggerType { return OnInterruptResumed }

// TriggerType implements [Trigger].
func (TurnFinishedTrigger) TriggerType() TriggerType { return OnTurnFinished }

// TriggerType implements [Trigger].
func (t UnknownTrigger) TriggerType() TriggerType { return t.Type }

// CallID implements [Trigger]: the session is about no call.
func (SessionStartTrigger) CallID() string { return "" }

// CallID implements [Trigger]: messages are about no call.
func (ClientMessagesTrigger) CallID() string { return "" }

// CallID implements [Trigger]: an action is about no call.
func (ClientActionTrigger) CallID() string { return "" }

// CallID implements [Trigger].
func (t ToolExecuteTrigger) CallID() string { return t.ID }

// CallID implements [Trigger].
func (t ToolFinishedTrigger) CallID() string { return t.ID }

// CallID implements [Trigger].
func (t LlmExecuteTrigger) CallID() string { return t.ID }

// CallID implements [Trigger].
func (t LlmFinishedTrigger) CallID() string { return t.ID }

// CallID implements [Trigger]: the tool call that the child answers.
func (t SubagentFinishedTrigger) CallID() string { return t.ID }

// CallID implements [Trigger]: an interrupt is about no call.
func (InterruptResumedTrigger) CallID() string { return "" }

// CallID implements [Trigger]: a turn is about no call.
func (TurnFinishedTrigger) CallID() string { return "" }

// CallID implements [Trigger]: what an unknown trigger is about is not known.
func (UnknownTrigger) CallID() string { return "" }

// MarshalJSONTo writes the trigger with its type first.
func (t SessionStartTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain SessionStartTrigger
	return marshalTagged(e, string(OnSessionStart), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t ClientMessagesTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain ClientMessagesTrigger
	return marshalTagged(e, string(OnClientMessages), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t ClientActionTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain ClientActionTrigger
	return marshalTagged(e, string(OnClientAction), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t ToolExecuteTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain ToolExecuteTrigger
	return marshalTagged(e, string(OnToolExecute), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t ToolFinishedTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain ToolFinishedTrigger
	return marshalTagged(e, string(OnToolFinished), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t LlmExecuteTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain LlmExecuteTrigger
	return marshalTagged(e, string(OnLlmExecute), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t LlmFinishedTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain LlmFinishedTrigger
	return marshalTagged(e, string(OnLlmFinished), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t SubagentFinishedTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain SubagentFinishedTrigger
	return marshalTagged(e, string(OnSubagentFinished), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t InterruptResumedTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain InterruptResumedTrigger
	return marshalTagged(e, string(OnInterruptResumed), plain(t))
}

// MarshalJSONTo writes the trigger with its type first.
func (t TurnFinishedTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain TurnFinishedTrigger
	return marshalTagged(e, string(OnTurnFinished), plain(t))
}

// MarshalJSONTo writes the trigger as it was read.
func (t UnknownTrigger) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteValue(t.Raw)
}

// marshalTagged writes v, a struct, as one object that begins with its type.
func marshalTagged[T any](e *jsontext.Encoder, tag string, v T) error {
	return json.MarshalEncode(e, struct {
		Type string `json:"type"`
		Rest T      `json:",embed"`
	}{tag, v})
}
