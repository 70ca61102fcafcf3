package replay

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// ofMembers are the rules that speak of the members of a request.
var ofMembers = []struct{ pointer, rules string }{
	{"/attempts", "D5"},
	{"/state", "O1, O3"},
	{"/agent", "O2, O3"},
	{"/calls", "G6"},
	{"/pending_calls", "G6"},
	{"/messages", "D13, O4"},
	{"/message_tree", "O4, O6"},
	{"/turn_id", "B5, N1"},
	{"/trigger/input", "E1"},
	{"/trigger/attempt", "H6"},
	{"/trigger/result", "F6, F8"},
	{"/trigger/error", "F14"},
	{"/trigger", "wire 4"},
	{"/ancestry", "L2"},
	{"/identity", "wire 2"},
}

// ofProposals are the rules of the proposal, by what a request is about.
var ofProposals = []struct{ trigger, rules string }{
	{"session.start", "A3"},
	{"client.messages", "B3"},
	{"client.action", "B8"},
	{"llm.finished", "C1, C2, C5"},
	{"tool.execute", "E9"},
	{"tool.finished", "G8, G10, F10"},
	{"subagent.finished", "L3, G8"},
	{"interrupt.resumed", "M4"},
	{"turn.finished", "N2"},
}

// rulesOf names the rules that speak of a place of a request.
func rulesOf(pointer, about string) string {
	if strings.HasPrefix(pointer, "/proposed") {
		for _, p := range ofProposals {
			if strings.HasPrefix(about, p.trigger) {
				return p.rules
			}
		}
	}
	for _, m := range ofMembers {
		if pointer == m.pointer || strings.HasPrefix(pointer, m.pointer+"/") {
			return m.rules
		}
	}
	return ""
}

// engineOnly are the places of a request that no other request tells: what the
// engine counts by itself.
var engineOnly = []string{
	"/decision_id", "/trigger/cost", "/trigger/usage",
	// The messages of a prompt are copies with ids of their own.
	"/proposed/actions/*/messages/*/id", "/trigger/request/messages/*/id",
}

// known is a request without what only its engine knows.
func known(v jsontext.Value) jsontext.Value {
	for _, pointer := range engineOnly {
		v = without(v, strings.Split(pointer, "/")[1:])
	}
	return v
}

// without is v without the members at a path; `*` is each element of an array.
func without(v jsontext.Value, path []string) jsontext.Value {
	if path[0] == "*" {
		return withoutInEach(v, path[1:])
	}
	members, err := jsonv.Members(v)
	if err != nil {
		return v
	}
	out := []byte{'{'}
	for _, m := range members {
		value := m.Value
		if m.Name == path[0] {
			if len(path) == 1 {
				continue
			}
			value = without(value, path[1:])
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, jsonv.Quote(m.Name)...), ':'), value...)
	}
	return append(out, '}')
}

func withoutInEach(v jsontext.Value, path []string) jsontext.Value {
	elements, err := jsonv.Elements(v)
	if err != nil {
		return v
	}
	out := []byte{'['}
	for i, e := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, without(e, path)...)
	}
	return append(out, ']')
}
