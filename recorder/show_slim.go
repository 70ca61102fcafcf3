package recorder

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// slim words an event that is not part of an exchange, "" for one that tells
// nothing to a reader. call names a call by its wire id.
func slim(e spec.Event, call func(id string) string) string {
	switch d := e.Data.(type) {
	case *spec.SessionEvent:
		return slimSession(d)
	case *spec.StepEvent:
		s := fmt.Sprintf("step %d: %s", d.Step, clean(d.Verb))
		if d.PassedOver {
			s += ", passed over"
		}
		return s
	case *spec.InputEvent:
		return slimInput(d, call)
	case *spec.ReplyEvent:
		return slimReply(d)
	case *spec.TimeEvent:
		return slimTime(d, call)
	case *spec.DisturbEvent:
		s := clean(d.D) + ": disturbed: " + clean(d.Do)
		if d.By != "" {
			s += " by " + clean(d.By)
		}
		return s
	case *spec.TurnEvent:
		s := "turn " + clean(d.Event)
		if d.Error != nil {
			s += ": " + join(clean(string(d.Error.Code)), quoted(d.Error.Message))
		}
		return s
	case *spec.WorkerEvent:
		return slimWorker(d)
	case *spec.GapEvent:
		if d.Lost == 0 {
			return "GAP: " + clean(d.Reason)
		}
		return fmt.Sprintf("GAP: %s lost: %s", count(d.Lost, "event", "events"), clean(d.Reason))
	case *spec.UnknownEvent:
		return "unknown kind " + short(string(d.Kind), textLimit)
	}
	return ""
}

func slimSession(d *spec.SessionEvent) string {
	s := fmt.Sprintf("session %s, agent %s", clean(d.SessionID), clean(d.AgentID))
	if d.Parent != "" {
		s += ", child of " + clean(d.Parent)
	}
	if d.Origin != "" && d.Origin != "new" {
		s += ", " + clean(d.Origin)
	}
	return s
}

// slimTime tells how engine time passed, or that real time passed in vain.
func slimTime(d *spec.TimeEvent, call func(id string) string) string {
	switch {
	case d.Why == "patience" && d.Of == "":
		return "the worker was waited for in vain"
	case d.Why == "patience":
		return "the settle of " + call(d.Of) + " waited for its turn in vain"
	case d.Of == "":
		return fmt.Sprintf("%s s pass: %s", seconds(d.Passed), clean(d.Why))
	}
	s := fmt.Sprintf("%s s pass: %s of %s", seconds(d.Passed), clean(d.Why), call(d.Of))
	if d.Then != "" {
		s += ", then " + clean(d.Then)
	}
	return s
}

// slimReply tells what the model answered: its words, its calls, or the error.
func slimReply(d *spec.ReplyEvent) string {
	if d.Error != nil {
		return "model fails: " + quoted(d.Error.Message)
	}
	body, _ := d.Body.Bytes()
	said := ""
	if v, ok := jsonv.Get(body, "/content"); ok {
		said = valueText(v)
	}
	var calls []string
	if v, ok := jsonv.Get(body, "/tool_calls"); ok {
		calls = calledTools(v)
	}
	return modelText(said, calls, "")
}

// modelText words an answer of a model; how says that it did not end as it
// should.
func modelText(said string, calls []string, how string) string {
	var parts []string
	if said != "" {
		parts = append(parts, "says "+said)
	}
	if len(calls) > 0 {
		parts = append(parts, "calls "+listed(calls))
	}
	if len(parts) == 0 {
		return "model replies" + how
	}
	return "model " + strings.Join(parts, " and ") + how
}

func calledTools(v []byte) []string {
	var names []string
	calls, err := jsonv.Elements(v)
	if err != nil {
		return nil
	}
	for _, c := range calls {
		name, _ := jsonv.Get(c, "/function/name")
		s, ok := jsonv.Text(name)
		if !ok {
			s = "?"
		}
		arguments, _ := jsonv.Get(c, "/function/arguments")
		text, _ := jsonv.Text(arguments)
		names = append(names, join(short(s, textLimit), short(text, textLimit)))
	}
	return names
}

func slimWorker(d *spec.WorkerEvent) string {
	s := "worker " + clean(d.Event)
	if d.AfterMs > 0 {
		s += fmt.Sprintf(" after %d ms", d.AfterMs)
	}
	if d.Exit != "" {
		s += ": " + clean(d.Exit)
	}
	if d.Stderr != "" {
		s += ": " + quoted(d.Stderr)
	}
	return s
}
