package engine

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// runHere runs a call of the pair: the worker sees of it no more than its end
// (K3, K5).
func (e *Engine) runHere(c *toolCall) {
	text := c.refusal
	if c.name == spec.ToolSearchName {
		text = e.find(c.arguments)
	}
	c.status = statusDone
	c.result = &spec.StoredResult{
		Content: []spec.StoredContent{{Type: spec.BlockText, Text: &text}},
		IsError: c.refusal != "",
	}
	e.finishTool(c)
}

// runs queues an open call of a resumed request that the engine runs.
func (r *resumption) runs(c *toolCall) {
	e := r.engine
	if !runsHere(e.config.current, c.name) {
		r.assume("call %s never ends: the tool %s is not simulated", c.id, c.name)
		return
	}
	if c.name == spec.CallToolName {
		_, c.refusal = e.unwrap(c.arguments)
	}
	e.queue.push(item{run: c})
}

// The bounds of what the pair writes, in bytes: of one answer, and of a session.
// A model of the worker's own may search as often as it likes.
const (
	maxAnswer  = 256 << 10
	maxWritten = 16 << 20
)

// afford reports whether n more bytes may be written into an answer that has so
// many, and counts them.
func (e *Engine) afford(answer, n int) bool {
	if answer+n > maxAnswer || e.written+n > maxWritten {
		return false
	}
	e.written += n
	return true
}

// found is the answer of a search, in the order of its keys (K6).
type found struct {
	CallWith    string     `json:"call_with"`
	Matched     int        `json:"matched"`
	Note        string     `json:"note,omitzero"`
	Searched    int        `json:"searched"`
	Tools       []foundOne `json:"tools"`
	Unavailable []string   `json:"unavailable,omitzero"`
}

type foundOne struct {
	Description string         `json:"description"`
	Input       jsontext.Value `json:"input"`
	Name        string         `json:"name"`
}

// find answers a search. Arguments that are not as they should be are an empty
// query (K6, K7).
func (e *Engine) find(arguments string) string {
	config := e.config.current
	x := e.indexed(config)
	all := x.search(textIn(toolcall.Classify(arguments, nil).Value, "/query"))
	answer := found{
		CallWith: spec.CallToolName, Matched: len(all), Searched: len(x.tools),
		Tools: []foundOne{}, Unavailable: unavailable(config),
	}
	size := 0
	for _, t := range all[:min(len(all), matches(config))] {
		one := foundOne{t.Description, null, t.Name}
		if t.Input != nil {
			one.Input = jsonv.Sorted(t.Input)
		}
		n := len(one.Name) + len(one.Description) + len(one.Input)
		if !e.afford(size, n) {
			break
		}
		size += n
		answer.Tools = append(answer.Tools, one)
	}
	switch shown := len(answer.Tools); {
	case len(all) == 0:
		answer.Note = "no tool matches: search with other words, or with an empty query for the first tools of all"
	case shown < len(all):
		answer.Note = fmt.Sprintf("%d of the %d matches are shown: search with more words", shown, len(all))
	}
	text, err := spec.Marshal(answer)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// matches is how many tools a search shows at most.
func matches(config *spec.AgentConfig) int {
	if most, on := config.Deferral(); on {
		return int(most)
	}
	return spec.DefaultMatches
}

// refuseName is the text for a call_tool that names no tool of the agent: near
// names, or advice to search, and the connections whose tools are not known (K5).
func (e *Engine) refuseName(name string) string {
	config := e.config.current
	near := e.indexed(config).search(name)
	near = near[:min(len(near), matches(config))]
	var text strings.Builder
	fmt.Fprintf(&text, "no tool `%s` for this agent.", name)
	shown := 0
	for _, t := range near {
		if !e.afford(text.Len(), len(t.Name)) {
			break
		}
		before := " Near it: "
		if shown > 0 {
			before = ", "
		}
		fmt.Fprintf(&text, "%s`%s`", before, t.Name)
		shown++
	}
	if shown > 0 {
		text.WriteString(".")
	} else {
		text.WriteString(" Search for one with tool_search.")
	}
	if missing := unavailable(config); len(missing) > 0 {
		fmt.Fprintf(&text, " Unavailable now: %s.", strings.Join(missing, ", "))
	}
	return text.String()
}

// refuseArguments is the text for a call_tool whose inner arguments the tool's
// schema does not allow; the schema follows (K5).
func (e *Engine) refuseArguments(t spec.LlmTool, why string) string {
	text := "`" + t.Name + "`: " + why
	if jsonv.Kind(t.Input) != '{' && jsonv.Kind(t.Input) != 't' && jsonv.Kind(t.Input) != 'f' {
		return text
	}
	schema := jsonv.Sorted(t.Input)
	if !e.afford(len(text), len(schema)) {
		return text + "."
	}
	return text + ". Its input schema: " + string(schema)
}
