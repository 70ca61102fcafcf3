package reference

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

type object = map[string]any

// response is the whole reply in a form: the protocol's own, or a provider's.
func (r reply) response(format string) jsontext.Value {
	switch format {
	case spec.FormatOpenAI:
		return r.completion()
	case spec.FormatAnthropic:
		return r.message()
	}
	out := spec.LlmResponse{
		Model: r.model, FinishReason: "stop", Cost: "0.0001",
		Usage: &spec.Usage{Input: r.in, Output: r.out, UncachedInput: r.in, Total: r.in + r.out},
	}
	if r.tool == "" {
		out.Content = &r.text
	} else {
		out.FinishReason = "tool_calls"
		out.ToolCalls = []spec.ToolCall{r.call()}
	}
	if r.finish != "" {
		out.FinishReason = r.finish
	}
	return encode(out)
}

func (r reply) call() spec.ToolCall {
	return spec.ToolCall{ID: r.id, Type: "function", Function: spec.ToolFunction{Name: r.tool, Arguments: r.arguments}}
}

func (r reply) completion() jsontext.Value {
	message, finish := object{"role": "assistant", "content": r.text}, "stop"
	if r.tool != "" {
		message["content"], message["tool_calls"], finish = nil, []spec.ToolCall{r.call()}, "tool_calls"
	}
	return encode(object{
		"id": "completion-1", "object": "chat.completion", "model": r.model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   object{"prompt_tokens": r.in, "completion_tokens": r.out, "total_tokens": r.in + r.out},
	})
}

func (r reply) message() jsontext.Value {
	content, stop := []object{{"type": "text", "text": r.text}}, "end_turn"
	if r.tool != "" {
		content = []object{{"type": "tool_use", "id": r.id, "name": r.tool, "input": jsontext.Value(r.arguments)}}
		stop = "tool_use"
	}
	return encode(object{
		"id": "message-1", "type": "message", "role": "assistant", "model": r.model, "content": content,
		"stop_reason": stop, "usage": object{"input_tokens": r.in, "output_tokens": r.out},
	})
}

// pieces is the reply as a stream: its text word by word, or its call in two
// pieces, in the shape that goes with the form (wire 9).
func (r reply) pieces(format string) []jsontext.Value {
	var all []jsontext.Value
	for _, word := range strings.SplitAfter(r.text, " ") {
		if word != "" {
			all = append(all, textPiece(format, word))
		}
	}
	if r.tool != "" {
		all = append(all, r.callPieces(format)...)
	}
	return append(all, r.lastPiece(format))
}

func textPiece(format, text string) jsontext.Value {
	switch format {
	case spec.FormatOpenAI:
		return chunk(object{"content": text}, nil)
	case spec.FormatAnthropic:
		return encode(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}})
	}
	return encode(spec.StreamDelta{Text: &text})
}

func (r reply) callPieces(format string) []jsontext.Value {
	half := len(r.arguments) / 2
	first, second := r.arguments[:half], r.arguments[half:]
	switch format {
	case spec.FormatOpenAI:
		call := func(more object) jsontext.Value {
			more["index"] = 0
			return chunk(object{"tool_calls": []object{more}}, nil)
		}
		return []jsontext.Value{
			call(object{"id": r.id, "type": "function", "function": object{"name": r.tool, "arguments": first}}),
			call(object{"function": object{"arguments": second}}),
		}
	case spec.FormatAnthropic:
		input := func(part string) jsontext.Value {
			return encode(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "input_json_delta", "partial_json": part}})
		}
		return []jsontext.Value{
			encode(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "tool_use", "id": r.id, "name": r.tool, "input": object{}}}),
			input(first), input(second),
		}
	}
	return []jsontext.Value{
		encode(spec.StreamDelta{ToolCalls: []spec.ToolCallDelta{{ID: r.id, Name: &r.tool, Arguments: &first}}}),
		encode(spec.StreamDelta{ToolCalls: []spec.ToolCallDelta{{ID: r.id, Arguments: &second}}}),
	}
}

func (r reply) lastPiece(format string) jsontext.Value {
	finish := "stop"
	if r.tool != "" {
		finish = "tool_calls"
	}
	switch format {
	case spec.FormatOpenAI:
		return chunk(object{}, &finish)
	case spec.FormatAnthropic:
		return jsontext.Value(`{"type":"message_stop"}`)
	}
	return encode(spec.StreamDelta{FinishReason: &finish})
}

func chunk(delta object, finish *string) jsontext.Value {
	return encode(object{"object": "chat.completion.chunk", "choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}})
}

// frame is one event of a stream.
type frame struct {
	event string
	data  jsontext.Value
}

// frames is a whole streamed answer: its pieces, then the decision.
func frames(pieces []jsontext.Value, decision []byte) []frame {
	var all []frame
	for _, p := range pieces {
		all = append(all, frame{spec.FrameTokenDelta, p})
	}
	return append(all, frame{spec.FrameDecisionResult, decision})
}

// streamed writes frames in one of the spellings that a reader of event streams
// must know: plain, with CR LF and comments, or with data on several lines.
func streamed(format string, all []frame) []byte {
	var out strings.Builder
	for i, f := range all {
		switch format {
		case spec.FormatOpenAI:
			if i == 0 {
				out.WriteString(": the studio thinks\r\n\r\n")
			}
			out.WriteString("id: " + string(rune('a'+i%26)) + "\r\nevent: " + f.event + "\r\ndata: " + string(f.data) + "\r\n\r\n")
		case spec.FormatAnthropic:
			out.WriteString("event:" + f.event + "\n")
			for _, line := range lines(f.data) {
				out.WriteString("data:" + line + "\n")
			}
			out.WriteString("\n")
		default:
			out.WriteString("event: " + f.event + "\ndata: " + string(f.data) + "\n\n")
		}
	}
	return []byte(out.String())
}

// lines spreads an object over lines, one a member.
func lines(data jsontext.Value) []string {
	members, err := jsonv.Members(data)
	if err != nil || len(members) == 0 {
		return []string{string(data)}
	}
	all := []string{"{"}
	for i, m := range members {
		line := string(jsonv.Quote(m.Name)) + ":" + string(m.Value)
		if i < len(members)-1 {
			line += ","
		}
		all = append(all, line)
	}
	return append(all, "}")
}
