package scenarios

import "strings"

// TwinScript is the script of a case once more with one thing put right (R11).
type TwinScript struct {
	// Call is the label of the call that was put right, "" where it is what was
	// given or the signature.
	Call string
	// Signed says that it is the signature that was put right.
	Signed bool
	// Is is what the twin has to do: runs or answers.
	Is string
	// NotMade is the reason why it cannot be made. Steps are then absent.
	NotMade string
	Given   Given
	Steps   []Step
}

// copies resolves one case, once for each copy of the script. What no copy
// tells apart is resolved once and shared.
func (x *expander) copies(like Case, values *node, chosen []choice) ([]Case, Problems) {
	copied := speaksOf(x.doc.root, "copy")
	var all []Case
	for n := 1; n == 1 || n <= all[0].copies; n++ {
		if n > 1 && !copied {
			all = append(all, all[0])
			continue
		}
		d := &decoder{options: x.planner.options.Reading}
		d.scope = x.scope(d, values, chosen, like.Bound, n)
		c := like
		c.scope = d.scope
		x.resolve(d, &c)
		if len(d.problems) > 0 {
			return nil, d.problems
		}
		all = append(all, c)
	}
	return all, nil
}

// speaksOf says whether a document refers to a name of its own accord.
func speaksOf(n *node, name string) bool {
	for _, item := range n.items {
		if speaksOf(item, name) {
			return true
		}
	}
	if n.kind != kindText || !strings.Contains(n.text, "$") {
		return false
	}
	if ref, ok := whole(n.text); ok {
		return ref.name == name
	}
	return strings.Contains(n.text, "${"+name+"}") || strings.Contains(n.text, "${"+name+".")
}

// resolve reads the parts of the document again, with references resolved.
func (x *expander) resolve(d *decoder, c *Case) {
	part := func(name string, read func(*node)) {
		if n := x.doc.root.member(name); n != nil {
			read(n)
		}
	}
	c.Engine, c.Limits, c.copies = defaultEngine(x.doc.Pos), defaultLimits(x.doc.Pos), 1
	part("engine", func(n *node) { c.Engine = d.engine(n) })
	part("given", func(n *node) { c.Given = d.given(n) })
	part("steps", func(n *node) { c.Steps = d.steps(n) })
	part("finally", func(n *node) { c.Finally = d.checks(n) })
	part("limits", func(n *node) { c.Limits = d.limits(n) })
	part("copies", func(n *node) { c.copies = d.copies(n) })
	part("twin", func(n *node) { c.twins = oneOrMore(d, n, d.twin) })
	if len(d.problems) == 0 {
		d.checkLabels(c.Given, c.Steps, c.Finally, c.twins)
	}
}

// twins makes the twins of a case, from the first copy of its script.
func (x *expander) twins(c *Case) {
	for i := range c.twins {
		c.Twins = append(c.Twins, x.twin(c, &c.twins[i]))
	}
}

func (x *expander) twin(c *Case, twin *Twin) TwinScript {
	t := TwinScript{Call: twin.Call, Signed: twin.Signature != "", Is: twin.Is, Given: c.Given, Steps: c.Steps}
	if twin.Given != nil {
		t.Given = *twin.Given
	}
	if twin.Call == "" {
		return t
	}
	t.Steps = make([]Step, len(c.Steps))
	copy(t.Steps, c.Steps)
	for i := range t.Steps {
		step := &t.Steps[i]
		if step.Model == nil {
			continue
		}
		changed := *step.Model
		changed.Calls = make([]Call, len(step.Model.Calls))
		copy(changed.Calls, step.Model.Calls)
		for k := range changed.Calls {
			if changed.Calls[k].As == twin.Call {
				t.NotMade = x.putRight(c, twin, &changed.Calls[k])
			}
		}
		step.Model = &changed
	}
	if t.NotMade != "" {
		t.Steps = nil
	}
	return t
}

// putRight changes the call of a twin, or returns the reason why it cannot.
func (x *expander) putRight(c *Case, twin *Twin, call *Call) (notMade string) {
	if twin.Tool != "" {
		call.Tool = Text{Pos: twin.Pos, Parts: []TextPart{{Plain: twin.Tool}}}
	}
	if twin.Arguments != nil || twin.Raw != nil || twin.Generate != "" {
		call.Arguments, call.Raw, call.Generate = twin.Arguments, twin.Raw, twin.Generate
	}
	return x.generateCall(c, call)
}
