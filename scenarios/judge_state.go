package scenarios

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// state judges an item that speaks of the session at the end of a step's window,
// or of the script.
func (v *view) state(place string, check *Check, at snapshot, step int) []spec.Finding {
	var all []unmet
	s := check.State
	if s.Turn != nil {
		all = append(all, turnUnmet(s.Turn, at.turn)...)
	}
	for i := range s.Calls {
		all = append(all, v.callUnmet(&s.Calls[i], at)...)
	}
	all = append(all, matchUnmet("state", s.State, at.state)...)
	if s.Agent != nil {
		all = append(all, matchUnmet("agent", s.Agent, agentText(at.agent))...)
	}
	if s.Transcript != nil {
		all = append(all, v.transcriptUnmet(s.Transcript, at.messages())...)
	}
	if s.Alive {
		all = append(all, v.aliveUnmet(step)...)
	}
	findings := make([]spec.Finding, 0, len(all))
	for _, u := range all {
		f := v.finding(place, check, u.got, u.want)
		f.Pointer = u.pointer
		findings = append(findings, f)
	}
	return findings
}

// agentText is a config as JSON text, nil for none.
func agentText(agent *spec.AgentConfig) jsontext.Value {
	if agent == nil {
		return nil
	}
	return marshaled(agent)
}

func turnUnmet(want *TurnCheck, turn *spec.TurnEvent) (all []unmet) {
	is := "none"
	if turn != nil {
		is = turn.Event
		if is == spec.TurnStarted {
			is = "open"
		}
	}
	if want.Is != "" && is != want.Is {
		got := "the turn is " + is
		if turn != nil && turn.Error != nil {
			got += ": " + string(turn.Error.Code) + ": " + turn.Error.Message
		}
		return []unmet{{got: got, want: "a turn that is " + want.Is}}
	}
	if want.Code != nil {
		code := ""
		if turn != nil && turn.Error != nil {
			code = string(turn.Error.Code)
		}
		if code != *want.Code {
			all = append(all, unmet{got: fmt.Sprintf("the code %q", code), want: fmt.Sprintf("the code %q", *want.Code)})
		}
	}
	if want.Data != nil {
		var data jsontext.Value
		if turn != nil {
			data = turn.Data
		}
		all = append(all, matchUnmet("the turn's data", want.Data, data)...)
	}
	return all
}

// callUnmet judges where a call stands in the session.
func (v *view) callUnmet(want *CallCheck, at snapshot) []unmet {
	id, labelled := v.idOf[want.Label]
	call, known := at.calls[id]
	if !labelled || !known {
		return []unmet{{got: "the call " + want.Label + " was never started", want: "the call " + want.Label}}
	}
	return callUnmet(want, call)
}

func callUnmet(want *CallCheck, call callView) (all []unmet) {
	name := "the call " + want.Label
	if want.Is != "" && want.Is != call.is {
		all = append(all, unmet{got: name + " is " + call.is, want: name + " " + want.Is})
	}
	if want.Handler != "" && want.Handler != string(call.handler) {
		all = append(all, unmet{got: name + " runs on " + string(call.handler), want: name + " on " + want.Handler})
	}
	if want.Tries != nil && *want.Tries != call.tries {
		all = append(all, unmet{got: fmt.Sprintf("%s took %d tries", name, call.tries), want: fmt.Sprintf("%d tries", *want.Tries)})
	}
	if want.Text != nil {
		var text jsontext.Value
		if call.text != nil {
			text = jsonv.Quote(*call.text)
		}
		all = append(all, matchUnmet("the text of "+want.Label, want.Text, text)...)
	}
	return all
}

// matchUnmet judges one value by name; a nil m wants nothing.
func matchUnmet(name string, m *Match, got jsontext.Value) []unmet {
	if m == nil {
		return nil
	}
	var all []unmet
	for _, want := range m.check(got) {
		all = append(all, unmet{got: name + " " + jsonv.Short(got, shown), want: want})
	}
	return all
}

// transcriptUnmet wants each item in the transcript, in order; other messages
// may stand between them.
func (v *view) transcriptUnmet(want []TranscriptCheck, messages []spec.DraftMessage) []unmet {
	next := 0
	for i := range want {
		n := next
		for n < len(messages) && !v.fitsMessage(&want[i], messages[n]) {
			n++
		}
		if n == len(messages) {
			return []unmet{{
				pointer: fmt.Sprintf("/messages/%d", next),
				got:     "the transcript goes on " + transcriptText(messages[next:]),
				want:    fmt.Sprintf("item %d of the transcript: %s", i, v.messageWords(&want[i])),
			}}
		}
		next = n + 1
	}
	return nil
}

func (v *view) fitsMessage(want *TranscriptCheck, m spec.DraftMessage) bool {
	if want.Role != "" && want.Role != string(m.Role) || want.Call != "" && !v.isCall(want.Call, m.ToolCallID) {
		return false
	}
	if want.Calls != nil {
		if len(want.Calls) != len(m.ToolCalls) {
			return false
		}
		for i, label := range want.Calls {
			if !v.isCall(label, m.ToolCalls[i].ID) {
				return false
			}
		}
	}
	return want.Text == nil || len(want.Text.check(messageText(m.Content))) == 0
}

// isCall reports whether an id on the wire is that of a label.
func (v *view) isCall(label, id string) bool {
	known, ok := v.idOf[label]
	return ok && known == id
}

// messageText is the text of a message's content as a JSON string: the content
// itself, or its text parts joined by line feeds.
func messageText(content jsontext.Value) jsontext.Value {
	items, err := jsonv.Elements(content)
	if err != nil {
		return content
	}
	var parts []string
	for _, item := range items {
		if text, ok := jsonv.Get(item, "/text"); ok {
			s, _ := jsonv.Text(text)
			parts = append(parts, s)
		}
	}
	return jsonv.Quote(strings.Join(parts, "\n"))
}

func transcriptText(messages []spec.DraftMessage) string {
	if len(messages) == 0 {
		return "with nothing"
	}
	var parts []string
	for _, m := range messages[:min(4, len(messages))] {
		text := string(m.Role) + " " + jsonv.Short(m.Content, 60)
		for _, c := range m.ToolCalls {
			text += " calls " + c.ID
		}
		if m.ToolCallID != "" {
			text += " for " + m.ToolCallID
		}
		parts = append(parts, text)
	}
	return "with " + strings.Join(parts, "; ")
}

func (v *view) messageWords(want *TranscriptCheck) string {
	var parts []string
	if want.Role != "" {
		parts = append(parts, want.Role)
	}
	if want.Call != "" {
		parts = append(parts, "for the call "+want.Call+" ("+v.idOf[want.Call]+")")
	}
	if want.Calls != nil {
		parts = append(parts, "calling "+strings.Join(want.Calls, ", "))
	}
	if want.Text != nil {
		parts = append(parts, want.Text.words())
	}
	return strings.Join(parts, ", ")
}
