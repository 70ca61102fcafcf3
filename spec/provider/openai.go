package provider

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// The body of a chat completion.
type completionBody struct {
	Model               string              `json:"model"`
	Messages            []completionMessage `json:"messages"`
	Tools               []completionTool    `json:"tools,omitzero"`
	Temperature         jsontext.Value      `json:"temperature,omitzero"`
	MaxCompletionTokens *uint64             `json:"max_completion_tokens,omitzero"`
	ReasoningEffort     string              `json:"reasoning_effort,omitzero"`
}

type completionMessage struct {
	Role       spec.Role       `json:"role"`
	Content    jsontext.Value  `json:"content"`
	Name       string          `json:"name,omitzero"`
	ToolCalls  []spec.ToolCall `json:"tool_calls,omitzero"`
	ToolCallID string          `json:"tool_call_id,omitzero"`
}

type completionTool struct {
	Type     string             `json:"type"`
	Function completionFunction `json:"function"`
}

type completionFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters"`
}

// noParameters is the schema of a tool that declares none: providers want an
// object.
var noParameters = jsontext.Value(`{"type":"object","properties":{}}`)

func completion(r spec.LlmRequest) (jsontext.Value, error) {
	body := completionBody{
		Model: r.Model, Temperature: r.Temperature, MaxCompletionTokens: r.MaxCompletionTokens,
		Messages: make([]completionMessage, 0, len(r.Messages)),
	}
	if r.Reasoning != nil {
		body.ReasoningEffort = r.Reasoning.Effort
	}
	for _, m := range r.Messages {
		content, err := completionContent(m)
		if err != nil {
			return nil, err
		}
		one := completionMessage{Role: m.Role, Content: content, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID}
		if m.Role != spec.RoleTool {
			one.Name = m.Name
		}
		if len(m.ToolCalls) == 0 {
			one.ToolCalls = nil
		}
		body.Messages = append(body.Messages, one)
	}
	for _, t := range r.Tools {
		body.Tools = append(body.Tools, completionTool{Type: "function", Function: completionFunction{
			Name: t.Name, Description: t.Description, Parameters: parameters(t),
		}})
	}
	return spec.Marshal(body)
}

func parameters(t spec.LlmTool) jsontext.Value {
	if jsonv.Kind(t.Input) == '{' {
		return t.Input
	}
	return noParameters
}

// completionContent is a text, null for a message without content, or a list of
// parts.
func completionContent(m spec.DraftMessage) (jsontext.Value, error) {
	all, err := parts(m.Content)
	if err != nil || all == nil {
		return jsontext.Value("null"), err
	}
	if text, ok := plain(all); ok {
		return jsonv.Quote(text), nil
	}
	type object = map[string]any
	var out []object
	for _, p := range all {
		switch p.kind {
		case "image":
			out = append(out, object{"type": "image_url", "image_url": object{"url": p.url}})
		case "file":
			out = append(out, object{"type": "file", "file": object{"filename": p.name, "file_data": p.url}})
		case "audio":
			out = append(out, object{"type": "input_audio", "input_audio": object{"data": p.url, "format": p.format}})
		case "video":
			out = append(out, object{"type": "video_url", "video_url": object{"url": p.url}})
		default:
			out = append(out, object{"type": "text", "text": p.text})
		}
	}
	return spec.Marshal(out)
}
