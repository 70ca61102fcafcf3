package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
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

func (x *expander) run(assignments [][]Binding) {
	var all []varied
	most, size := 0, 0
	for _, bound := range assignments {
		v, problems := x.vary(bound)
		size += len(x.doc.Cases) * len(v.choices)
		if size > maxCases {
			problems = x.tooMany()
		}
		if len(problems) > 0 {
			x.problems = problems
			return
		}
		most = max(most, len(v.choices))
		all = append(all, v)
	}
	entries := x.doc.root.member("cases")
	for i, entry := range x.doc.Cases {
		var values *node
		if entries != nil {
			values = entries.items[i]
		}
		for k := range most {
			for _, v := range all {
				if k < len(v.choices) {
					x.one(entry, values, v, v.choices[k])
				}
			}
		}
	}
	x.problems = x.problems.sorted()
	if x.untold {
		x.problems = append(x.problems, Problem{Pos: Pos{File: x.doc.File}, Message: "further cases were not resolved"})
	}
}

// one plans one case with one choice of values and tools, in each dialect.
func (x *expander) one(entry CaseEntry, values *node, v varied, chosen []choice) {
	if len(x.problems) >= maxProblems {
		x.untold = true
		return
	}
	c := Case{Doc: x.doc, Name: printable(entry.Name), Bound: v.bound, made: slices.Clip(v.made)}
	for _, one := range chosen {
		c.Name += ", " + one.label
	}
	c.ID = x.doc.Name + "#" + c.Name
	if tools := eachTools(v.bound); tools != "" {
		c.ID += " [" + tools + "]"
	}
	// What is added to an id is added at its end.
	if !strings.HasPrefix(x.planner.options.only, c.ID) && x.planner.options.only != "" {
		return
	}
	if v.missing != "" {
		c.NotApplicable = v.missing
		c.ID += x.again(c.ID)
		x.cases = append(x.cases, c)
		return
	}
	copies, problems := x.copies(c, values, chosen)
	if len(problems) > 0 {
		x.report(entry, problems)
		return
	}
	c = copies[0]
	c.Copies = copies[1:]
	dialects := x.dialects(c.Engine)
	forms := hostedForms(c.Engine)
	c.Engine.Dialects, c.Engine.Hosted = nil, nil
	c.NotApplicable = x.planner.unsigned(c.Engine.Signature)
	x.generate(&c)
	for i := range c.Copies {
		c.Copies[i].Engine.Dialects, c.Copies[i].Engine.Hosted = nil, nil
		x.generate(&c.Copies[i])
	}
	x.twins(&c)
	for _, reason := range []string{x.planner.unwrapped(c), x.planner.undialed(c.Steps)} {
		c.NotApplicable = cmp.Or(c.NotApplicable, reason)
	}
	if restartsWorker(c.Steps) && !slices.Contains(x.planner.options.Features, FeatureRestart) {
		c.NotApplicable = cannotRestart
	}
	if c.NotApplicable != "" {
		c.Steps, c.Copies, c.Twins = nil, nil, nil
	}
	for _, dialect := range dialects {
		for _, form := range forms {
			x.runIn(c, dialect, form)
		}
	}
}

// runIn plans one run of a case.
func (x *expander) runIn(c Case, dialect Dialect, form string) {
	c.Dialect, c.Hosted = dialect, form
	c.ID += inForm(form) + dialect.suffix()
	c.ID += x.again(c.ID)
	if reason := x.planner.missingHost(form); reason != "" && c.NotApplicable == "" {
		c.NotApplicable = reason
		c.Steps, c.Copies, c.Twins = nil, nil, nil
	}
	c.callsAgents(x.planner)
	x.cases = append(x.cases, c)
}

// hostedForms are the forms to run in, each once; one that is empty lets the
// script answer.
func hostedForms(engine Engine) []string {
	var distinct []string
	for _, form := range engine.Hosted {
		if !slices.Contains(distinct, form) {
			distinct = append(distinct, form)
		}
	}
	if distinct == nil {
		return []string{""}
	}
	return distinct
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

// dialects are the ones to run in, each once.
func (x *expander) dialects(engine Engine) []Dialect {
	all := engine.Dialects
	if len(all) == 0 {
		all = x.planner.options.Dialects
	}
	if len(all) == 0 {
		return []Dialect{DefaultDialect()}
	}
	return distinctDialects(all)
}

// inForm names the form in which the worker hosts the model when it is not the
// protocol's own.
func inForm(form string) string {
	if form == "" || form == spec.HostedNative {
		return ""
	}
	return " (hosted " + form + ")"
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
