package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func TestDeferredVectors(t *testing.T) {
	t.Parallel()
	const connectors = "connectors are not built: no connection offers a tool"
	runVectors[deferredVector](t, "deferred.yaml", 86, map[string]string{
		"search-scope":                         connectors,
		"search-scope-name-clash":              connectors,
		"search-scope-clash-of-two-connectors": connectors,
		"search-scope-odd-connection-name":     connectors,
		"offer-connector-deferred":             connectors,
		"offer-long-connector-name":            connectors,
		"offer-long-connector-name-deferred":   connectors,
	})
}

type deferredVector struct {
	head `yaml:",inline"`
	// What the agent has.
	Set         string
	Tools       string
	Config      string
	Connectors  string
	Prefix      *bool
	MaxMatches  int      `yaml:"max_matches"`
	Unavailable []string `yaml:"unavailable_connections"`
	// What the model does.
	Arguments *string
	Call      *string
	Direct    string
	// What follows.
	Answer *struct {
		Order       []string
		Matched     int
		Searched    int
		Unavailable []string
		Note        string
		Text        string
	}
	Offered   []string
	Deferred  []string
	Rewritten *struct {
		Name      string
		Arguments string
		Handler   spec.Handler
		Input     spec.InputStatus
	}
	Refused *struct {
		Text        string
		Starts      string
		Near        []string
		Schema      *bool
		Unavailable []string
	}
	Execute  deferredExecute
	Finished *struct {
		OK      bool
		Name    string
		IsError bool `yaml:"isError"`
		Execute string
	}
	Message         string
	ToolMessageName string `yaml:"tool_message_name"`
}

// deferredExecute is the word none, or what stands in the tool.execute.
type deferredExecute struct {
	None            bool
	Name, ID, Input string
}

func (x *deferredExecute) UnmarshalYAML(decode func(any) error) error {
	var word string
	if decode(&word) == nil {
		x.None = word == "none"
		if !x.None {
			return fmt.Errorf("execute is the word %q", word)
		}
		return nil
	}
	type plain deferredExecute
	return decode((*plain)(x))
}

// The sets that the file's comment lists.
var deferredSets = map[string]string{
	"quay": `{"defer_tools":true,"tools":[
		{"name":"tide_table","description":"Tides of a port for a day"},
		{"name":"berth_list","description":"Lists the berths of a port"},
		{"name":"berth_book","description":"Books a berth for a ship"},
		{"name":"crane_status","description":"Whether a crane is free"},
		{"name":"weather_report","description":"Wind and sea state for a port"}]}`,
	"call": `{"defer_tools":true,"tools":[
		{"name":"tide_table","description":"Tides of a port for a day","input":{"type":"object",
			"properties":{"day":{"type":"integer"},"port":{"type":"string"}},"required":["port"]}},
		{"name":"berth_list","description":"Lists the berths of a port"},
		{"name":"berth_book","description":"Books a berth for a ship"},
		{"name":"ask_pilot","handler":"client"}]}`,
}

// config is the agent that the vector is about.
func (v deferredVector) config() *spec.AgentConfig {
	text := deferredSets[v.Set]
	switch {
	case v.Config != "":
		text = v.Config
	case v.Tools != "":
		text = `{"defer_tools":true,"tools":` + v.Tools + `}`
	case v.Set == "holds":
		var tools []string
		for n := range 12 {
			tools = append(tools, fmt.Sprintf(`{"name":"hold_%d","description":"Opens hold number %d"}`, n+1, n+1))
		}
		text = `{"defer_tools":true,"tools":[` + strings.Join(tools, ",") + `]}`
	}
	c := agent(`{"model":"m-small","llm":"main",` + strings.TrimPrefix(text, "{"))
	if v.MaxMatches > 0 {
		c.DeferTools = jsontext.Value(fmt.Sprintf(`{"max_matches":%d}`, v.MaxMatches))
	}
	for _, path := range v.Unavailable {
		c.Mcp = append(c.Mcp, spec.McpServer{Path: path})
	}
	return c
}

func (v deferredVector) check() []string {
	var p problems
	cfg := testConfig()
	cfg.ID = func(kind IDKind, n int) string {
		if kind == IDLlmCall {
			return fmt.Sprintf("m%d", n)
		}
		return fmt.Sprintf("%s-%d", kind, n)
	}
	b := newBench(cfg)
	b.step(user("Is berth 7 free?"))
	b.answer(string(marshal(spec.Decision{Agent: v.config()})))
	b.echo()
	p.same("what is not simulated", b.missing, []Unsupported(nil))
	if v.Offered != nil {
		v.checkOffer(&p, b)
		return p
	}
	b.step(calls("m1", v.made()))
	b.echo()
	switch {
	case v.Answer != nil:
		v.checkAnswer(&p, b)
	case v.Rewritten != nil:
		v.checkRewritten(&p, b)
	case v.Refused != nil:
		v.checkRefused(&p, b)
	}
	v.checkSeen(&p, b)
	return p
}

// made is the call that the model makes.
func (v deferredVector) made() [3]string {
	switch {
	case v.Arguments != nil:
		return [3]string{"c1", spec.ToolSearchName, *v.Arguments}
	case v.Call != nil:
		return [3]string{"c1", spec.CallToolName, *v.Call}
	}
	made := read[spec.ToolFunction](v.Direct)
	return [3]string{"c1", made.Name, made.Arguments}
}

