package retell

import (
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// trigger tells what led to a decision, where that came from outside.
func (t *teller) trigger(s *told, x *spec.Exchange, asked *spec.DecisionRequest) {
	runs := asked.TurnID != nil && *asked.TurnID == s.turn && !s.ended
	if asked.TurnID != nil {
		if *asked.TurnID != s.turn {
			s.ended = false
		}
		s.turn = *asked.TurnID
	}
	switch d := asked.Trigger.(type) {
	case spec.ClientMessagesTrigger:
		if s.root {
			t.said(s, asked, d, runs)
		}
	case spec.ClientActionTrigger:
		value := scenarios.ObjectTree().Add("action", scenarios.TextTree(d.Name))
		if d.Args != nil {
			value.Add("args", t.value(d.Args, "the arguments of an action"))
		}
		t.add(s, "client", value)
	case spec.LlmExecuteTrigger:
		s.hosts[d.ID] = true
		if t.hosted = d.Format; d.Format == "" {
			t.hosted = spec.HostedNative
		}
	case spec.LlmFinishedTrigger:
		t.replied(s, asked, d)
	case spec.ToolExecuteTrigger:
		t.executes(s, x, asked, d)
	case spec.ToolFinishedTrigger:
		t.settled(s, d)
	case spec.SubagentFinishedTrigger:
		t.childEnded(s, d)
	case spec.InterruptResumedTrigger:
		if slices.Contains(s.resolved, d.InterruptID) {
			return
		}
		value := scenarios.ObjectTree().Add("resume", scenarios.TextTree(scenarios.ResumeOpen))
		if d.Payload != nil {
			value.Add("payload", t.value(d.Payload, "what an interrupt was resumed with"))
		}
		t.add(s, "client", value)
	case spec.UnknownTrigger:
		t.leave("triggers of type " + short(string(d.Type), 40))
	}
}

// value is a JSON value as a scenario writes it; one that it cannot hold is left
// out and said.
func (t *teller) value(v jsontext.Value, what string) *scenarios.Tree {
	tree, ok := scenarios.ValueTree(v)
	if !ok {
		t.leave(what + ", which is nested too deep, or has equal keys or one that is too long")
		return scenarios.WordTree("null")
	}
	return tree
}

func number(n int) *scenarios.Tree { return scenarios.WordTree(strconv.Itoa(n)) }

// next is the number behind one that is spelled.
func next(spelled string) string {
	n, _ := strconv.Atoi(spelled)
	return strconv.Itoa(n + 1)
}

// executes tells an attempt of a call. Engines count them from 0 or from 1.
func (t *teller) executes(s *told, x *spec.Exchange, asked *spec.DecisionRequest, d spec.ToolExecuteTrigger) {
	c := t.call(s, d.ID, d.Name, d.Arguments)
	if !t.engine.first && !c.early {
		t.engine.first = true
		if d.Attempt == 1 {
			t.engine.dialect["first_attempt"] = "1"
		}
	}
	if c.tries > 0 && c.label != "" {
		switch over := c.deadline != nil && !t.sentAt(x).Before(c.deadline.Add(-time.Second)); {
		case over && c.pending:
			t.add(s, "wait", scenarios.ObjectTree().Add("until", scenarios.TextTree("deadline")).Add("call", scenarios.TextTree(c.label)))
		case c.pending:
			t.awaits(s, c)
		}
	}
	c.tries++
	c.pending, c.deadline = false, d.Deadline
	if d.Deadline != nil && asked.Deadline != nil && c.tries == 1 {
		if secs := int(d.Deadline.Sub(asked.Deadline.Time).Round(time.Second)/time.Second) + decisionSecs; secs != toolSecs && secs > 0 {
			t.engine.runTimeout = secs
		}
	}
	if c.handler == "" {
		c.handler = spec.HandlerWorker
	}
	t.engine.tries = max(t.engine.tries, c.tries)
}

// decisionSecs and toolSecs are how long an answer, and an attempt of a call, may
// take by default (H1).
const (
	decisionSecs = 20
	toolSecs     = 120
)

// call is a call by its id. One that no model was seen to make has no label.
func (t *teller) call(s *told, id, tool, raw string) *call {
	c := s.calls[id]
	if c == nil {
		c = &call{tool: tool, raw: raw}
		s.calls[id] = c
	}
	return c
}

// replied tells what the model answered.
func (t *teller) replied(s *told, asked *spec.DecisionRequest, d spec.LlmFinishedTrigger) {
	if s.hosts[d.ID] {
		// The worker answered for the model, and will again.
		return
	}
	if d.Error != nil || d.Truncated || d.Refused {
		for _, a := range asked.Proposed.Actions {
			if a.ActionType() == spec.DoFail {
				t.engine.dialect["failed_call"] = "fail"
			}
		}
	}
	value := scenarios.ObjectTree()
	switch {
	case d.Error != nil && d.Message == nil && !d.Truncated && !d.Refused:
		value.Add("fail", scenarios.ObjectTree().Add("code", scenarios.TextTree(string(d.Error.Code))).
			Add("message", scenarios.TextTree(d.Error.Message)))
		t.add(s, "model", value)
		return
	case d.Message != nil:
		t.message(s, value, *d.Message)
	}
	switch {
	case d.Truncated:
		value.Add("stop", scenarios.TextTree("length"))
	case d.Refused:
		value.Add("stop", scenarios.TextTree("refusal"))
	}
	if len(value.Keys) == 0 {
		value.Add("text", scenarios.TextTree(""))
	}
	t.add(s, "model", value)
	if d.Message != nil && d.Message.ID != "" {
		s.owners[d.Message.ID] = value
	} else if d.Message != nil {
		s.unnamed[len(asked.Messages)] = value
	}
}

// message writes what an assistant said and called into a model step, or into a
// message that is given.
func (t *teller) message(s *told, value *scenarios.Tree, m spec.DraftMessage) {
	if m.Content != nil && jsonv.Kind(m.Content) != 'n' {
		text, plain := jsonv.Text(m.Content)
		if !plain {
			t.leave("the parts of a model's reply that are no text")
			text = textOf(m.Content)
		}
		if text != "" || len(m.ToolCalls) == 0 {
			value.Add("text", scenarios.RecipeTree(text))
		}
	}
	if len(m.ToolCalls) > 0 {
		value.Add("calls", t.modelCalls(s, m.ToolCalls))
	}
}

// modelCalls labels the calls of a reply.
func (t *teller) modelCalls(s *told, calls []spec.ToolCall) *scenarios.Tree {
	list := scenarios.ListTree()
	for _, m := range calls {
		c := s.calls[m.ID]
		if c == nil || c.label != "" {
			c = &call{}
			s.calls[m.ID] = c
		}
		t.labels++
		c.label, c.tool, c.raw = "c"+strconv.Itoa(t.labels), m.Function.Name, m.Function.Arguments
		if tool, ok := s.agent.Tool(c.tool); ok {
			c.handler = tool.RunsOn()
		}
		if s.agent.RunsOnEngine(c.tool) {
			c.handler = spec.HandlerServer
		}
		s.order = append(s.order, c)
		one := scenarios.ObjectTree().Add("as", scenarios.TextTree(c.label))
		list.Items = append(list.Items, t.written(s, one, c))
	}
	return list
}

// written writes the tool and the arguments of a call, the one inside where it
// goes through call_tool.
func (t *teller) written(s *told, one *scenarios.Tree, c *call) *scenarios.Tree {
	name, raw, through := c.tool, c.raw, false
	if c.tool == spec.CallToolName && s.agent.RunsOnEngine(c.tool) {
		if inner, arguments, ok := innerCall(c.raw); ok {
			name, raw, through = inner, arguments, true
			if tool, known := s.agent.Tool(inner); known {
				c.handler = tool.RunsOn()
			}
		}
	}
	one.Add("tool", scenarios.TextTree(name))
	arguments := argumentsOf(raw)
	one.Add(arguments.Keys[0], arguments.Items[0])
	if through {
		one.Add("via", scenarios.TextTree(scenarios.ThroughCallTool))
	}
	return one
}

// argumentsOf are arguments as a call writes them: as an object where that is sent
// in the same spelling, else as the text that they are.
func argumentsOf(raw string) *scenarios.Tree {
	written := scenarios.RecipeTree(raw)
	if arguments, ok := scenarios.ArgumentsTree(raw); ok && written.Kind == scenarios.TreeText {
		return scenarios.ObjectTree().Add("arguments", arguments)
	}
	return scenarios.ObjectTree().Add("raw", written)
}

// innerCall is the call that call_tool was given, where a scenario would write it
// in the same spelling (K4).
func innerCall(raw string) (name, arguments string, ok bool) {
	v := jsontext.Value(raw)
	n, _ := jsonv.Get(v, "/name")
	a, _ := jsonv.Get(v, "/arguments")
	if name, ok = jsonv.Text(n); !ok || a == nil {
		return "", "", false
	}
	inner := string(a)
	if text, isText := jsonv.Text(a); isText {
		inner = text
		if _, plain := scenarios.ArgumentsTree(text); plain {
			return "", "", false
		}
	} else if _, plain := scenarios.ArgumentsTree(inner); !plain {
		return "", "", false
	}
	return name, inner, raw == `{"name":`+string(jsonv.Quote(name))+`,"arguments":`+string(a)+`}`
}

// childEnded tells that a subagent ended: it says so itself, where it is recorded.
func (t *teller) childEnded(s *told, d spec.SubagentFinishedTrigger) {
	t.byChild[d.SessionID] = d.ID
	if c := s.calls[d.ID]; c != nil {
		c.finished, c.ok = true, d.OK
	}
	for _, other := range t.sessions {
		if other.id == d.SessionID && other.begun {
			return
		}
	}
	t.leave("what the subagent " + short(d.AgentID, 40) + " did: it is not in the recording")
}

// settled tells how a call ended that neither the worker's answer nor the engine
// ended: the client answered, the worker settled later, or its time was over.
func (t *teller) settled(s *told, d spec.ToolFinishedTrigger) {
	c := t.call(s, d.ID, d.Name, "")
	seen := c.finished
	c.finished, c.ok = true, d.OK
	late := d.Error != nil && d.Error.Code == spec.CodeDeadlineExceeded
	switch {
	case seen || c.label == "" && (c.pending || c.handler == spec.HandlerClient):
		if c.label == "" && !seen {
			t.leave("who settled a call that no model was seen to make")
		}
	case late && (c.pending || c.handler == spec.HandlerClient):
		t.add(s, "wait", scenarios.ObjectTree().Add("until", scenarios.TextTree("deadline")).Add("call", scenarios.TextTree(c.label)))
	case c.handler == spec.HandlerClient:
		t.add(s, "client", t.clientAnswer(c, d))
	case c.pending:
		t.awaits(s, c)
	}
}

// clientAnswer is what the client answered a call with.
func (t *teller) clientAnswer(c *call, d spec.ToolFinishedTrigger) *scenarios.Tree {
	value := scenarios.ObjectTree().Add("call", scenarios.TextTree(c.label))
	switch {
	case d.Error != nil:
		return value.Add("error", scenarios.TextTree(d.Error.Message))
	case d.Result == nil:
		return value.Add("result", scenarios.TextTree(""))
	}
	r := d.Result
	plain := len(r.Content) == 1 && r.Content[0].Type == spec.BlockText && r.Content[0].Text != nil
	if plain && r.StructuredContent == nil && !r.IsError {
		return value.Add("result", scenarios.RecipeTree(*r.Content[0].Text))
	}
	result := scenarios.ObjectTree()
	if plain {
		result.Add("text", scenarios.RecipeTree(*r.Content[0].Text))
	} else {
		result.Add("content", t.blocks(r.Content))
	}
	if r.StructuredContent != nil {
		result.Add("structured", t.value(r.StructuredContent, "a structured result"))
	}
	if r.IsError {
		result.Add("is_error", scenarios.WordTree("true"))
	}
	return value.Add("result", result)
}

// blocks are the blocks of a stored result as they were sent.
func (t *teller) blocks(content []spec.StoredContent) *scenarios.Tree {
	list := scenarios.ListTree()
	for _, b := range content {
		one := scenarios.ObjectTree()
		switch b.Type {
		case spec.BlockText:
			one.Add("type", scenarios.TextTree("text"))
			if b.Text != nil {
				one.Add("text", scenarios.TextTree(*b.Text))
			}
		case spec.BlockLink:
			one.Add("type", scenarios.TextTree(string(spec.BlockResourceLink))).Add("uri", scenarios.TextTree(b.URI))
			if b.Name != nil {
				one.Add("name", scenarios.TextTree(*b.Name))
			}
			if b.MimeType != nil {
				one.Add("mimeType", scenarios.TextTree(*b.MimeType))
			}
		default:
			t.leave("the bytes of a client's result: requests name them by an address only")
			continue
		}
		list.Items = append(list.Items, one)
	}
	return list
}

// awaits tells that the worker settled a call later. What it settled one after the
// other is awaited in that order.
func (t *teller) awaits(s *told, c *call) {
	t.async = true
	if len(t.steps) > 0 && s.last == t.steps[len(t.steps)-1] && s.last.verb == "await" {
		s.last.value.Member("settled").Items = append(s.last.value.Member("settled").Items, scenarios.TextTree(c.label))
		s.last.value.Set("order", scenarios.TextTree("listed"))
		return
	}
	t.add(s, "await", scenarios.ObjectTree().Add("settled", scenarios.ListTree(scenarios.TextTree(c.label))).
		Add("within", scenarios.TextTree("10s")))
}
