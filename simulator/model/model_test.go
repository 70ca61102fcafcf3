package model

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

func text(s string) *scenarios.Text {
	return &scenarios.Text{Parts: []scenarios.TextPart{{Plain: s}}}
}

func ptr[T any](v T) *T { return &v }

func id(label string) string { return "wire-" + label }

func TestReply(t *testing.T) {
	t.Parallel()
	call := func(c scenarios.Call) scenarios.ModelStep { return scenarios.ModelStep{Calls: []scenarios.Call{c}} }
	answered := func(arguments string) *spec.LlmResponse {
		return &spec.LlmResponse{Model: "m", FinishReason: "tool_calls", ToolCalls: []spec.ToolCall{
			{ID: "wire-c1", Type: "function", Function: spec.ToolFunction{Name: "tool", Arguments: arguments}},
		}}
	}
	wrapped := func(arguments string) *spec.LlmResponse {
		r := answered(arguments)
		r.ToolCalls[0].Function.Name = "call_tool"
		return r
	}
	for name, tc := range map[string]struct {
		step scenarios.ModelStep
		want *spec.LlmResponse
		err  *spec.ErrorInfo
	}{
		"text":    {step: scenarios.ModelStep{Text: text("hi")}, want: &spec.LlmResponse{Model: "m", Content: ptr("hi"), FinishReason: "stop"}},
		"nothing": {want: &spec.LlmResponse{Model: "m", FinishReason: "stop"}},
		"cut":     {step: scenarios.ModelStep{Text: text("h"), Stop: "length"}, want: &spec.LlmResponse{Model: "m", Content: ptr("h"), FinishReason: "length"}},
		"arguments keep order and spelling": {
			step: call(scenarios.Call{As: "c1", Tool: *text("tool"), Arguments: jsontext.Value(`{ "b": 1.50, "a": "\u00e9<", "a": [1, 2] }`)}),
			want: answered(`{"b":1.50,"a":"\u00e9<","a":[1,2]}`),
		},
		"raw stays as it is": {
			step: call(scenarios.Call{As: "c1", Tool: *text("tool"), Raw: text(`{ "a": `)}),
			want: answered(`{ "a": `),
		},
		"an empty raw": {
			step: call(scenarios.Call{As: "c1", Tool: *text("tool"), Raw: text("")}),
			want: answered(""),
		},
		"through call_tool": {
			step: call(scenarios.Call{As: "c1", Tool: *text("to\"ol"), Arguments: jsontext.Value(`{ "b": 1.50 }`), Via: "call_tool"}),
			want: wrapped(`{"name":"to\"ol","arguments":{"b":1.50}}`),
		},
		"a raw one through call_tool": {
			step: call(scenarios.Call{As: "c1", Tool: *text("tool"), Raw: text(`{ "a": `), Via: "call_tool"}),
			want: wrapped(`{"name":"tool","arguments":"{ \"a\": "}`),
		},
		"usage adds up": {
			step: scenarios.ModelStep{Usage: jsontext.Value(`{"input":10,"output":2,"cache_read":4}`)},
			want: &spec.LlmResponse{Model: "m", FinishReason: "stop", Usage: &spec.Usage{Input: 10, Output: 2, UncachedInput: 6, CacheRead: 4, Total: 12}},
		},
		"failed": {
			step: scenarios.ModelStep{Fail: &scenarios.ModelFailure{Code: "rate_limited", Message: "slow down"}},
			err:  &spec.ErrorInfo{Code: spec.CodeRateLimited, Message: "slow down"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, info, err := Reply(&tc.step, "m", id)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tc.err, info); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReplyRefusesWhatAPlanWouldNotLetThrough(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]scenarios.ModelStep{
		"no arguments": {Calls: []scenarios.Call{{As: "c1", Tool: *text("tool")}}},
		"bad usage":    {Usage: jsontext.Value(`{"input":"many"}`)},
	} {
		if _, _, err := Reply(&step, "m", id); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSpare(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff(&spec.LlmResponse{Model: "m", Content: ptr("done"), FinishReason: "stop"}, Spare("m")); d != "" {
		t.Error(d)
	}
}
