// Package model is the scripted model: it turns the `model` steps of a case
// into what a model answers. It is pure.
package model

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// The finish reasons of answers that nothing cut short (wire 9).
const (
	stopped   = "stop"
	toolCalls = "tool_calls"
)

// spareText is what a model says that is asked with no step left ("how a
// scenario runs", 4).
const spareText = "done"

// Reply returns what the model answers by step to a request for the named
// model: a response, or the error that the engine gets instead. id gives the
// wire id of a call's label. The error is that of a step that a plan would not
// have let through.
func Reply(step *scenarios.ModelStep, name string, id func(label string) string) (*spec.LlmResponse, *spec.ErrorInfo, error) {
	if step.Fail != nil {
		return nil, &spec.ErrorInfo{Message: step.Fail.Message, Code: spec.ErrorCode(step.Fail.Code)}, nil
	}
	out := &spec.LlmResponse{Model: name, FinishReason: stopped}
	if step.Text != nil {
		text := step.Text.String()
		out.Content = &text
	}
	for _, c := range step.Calls {
		call, err := Call(c, id)
		if err != nil {
			return nil, nil, err
		}
		out.ToolCalls = append(out.ToolCalls, call)
		out.FinishReason = toolCalls
	}
	if step.Stop != "" {
		out.FinishReason = step.Stop
	}
	if step.Usage != nil {
		usage, err := usageOf(step.Usage)
		if err != nil {
			return nil, nil, fmt.Errorf("usage of a model step: %w", err)
		}
		out.Usage = usage
	}
	return out, nil, nil
}

// Spare returns the answer of a model that is asked with no step left.
func Spare(name string) *spec.LlmResponse {
	text := spareText
	return &spec.LlmResponse{Model: name, Content: &text, FinishReason: stopped}
}

// Call returns a scripted call as it stands in an assistant message: arguments
// as compact JSON in the order and spelling written, or the raw string as it
// is. One through call_tool stands there as the call of that, which names the tool
// (K4).
func Call(c scenarios.Call, id func(label string) string) (spec.ToolCall, error) {
	arguments, err := argumentsOf(c)
	if err != nil {
		return spec.ToolCall{}, fmt.Errorf("call %s: %w", c.As, err)
	}
	made := spec.ToolFunction{Name: c.Tool.String(), Arguments: arguments}
	if c.Via == scenarios.ThroughCallTool {
		made = wrapped(made, c.Raw != nil)
	}
	return spec.ToolCall{ID: id(c.As), Type: "function", Function: made}, nil
}

// wrapped is a call as call_tool takes it: an object stands there as it is, a raw
// string as a text.
func wrapped(inner spec.ToolFunction, raw bool) spec.ToolFunction {
	arguments := inner.Arguments
	if raw {
		arguments = string(jsonv.Quote(arguments))
	}
	return spec.ToolFunction{
		Name: scenarios.ThroughCallTool, Arguments: `{"name":` + string(jsonv.Quote(inner.Name)) + `,"arguments":` + arguments + `}`,
	}
}

func argumentsOf(c scenarios.Call) (string, error) {
	switch {
	case c.Raw != nil:
		return c.Raw.String(), nil
	case c.Arguments != nil:
		v := c.Arguments.Clone()
		// The spelling of numbers and strings is the author's, equal keys and
		// lone surrogates included.
		err := v.Format(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true))
		return string(v), err
	default:
		return "", errors.New("has no arguments")
	}
}

// usageOf fills in what a step leaves out, so that the sums of wire 9 hold.
func usageOf(v jsontext.Value) (*spec.Usage, error) {
	var u spec.Usage
	if err := json.Unmarshal(v, &u); err != nil {
		return nil, err
	}
	cached := u.CacheRead + u.CacheWrite
	if u.Input == 0 {
		u.Input = u.UncachedInput + cached
	}
	if u.UncachedInput == 0 && u.Input > cached {
		u.UncachedInput = u.Input - cached
	}
	if u.Total == 0 {
		u.Total = u.Input + u.Output
	}
	return &u, nil
}
