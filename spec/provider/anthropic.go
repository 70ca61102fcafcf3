package provider

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// The body of a message.
type messageBody struct {
	Model       string           `json:"model"`
	MaxTokens   uint64           `json:"max_tokens"`
	System      string           `json:"system,omitzero"`
	Messages    []messageTurn    `json:"messages"`
	Tools       []messageTool    `json:"tools,omitzero"`
	Temperature jsontext.Value   `json:"temperature,omitzero"`
	Thinking    *messageThinking `json:"thinking,omitzero"`
}

type messageTurn struct {
	Role    string         `json:"role"`
	Content []messageBlock `json:"content"`
}

type messageBlock struct {
	Type      string         `json:"type"`
	Text      *string        `json:"text,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Input     jsontext.Value `json:"input,omitzero"`
	ToolUseID string         `json:"tool_use_id,omitzero"`
	Content   jsontext.Value `json:"content,omitzero"`
	Source    *messageSource `json:"source,omitzero"`
}

type messageSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitzero"`
	Data      string `json:"data,omitzero"`
	URL       string `json:"url,omitzero"`
}

type messageTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	InputSchema jsontext.Value `json:"input_schema"`
}

type messageThinking struct {
	Type         string `json:"type"`
	BudgetTokens uint32 `json:"budget_tokens"`
}

// defaultMaxTokens is sent where the request names no bound: this form has none
// of its own.
const defaultMaxTokens = 4096

func message(r spec.LlmRequest) (jsontext.Value, error) {
	body := messageBody{Model: r.Model, MaxTokens: defaultMaxTokens, Temperature: r.Temperature, Messages: []messageTurn{}}
	if r.MaxCompletionTokens != nil {
		body.MaxTokens = *r.MaxCompletionTokens
	}
	if r.Reasoning != nil && r.Reasoning.MaxTokens != nil {
		body.Thinking = &messageThinking{Type: "enabled", BudgetTokens: *r.Reasoning.MaxTokens}
	}
	var system []string
	for i, m := range r.Messages {
		all, err := parts(m.Content)
		if err != nil {
			return nil, err
		}
		switch m.Role {
		case spec.RoleSystem:
			text, _ := plain(all)
			system = append(system, text)
		case spec.RoleTool:
			block, err := toolResult(m, all)
			if err != nil {
				return nil, err
			}
			// Results that follow each other are one user turn (wire 12).
			if i > 0 && r.Messages[i-1].Role == spec.RoleTool {
				last := &body.Messages[len(body.Messages)-1]
				last.Content = append(last.Content, block)
				continue
			}
			body.Messages = append(body.Messages, messageTurn{Role: "user", Content: []messageBlock{block}})
		case spec.RoleAssistant:
			turn := messageTurn{Role: "assistant", Content: blocks(all)}
			for _, c := range m.ToolCalls {
				turn.Content = append(turn.Content, messageBlock{
					Type: "tool_use", ID: c.ID, Name: c.Function.Name, Input: input(c.Function.Arguments),
				})
			}
			body.Messages = append(body.Messages, turn)
		default:
			body.Messages = append(body.Messages, messageTurn{Role: "user", Content: blocks(all)})
		}
	}
	body.System = strings.Join(system, "\n\n")
	for _, t := range r.Tools {
		body.Tools = append(body.Tools, messageTool{Name: t.Name, Description: t.Description, InputSchema: parameters(t)})
	}
	return spec.Marshal(body)
}

// input is the argument string as an object; what cannot be parsed becomes the
// empty one (wire 12).
func input(arguments string) jsontext.Value {
	v := jsontext.Value(strings.TrimSpace(arguments))
	if jsonv.Kind(v) != '{' || jsonv.Valid(v, jsonv.MaxDepth) != nil {
		return jsontext.Value("{}")
	}
	return v
}

// toolResult is a tool message as a block; it carries no error flag (F13).
func toolResult(m spec.DraftMessage, all []part) (messageBlock, error) {
	block := messageBlock{Type: "tool_result", ToolUseID: m.ToolCallID}
	if text, ok := plain(all); ok {
		block.Content = jsonv.Quote(text)
		return block, nil
	}
	content, err := spec.Marshal(blocks(all))
	block.Content = content
	return block, err
}

// blocks are parts in this form. It has none for audio and video.
func blocks(all []part) []messageBlock {
	out := []messageBlock{}
	say := func(text string) {
		// An empty text block is refused by the provider.
		if text != "" {
			out = append(out, messageBlock{Type: "text", Text: &text})
		}
	}
	for _, p := range all {
		switch p.kind {
		case "text":
			say(p.text)
		case "image":
			out = append(out, messageBlock{Type: "image", Source: source(p.url)})
		case "file":
			out = append(out, messageBlock{Type: "document", Source: source(p.url)})
		default:
			say("[" + p.kind + " content]")
		}
	}
	return out
}

func source(url string) *messageSource {
	if mime, data, ok := dataURI(url); ok {
		return &messageSource{Type: "base64", MediaType: mime, Data: data}
	}
	return &messageSource{Type: "url", URL: url}
}
