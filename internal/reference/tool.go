package reference

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// tool is one tool with its declaration. run must be quick, and safe for
// concurrent use.
type tool struct {
	spec.AgentTool
	run func(*call) spec.Action
	// later says that its work takes time: see [Engine].
	later bool
}

// call is what a tool gets: arguments that are an object, and how often this
// call was tried before. The schema need not have been checked (E3), so each
// tool looks at its own fields.
type call struct {
	input jsontext.Value
	tries uint64
}

// text is an argument that is a string.
func (c *call) text(name string) (string, bool) { return textAt(c.input, "/"+name) }

// find returns the tool of that exact name (E4).
func find(tools []tool, name string) (tool, bool) {
	for _, t := range tools {
		if t.Name == name {
			return t, true
		}
	}
	return tool{}, false
}

// studioTools are the tools of the studio, in the order in which they are
// declared.
func studioTools() []tool {
	return []tool{findGlaze(), kilnTemperature(), bookKiln(), glazeSwatch(), studioNotice(), listKilns(), fireKiln(), mixGlaze(), askMember(), orderClay()}
}

// seldom marks the tools that the model is not shown: it finds them when somebody
// wants a glaze mixed, asks for the opening hours, or has to be asked (K1).
var seldom = true

// result ends a call with blocks, and with a structured value when the tool
// declares its output.
func result(structured jsontext.Value, blocks ...spec.ToolContent) spec.Action {
	return spec.ToolResultAction{Result: encode(spec.ToolResult{Content: blocks, StructuredContent: structured})}
}

// refusal ends a call with a text that says what to change, or that nothing
// would help. It never asks for a retry: the same call would fail again (H4).
func refusal(text string) spec.Action { return spec.ToolErrorAction{Error: text} }

func textBlock(text string) spec.ToolContent {
	return spec.ToolContent{Type: spec.BlockText, Text: &text}
}

// encode writes values of this package and of package spec. They all have a
// JSON form, so the error cannot come.
func encode(v any) jsontext.Value {
	b, _ := spec.Marshal(v)
	return b
}

// quoted is a name from outside, short and printable, for a text.
func quoted(name string) string {
	const most = 60
	if utf8.RuneCountInString(name) > most {
		return strconv.Quote(string([]rune(name)[:most])) + "…"
	}
	return strconv.Quote(name)
}

// whole reads a whole number as spelled, or gives otherwise. It never goes
// through a float (field report 032).
func whole(v jsontext.Value, otherwise uint64) uint64 {
	n, err := strconv.ParseUint(string(v), 10, 32)
	if err != nil {
		return otherwise
	}
	return n
}

// truth is an argument that is true; anything else, the text "true" included,
// is not (field report 026).
func (c *call) truth(name string) bool {
	v, _ := jsonv.Get(c.input, "/"+name)
	return jsonv.Kind(v) == 't'
}
