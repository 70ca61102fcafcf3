package spec

import "github.com/go-json-experiment/json/jsontext"

// ActionType implements [Action].
func (ToolCallAction) ActionType() ActionType { return DoToolCall }

// ActionType implements [Action].
func (ToolResultAction) ActionType() ActionType { return DoToolResult }

// ActionType implements [Action].
func (ToolErrorAction) ActionType() ActionType { return DoToolError }

// ActionType implements [Action].
func (LlmCallAction) ActionType() ActionType { return DoLlmCall }

// ActionType implements [Action].
func (LlmResultAction) ActionType() ActionType { return DoLlmResult }

// ActionType implements [Action].
func (LlmErrorAction) ActionType() ActionType { return DoLlmError }

// ActionType implements [Action].
func (SubagentSpawnAction) ActionType() ActionType { return DoSubagentSpawn }

// ActionType implements [Action].
func (MessageSendAction) ActionType() ActionType { return DoMessageSend }

// ActionType implements [Action].
func (InterruptAction) ActionType() ActionType { return DoInterrupt }

// ActionType implements [Action].
func (InterruptResolveAction) ActionType() ActionType { return DoInterruptResolve }

// ActionType implements [Action].
func (ConnectorSyncAction) ActionType() ActionType { return DoConnectorSync }

// ActionType implements [Action].
func (DoneAction) ActionType() ActionType { return DoDone }

// ActionType implements [Action].
func (FailAction) ActionType() ActionType { return DoFail }

// MarshalJSONTo writes the action with its type first.
func (a ToolCallAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain ToolCallAction
	return marshalTagged(e, string(DoToolCall), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a ToolResultAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain ToolResultAction
	return marshalTagged(e, string(DoToolResult), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a ToolErrorAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain ToolErrorAction
	return marshalTagged(e, string(DoToolError), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a LlmCallAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain LlmCallAction
	return marshalTagged(e, string(DoLlmCall), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a LlmResultAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain LlmResultAction
	return marshalTagged(e, string(DoLlmResult), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a LlmErrorAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain LlmErrorAction
	return marshalTagged(e, string(DoLlmError), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a SubagentSpawnAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain SubagentSpawnAction
	return marshalTagged(e, string(DoSubagentSpawn), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a MessageSendAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain MessageSendAction
	return marshalTagged(e, string(DoMessageSend), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a InterruptAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain InterruptAction
	return marshalTagged(e, string(DoInterrupt), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a InterruptResolveAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain InterruptResolveAction
	return marshalTagged(e, string(DoInterruptResolve), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a ConnectorSyncAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain ConnectorSyncAction
	return marshalTagged(e, string(DoConnectorSync), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a DoneAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain DoneAction
	return marshalTagged(e, string(DoDone), plain(a))
}

// MarshalJSONTo writes the action with its type first.
func (a FailAction) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain FailAction
	return marshalTagged(e, string(DoFail), plain(a))
}
