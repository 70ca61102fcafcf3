package recorder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// summary words what a worker answered, as short as it can be told.
func summary(x *spec.Exchange) string {
	if x.Response == nil {
		return "no answer"
	}
	if x.Response.End == spec.EndStale {
		return "not delivered: an idle connection had been closed"
	}
	d, failure := x.Decided()
	if failure != nil {
		return failed(x, failure)
	}
	if d.IsEmpty() {
		return "empty"
	}
	if r, fault := x.Asked(); fault == nil && sameDecision(*d, r.Proposed.Decision) {
		return "proposed" + actionNames(d.Actions)
	}
	return decided(*d)
}

// failed words a delivery that failed: what came, or why nothing did.
func failed(x *spec.Exchange, f *spec.Failure) string {
	if x.Response.End != spec.EndWhole {
		return short(x.Response.Reason, textLimit)
	}
	if x.Response.Status/100 != 2 && len(x.ResponseBody) > 0 {
		return quoted(string(x.ResponseBody))
	}
	return string(f.Class) + ": " + short(f.Info.Message, textLimit)
}

// sameDecision reports whether an answer is what was proposed, by meaning:
// lists that are empty may be absent.
func sameDecision(a, b spec.Decision) bool {
	left, err := spec.Marshal(plain(a))
	if err != nil {
		return false
	}
	right, err := spec.Marshal(plain(b))
	return err == nil && jsonv.Equal(left, right)
}

// plain is d without empty lists. It changes nothing that d shares.
func plain(d spec.Decision) spec.Decision {
	d.Messages = plainMessages(d.Messages)
	d.Actions = slices.Clone(d.Actions)
	for i, a := range d.Actions {
		if c, ok := a.(spec.LlmCallAction); ok && len(c.Messages) > 0 {
			c.Messages = plainMessages(c.Messages)
			d.Actions[i] = c
		}
	}
	if len(d.Actions) == 0 {
		d.Actions = nil
	}
	return d
}

func plainMessages(in []spec.DraftMessage) []spec.DraftMessage {
	if len(in) == 0 {
		return nil
	}
	out := slices.Clone(in)
	for i := range out {
		if len(out[i].ToolCalls) == 0 {
			out[i].ToolCalls = nil
		}
	}
	return out
}

// actionNames lists the kinds of actions in brackets, "" for none.
func actionNames(actions []spec.Action) string {
	if len(actions) == 0 {
		return ""
	}
	var names []string
	for _, a := range actions {
		names = append(names, clean(string(a.ActionType())))
	}
	return " (" + listed(names) + ")"
}

// decided words a decision of the worker's own.
func decided(d spec.Decision) string {
	var parts []string
	for _, a := range d.Actions {
		parts = append(parts, action(a))
	}
	if d.Agent != nil {
		parts = append(parts, agent(*d.Agent))
	}
	if d.State != nil {
		parts = append(parts, "state")
	}
	if n := len(d.Messages); n > 0 {
		parts = append(parts, count(int64(n), "message", "messages"))
	}
	if d.Channels != nil {
		parts = append(parts, "channels")
	}
	return listed(parts)
}

// listed joins the first few of parts.
func listed(parts []string) string {
	const most = 4
	if len(parts) > most {
		return strings.Join(parts[:most], ", ") + fmt.Sprintf(", and %d more", len(parts)-most)
	}
	return strings.Join(parts, ", ")
}

func agent(a spec.AgentConfig) string {
	var names []string
	for _, t := range a.Tools {
		names = append(names, short(t.Name, textLimit))
	}
	s := "agent with " + count(int64(len(names)), "tool", "tools")
	if len(names) > 0 {
		s += " (" + listed(names) + ")"
	}
	return s
}

// action words one action: its kind and the text that tells it from another.
func action(a spec.Action) string {
	kind := clean(string(a.ActionType()))
	switch a := a.(type) {
	case spec.ToolResultAction:
		if a.IsError != nil && *a.IsError {
			kind += " (isError)"
		}
		return join(kind, resultText(a))
	case spec.ToolErrorAction:
		if a.Retryable != nil && *a.Retryable {
			kind += " (retryable)"
		}
		return join(kind, quoted(a.Error))
	case spec.LlmErrorAction:
		return join(kind, quoted(a.Error))
	case spec.ToolCallAction:
		return join(kind, short(a.Name, textLimit))
	case spec.SubagentSpawnAction:
		return join(kind, short(a.AgentID, textLimit))
	case spec.InterruptAction:
		return join(kind, quoted(a.Reason))
	case spec.ConnectorSyncAction:
		return join(kind, short(a.Path, textLimit))
	case spec.DoneAction:
		return join(kind, valueText(a.Data))
	case spec.FailAction:
		return join(kind, quoted(a.Error.Message))
	}
	return kind
}

func join(kind, text string) string {
	if text == "" {
		return kind
	}
	return kind + " " + text
}

// resultText is the first text of a result, in whichever form it came (F6).
func resultText(a spec.ToolResultAction) string {
	for _, c := range a.Content {
		if c.Type == spec.BlockText && c.Text != nil {
			return quoted(*c.Text)
		}
	}
	if len(a.Content) > 0 {
		return string(a.Content[0].Type)
	}
	if text, ok := jsonv.Get(a.Result, "/content/0/text"); ok {
		return valueText(text)
	}
	if a.Result != nil {
		return valueText(a.Result)
	}
	return valueText(a.StructuredContent)
}

// valueText is any JSON value as a short text, "" for none.
func valueText(v jsontext.Value) string {
	if v == nil || jsonv.Kind(v) == 'n' {
		return ""
	}
	if s, ok := jsonv.Text(v); ok {
		return quoted(s)
	}
	return clean(jsonv.Short(v, textLimit))
}
