package provider_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/provider"
)

const asked = `{
	"model": "m-small", "max_completion_tokens": 200, "reasoning": {"effort": "low", "max_tokens": 1024},
	"messages": [
		{"role": "system", "content": "Be brief."},
		{"id": "u1", "role": "user", "content": [
			{"type": "text", "text": "What is on it?"},
			{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
			{"type": "file", "file": {"filename": "plan.pdf", "file_data": "data:application/pdf;base64,BBBB"}},
			{"type": "input_audio", "input_audio": {"data": "CCCC", "format": "wav"}},
			{"type": "video_url", "video_url": {"url": "https://example.test/v.mp4"}},
			{"type": "link", "uri": "https://example.test/notes"},
			{"type": "link", "uri": "https://example.test/a.png", "mimeType": "image/png"}]},
		{"id": "m1", "role": "assistant", "tool_calls": [
			{"id": "c1", "type": "function", "function": {"name": "tide", "arguments": " {\"port\":\"Roscoff\"}"}},
			{"id": "c2", "type": "function", "function": {"name": "tide", "arguments": "{\"port\":"}}]},
		{"id": "t1", "role": "tool", "tool_call_id": "c1", "name": "tide", "content": "04:12"},
		{"id": "t2", "role": "tool", "tool_call_id": "c2", "name": "tide", "content": [
			{"type": "text", "text": "a chart"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,DDDD"}}]}],
	"tools": [{"name": "tide", "description": "Tides", "input": {"type": "object"}}, {"name": "now", "description": ""}]}`

const completion = `{
	"model": "m-small", "max_completion_tokens": 200, "reasoning_effort": "low",
	"messages": [
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": [
			{"type": "text", "text": "What is on it?"},
			{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
			{"type": "file", "file": {"filename": "plan.pdf", "file_data": "data:application/pdf;base64,BBBB"}},
			{"type": "input_audio", "input_audio": {"data": "CCCC", "format": "wav"}},
			{"type": "video_url", "video_url": {"url": "https://example.test/v.mp4"}},
			{"type": "text", "text": "https://example.test/notes"},
			{"type": "image_url", "image_url": {"url": "https://example.test/a.png"}}]},
		{"role": "assistant", "content": null, "tool_calls": [
			{"id": "c1", "type": "function", "function": {"name": "tide", "arguments": " {\"port\":\"Roscoff\"}"}},
			{"id": "c2", "type": "function", "function": {"name": "tide", "arguments": "{\"port\":"}}]},
		{"role": "tool", "tool_call_id": "c1", "content": "04:12"},
		{"role": "tool", "tool_call_id": "c2", "content": [
			{"type": "text", "text": "a chart"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,DDDD"}}]}],
	"tools": [
		{"type": "function", "function": {"name": "tide", "description": "Tides", "parameters": {"type": "object"}}},
		{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]}`

const messages = `{
	"model": "m-small", "max_tokens": 200, "system": "Be brief.", "thinking": {"type": "enabled", "budget_tokens": 1024},
	"messages": [
		{"role": "user", "content": [
			{"type": "text", "text": "What is on it?"},
			{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
			{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "BBBB"}},
			{"type": "text", "text": "[audio content]"},
			{"type": "text", "text": "[video content]"},
			{"type": "text", "text": "https://example.test/notes"},
			{"type": "image", "source": {"type": "url", "url": "https://example.test/a.png"}}]},
		{"role": "assistant", "content": [
			{"type": "tool_use", "id": "c1", "name": "tide", "input": {"port": "Roscoff"}},
			{"type": "tool_use", "id": "c2", "name": "tide", "input": {}}]},
		{"role": "user", "content": [
			{"type": "tool_result", "tool_use_id": "c1", "content": "04:12"},
			{"type": "tool_result", "tool_use_id": "c2", "content": [
				{"type": "text", "text": "a chart"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "DDDD"}}]}]}],
	"tools": [
		{"name": "tide", "description": "Tides", "input_schema": {"type": "object"}},
		{"name": "now", "input_schema": {"type": "object", "properties": {}}}]}`

func TestRequest(t *testing.T) {
	t.Parallel()
	request, fault := spec.ParseLlmRequest([]byte(asked))
	if fault != nil {
		t.Fatal(fault.Error())
	}
	for _, c := range []struct{ format, want string }{
		{"", asked}, {spec.FormatOpenAI, completion}, {spec.FormatAnthropic, messages},
	} {
		got, err := provider.Request(c.format, request)
		if err != nil {
			t.Fatal(err)
		}
		if at, g, w, same := jsonv.Diff(got, jsontext.Value(c.want)); !same {
			t.Errorf("%q: at %s got %s, want %s", c.format, at, g, w)
		}
		again, err := provider.Request(c.format, request)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(again)); diff != "" {
			t.Errorf("%q: the same request gives other bytes: %s", c.format, diff)
		}
	}
	if _, err := provider.Request("gemini", request); err == nil {
		t.Error("an unknown format gives a body")
	}
}

// TestRequestOfWords holds the bounds that the form of messages cannot do
// without.
func TestRequestOfWords(t *testing.T) {
	t.Parallel()
	request := spec.LlmRequest{Model: "m", Messages: []spec.DraftMessage{
		{Role: spec.RoleSystem, Content: jsonv.Quote("One.")}, {Role: spec.RoleSystem, Content: jsonv.Quote("Two.")},
		{Role: spec.RoleAssistant, Content: jsonv.Quote("")},
	}}
	got, err := provider.Request(spec.FormatAnthropic, request)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m","max_tokens":4096,"system":"One.\n\nTwo.","messages":[{"role":"assistant","content":[]}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
