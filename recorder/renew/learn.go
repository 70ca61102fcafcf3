package renew

import (
	"bytes"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// LearnNext learns the ids of the body of a recorded request, by where they stand
// in its text and without decoding it, before the rest of the recording is known:
// what else stands in it in few letters is remembered only where ids are as short.
// It learns what [IDs.LearnRequest] learns. It is false for what is not JSON.
func (m *IDs) LearnNext(body []byte) bool {
	var at [128]byte
	// What a trigger of no known type holds is no id.
	var known bool
	var waiting []string
	err := tokens(body, func(t token) {
		if t.name || len(t.way) == 0 {
			return
		}
		if in := t.way[len(t.way)-1]; !in.list && !mayHoldID(in.name) {
			return
		}
		switch way := appendWay(at[:0], t.way); idPlaces[string(way)] {
		case placeOfID:
			m.learnText(t)
		case placeInTrigger:
			waiting = append(waiting, t.text())
		case placeOfType:
			known = knownTriggers[spec.TriggerType(t.text())]
		case placeOfBlob:
			if bytes.HasPrefix(t.raw, []byte(`"blob:`)) || bytes.IndexByte(t.raw, '\\') >= 0 {
				if text := t.text(); strings.HasPrefix(text, "blob://") {
					m.learnText(t)
				}
			}
		case placeOfName:
			m.name(t.text())
		}
	})
	if err != nil {
		return false
	}
	m.sound, m.soundLen = &body[0], len(body)
	for _, id := range waiting {
		if known && id != "" && len(m.known) < maxIDs {
			m.know(id)
		}
	}
	if m.short {
		m.strings(body, false)
	}
	return true
}

func (m *IDs) learnText(t token) {
	if len(m.known) < maxIDs && !m.known[string(t.raw[1:len(t.raw)-1])] {
		if text := t.text(); text != "" && !m.known[text] {
			m.know(text)
		}
	}
}

// mayHoldID tells quickly by the name of its member that a string is no id, nor a
// name that must not be taken for one.
func mayHoldID(name []byte) bool {
	switch string(name) {
	case `"id"`, `"session_id"`, `"decision_id"`, `"turn_id"`, `"tool_call_id"`, `"interrupt_id"`, `"uri"`, `"agent_id"`, `"name"`, `"type"`:
		return true
	}
	return bytes.IndexByte(name, '\\') >= 0
}

// appendWay writes the names on the way to a token, with * for the index of a
// list.
func appendWay(out []byte, way []around) []byte {
	for i, a := range way {
		if i > 0 {
			out = append(out, '/')
		}
		switch {
		case a.list:
			out = append(out, '*')
		case bytes.IndexByte(a.name, '\\') >= 0:
			out = append(out, token{raw: a.name}.text()...)
		default:
			out = append(out, a.name[1:len(a.name)-1]...)
		}
	}
	return out
}

type placeKind int

const (
	placeOfID placeKind = iota + 1
	placeOfBlob
	placeOfName
	// placeInTrigger is one of an id that the trigger tells of, placeOfType that of
	// its type.
	placeInTrigger
	placeOfType
)

// knownTriggers are the types of triggers that tell of ids.
var knownTriggers = map[spec.TriggerType]bool{
	spec.OnToolExecute: true, spec.OnToolFinished: true, spec.OnLlmExecute: true, spec.OnLlmFinished: true,
	spec.OnSubagentFinished: true, spec.OnInterruptResumed: true, spec.OnTurnFinished: true,
}

// idPlaces are the places of a request where ids stand, those of
// [recorder.RequestIDs], and where the names are that are never replaced.
var idPlaces = func() map[string]placeKind {
	all := map[string]placeKind{
		"agent_id": placeOfName, "trigger/name": placeOfName, "trigger/agent_id": placeOfName,
		"agent/tools/*/name": placeOfName, "agent/subagents/*/id": placeOfName,
		"trigger/type": placeOfType, "trigger/id": placeInTrigger, "trigger/session_id": placeInTrigger,
		"trigger/interrupt_id": placeInTrigger, "trigger/turn_id": placeInTrigger,
	}
	for _, place := range []string{
		"session_id", "decision_id", "turn_id", "ancestry/*",
		"calls/*/id", "calls/*/session_id",
		"proposed/actions/*/id", "proposed/actions/*/interrupt_id", "proposed/actions/*/session_id", "proposed/actions/*/tool_call_id",
	} {
		all[place] = placeOfID
	}
	for _, message := range []string{
		"messages/*", "message_tree/nodes/*/message", "trigger/messages/*", "trigger/message", "trigger/request/messages/*",
		"proposed/messages/*", "proposed/actions/*/messages/*",
	} {
		all[message+"/id"], all[message+"/tool_calls/*/id"], all[message+"/tool_call_id"] = placeOfID, placeOfID, placeOfID
		all[message+"/content/*/uri"] = placeOfBlob
	}
	return all
}()
