package spec

import "github.com/go-json-experiment/json/jsontext"

// LlmRequest is what a model is asked (wire 9).
type LlmRequest struct {
	Model               string           `json:"model"`
	Messages            []DraftMessage   `json:"messages"`
	Tools               []LlmTool        `json:"tools,omitzero"`
	Temperature         jsontext.Value   `json:"temperature,omitzero"`
	MaxCompletionTokens *uint64          `json:"max_completion_tokens,omitzero"`
	Reasoning           *ReasoningConfig `json:"reasoning,omitzero"`
}

// LlmTool is a tool as the model is shown it (wire 9, C9).
type LlmTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Input       jsontext.Value `json:"input,omitzero"`
	Output      jsontext.Value `json:"output,omitzero"`
	Defer       *bool          `json:"defer,omitzero"`
}

// LlmResponse is what a model answered (wire 9).
type LlmResponse struct {
	Model        string         `json:"model"`
	Content      *string        `json:"content,omitzero"`
	ToolCalls    []ToolCall     `json:"tool_calls,omitzero"`
	FinishReason string         `json:"finish_reason,omitzero"`
	Usage        *Usage         `json:"usage,omitzero"`
	Cost         string         `json:"cost,omitzero"`
	Images       []LlmImage     `json:"images,omitzero"`
	Reasoning    jsontext.Value `json:"reasoning,omitzero"`
}

// LlmImage is an image that a model made (wire 9).
type LlmImage struct {
	URL string `json:"url"`
}

// ReasoningConfig says how much a model may think (wire 9).
type ReasoningConfig struct {
	Effort    string  `json:"effort,omitzero"`
	MaxTokens *uint32 `json:"max_tokens,omitzero"`
	Exclude   *bool   `json:"exclude,omitzero"`
	Enabled   *bool   `json:"enabled,omitzero"`
}

// Usage counts tokens (wire 9).
type Usage struct {
	Input         uint64         `json:"input"`
	Output        uint64         `json:"output"`
	UncachedInput uint64         `json:"uncached_input"`
	CacheRead     uint64         `json:"cache_read"`
	CacheWrite    uint64         `json:"cache_write"`
	Total         uint64         `json:"total"`
	Provider      jsontext.Value `json:"provider,omitzero"`
}

// StreamDelta is one piece of a streamed model answer (wire 9).
type StreamDelta struct {
	Text         *string         `json:"text,omitzero"`
	Reasoning    *string         `json:"reasoning,omitzero"`
	ToolCalls    []ToolCallDelta `json:"tool_calls,omitzero"`
	FinishReason *string         `json:"finish_reason,omitzero"`
}

// ToolCallDelta is one piece of a streamed tool call (wire 9).
type ToolCallDelta struct {
	ID        string  `json:"id"`
	Name      *string `json:"name,omitzero"`
	Arguments *string `json:"arguments,omitzero"`
}

// The events of a streamed answer (wire 9, D11).
const (
	FrameTokenDelta     = "llm.token.delta"
	FrameDecisionResult = "decision.result"
	FrameDecisionError  = "decision.error"
)

// DecisionErrorFrame is the data of a decision.error frame (wire 9). A nil
// Retryable means true.
type DecisionErrorFrame struct {
	Message   string `json:"message"`
	Retryable *bool  `json:"retryable,omitzero"`
}
