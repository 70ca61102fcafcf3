package engine

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// kept is what the newest model call holds, so that the next one can share it.
// A worker's answer carries the whole conversation again and again; without
// this a session would keep every one of those bodies alive.
type kept struct {
	prompt []spec.DraftMessage
	tools  []spec.LlmTool
}

// keepPrompt gives every message an id and returns the prompt in memory of its
// own, shared with the prompt before as far as it begins with it.
func (e *Engine) keepPrompt(messages []spec.DraftMessage) []spec.DraftMessage {
	last := e.kept.prompt
	same := 0
	for same < len(last) && same < len(messages) && sameDraft(last[same], messages[same]) {
		same++
	}
	if same < len(last) {
		last = append(make([]spec.DraftMessage, 0, len(messages)), last[:same]...)
	}
	for _, m := range messages[same:] {
		if m.ID == "" {
			m.ID = e.mint(IDMessage)
		}
		last = append(last, ownDraft(m))
	}
	e.kept.prompt = last
	return last[:len(last):len(last)]
}

// keepTools returns the tools in memory of their own, those of the call before
// when they are the same. Nil stays nil and empty stays empty (E4).
func (e *Engine) keepTools(tools []spec.LlmTool) []spec.LlmTool {
	if len(tools) == 0 {
		return tools
	}
	if !slices.EqualFunc(tools, e.kept.tools, sameTool) {
		own := make([]spec.LlmTool, len(tools))
		for i, t := range tools {
			t.Input, t.Output = t.Input.Clone(), t.Output.Clone()
			own[i] = t
		}
		e.kept.tools = own
	}
	return e.kept.tools
}

// ownDraft copies what a message may share with the body it was read from.
func ownDraft(m spec.DraftMessage) spec.DraftMessage {
	m.Content, m.Reasoning = m.Content.Clone(), m.Reasoning.Clone()
	return m
}

// ownConfig copies a config, so that it shares nothing with the body it was
// read from.
func ownConfig(c *spec.AgentConfig) *spec.AgentConfig {
	text, err := spec.Marshal(c)
	if err != nil {
		return c
	}
	own, fault := spec.ParseAgent(text)
	if fault != nil {
		return c
	}
	return &own
}

func sameDraft(a, b spec.DraftMessage) bool {
	return a.ID == b.ID && a.Role == b.Role && a.ToolCallID == b.ToolCallID && a.Name == b.Name &&
		string(a.Content) == string(b.Content) && (a.Content == nil) == (b.Content == nil) &&
		string(a.Reasoning) == string(b.Reasoning) && (a.Reasoning == nil) == (b.Reasoning == nil) &&
		slices.Equal(a.ToolCalls, b.ToolCalls)
}

func sameTool(a, b spec.LlmTool) bool {
	return a.Name == b.Name && a.Description == b.Description &&
		string(a.Input) == string(b.Input) && (a.Input == nil) == (b.Input == nil) &&
		string(a.Output) == string(b.Output) && (a.Output == nil) == (b.Output == nil) &&
		(a.Defer == nil) == (b.Defer == nil) && (a.Defer == nil || *a.Defer == *b.Defer)
}