func (v deferredVector) checkOffer(p *problems, b *bench) {
	names := func(tools []spec.LlmTool) []string {
		all := []string{}
		for _, t := range tools {
			all = append(all, t.Name)
		}
		return all
	}
	p.same("offered", names(b.asked[0].Request.Tools), v.Offered)
	var kept []spec.LlmTool
	for _, t := range b.llms["m1"].request.Tools {
		if isDeferred(t) {
			kept = append(kept, t)
		}
	}
	p.same("deferred", names(kept), append([]string{}, v.Deferred...))
}

// text is that of the one block of a result.
func (p *problems) text(b *bench) string {
	c := b.tools["c1"]
	if c.result == nil || len(c.result.Content) != 1 {
		p.add("the call has no result of one block")
		return ""
	}
	p.same("handler", c.handler, spec.HandlerServer)
	return toolcall.Rendered(*c.result)
}

func (v deferredVector) checkAnswer(p *problems, b *bench) {
	want := v.Answer
	text := jsontext.Value(p.text(b))
	if want.Text != "" {
		p.sameJSON("answer", text, jsontext.Value(want.Text))
		p.same("printed", string(text), string(jsonv.Sorted(text)))
		return
	}
	got := read[struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Matched     int      `json:"matched"`
		Searched    int      `json:"searched"`
		CallWith    string   `json:"call_with"`
		Note        string   `json:"note"`
		Unavailable []string `json:"unavailable"`
	}](string(text))
	order := []string{}
	for _, t := range got.Tools {
		order = append(order, t.Name)
	}
	p.same("order", order, append([]string{}, want.Order...))
	p.same("matched", got.Matched, want.Matched)
	p.same("searched", got.Searched, want.Searched)
	p.same("unavailable", got.Unavailable, want.Unavailable)
	p.same("call_with", got.CallWith, spec.CallToolName)
	numbers := regexp.MustCompile(`\d+`).FindAllString(got.Note, -1)
	switch words := strings.Fields(want.Note); {
	case want.Note == "":
		p.same("note", got.Note, "")
	case want.Note == "any":
		p.same("there is a note", got.Note != "", true)
	default:
		p.same("numbers of the note", numbers, []string{words[1], words[3]})
	}
}

func (v deferredVector) checkRewritten(p *problems, b *bench) {
	want, c := v.Rewritten, b.tools["c1"]
	p.same("name", c.name, want.Name)
	p.same("arguments", c.arguments, want.Arguments)
	p.same("handler", c.handler, want.Handler)
	t, executes := b.last().Request.Trigger.(spec.ToolExecuteTrigger)
	p.same("has a tool.execute", executes, want.Input != "")
	if want.Input != "" {
		p.same("input", t.Input.Status, want.Input)
	}
}

func (v deferredVector) checkRefused(p *problems, b *bench) {
	want, text := v.Refused, p.text(b)
	p.same("is an error", b.tools["c1"].result.IsError, true)
	if want.Text != "" {
		p.same("text", text, want.Text)
	}
	rest, starts := strings.CutPrefix(text, want.Starts)
	p.same("starts", starts, true)
	if want.Near != nil {
		var named []string
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(rest, -1) {
			named = append(named, m[1])
		}
		p.same("near", named, want.Near)
		p.same("sends to the search", strings.Contains(rest, spec.ToolSearchName), len(want.Near) == 0)
	}
	if want.Schema != nil {
		tool, _ := v.config().Tool(strings.Split(text, "`")[1])
		schema := tool.Input != nil && strings.HasSuffix(text, string(jsonv.Sorted(tool.Input)))
		p.same("holds the schema", schema, *want.Schema)
	}
	for _, path := range want.Unavailable {
		p.same("names "+path, strings.Contains(text, path), true)
	}
	if want.Near == nil && want.Schema == nil && want.Text == "" && want.Starts == "" {
		p.add("nothing is said of the refusal")
	}
}

// checkSeen is about what the worker gets to see, and what the model wrote.
func (v deferredVector) checkSeen(p *problems, b *bench) {
	t, executes := b.last().Request.Trigger.(spec.ToolExecuteTrigger)
	x := v.Execute
	if v.Finished != nil && v.Finished.Execute != "" {
		x.None = v.Finished.Execute == "none"
	}
	switch {
	case x.None:
		p.same("has a tool.execute", executes, false)
	case x.Name != "":
		p.same("execute", t.Name, x.Name)
		if x.ID != "" {
			p.same("id", t.ID, x.ID)
		}
		if x.Input != "" {
			p.same("input", string(t.Input.Status), x.Input)
		}
	}
	if v.Message != "" {
		path := b.Transcript()
		p.sameJSON("message", marshal(path[len(path)-1].Draft()), jsontext.Value(v.Message))
	}
	if v.Finished == nil {
		return
	}
	if executes {
		b.answer(`{"actions":[{"type":"tool.result","result":"04:12"}]}`)
	}
	end, ended := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
	p.same("has ended", ended, true)
	p.same("ok", end.OK, v.Finished.OK)
	p.same("name", end.Name, v.Finished.Name)
	p.same("is an error", end.Result != nil && end.Result.IsError, v.Finished.IsError)
	b.echo()
	if v.ToolMessageName != "" {
		at := slices.IndexFunc(b.Transcript(), func(m spec.Message) bool { return m.Role == spec.RoleTool })
		p.same("name of the tool message", b.Transcript()[at].Name, v.ToolMessageName)
	}
}
