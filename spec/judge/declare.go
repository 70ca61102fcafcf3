package judge

import (
	"path"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/schema"
	"github.com/hallmarkdev/hallmark/spec"
)

func declareChecks() []check {
	const moment = "no answer held a config with tools"
	return []check{
		{id: "declare.handler-is-worker-or-client", moment: moment, see: seeHandlers},
		{id: "declare.tool-names-unique", moment: moment, see: seeUniqueNames},
		{id: "declare.tool-names-acceptable", moment: moment, see: seeNames},
		{id: "declare.schemas-compile", moment: "no answer held a tool with a schema", see: seeSchemas},
		{id: "declare.input-takes-objects", moment: "no answer held a tool with an input schema that builds", see: seeInputs},
		{id: "declare.defaults-fit", moment: "no answer held a schema with a default, an example, an enum or a const", see: seeDefaults},
	}
}

// schemas keeps what was compiled: a config comes back in every session.
var schemas = schema.NewCache(1024)

// tools are the tools that the answer declares, but for those of the client that
// an engine has put behind them (B4).
func (x *exchange) tools() []spec.AgentTool {
	if x.decision.Agent == nil {
		return nil
	}
	tools := x.decision.Agent.Tools
	for len(tools) > 0 && x.state.offered[tools[len(tools)-1].Name] {
		tools = tools[:len(tools)-1]
	}
	return tools
}

func seeHandlers(x *exchange) {
	if len(x.tools()) > 0 {
		x.held("declare.handler-is-worker-or-client")
	}
}

func seeUniqueNames(x *exchange) {
	const id = "declare.tool-names-unique"
	seen := map[string]int{}
	fits := true
	for i, t := range x.tools() {
		if before, twice := seen[t.Name]; twice {
			fits = false
			x.broke(id, spec.Finding{
				Pointer: toolPointer(i, "/name"), Got: "a second tool " + quote(t.Name) + ", first at " + toolPointer(before, ""),
				Want: "each name once",
			})
			continue
		}
		seen[t.Name] = i
	}
	if fits && len(seen) > 0 {
		x.held(id)
	}
}

var acceptableName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func seeNames(x *exchange) {
	const id = "declare.tool-names-acceptable"
	for i, t := range x.tools() {
		if acceptableName.MatchString(t.Name) {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{
			Pointer: toolPointer(i, "/name"), Got: quote(t.Name),
			Want: "1 to 64 letters, digits, underscores and hyphens",
		})
	}
}

// declaredSchema is one schema of a declared tool.
type declaredSchema struct {
	pointer string
	raw     jsontext.Value
}

func (x *exchange) schemas() []declaredSchema {
	var all []declaredSchema
	for i, t := range x.tools() {
		if t.Input != nil {
			all = append(all, declaredSchema{toolPointer(i, "/input"), t.Input})
		}
		if t.Output != nil {
			all = append(all, declaredSchema{toolPointer(i, "/output"), t.Output})
		}
	}
	return all
}

func seeSchemas(x *exchange) {
	const id = "declare.schemas-compile"
	for _, s := range x.schemas() {
		if _, err := schemas.Compile(s.raw); err != nil {
			x.broke(id, spec.Finding{
				Pointer: s.pointer, Got: err.Error(), Want: "a JSON Schema that stands by itself",
				Hint: "until it builds, engines do not check this tool at all",
			})
			continue
		}
		x.held(id)
	}
}

// anObject stands for every object: what a schema says of its kind, it says of
// all of them.
var anObject = jsontext.Value(`{}`)

// maxChoices bounds the choices inside choices that are followed.
const maxChoices = 4

// conditional matches the keywords whose subschemas may hold for some objects
// and not for others.
var conditional = regexp.MustCompile(`/(if|then|else|not|dependentSchemas)(/|$)`)

func seeInputs(x *exchange) {
	const id = "declare.input-takes-objects"
	for i, t := range x.tools() {
		if t.Input == nil {
			continue
		}
		compiled, err := schemas.Compile(t.Input)
		if err != nil {
			continue
		}
		keyword, refused := refusesObjects(compiled, t.Input, 0)
		if !refused {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{
			Pointer: toolPointer(i, "/input"+keyword), Got: show(at(t.Input, keyword)),
			Want: "a schema whose root admits an object",
			Hint: `wrap it: {"type": "object", "properties": {…}}`,
		})
	}
}

