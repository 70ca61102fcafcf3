package simulator

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// userInput is what the client sends by a user step: one message, an addition,
// or its whole view of the conversation. Only the last two carry what the
// client offers and knows, so a message that has these is added (wire 11).
func (s *session) userInput(u *scenarios.UserStep) (spec.ClientInput, error) {
	in := spec.ClientInput{Type: spec.InputClientMessage, AgentID: s.in.agentID(), Queue: u.Queue}
	context, err := clientContext(u)
	if err != nil {
		return in, err
	}
	in.Client = context
	switch {
	case u.View != nil:
		in.Type = spec.InputClientMessages
		in.Messages, err = givenMessages(u.View, s.wireID)
		return in, err
	case u.Append != nil:
		in.Type = spec.InputClientAppend
		in.Messages, err = givenMessages(u.Append, s.wireID)
		return in, err
	}
	message := spec.DraftMessage{ID: u.ID, Role: spec.RoleUser, Content: u.Content}
	if message.Content == nil {
		if message.Content, err = jsontext.AppendQuote(nil, u.Text.String()); err != nil {
			return in, err
		}
	}
	if context == nil {
		in.Message = &message
		return in, nil
	}
	in.Type, in.Messages = spec.InputClientAppend, []spec.DraftMessage{message}
	return in, nil
}

// clientContext is what the client offers with its words, nil when it offers
// nothing.
func clientContext(u *scenarios.UserStep) (*spec.ClientContext, error) {
	if u.Tools == nil && u.Context == nil && u.State == nil {
		return nil, nil
	}
	c := &spec.ClientContext{State: u.State}
	if u.Context != nil {
		items, err := jsonv.Elements(u.Context)
		if err != nil {
			return nil, fmt.Errorf("context of a user step: %w", err)
		}
		c.Context = items
	}
	if u.Tools != nil {
		tools, err := scenarios.ClientTools(u.Tools)
		if err != nil {
			return nil, fmt.Errorf("tools of a user step: %w", err)
		}
		c.Tools = tools
	}
	return c, nil
}

// clientInput is what the session's owner does besides talking: it answers one
// of its tools, acts, or resumes an interrupt (B8, J1, M3). A failure that does not say otherwise is not
// to be tried again, since an engine wants it said (J2).
func (s *session) clientInput(c *scenarios.ClientStep) (spec.ClientInput, error) {
	if c.Action != "" {
		return spec.ClientInput{Type: spec.InputClientAction, AgentID: s.in.agentID(), Name: c.Action, Args: c.Args}, nil
	}
	if c.Resume != "" {
		in := spec.ClientInput{Type: spec.InputInterruptResume, InterruptID: c.Resume, Payload: c.Payload}
		if c.Resume == scenarios.ResumeOpen {
			if open, ok := s.eng.OpenInterrupt(); ok {
				in.InterruptID = open
			}
		}
		return in, nil
	}
	in := spec.ClientInput{Type: spec.InputToolResult, ID: s.wireID(c.Call)}
	if c.Attempt != nil {
		attempt := uint32(*c.Attempt)
		in.Attempt = &attempt
	}
	if c.Error != nil {
		retryable := c.Retryable != nil && *c.Retryable
		in.Type, in.Error, in.Retryable = spec.InputToolError, c.Error, &retryable
		return in, nil
	}
	var err error
	in.Result, err = toolResult(c.Result)
	return in, err
}

// toolResult is a scripted result in the form in which it travels: a ToolResult
// with one text block, or the blocks that are written (wire 6).
func toolResult(r *scenarios.Result) (jsontext.Value, error) {
	out := wireResult{Content: []jsontext.Value{}, Structured: r.Structured, IsError: r.IsError != nil && *r.IsError}
	switch {
	case r.Content != nil:
		blocks, err := jsonv.Elements(r.Content)
		if err != nil {
			return nil, fmt.Errorf("content of a result: %w", err)
		}
		out.Content = blocks
	case r.Text != nil:
		text := r.Text.String()
		block, err := spec.Marshal(spec.ToolContent{Type: spec.BlockText, Text: &text})
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, block)
	}
	return spec.Marshal(out)
}

// wireResult is a ToolResult whose blocks are as the scenario writes them.
type wireResult struct {
	Content    []jsontext.Value `json:"content"`
	Structured jsontext.Value   `json:"structuredContent,omitzero"`
	IsError    bool             `json:"isError,omitzero"`
}
