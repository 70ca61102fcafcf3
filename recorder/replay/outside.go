package replay

import (
	"slices"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// outside is the next thing from outside of which the captured request tells,
// nil when there is none, and then why not.
func (p *prediction) outside() (engine.Event, because) {
	if p.again {
		return p.tick(because{CodeNoWay, "nothing is left that would deliver it again"})
	}
	if !p.told {
		e, why := p.tells()
		p.told = e != nil
		if e != nil || why != (because{}) {
			return e, why
		}
	}
	return p.tick(because{CodeNoWay, "nothing in the request before it, in its answer or in itself leads to it"})
}

// tick lets time pass to the next timer.
func (p *prediction) tick(otherwise because) (engine.Event, because) {
	t, ok := p.engine.NextTimer()
	if !ok {
		return nil, otherwise
	}
	return engine.Tick{To: t.At}, because{}
}

// tells is what the captured trigger tells of the world outside. Without an event
// and a reason nothing from outside led to it.
func (p *prediction) tells() (engine.Event, because) {
	switch t := p.next.Trigger.(type) {
	case spec.ClientMessagesTrigger:
		return p.said(t)
	case spec.ClientActionTrigger:
		return engine.Input{Input: spec.ClientInput{Type: spec.InputClientAction, AgentID: p.next.AgentID, Name: t.Name, Args: t.Args}}, because{}
	case spec.InterruptResumedTrigger:
		return engine.Input{Input: spec.ClientInput{
			Type: spec.InputInterruptResume, AgentID: p.next.AgentID, InterruptID: t.InterruptID, Payload: t.Payload,
		}}, because{}
	case spec.LlmFinishedTrigger:
		return p.replied(t)
	case spec.ToolFinishedTrigger:
		return p.settled(t)
	case spec.SubagentFinishedTrigger:
		return engine.ChildEnded{Session: t.SessionID, Result: t.Result, Error: t.Error}, because{}
	}
	return nil, because{}
}

// said is what the client said. Where its view does not go on from the path, it
// showed a whole view (B1, B2).
func (p *prediction) said(t spec.ClientMessagesTrigger) (engine.Event, because) {
	in := spec.ClientInput{Type: spec.InputClientMessages, AgentID: p.next.AgentID, Messages: t.Messages}
	path := p.engine.Transcript()
	if n := int(t.NewFrom); n == len(path) && n < len(t.Messages) && sameIDs(path, t.Messages[:n]) && !answers(t.Messages[n:]) {
		in.Type, in.Messages = spec.InputClientAppend, t.Messages[n:]
	}
	if c := t.Client; c.Tools != nil || c.Context != nil || c.State != nil || c.ForwardedProps != nil {
		in.Client = &c
	}
	return engine.Input{Input: in}, because{}
}

// answers reports whether messages of a client answer calls (B7).
func answers(list []spec.DraftMessage) bool {
	return slices.ContainsFunc(list, func(m spec.DraftMessage) bool { return m.Role == spec.RoleTool })
}

func sameIDs(path []spec.Message, view []spec.DraftMessage) bool {
	return slices.EqualFunc(path, view, func(m spec.Message, d spec.DraftMessage) bool { return m.ID == d.ID })
}

// replied is what the model replied.
func (p *prediction) replied(t spec.LlmFinishedTrigger) (engine.Event, because) {
	call, waits := p.engine.Asked()
	if !waits {
		return nil, because{}
	}
	if t.Error != nil {
		return engine.Reply{Call: call, Error: t.Error}, because{}
	}
	r := &spec.LlmResponse{FinishReason: "stop", Usage: t.Usage, Cost: t.Cost}
	switch {
	case t.Truncated:
		r.FinishReason = "length"
	case t.Refused:
		r.FinishReason = "refusal"
	}
	if m := t.Message; m != nil {
		if m.Content != nil {
			text, ok := jsonv.Text(m.Content)
			if !ok && jsonv.Kind(m.Content) != 'n' {
				return nil, because{CodeBytesUnseen, "the model answered in parts, whose bytes are not in the request"}
			}
			if ok {
				r.Content = &text
			}
		}
		r.ToolCalls, r.Reasoning = m.ToolCalls, m.Reasoning
		if len(r.ToolCalls) > 0 && r.FinishReason == "stop" {
			r.FinishReason = "tool_calls"
		}
	}
	return engine.Reply{Call: call, Response: r}, because{}
}

// settled is the settle of a call that came by another way than the answer (I2,
// J1). A call whose time passed is settled by nobody.
func (p *prediction) settled(t spec.ToolFinishedTrigger) (engine.Event, because) {
	id := t.ID
	if !t.OK {
		info := spec.ErrorInfo{}
		if t.Error != nil {
			info = *t.Error
		}
		if info.Code == spec.CodeDeadlineExceeded {
			return nil, because{}
		}
		retryable := false
		return p.settle(spec.ToolErrorAction{ID: &id, Error: info.Message, Retryable: &retryable, Code: info.Code, Detail: info.Detail})
	}
	if t.Result == nil {
		return p.settle(spec.ToolResultAction{ID: &id})
	}
	for _, c := range t.Result.Content {
		if c.Type != spec.BlockText && c.Type != spec.BlockLink {
			return nil, because{CodeBytesUnseen, "the result holds bytes that are not in the request"}
		}
	}
	content := make([]spec.ToolContent, len(t.Result.Content))
	for i, c := range t.Result.Content {
		content[i] = spec.ToolContent{Type: spec.BlockText, Text: c.Text}
		if c.Type != spec.BlockText {
			uri := c.URI
			content[i] = spec.ToolContent{Type: spec.BlockResourceLink, URI: &uri, Name: c.Name, MimeType: c.MimeType}
		}
	}
	flagged := t.Result.IsError
	return p.settle(spec.ToolResultAction{ID: &id, Content: content, StructuredContent: t.Result.StructuredContent, IsError: &flagged})
}

func (p *prediction) settle(a spec.Action) (engine.Event, because) {
	if !p.engine.CanSettle(a) {
		return nil, because{CodeSettledElsewhere, "the call is not open in the request before it: what ended it cannot be seen"}
	}
	p.assumed = append(p.assumed, "the call was settled by another way than the answer")
	return engine.Settle{Action: a}, because{}
}