// refusesObjects reports whether no object can fit a schema, and the keyword
// that says so. It only answers yes where the kind of value alone decides, or a
// part of the schema that nothing fits. Depth counts the choices inside choices.
func refusesObjects(s *schema.Schema, raw jsontext.Value, depth int) (keyword string, refused bool) {
	if jsonv.Kind(raw) == 'f' {
		return "", true
	}
	before := ""
	for _, v := range s.Validate(anObject) {
		keyword, parent := path.Base(v.SchemaPointer), strings.TrimSuffix(path.Dir(v.SchemaPointer), "/")
		// A keyword that breaks in several ways stands there several times.
		if v.Pointer != "" || v.SchemaPointer == before || conditional.MatchString(parent) {
			continue
		}
		before = v.SchemaPointer
		here := at(raw, v.SchemaPointer)
		if keyword == "not" && takesObjects(here) || keyword == "required" && never(here, at(raw, parent+"/properties")) {
			return v.SchemaPointer, true
		}
		if conditional.MatchString(v.SchemaPointer) {
			continue
		}
		if jsonv.Kind(here) == 'f' {
			return v.SchemaPointer, true
		}
		switch keyword {
		case "type":
			return v.SchemaPointer, true
		case "const", "enum":
			if !holdsObject(here) {
				return v.SchemaPointer, true
			}
		case "anyOf", "oneOf":
			if depth < maxChoices && allRefuse(here, depth+1) {
				return v.SchemaPointer, true
			}
		}
	}
	return "", false
}

// takesObjects reports whether a schema says by its looks that every object fits.
func takesObjects(s jsontext.Value) bool {
	return takesAll(s) || jsonv.Equal(s, jsontext.Value(`{"type":"object"}`))
}

func takesAll(s jsontext.Value) bool {
	return jsonv.Kind(s) == 't' || jsonv.Equal(s, jsontext.Value(`{}`))
}

// never reports whether a member that is required is one that nothing fits.
func never(required, properties jsontext.Value) bool {
	names, _ := jsonv.Elements(required)
	needed := make(map[string]bool, len(names))
	for _, n := range names {
		name, _ := jsonv.Text(n)
		needed[name] = true
	}
	members, _ := jsonv.Members(properties)
	last := make(map[string]jsontext.Value, len(members))
	for _, m := range members {
		last[m.Name] = m.Value
	}
	for name := range needed {
		if p, ok := last[name]; ok && takesNothing(p) {
			return true
		}
	}
	return false
}

// takesNothing reports whether a schema says by its looks that nothing fits.
func takesNothing(s jsontext.Value) bool {
	// Beside a $ref, older dialects do not look at other keywords.
	if _, refers := jsonv.Get(s, "/$ref"); refers {
		return false
	}
	enum, _ := jsonv.Get(s, "/enum")
	not, _ := jsonv.Get(s, "/not")
	return jsonv.Kind(s) == 'f' || jsonv.Equal(enum, jsontext.Value(`[]`)) || takesAll(not)
}

func at(v jsontext.Value, pointer string) jsontext.Value {
	got, _ := jsonv.Get(v, pointer)
	return got
}

// holdsObject reports whether a const is an object, or an enum has one.
func holdsObject(v jsontext.Value) bool {
	if jsonv.Kind(v) == '{' {
		return true
	}
	items, _ := jsonv.Elements(v)
	for _, item := range items {
		if jsonv.Kind(item) == '{' {
			return true
		}
	}
	return false
}

// allRefuse reports whether each branch of a choice says by its own type that
// it takes no object.
func allRefuse(branches jsontext.Value, depth int) bool {
	items, err := jsonv.Elements(branches)
	if err != nil || len(items) == 0 {
		return false
	}
	for _, b := range items {
		compiled, err := schemas.Compile(b)
		if err != nil {
			return false
		}
		if _, refused := refusesObjects(compiled, b, depth); !refused {
			return false
		}
	}
	return true
}
