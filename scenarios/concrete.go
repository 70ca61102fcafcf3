package scenarios

import (
	"maps"
	"slices"
	"strconv"

	"github.com/hallmarkdev/hallmark/internal/arguments"
)

// Concrete returns the scenario of c as it runs: one case, bound to its tools by
// name, with every reference resolved, arguments as they were made, and in the
// one dialect. What differs between copies of the script and between repeated
// calls stays a reference. One that does not apply is as it is written. The tree reads as a scenario; it is the caller's own.
func (c *Case) Concrete() *Tree {
	if c.scope == nil {
		// It does not apply to the worker, so nothing was resolved.
		return treeOf(c.Doc.root)
	}
	out := ObjectTree()
	for i, key := range c.Doc.root.keys {
		n := c.Doc.root.items[i]
		switch key.name {
		case "cases", "vary":
		case "scenario", "about", "refs", "tags", "requirements":
			out.Add(key.name, treeOf(n))
		case "needs":
			out.Add(key.name, c.concreteNeeds(n))
		case "engine":
			out.Add(key.name, c.concreteEngine(n))
		case "steps":
			steps := c.concrete(n)
			for k, step := range steps.Items {
				if k < len(c.Steps) && c.Steps[k].Model != nil {
					fillCalls(step.Member("model").Member("calls"), c.Steps[k].Model.Calls)
				}
				recipes(step)
			}
			out.Add(key.name, steps)
		case "given":
			given := c.concrete(n)
			if messages := given.Member("messages"); messages != nil {
				for k, m := range messages.Items {
					fillCalls(m.Member("calls"), c.Given.Messages[k].Calls)
				}
			}
			out.Add(key.name, given)
		default:
			out.Add(key.name, c.concrete(n))
		}
	}
	if d := c.concreteDialect(); d != nil {
		if out.Member("engine") == nil {
			at := slices.Index(out.Keys, "steps")
			out.Keys, out.Items = slices.Insert(out.Keys, at, "engine"), slices.Insert(out.Items, at, ObjectTree())
		}
		out.Member("engine").Set("dialect", d)
	}
	return out
}

// fillCalls writes the arguments that were made where a scenario has a class of
// them.
func fillCalls(calls *Tree, made []Call) {
	if calls == nil {
		return
	}
	for _, call := range calls.Items {
		class := call.Member("generate")
		if class == nil || call.Member("repeat") != nil {
			continue
		}
		i := slices.IndexFunc(made, func(m Call) bool { return call.Member("as") != nil && m.As == call.Member("as").Text })
		if i < 0 {
			continue
		}
		for k, key := range call.Keys {
			if key != "generate" {
				continue
			}
			switch {
			case made[i].Raw != nil:
				call.Keys[k], call.Items[k] = "raw", RecipeTree(made[i].Raw.String())
			case made[i].Arguments != nil && class.Text == string(arguments.Valid):
				if v, ok := ValueTree(made[i].Arguments); ok {
					call.Keys[k], call.Items[k] = "arguments", v
				}
			}
		}
	}
}

// concrete resolves a part of the document but for the counters of copies and
// repeats.
func (c *Case) concrete(n *node) *Tree {
	if n.kind == kindText && (speaksOf(n, "copy") || speaksOf(n, counter.name)) {
		return treeOf(n)
	}
	// A scope of its own: what is spent on texts is nobody else's.
	scope := *c.scope
	budget := maxCaseBytes
	scope.budget = &budget
	d := &decoder{scope: &scope}
	v := d.value(n)
	t := treeOf(v)
	if v != n && v.final {
		return t
	}
	for i, item := range n.items {
		t.Items[i] = c.concrete(item)
	}
	return t
}

// recipes writes the long texts of a step as recipes again, where one may stand.
func recipes(step *Tree) {
	write := func(t *Tree, key string) {
		if text := t.Member(key); text != nil && text.Kind == TreeText && len(text.Text) >= shortRun && !hasReference(text.Text) {
			t.Set(key, RecipeTree(text.Text))
		}
	}
	for _, verb := range []string{"user", "model"} {
		write(step, verb)
		write(step.Member(verb), "text")
	}
	if calls := step.Member("model").Member("calls"); calls != nil {
		for _, call := range calls.Items {
			write(call, "raw")
		}
	}
}

// concreteNeeds names the tools that the case is bound to.
func (c *Case) concreteNeeds(n *node) *Tree {
	out, tools := ObjectTree(), ObjectTree()
	for _, b := range c.Bound {
		need := ObjectTree().Add("name", TextTree(b.Tool.Name))
		written := n.member("tool")
		if b.Label != "tool" {
			written = n.member("tools").member(b.Label)
		}
		if h := written.member("handler"); h != nil {
			need.Add("handler", c.concrete(h))
		}
		if b.Label == "tool" {
			out.Add("tool", need)
		} else {
			tools.Add(b.Label, need)
		}
	}
	if len(tools.Keys) > 0 {
		out.Add("tools", tools)
	}
	if f := n.member("features"); f != nil {
		out.Add("features", c.concrete(f))
	}
	return out
}

// concreteEngine is the engine with the one form in which the worker hosts the
// model.
func (c *Case) concreteEngine(n *node) *Tree {
	t := c.concrete(n)
	t.Delete("dialect")
	if t.Member("hosted") != nil && c.Hosted != "" {
		t.Set("hosted", TextTree(c.Hosted))
	}
	return t
}

// concreteDialect is the dialect as a scenario writes it, nil for the default.
func (c *Case) concreteDialect() *Tree {
	d, plain := c.Dialect, DefaultDialect()
	t := ObjectTree()
	if d.FirstAttempt != plain.FirstAttempt {
		t.Add("first_attempt", WordTree(strconv.Itoa(d.FirstAttempt)))
	}
	words := map[string][2]string{
		"empty_proposed": {d.EmptyProposed, plain.EmptyProposed},
		"failed_call":    {d.FailedCall, plain.FailedCall},
		"identity":       {d.Identity, plain.Identity},
	}
	for _, key := range slices.Sorted(maps.Keys(words)) {
		if w := words[key]; w[0] != w[1] {
			t.Add(key, TextTree(w[0]))
		}
	}
	if len(t.Keys) == 0 {
		return nil
	}
	return t
}
