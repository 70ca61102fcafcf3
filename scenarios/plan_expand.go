package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// expander makes the cases of one document that applies.
type expander struct {
	planner  *planner
	doc      *Document
	cases    []Case
	problems Problems
	// untold is set when cases were left out for want of room in problems.
	untold bool
	// ids counts how often an id was made, so that none stands twice.
	ids map[string]int
}

// choice is one value of one name of vary.
type choice struct {
	name, label string
	value       *node
}

func (x *expander) run(assignments [][]Binding) {
	choices := x.choices()
	entries := x.doc.root.member("cases")
	size := len(x.doc.Cases) * len(choices) * len(assignments)
	if size > maxCases {
		x.problems = Problems{{Pos: x.doc.Pos, Message: fmt.Sprintf("the scenario expands to more than %d cases", maxCases),
			Hint: "vary less, or split the scenario"}}
		return
	}
	for i, entry := range x.doc.Cases {
		var values *node
		if entries != nil {
			values = entries.items[i]
		}
		for _, chosen := range choices {
			for _, bound := range assignments {
				x.one(entry, values, chosen, bound)
			}
		}
	}
	x.problems = x.problems.sorted()
	if x.untold {
		x.problems = append(x.problems, Problem{Pos: Pos{File: x.doc.File}, Message: "further cases were not resolved"})
	}
}

// choices is the product of everything that varies, in the order written.
func (x *expander) choices() [][]choice {
	product := [][]choice{nil}
	vary := x.doc.root.member("vary")
	if vary == nil {
		return product
	}
	for i, key := range vary.keys {
		values := vary.items[i].items
		var next [][]choice
		for _, before := range product {
			for j, value := range values {
				one := choice{key.name, key.name + "=" + shortLabel(values, j), value}
				next = append(next, append(slices.Clone(before), one))
				if len(next) > maxCases {
					return next
				}
			}
		}
		product = next
	}
	return product
}

// shortLabel is the value itself where it is short and unlike the others, else
// its number.
func shortLabel(values []*node, i int) string {
	const longest = 24
	value := values[i]
	if value.kind == kindList || value.kind == kindObject || value.text == "" || len(value.text) > longest {
		return "#" + strconv.Itoa(i+1)
	}
	for j, other := range values {
		if j != i && other.text == value.text {
			return "#" + strconv.Itoa(i+1)
		}
	}
	return printable(value.text)
}

// one plans one case with one choice of values and tools, in each dialect.
func (x *expander) one(entry CaseEntry, values *node, chosen []choice, bound []Binding) {
	if len(x.problems) >= maxProblems {
		x.untold = true
		return
	}
	d := &decoder{options: x.planner.options.Reading}
	d.scope = x.scope(d, values, chosen, bound)
	c := Case{Doc: x.doc, Name: printable(entry.Name), Bound: bound}
	for _, one := range chosen {
		c.Name += ", " + one.label
	}
	x.resolve(d, &c)
	if len(d.problems) > 0 {
		x.report(entry, d.problems)
		return
	}
	c.ID = x.doc.Name + "#" + c.Name
	if tools := eachTools(bound); tools != "" {
		c.ID += " [" + tools + "]"
	}
	var dynamic refusals
	dynamic.engine(c.Engine)
	dynamic.steps(c.Steps)
	c.Refused = dynamic.found.sorted()
	dialects := x.dialects(c.Engine)
	c.Engine.Dialects = nil
	x.generate(&c)
	if c.NotApplicable != "" || len(c.Refused) > 0 {
		c.Steps = nil
	}
	for _, dialect := range dialects {
		c := c
		c.Dialect = dialect
		c.ID += dialect.suffix()
		c.ID += x.again(c.ID)
		x.cases = append(x.cases, c)
	}
}

// again returns what tells an id apart from an equal one before it.
func (x *expander) again(id string) string {
	x.ids[id]++
	if x.ids[id] == 1 {
		return ""
	}
	return " ~" + strconv.Itoa(x.ids[id])
}

// report adds the problems of a case, with its name where there are several.
func (x *expander) report(entry CaseEntry, problems Problems) {
	for _, problem := range problems {
		if len(x.doc.Cases) > 1 {
			problem.Message += fmt.Sprintf(" in case %q", entry.Name)
		}
		x.problems = append(x.problems, problem)
	}
}

// resolve reads the parts of the document again, with references resolved.
func (x *expander) resolve(d *decoder, c *Case) {
	part := func(name string, read func(*node)) {
		if n := x.doc.root.member(name); n != nil {
			read(n)
		}
	}
	c.Engine, c.Limits = defaultEngine(x.doc.Pos), defaultLimits(x.doc.Pos)
	part("engine", func(n *node) { c.Engine = d.engine(n) })
	part("given", func(n *node) { c.Given = d.given(n) })
	part("steps", func(n *node) { c.Steps = d.steps(n) })
	part("finally", func(n *node) { c.Finally = d.checks(n) })
	part("limits", func(n *node) { c.Limits = d.limits(n) })
	if len(d.problems) == 0 {
		d.checkLabels(c.Given, c.Steps, c.Finally, nil)
	}
}

// generate makes the arguments of calls that want valid ones made.
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
		call := &calls[i]
		if call.Generate != "valid" {
			continue
		}
		tool, declared := x.planner.declared.Agent.Tool(call.Tool.String())
		if !declared {
			c.NotApplicable = fmt.Sprintf("the worker declares no tool %q to make arguments for", call.Tool.String())
			return
		}
		found := x.planner.samples.find(tool, sampleOK)
		if found.missing != "" {
			c.NotApplicable = found.missing
			return
		}
		call.Arguments, call.Generate = found.arguments, ""
	}
}

// dialects are the ones to run in, each once.
func (x *expander) dialects(engine Engine) []Dialect {
	all := engine.Dialects
	if len(all) == 0 {
		all = x.planner.options.Dialects
	}
	if len(all) == 0 {
		return []Dialect{{FirstAttempt: 0, EmptyProposed: "full", FailedCall: "interrupt"}}
	}
	var distinct []Dialect
	for _, dialect := range all {
		dialect.Pos = Pos{}
		if !slices.Contains(distinct, dialect) {
			distinct = append(distinct, dialect)
		}
	}
	return distinct
}

// suffix names what differs from the default dialect.
func (d Dialect) suffix() string {
	var parts []string
	if d.FirstAttempt != 0 {
		parts = append(parts, "first_attempt "+strconv.Itoa(d.FirstAttempt))
	}
	if d.EmptyProposed == "short" {
		parts = append(parts, "empty_proposed short")
	}
	if d.FailedCall == "fail" {
		parts = append(parts, "failed_call fail")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func eachTools(bound []Binding) string {
	var names []string
	for _, binding := range bound {
		if binding.Each {
			names = append(names, printable(binding.Tool.Name))
		}
	}
	return strings.Join(names, ", ")
}
