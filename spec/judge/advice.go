package judge

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// Advice is about tools that work and could be easier to use (P1 to P5). Each
// check looks for what is certain on the wire; where one can only guess, it
// says nothing.
func adviceChecks() []check {
	const (
		tools   = "no answer held a config with tools"
		failed  = "no call ended in a failure"
		results = "no call was answered with a result"
	)
	return []check{
		{id: "advice.tools-are-described", moment: tools, see: adviseOnTools},
		{id: "advice.parameters-are-described", moment: "no answer held a tool with parameters"},
		{id: "advice.formats-are-said", moment: "no answer held a text parameter with a pattern or a format"},
		{id: "advice.tools-can-be-told-apart", moment: "no answer held two tools", see: adviseOnNeighbours},
		{id: "advice.many-tools-are-deferred", moment: tools, see: adviseOnCrowds},
		{id: "advice.error-text-without-stack-trace", moment: failed, see: adviseOnTexts},
		{id: "advice.error-text-without-paths", moment: failed},
		{id: "advice.error-text-without-secrets", moment: failed},
		{id: "advice.error-text-is-short", moment: failed},
		{id: "advice.error-text-says-what-happened", moment: failed},
		{id: repeatsCall, moment: "no call was refused whose arguments are bad and long enough to be copied"},
		{id: "advice.failure-is-not-a-success", moment: results},
		{id: "advice.results-have-words", moment: "no result held an image, audio or a file"},
		{id: "advice.results-are-printed-values", moment: results},
		{id: "advice.results-fit-a-conversation", moment: results},
		{id: "advice.keep-alive-outlives-idle", moment: "no answer came", see: adviseOnKeepAlive},
	}
}

// adviseOnTools looks at what each tool says of itself and of its parameters.
func adviseOnTools(x *exchange) {
	const id = "advice.tools-are-described"
	for i, t := range x.tools() {
		if description := folded(t.Description); description == "" || description == folded(t.Name) {
			x.broke(id, spec.Finding{
				Pointer: toolPointer(i, "/description"), Got: quote(t.Name) + " is described as " + quote(t.Description),
				Want: "what it does, and when to use it rather than another tool",
			})
		} else {
			x.held(id)
		}
		x.adviseOnParameters(i, t)
	}
}

// maxParameters bounds the parameters of one tool that are looked at.
const maxParameters = 200

func (x *exchange) adviseOnParameters(i int, t spec.AgentTool) {
	const (
		described = "advice.parameters-are-described"
		formats   = "advice.formats-are-said"
	)
	properties, _ := jsonv.Get(t.Input, "/properties")
	members, err := jsonv.Members(properties)
	if err != nil {
		return
	}
	for _, m := range members[:min(len(members), maxParameters)] {
		p := parameter{raw: m.Value}
		at := toolPointer(i, "/input/properties/"+jsonv.Escape(m.Name))
		shaped := p.has("pattern") || p.has("format")
		switch {
		case p.explained():
			if shaped {
				x.held(formats)
			}
			x.held(described)
		case shaped:
			x.broke(formats, spec.Finding{
				Pointer: at, Got: fmt.Sprintf("%s of %s: %s", quote(m.Name), quote(t.Name), show(m.Value)),
				Want: "a description that says what to send, or an example",
			})
		default:
			x.broke(described, spec.Finding{
				Pointer: at, Got: fmt.Sprintf("%s of %s: %s", quote(m.Name), quote(t.Name), show(m.Value)),
				Want: "a description that says what is meant, in which unit or form",
			})
		}
	}
}

// parameter is the schema of one property.
type parameter struct{ raw jsontext.Value }

func (p parameter) has(keyword string) bool {
	_, ok := jsonv.Get(p.raw, "/"+keyword)
	return ok
}

// explained reports whether a model is told what to send: in words, by values
// to choose from, or by an example. What stands behind a reference is not
// looked up, so it is given the benefit.
func (p parameter) explained() bool {
	for _, keyword := range []string{"enum", "const", "examples", "default", "$ref", "title"} {
		if p.has(keyword) {
			return true
		}
	}
	v, _ := jsonv.Get(p.raw, "/description")
	text, ok := jsonv.Text(v)
	return ok && !blank(text) || jsonv.Kind(p.raw) != '{'
}

func adviseOnNeighbours(x *exchange) {
	const id = "advice.tools-can-be-told-apart"
	tools := x.tools()
	names, descriptions := map[string]int{}, map[string]int{}
	clear := true
	for i, t := range tools {
		name, description := folded(t.Name), folded(t.Description)
		if before, twice := names[name]; twice && tools[before].Name != t.Name {
			clear = false
			x.broke(id, spec.Finding{
				Pointer: toolPointer(i, "/name"), Got: quote(t.Name) + " beside " + quote(tools[before].Name),
				Want: "names that differ in a word",
			})
		} else if before, twice := descriptions[description]; twice && description != "" && tools[before].Name != t.Name {
			clear = false
			x.broke(id, spec.Finding{
				Pointer: toolPointer(i, "/description"), Got: fmt.Sprintf("%s and %s are both described as %s", quote(tools[before].Name), quote(t.Name), quote(t.Description)),
				Want: "descriptions that say when to use which",
			})
		}
		names[name], descriptions[description] = i, i
	}
	if clear && len(tools) > 1 {
		x.held(id)
	}
}

// maxUndeferred is the number of tools up to which a model is commonly found to
// choose well.
const maxUndeferred = 40

func adviseOnCrowds(x *exchange) {
	const id = "advice.many-tools-are-deferred"
	tools := x.tools()
	if len(tools) == 0 {
		return
	}
	shown := 0
	for _, t := range tools {
		if !x.decision.Agent.Defers(t) {
			shown++
		}
	}
	if shown <= maxUndeferred {
		x.held(id)
		return
	}
	x.broke(id, spec.Finding{
		Pointer: "/agent/tools", Got: fmt.Sprintf("%d tools in every request to the model", shown),
		Want: fmt.Sprintf("at most %d, the others deferred", maxUndeferred), Hint: "set defer_tools: true on the agent, or defer on tools that are seldom needed",
	})
}

// folded is a text as a quick reader sees it: letters and digits in lower case.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
