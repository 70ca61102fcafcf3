package recorder

import (
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// readings tells of a call whose arguments are not what they look like: the text
// as the model sent it beside what the engine read and the worker got. "The
// model sent an empty object" and "what it sent was lost" look alike otherwise.
func (s *story) readings(x *spec.Exchange) string {
	asked, fault := x.Asked()
	if fault != nil || s.opts.ExchangesOnly {
		return ""
	}
	t, ok := asked.Trigger.(spec.ToolExecuteTrigger)
	if !ok || t.Input.Status == spec.InputValid && strings.TrimSpace(t.Arguments) != "" {
		return ""
	}
	text := "arguments of " + s.callName(t.ID) + ": sent " + quoted(t.Arguments) + ", read as "
	if t.Input.Value == nil {
		text += "nothing"
	} else {
		text += short(string(t.Input.Value), textLimit)
	}
	if t.Input.Status != spec.InputValid {
		text += " (" + clean(string(t.Input.Status))
		if t.Input.Error != nil {
			text += ": " + short(*t.Input.Error, textLimit)
		}
		text += ")"
	}
	return text
}
