package toolcall

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// ErrorOf returns the error with which a tool.error ends its call: its code or
// handler_error, and its detail (F14).
func ErrorOf(a spec.ToolErrorAction) spec.ErrorInfo {
	e := spec.ErrorInfo{Message: a.Error, Code: a.Code, Detail: present(a.Detail)}
	if e.Code == "" {
		e.Code = spec.CodeHandlerError
	}
	return e
}

// Finished returns the tool.finished of a call that a worker settled with a
// result, after the output check (F11, F13).
func Finished(id, name string, r spec.StoredResult, output jsontext.Value) spec.ToolFinishedTrigger {
	if message, ok := CheckOutput(r, output); !ok {
		return Failed(id, name, OutputError(message))
	}
	return spec.ToolFinishedTrigger{ID: id, OK: true, Name: name, Result: &r}
}

// Failed returns the tool.finished of a call that ended with an error (F14).
func Failed(id, name string, e spec.ErrorInfo) spec.ToolFinishedTrigger {
	return spec.ToolFinishedTrigger{ID: id, Name: name, Error: &e}
}

// Message returns the tool message that a tool.finished proposes to record,
// without an id, which the engine mints (wire 7, F10, F14). A trigger with
// neither result nor error gives empty content.
func Message(t spec.ToolFinishedTrigger) spec.DraftMessage {
	m := spec.DraftMessage{Role: spec.RoleTool, ToolCallID: t.ID, Name: t.Name, Content: jsontext.Value(`""`)}
	switch {
	case t.Error != nil:
		m.Content = jsonv.Quote(t.Error.Message)
	case t.Result != nil:
		m.Content = MessageContent(*t.Result)
	}
	return m
}

// Refusal returns the text with which a call is refused before it runs, and
// whether there is one (E9): an undeclared name comes first, then arguments
// that are malformed or invalid.
func Refusal(name string, undeclared bool, in spec.ToolInput) (string, bool) {
	switch {
	case undeclared:
		return "unknown tool: " + name, true
	case in.Status != spec.InputValid:
		return "invalid tool arguments: " + value(in.Error), true
	}
	return "", false
}

// SubagentMessage returns the tool message that a subagent.finished proposes to
// record (L3): what the child said with the session that goes on with it, or the
// error's text. Its name is the agent's; the engine mints its id.
func SubagentMessage(t spec.SubagentFinishedTrigger) spec.DraftMessage {
	m := spec.DraftMessage{Role: spec.RoleTool, ToolCallID: t.ID, Name: t.AgentID}
	if t.Error != nil {
		m.Content = jsonv.Quote(t.Error.Message)
		return m
	}
	result := jsontext.Value("null")
	if t.Result != nil {
		result = jsonv.Quote(*t.Result)
	}
	m.Content = jsonv.Quote(`{"result":` + string(result) + `,"session":` + string(jsonv.Quote(t.SessionID)) + `}`)
	return m
}
