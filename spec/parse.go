package spec

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// manner is how a text is read.
type manner int

const (
	// strict is how an engine reads a worker's answer.
	strict manner = iota
	// lenient is how a tolerant reader takes what an engine sent.
	lenient
)

// parse reads one value with read. What read meets is sound JSON: it was checked
// as a whole, so the readers look no further. body is not kept, except where a result
// keeps a free value as spelled.
func parse[V any](body []byte, read reader[V], how manner) (V, *Fault) {
	return parseOnce(body, read, how, nil)
}

// parseOnce is parse with a memo, nil for none. The result then is only to be read.
func parseOnce[V any](body []byte, read reader[V], how manner, known *memo) (V, *Fault) {
	var none V
	depth := jsonv.MaxDepth
	if how == lenient {
		depth = requestDepth
	}
	v, f := oneValue(body, depth)
	if f != nil {
		return none, f
	}
	got, f := read(root(&reading{lenient: how == lenient, memo: known}), v)
	if f != nil {
		return none, f
	}
	return got, nil
}

var decisionShape = &shape[Decision]{what: "decision", fields: []field[Decision]{
	set("messages", readDrafts, func(d *Decision) *[]DraftMessage { return &d.Messages }),
	set("actions", readActions, func(d *Decision) *[]Action { return &d.Actions }),
	opt("state", readAny, func(d *Decision) *jsontext.Value { return &d.State }),
	opt("agent", ptr(readAgent), func(d *Decision) **AgentConfig { return &d.Agent }),
	set("channels", readObject, func(d *Decision) *jsontext.Value { return &d.Channels }),
}}

// readDecision reads a decision, null for the empty one, or a list by position
// (D1, gap 31).
func readDecision(p *place, v jsontext.Value) (Decision, *Fault) {
	var d Decision
	switch jsonv.Kind(v) {
	case 'n':
		return d, nil
	case '[':
		return d, decisionShape.readPositions(p, v, &d)
	}
	return d, decisionShape.read(p, v, &d)
}

// ParseDecision reads a worker's answer as an engine does (D1, wire 3): one
// JSON value of at most [jsonv.MaxDepth] levels, null for the empty decision,
// unknown members ignored, one fault spoils the whole. The Fault is the first
// one of the text; a syntax error has no path. Error texts of D2 and what F3
// refuses are not looked for: see [ReadAnswer] and [ResolveDecision]. Free
// values of the result share memory with body. It is safe for concurrent use.
func ParseDecision(body []byte) (Decision, *Fault) { return parse(body, readDecision, strict) }

// ParseAction reads one action as an engine does (wire 5); the paths of a Fault
// begin at the action. It is safe for concurrent use.
func ParseAction(body []byte) (Action, *Fault) { return parse(body, readAction, strict) }

// ParseAgent reads an agent config as an engine does (wire 8). It is safe for
// concurrent use.
func ParseAgent(body []byte) (AgentConfig, *Fault) { return parse(body, readAgent, strict) }

// ParseMessages reads a list of drafts as an engine does (wire 7). It is safe
// for concurrent use.
func ParseMessages(body []byte) ([]DraftMessage, *Fault) { return parse(body, readDrafts, strict) }
