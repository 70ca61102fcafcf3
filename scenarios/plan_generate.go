package scenarios

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/arguments"
	"github.com/hallmarkdev/hallmark/spec"
)

// generate makes the arguments of calls that want them made.
func (x *expander) generate(c *Case) {
	for i := range c.Steps {
		if c.Steps[i].Model != nil {
			x.generateCalls(c, c.Steps[i].Model.Calls)
		}
	}
	for i := range c.Given.Messages {
		x.generateCalls(c, c.Given.Messages[i].Calls)
	}
}

func (x *expander) generateCalls(c *Case, calls []Call) {
	for i := range calls {
		if missing := x.generateCall(c, &calls[i]); missing != "" {
			c.NotApplicable = missing
			return
		}
	}
}

// generateCall makes the arguments of one call, or returns the reason why there
// are none.
func (x *expander) generateCall(c *Case, call *Call) (missing string) {
	if call.Generate == "" {
		return ""
	}
	name := call.Tool.String()
	tool, declared := x.planner.tool(name)
	if !declared {
		return undeclaredFor(name)
	}
	c.made = append(c.made, x.planner.from(tool))
	if call.Generate == string(arguments.Valid) {
		found := x.planner.samples.find(tool, sampleOK)
		if found.missing == "" {
			call.Arguments, call.Generate = found.arguments, ""
		}
		return found.missing
	}
	texts, missing := x.planner.make(tool, Generator{Class: call.Generate, Count: 1}, c.ID+" "+call.As)
	if missing == "" {
		call.Raw = &Text{Pos: call.Pos, Parts: []TextPart{{Plain: texts[0].Arguments}}}
		call.Generate = ""
	}
	return missing
}

func undeclaredFor(tool string) string {
	return fmt.Sprintf("the worker declares no tool %q to make arguments for", tool)
}

// madeFrom is what arguments were made from: a tool, and the sample that is
// known to work, nil for none.
type madeFrom struct {
	tool  spec.AgentTool
	given jsontext.Value
}

func (p *planner) from(tool spec.AgentTool) madeFrom {
	if p.options.from != nil {
		return madeFrom{tool, p.options.from[tool.Name]}
	}
	return madeFrom{tool, p.options.Samples[tool.Name][sampleOK]}
}

// make makes the argument texts that a generator asks for. key tells sources of one seed apart.
func (p *planner) make(tool spec.AgentTool, g Generator, key string) (texts []arguments.Text, missing string) {
	source := arguments.Source{
		Schema: tool.Input, Tool: tool.Name, Description: tool.Description,
		Kinds: g.Kinds, Seed: p.options.Seed, Key: key,
	}
	if given := p.from(tool).given; given != nil {
		source.Samples = []jsontext.Value{given}
	}
	texts, err := arguments.Make(source, arguments.Class(g.Class), g.Count)
	if err == nil && len(texts) > 0 {
		return texts, ""
	}
	why := "none were found"
	if err != nil {
		why = err.Error()
	}
	return nil, fmt.Sprintf("%s arguments for %s could not be made: %s", g.Class, tool.Name, why)
}

// generated are the values of one name that varies over made arguments, for the
// tools of one run.
func (x *expander) generated(name string, n *node, bound []Binding) (values []choice, from []madeFrom, missing string, problems Problems) {
	d := &decoder{options: x.planner.options.Reading}
	d.scope = x.scope(d, nil, nil, bound, 1)
	g := d.generator(n)
	if len(d.problems) > 0 {
		return nil, nil, "", d.problems
	}
	if g.Tool == "" {
		if len(bound) == 0 {
			return nil, nil, "", Problems{{Pos: g.Pos, Message: "the generator names no tool", Hint: "add tool: $tool, for instance"}}
		}
		g.Tool = bound[0].Tool.Name
	}
	tool, declared := x.planner.tool(g.Tool)
	if !declared {
		return nil, nil, undeclaredFor(g.Tool), nil
	}
	texts, missing := x.planner.make(tool, *g, x.doc.Name+" "+name)
	seen := map[string]bool{}
	for i, text := range texts {
		label := printable(text.Name)
		if seen[label] {
			label += " #" + strconv.Itoa(i+1)
		}
		seen[label] = true
		values = append(values, choice{name, name + "=" + label, finalText(text.Arguments)})
	}
	return values, []madeFrom{x.planner.from(tool)}, missing, nil
}
