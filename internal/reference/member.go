package reference

import (
	"strconv"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// askMember is answered by the member's own client: the worker declares it and
// gets no more than its end (J1). A call of it that comes here all the same was
// routed by a config that does not declare it, so it is refused.
func askMember() tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name:        "ask_member",
			Description: "Puts one question to the member on the screen and waits for the answer. Use it before anything that cannot be undone; never ask what a tool can look up.",
			Input:       jsontext.Value(`{"type":"object","properties":{"question":{"type":"string","description":"One question in plain words.","examples":["Shall I book the raku kiln for you?"]}},"required":["question"]}`),
			Handler:     spec.HandlerClient,
			Defer:       &seldom,
		},
		run: func(*call) spec.Action {
			return refusal("ask_member was not run: it is answered on the member's screen, not in the studio")
		},
	}
}

// countLookup is the state of the session with the lookups of glazes that were
// asked for on this branch. It is worked out from the path in the request and
// from nothing else (O3, O7), so that it is the same however often, how late and
// in what order decisions are answered: a state replaces the one before as a
// whole, a newer one too (O1, D6). A state that is not the worker's own stays as
// it is.
func countLookup(a *asked) (jsontext.Value, bool) {
	state, _ := jsonv.Get(a.body, "/state")
	switch jsonv.Kind(state) {
	case '{':
	case 'n', 0:
		state = jsontext.Value("{}")
	default:
		return nil, false
	}
	count := 0
	for _, m := range a.list("/messages") {
		calls, _ := jsonv.Get(m, "/tool_calls")
		items, _ := jsonv.Elements(calls)
		for _, c := range items {
			if name, _ := textAt(c, "/function/name"); name == countedTool {
				count++
			}
		}
	}
	return with(state, lookups, jsontext.Value(strconv.Itoa(count))), true
}

// remembers counts the lookups of a session in the worker's own memory, which
// knows no branches. Nothing but the fault "keeps-state-in-memory" reads it.
func (w *worker) remembers(a *asked) *atomic.Int64 {
	return w.looked.once(fingerprint(a.session), func() *atomic.Int64 { return new(atomic.Int64) })
}

// countedTool is the tool whose results are counted, lookups the member of the
// state that holds the count.
const (
	countedTool = "find_glaze"
	lookups     = "lookups"
)
