package recorder

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// told is what a capture does not hold and its requests tell all the same: that
// another turn began, what the client said, what the model answered, and which
// calls failed (R4). A redelivery tells it again, so only the first counts.
func (s *story) told(x *spec.Exchange) []string {
	if s.engine || s.opts.ExchangesOnly || x.Request.Delivery > 1 {
		return nil
	}
	asked, fault := x.Asked()
	if fault != nil {
		return nil
	}
	var lines []string
	if id := asked.TurnID; id != nil && *id != s.turn[x.Session] {
		lines = append(lines, "turn "+short(*id, 40)+" begins")
		if len(s.turn) < maxOpen {
			s.turn[x.Session] = *id
		}
	}
	if text := s.news(asked); text != "" {
		lines = append(lines, text)
	}
	return lines
}

// news words what a trigger tells.
func (s *story) news(asked *spec.DecisionRequest) string {
	switch t := asked.Trigger.(type) {
	case spec.ClientMessagesTrigger:
		fresh := t.Messages[min(int(t.NewFrom), len(t.Messages)):]
		if len(fresh) == 0 {
			return "client: a view without news"
		}
		text := "client: " + count(int64(len(fresh)), "message", "messages")
		return join(text, valueText(fresh[len(fresh)-1].Content))
	case spec.ClientActionTrigger:
		return "client: action " + short(t.Name, textLimit)
	case spec.LlmFinishedTrigger:
		switch {
		case t.Error != nil:
			return "model fails: " + join(clean(string(t.Error.Code)), quoted(t.Error.Message))
		case t.Message == nil:
			return ""
		}
		return modelText(valueText(t.Message.Content), callsOf(t.Message.ToolCalls), cutOff(t))
	case spec.ToolFinishedTrigger:
		if t.Error != nil {
			return "call " + s.callName(t.ID) + " of " + short(t.Name, textLimit) + " fails: " + join(clean(string(t.Error.Code)), quoted(t.Error.Message))
		}
	case spec.SubagentFinishedTrigger:
		if t.Error != nil {
			return "subagent " + short(t.AgentID, textLimit) + " fails: " + join(clean(string(t.Error.Code)), quoted(t.Error.Message))
		}
		return join("subagent "+short(t.AgentID, textLimit)+" ends", quotedText(t.Result))
	case spec.InterruptResumedTrigger:
		return join("interrupt "+short(t.InterruptID, 40)+" is resumed", valueText(t.Payload))
	case spec.TurnFinishedTrigger:
		return join("turn "+short(t.TurnID, 40)+" completes", valueText(t.Data))
	}
	return ""
}

func cutOff(t spec.LlmFinishedTrigger) string {
	switch {
	case t.Truncated:
		return ", cut off"
	case t.Refused:
		return ", refused"
	}
	return ""
}

func quotedText(s *string) string {
	if s == nil {
		return ""
	}
	return quoted(*s)
}

// callsOf names the calls of a model with their arguments.
func callsOf(calls []spec.ToolCall) []string {
	var out []string
	for _, c := range calls {
		out = append(out, join(short(c.Function.Name, textLimit), short(c.Function.Arguments, textLimit)))
	}
	return out
}

// holdsEngine reports whether a recording says itself what the engine made of
// things.
func holdsEngine(h *spec.HeaderEvent) bool { return slices.Contains(h.Evidence, spec.EvidenceEngine) }
